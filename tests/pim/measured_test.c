/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured rows and what is predicted for them: against sums worked out by hand, and against the
 * figures of the shipped files.
 */
#include "emul/validate/pim/judge.h"

#include "tests/apps/table.h"
#include "tests/files/place.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct htmt_app *const apps[] = {&htmt_app_prim, &htmt_app_micro, NULL};

static struct htmt__pim_judgement judgement;
static struct place here;

/* A shipped file without long copies of the bank, so that a test takes a moment. */
static void copy_short(const char *name)
{
    char from[100], to[100], line[200], *slow;
    snprintf(from, sizeof from, "emul/validate/measured/%s", name);
    snprintf(to, sizeof to, "%s/%s", here.folder, name);
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    cr_assert(in && out, "%s", name);
    while (fgets(line, sizeof line, in)) {
        slow = strncmp(line, "N.mram.", 7) == 0 ? strstr(line, ".64,") : NULL;
        if (!slow)
            fputs(line, out);
    }
    fclose(in);
    fclose(out);
}

static void judge(void)
{
    struct htmt_fault fault = {0};
    here = place("");
    copy_short("upmem-micro.csv");
    copy_short("upmem-prim.csv");
    cr_assert_eq(htmt__pim_judge(here.folder, apps, &judgement, &fault), 0, "%s", fault.text);
}

static void clear(void)
{
    htmt__pim_clear(&judgement);
    place_remove(&here);
}

/* Each judges thousands of model runs, of one thread: minutes under a sanitizer. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define LENGTHY .disabled = true
#else
#define LENGTHY .disabled = false
#endif
TestSuite(measured, .init = judge, .fini = clear);

static const struct htmt__pim_finding *find(const char *id)
{
    for (unsigned i = 0; i < judgement.count; i++)
        if (!strcmp(judgement.finding[i].row->id, id))
            return &judgement.finding[i];
    cr_assert_fail("no row %s", id);
    return NULL;
}

static const struct htmt__pim_group *group(const char *name)
{
    for (unsigned i = 0; i < judgement.groups; i++)
        if (!strcmp(judgement.group[i].name, name))
            return &judgement.group[i];
    cr_assert_fail("no group %s", name);
    return NULL;
}

Test(shipped, every_row_is_known)
{
    struct htmt__measured all;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__measured_load(NULL, &all, &fault), 0, "%s", fault.text);
    cr_expect_eq(all.count, 4811);
    for (unsigned i = 0; i < all.count; i++)
        cr_expect_neq(all.row[i].kind, HTMT__MEASURED_UNKNOWN, "%s", all.row[i].id);
    htmt__measured_clear(&all);
}

/* One tasklet: 64 repetitions of 512 words, 5 instructions each, and 4 more; an instruction takes
 * 11 cycles of 1/266.67 MHz. */
Test(measured, a_copy_in_scratch_memory_by_hand, LENGTHY)
{
    const struct htmt__pim_finding *f = find("N.wram.8.1.512.64");
    cr_expect_float_eq(f->predicted - f->launch, 64 * (512 * 5 + 4) * 11 / 266.67e6, 1e-14);
    cr_expect_not(f->fitted);
    cr_expect(find("N.wram.1.1.512.64")->fitted, "the clock was fitted to it");
    cr_expect(find("N.mram.64.4.128.1")->fitted, "the launch was fitted to it");
}

/* Medians of what is left of the measured times without the modelled work, of those copies that the
 * source names. */
Test(measured, a_launch_is_the_median_of_the_copies_that_it_names, LENGTHY)
{
    static const uint32_t dpus[] = {1, 16, 64, 128, 256, 512};
    const struct htmt__bus *bus = &htmt__bank_machine_of(judgement.copies)->figures;
    for (size_t n = 0; n < sizeof dpus / sizeof *dpus; n++) {
        double launch[100] = {0}, swap;
        unsigned count = 0;
        for (unsigned i = 0; i < judgement.count; i++) {
            const struct htmt__pim_finding *f = &judgement.finding[i];
            const struct htmt__measured_row *r = f->row;
            if (r->kind == HTMT__MEASURED_COPY && r->dpus == dpus[n] && r->words == 128 &&
                r->repetitions == 1 && (f->fitted))
                launch[count++] = r->seconds - (f->predicted - f->launch);
        }
        for (unsigned i = 1; i < count; i++)
            for (unsigned k = i; k > 0 && launch[k] < launch[k - 1]; k--)
                swap = launch[k], launch[k] = launch[k - 1], launch[k - 1] = swap;
        const double median =
            count % 2 ? launch[count / 2] : (launch[count / 2] + launch[(count - 1) / 2]) / 2;
        const htmt_time used = htmt__bus_launch(bus, dpus[n], true, NULL);
        cr_assert_gt(count, 4);
        cr_expect_float_eq((double)used * 1e-15, median, 0.6e-6, "%u DPUs: %g us, median %g us",
                           dpus[n], (double)used * 1e-9, median * 1e6);
    }
}

/* 2,048 blocks one after the other: 2 copies of 34.6 + 64/2 + 10 cycles and 5 instructions; then 4
 * instructions. */
Test(measured, a_copy_of_the_bank_by_hand, LENGTHY)
{
    const struct htmt__pim_finding *f = find("N.mram.1.1.131072.1");
    double cycles = 2048 * (2 * (34.6 + 32 + 10) + 55) + 44;
    cr_expect_float_eq(f->predicted - f->launch, cycles / 266.67e6, 1e-10);
    cr_expect(f->fitted, "the split of a block was fitted to one tasklet");
}

/* A point of the curve is its row; the row between two points is between them. */
Test(measured, every_second_size_is_a_point, LENGTHY)
{
    const struct htmt__pim_finding *point = find("N.host.mram.to-dpu.1.8");
    const struct htmt__pim_finding *between = find("N.host.mram.to-dpu.1.32");
    const struct htmt__pim_finding *next = find("N.host.mram.to-dpu.1.64");
    cr_expect(point->fitted && next->fitted && !between->fitted);
    cr_expect_float_eq(point->predicted, point->row->seconds, 1e-14);
    cr_expect_float_eq(between->predicted,
                       point->row->seconds +
                           (next->row->seconds - point->row->seconds) * (32 - 8) / (64 - 8),
                       1e-14);
}

/* B/s without the transfer's start, of a point. */
static double rate_at(const struct htmt_curve *c, uint64_t dpus, uint64_t bytes)
{
    struct htmt_ratio start, time;
    cr_assert_eq(htmt__curve_at(c, dpus, 0, &start, NULL), 0);
    cr_assert_eq(htmt__curve_at(c, dpus, bytes, &time, NULL), 0);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->point[i].x == dpus && c->point[i].y && c->point[i].y < least)
            least = c->point[i].y;
    cr_assert_eq(htmt__curve_at(c, dpus, least, &start, NULL), 0);
    return (double)(dpus * bytes) / (htmt_ratio_value(time) - htmt_ratio_value(start)) * 1e15;
}

/* Five points of 256 DPUs are no rows: the rate of both neighbours that have the same bytes in all,
 * by the logarithms of the DPUs. */
Test(shipped, filled_points_have_the_rate_of_their_neighbours)
{
    static const struct {
        int way;
        uint64_t bytes, low, high;
    } filled[] = {{1, 4096, 64, 512},
                  {1, 16384, 64, 512},
                  {1, 65536, 128, 512},
                  {0, 128, 64, 512},
                  {0, 512, 128, 512}};
    struct htmt_machine *m = machine_load("upmem-e19", NULL);
    const struct htmt__bus *bus = &htmt__bank_machine_of(m)->figures;
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        const struct htmt_curve *c =
            &bus->transfer[HTMT__TO_BANK][HTMT__PARALLEL][filled[i].way].time;
        double low = rate_at(c, filled[i].low, filled[i].bytes * 256 / filled[i].low),
               high = rate_at(c, filled[i].high, filled[i].bytes * 256 / filled[i].high),
               share = log(256.0 / (double)filled[i].low) /
                       log((double)filled[i].high / (double)filled[i].low),
               wanted = exp((1 - share) * log(low) + share * log(high));
        cr_expect_float_eq(rate_at(c, 256, filled[i].bytes) / wanted, 1, 2e-4, "%zu: %g, not %g", i,
                           rate_at(c, 256, filled[i].bytes), wanted);
    }
    htmt_machine_destroy(&m);
}

/* The model agrees with both rows of a fit to within half an instruction a block. Four more kernels
 * give the median of the first launch, and agree with it within its scatter. */
Test(measured, constants_agree_with_the_rows_they_name, LENGTHY)
{
    unsigned fitted = 0, near = 0;
    for (unsigned i = 0; i < judgement.count; i++) {
        const struct htmt__pim_finding *f = &judgement.finding[i];
        if (!f->fitted || f->row->kind != HTMT__MEASURED_PROGRAM ||
            strcmp(f->row->part, "kernel") != 0)
            continue;
        fitted++;
        near += fabs(f->error) < 5e-4;
        cr_expect_lt(fabs(f->error), 5e-3, "%s: %g", f->row->id, f->error);
    }
    cr_expect_eq(fitted, 21);
    cr_expect_geq(near, 16);
}

/* A rate of the bus is the median of the rates of the rows that it names: VA has two inputs. */
Test(measured, a_point_of_a_transfer_is_the_median_of_its_rows, LENGTHY)
{
    const struct htmt_curve *rate =
        &htmt__bank_machine_of(judgement.programs)
             ->figures.transfer[HTMT__TO_BANK][HTMT__PARALLEL][HTMT__TO_SLICES]
             .rate;
    struct htmt_ratio value;
    const double start = 24.5e-6, bytes = 131072 * 16;
    const double hst = bytes / (find("U.HST-S.16.524288.cpu-to-dpu")->row->seconds - start);
    const double scan = bytes / (find("U.SCAN-RSS.16.262144.cpu-to-dpu")->row->seconds - start);
    const double va = bytes / (find("U.VA.16.524288.cpu-to-dpu")->row->seconds / 2 - start);
    cr_assert_eq(htmt__curve_at(rate, 16, 131072, &value, NULL), 0);
    cr_expect(hst < va && va < scan);
    cr_expect_float_eq(htmt_ratio_value(value) / va, 1, 5e-4);
    cr_expect(find("U.VA.16.524288.cpu-to-dpu")->fitted);
    cr_expect_not(find("U.SCAN-SSA.16.524288.cpu-to-dpu")->fitted);
}

/* Whole programs are the sums of their rows; a run is fitted if one of its rows is. The line of a
 * kernel goes through the two rows of its constants. */
Test(measured, whole_programs_and_lines_are_summed_up_from_rows, LENGTHY)
{
    static const char *const parts[] = {"kernel", "cpu-to-dpu", "dpu-to-cpu"};
    double measured = 0, predicted = 0;
    char id[80];
    for (int i = 0; i < 3; i++) {
        snprintf(id, sizeof id, "U.GEMV.16.16384.%s", parts[i]);
        measured += find(id)->row->seconds;
        predicted += find(id)->predicted;
    }
    const struct htmt__pim_group *g = group("U programs");
    cr_expect_str_eq(g->worst_id, "U.GEMV.16.16384.kernel");
    cr_expect_float_eq(g->worst, predicted / measured - 1, 1e-12);
    cr_expect(g->counted == 14 && g->fitted == 63 && g->rows == 77);
    cr_expect_lt(group("U transfers")->mean, 0.15);
    const struct htmt__measured_row *large = find("U.VA.16.9437184.kernel")->row,
                                    *small = find("U.VA.64.524288.kernel")->row;
    const struct htmt__pim_finding *f = find("U.VA.64.4194304.kernel");
    const double share = (4194304 / 64.0 - 524288 / 64.0) / (9437184 / 16.0 - 524288 / 64.0);
    cr_expect_float_eq(
        f->line_error,
        (small->seconds + share * (large->seconds - small->seconds)) / f->row->seconds - 1, 1e-9);
}

/* The mean of a group, summed here over the findings. */
Test(measured, a_mean_is_over_rows_that_nothing_was_fitted_to, LENGTHY)
{
    double sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < judgement.count; i++) {
        const struct htmt__pim_finding *f = &judgement.finding[i];
        if (f->fitted || !f->judged || f->row->kind != HTMT__MEASURED_PROGRAM ||
            strcmp(f->row->part, "kernel") != 0)
            continue;
        sum += fabs(f->predicted / f->row->seconds - 1);
        n++;
    }
    cr_expect_eq(group("U kernels")->counted, n);
    cr_expect_float_eq(group("U kernels")->mean, sum / n, 1e-12);
}

static void count(void *with, const char *file, const struct htmt_figure *figure)
{
    (void)file;
    *(unsigned *)with += strstr(figure->key, ".slots") || strstr(figure->key, "dma.rate") ||
                         strstr(figure->key, "launch");
}

Test(measured, figures_that_rows_depend_on_are_not_listed, LENGTHY)
{
    unsigned wrong = 0;
    htmt__pim_unused(&judgement, count, &wrong);
    cr_expect_eq(wrong, 0);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports of programs that have a type for each slice.
 */
#include "emul/lib/report/families.h"

#include "emul/lib/report/answers.h"
#include "emul/lib/report/html.h"
#include "emul/lib/report/report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 4096 };

/* Worker i is served i + 1 times and uses (i + 1) millionths; one more phase stands behind. */
static struct htmt__results make(unsigned workers)
{
    struct htmt__results r = {.slices = SLICES, .predicted = 1000};
    r.phase = calloc(2 * (size_t)workers + 1, sizeof *r.phase);
    r.resource = calloc(1, sizeof *r.resource);
    cr_assert(r.phase && r.resource);
    r.resource_count = 1;
    *r.resource = (struct htmt__resource){
        .name = "SPELL", .kind = "bank", .count = SLICES, .served = 1, .utilization = 0.9};
    for (unsigned i = 0; i < workers; i++)
        for (unsigned k = 0; k < 2; k++) {
            struct htmt__stage *p = &r.phase[r.phase_count++];
            snprintf(p->type, sizeof p->type, "Worker %u", i);
            p->stage = k ? "fiber" : "execute";
            snprintf(p->resource, sizeof p->resource, "SPELL");
            p->parcels = i + 1;
            p->quantity = i + 1;
            p->unit = "parcels";
            p->classes.of[HTMT_IOP] = k ? 0 : i + 1;
            p->mean_s = k ? 1e-9 : 2e-9 * (i + 1);
            p->parallelism = SLICES;
            p->utilization = k ? 0 : 1e-7 * (i + 1);
        }
    r.phase[r.phase_count] = r.phase[0];
    snprintf(r.phase[r.phase_count++].type, sizeof r.phase->type, "Desk 1");
    return r;
}

static void clear(struct htmt__results *r)
{
    free(r->phase);
    free(r->resource);
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    while ((text = strstr(text, what))) {
        text += strlen(what);
        n++;
    }
    return n;
}

Test(families, types_that_differ_in_numbers_are_added_up)
{
    struct htmt__results r = make(SLICES);
    struct htmt__family *all;
    unsigned families, left_out;
    double share = 0, time = 0, parcels = 0;
    for (unsigned i = 0; i < SLICES; i++) {
        share += 1e-7 * (i + 1);
        time += 2e-9 * (i + 1) * (i + 1);
        parcels += i + 1;
    }
    cr_assert_eq(htmt__families_make(&r, &all, &families, &left_out), 0);
    cr_assert_eq(families, 3);
    cr_expect_eq(left_out, 0);
    cr_expect_str_eq(all[0].sum.type, "Worker *");
    cr_expect_str_eq(all[0].sum.stage, "execute");
    cr_expect_eq(all[0].members, SLICES);
    cr_expect_eq(all[0].sum.parcels, (uint64_t)parcels);
    cr_expect_eq(all[0].sum.classes.of[HTMT_IOP], parcels);
    cr_expect_eq(all[0].sum.classes.of[HTMT_FLOP], 0);
    cr_expect_float_eq(all[0].sum.utilization, share, 1e-9);
    cr_expect_float_eq(all[0].sum.mean_s, time / parcels, 1e-12);
    cr_expect_str_eq(all[0].busiest->type, "Worker 4095");
    cr_expect_str_eq(all[1].sum.stage, "fiber");
    cr_expect_str_eq(all[2].sum.type, "Desk 1", "a single type keeps its number");
    free(all);
    clear(&r);
}

Test(families, few_phases_are_shown_as_they_are)
{
    struct htmt__results r = make(3);
    struct htmt__family *all;
    unsigned families, left_out;
    cr_assert_eq(htmt__families_make(&r, &all, &families, &left_out), 0);
    cr_assert_eq(families, r.phase_count);
    for (unsigned i = 0; i < families; i++)
        cr_expect_str_eq(all[i].sum.type, r.phase[i].type);
    free(all);
    clear(&r);
}

Test(families, the_others_of_many_different_names_are_counted)
{
    struct htmt__results r = make(SLICES);
    struct htmt__family *all;
    unsigned families, left_out;
    for (unsigned i = 0; i < r.phase_count; i++)
        for (unsigned at = i, k = 0; k < 5; k++, at /= 10)
            r.phase[i].type[k] = (char)('a' + at % 10);
    cr_assert_eq(htmt__families_make(&r, &all, &families, &left_out), 0);
    cr_expect_eq(families, HTMT__PHASES_SHOWN);
    cr_expect_eq(left_out, r.phase_count - HTMT__PHASES_SHOWN);
    free(all);
    clear(&r);
}

Test(families, a_report_of_a_type_for_each_slice_fits_a_screen_or_two)
{
    struct htmt__document d = {.results = make(SLICES), .machine = "up", .mode = "run"};
    char *text = NULL, *page = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    cr_assert(out && !htmt__report_tables(&d.results, out));
    fclose(out);
    cr_expect_lt(count(text, "\n"), 30);
    cr_expect(strstr(text, "Worker * execute on SPELL: 4,096 types; the busiest, Worker 4095, has"),
              "%s", text);
    out = open_memstream(&page, &length);
    cr_assert(out && !htmt__html_print(&d, NULL, NULL, out));
    fclose(out);
    cr_expect_lt(count(page, "<tr"), 40);
    cr_expect_lt(count(page, "<rect"), 20);
    free(text);
    free(page);
    clear(&d.results);
}

/* 5,000 rows of work of 1 fs each, one of queueing of 7 fs: the time stays, and no cause hides. */
Test(families, an_explanation_of_a_type_for_each_slice_shows_the_longest_and_sums_up_the_others)
{
    enum { CAUSES = 5000 };
    struct htmt__document d = {.machine = "up", .mode = "run"};
    struct htmt__explanation *x = &d.explanation;
    struct htmt__cause row;
    char *text = NULL, *page = NULL;
    size_t length;
    htmt_time sum = 0;
    x->cause = calloc(CAUSES + 1, sizeof *x->cause);
    cr_assert(x->cause);
    x->made = true;
    x->predicted = CAUSES + 7;
    x->count = CAUSES + 1;
    for (unsigned i = 0; i <= CAUSES; i++) {
        struct htmt__cause *c = &x->cause[i];
        *c = (struct htmt__cause){
            .cause = i < CAUSES ? "work" : "queue", .stage = "execute", .intervals = 1, .time = 1};
        snprintf(c->type, sizeof c->type, "Worker %u", i);
    }
    x->cause[CAUSES].time = 7;
    cr_assert_eq(htmt__explanation_share(x, &d.results), 0);
    unsigned rows = 0;
    for (unsigned i = 0; htmt__explanation_next(x, &i, &row); rows++)
        sum += row.time;
    cr_expect_eq(sum, x->predicted);
    cr_expect_eq(rows, HTMT__CAUSES_SHOWN + 2);
    cr_expect_str_eq(row.cause, "queue");
    cr_expect_str_eq(row.type, "Worker 5000");

    FILE *out = open_memstream(&text, &length);
    cr_assert(out && !htmt__explanation_print(x, out));
    fclose(out);
    cr_expect_lt(count(text, "\n"), 150);
    cr_expect(strstr(text, "4936 others"), "%s", text);
    cr_expect(strstr(text, "4937 others"), "phases: 5,001 - 64: %s", text);
    out = open_memstream(&page, &length);
    cr_assert(out && !htmt__html_print(&d, NULL, NULL, out));
    fclose(out);
    cr_expect_lt(count(page, "<tr"), 150);
    free(text);
    free(page);
    htmt__explanation_clear(x);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Images whose patches lie with ranks, which are threads here. The image is that of a run in one
 * process, of which each rank gets its patches; its own run is one of costs.
 */
#include "apps/lib/gather.h"
#include "tests/ranks/threads.h"
#include "tests/sar/focus.h"

enum { RANKS = 4, SLICES = 3 };

struct image {
    struct htmt__sar_input in;
    struct focused out;
    struct htmt__sar_check check; /* by one process */
};

static struct image image(void)
{
    struct image w = {.in = focus_input(1500, 300)};
    struct htmt__sar_decomposition *c = &w.out.decomposition;
    w.out = focus(
        &(struct focus){.slices = SLICES, .patch_lines = 400, .lengths = HTMT__FAST_LENGTH}, &w.in);
    cr_assert_gt(c->plan.patches, SLICES);
    cr_assert_eq(htmt__sar_check(NULL, &c->plan, &w.in.raw, false, 1, w.out.place, &w.check, NULL),
                 0);
    cr_assert(w.check.pass && w.check.value > 0);
    return w;
}

/* The patches of the slices that are here, with nothing of the raw data of others. */
static int check_here(struct htmt_emulator *e, const struct image *w, struct htmt__sar_check *check)
{
    const struct htmt__sar_plan *p = &w->out.decomposition.plan;
    size_t line = p->radar.samples * htmt__sar_pair_bytes(w->in.raw.format);
    struct htmt__sar_raw raw = w->in.raw;
    void **here = calloc(p->patches, sizeof *here);
    raw.bytes = calloc(raw.lines, line);
    for (uint32_t n = 0; n < p->patches; n++) {
        size_t first = htmt__sar_plan_patch(p, n).first * line;
        if (!htmt_slice_here(e, n % SLICES))
            continue;
        here[n] = w->out.place[n];
        memcpy((char *)raw.bytes + first, (char *)w->in.raw.bytes + first, p->patch_lines * line);
    }
    int rc = htmt__sar_check(e, p, &raw, false, 1, here, check, NULL);
    free(raw.bytes);
    free(here);
    return rc;
}

static int play(const struct htmt_ranks *rank, void *of)
{
    const struct image *w = of;
    struct htmt_options o = {.machine = w->out.machine, .mode = HTMT_MODEL, .ranks = rank};
    struct htmt__sar_program *program = NULL;
    struct htmt__sar_data none = {0};
    struct htmt__sar_check check;
    struct htmt_emulator *e = NULL;
    int rc = htmt_emulator_create(&e, &o, NULL);
    rc = rc ? rc : htmt__sar_program_create(e, &w->out.decomposition, &none, &program, NULL);
    rc = rc ? rc : htmt_emulator_run(e);
    if (!rc && rank->count == 2 && htmt_has_all(e)) /* nothing is parted */
        rc = HTMT_EINVAL;
    rc = rc ? rc : check_here(e, w, &check);
    if (!rc && (!check.pass || memcmp(&check.value, &w->check.value, sizeof check.value)))
        rc = HTMT_EWRONG;
    htmt__sar_program_destroy(&program);
    htmt_emulator_destroy(&e);
    return rc;
}

Test(sar_ranks, each_number_of_ranks_finds_the_value_of_one_process_by_its_own_patches)
{
    struct image w = image();
    int rc[RANKS];
    for (uint32_t count = 1; count <= RANKS; count++) {
        cr_assert_eq(ranks_threads_play(count, play, &w, rc), 0);
        for (uint32_t i = 0; i < count; i++)
            cr_expect_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_strerror(rc[i]));
    }
    focus_free(&w.out);
    htmt__sar_input_destroy(&w.in);
}

/* Whole pages in between become zeros; the lines around keep their numbers. */
Test(sar_ranks, lines_that_no_patch_here_takes_are_given_back)
{
    struct htmt__sar_raw raw;
    cr_assert_eq(htmt__sar_raw_create(&raw, 1000, 500, HTMT__SAR_U8, NULL), 0);
    uint8_t *byte = raw.bytes;
    memset(byte, 7, 1000 * 1000);
    htmt__sar_raw_forget(&raw, 100, 900);
    htmt__sar_raw_forget(&raw, 950, 951);
    for (size_t k = 0; k < 1000 * 1000; k++)
        if (k < 100 * 1000 || k >= 900 * 1000)
            cr_assert_eq(byte[k], 7);
    cr_expect_eq(byte[500 * 1000], 0);
    htmt__sar_raw_destroy(&raw);
}

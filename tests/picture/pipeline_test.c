/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drawing of a pipeline out of bars made by hand; tests/integration/pictures.sh has real ones.
 */
#include "emul/lib/picture/palette.h"
#include "emul/view/picture/pipeline.h"
#include "tests/picture/texts.h"

#include <criterion/criterion.h>

#define US INT64_C(1000000000)

enum { PARCELS = 3 };

/* Each parcel is served for 40 us, 20 us after the one before; then moves stall and wait. */
struct made {
    struct htmt_trace_info info;
    uint64_t serial[PARCELS];
    struct htmt__pipeline_bar bar[2 * PARCELS];
    struct htmt__pipeline p;
};

static void make(struct made *m)
{
    *m = (struct made){.info = {.app = "made", .machine = "up", .complete = true}};
    m->p = (struct htmt__pipeline){.info = &m->info,
                                   .type = "Push",
                                   .parcels = PARCELS,
                                   .rows = 2,
                                   .serial = m->serial,
                                   .bar = m->bar,
                                   .bars = (size_t)2 * PARCELS};
    m->p.row[0] = (struct htmt__pipeline_row){HTMT_DISPATCH, false, "Dispatch (SPIM)"};
    m->p.row[1] = (struct htmt__pipeline_row){HTMT_INJECT, true, "SRAM to CRAM (rti)"};
    for (uint32_t i = 0; i < PARCELS; i++) {
        htmt_time t = i * 20 * US;
        m->bar[2 * i] = (struct htmt__pipeline_bar){
            .parcel = i, .row = 0, .asked = t, .start = t, .end = t + 40 * US};
        m->bar[2 * i + 1] = (struct htmt__pipeline_bar){.parcel = i,
                                                        .row = 1,
                                                        .asked = t + 40 * US,
                                                        .start = t + 55 * US,
                                                        .end = t + 75 * US,
                                                        .wait = 5 * US,
                                                        .line = 5 * US,
                                                        .stall = 10 * US};
    }
}

static struct htmt__sheet draw(struct made *m)
{
    struct htmt__sheet sheet = {0};
    make(m);
    cr_assert_eq(htmt__pipeline_draw(&m->p, &sheet), 0);
    return sheet;
}

static unsigned count_boxes(const struct htmt__sheet *sheet, uint32_t fill, uint32_t ink,
                            bool hatched)
{
    unsigned count = 0;
    for (size_t i = 0; i < sheet->drawing.count; i++) {
        const struct htmt__shape *s = &sheet->shape[i];
        count += s->kind == HTMT__SHAPE_BOX && s->hatched == hatched &&
                 (hatched ? s->ink == ink : s->fill == fill);
    }
    return count;
}

static uint32_t colour(enum htmt__activity activity)
{
    return htmt__state_colour(HTMT__PALETTE_DEFAULT, activity);
}

Test(pipeline, each_stage_of_each_parcel_has_a_bar_and_each_wait_a_hatching)
{
    struct made m;
    struct htmt__sheet sheet = draw(&m);
    unsigned key = 1;
    cr_expect_eq(count_boxes(&sheet, colour(HTMT__COMPUTE), 0, false), PARCELS + key);
    cr_expect_eq(count_boxes(&sheet, colour(HTMT__TRANSFER), 0, false), PARCELS + key);
    cr_expect_eq(count_boxes(&sheet, 0, colour(HTMT__BLOCKED), true), PARCELS + key);
    cr_expect_eq(count_boxes(&sheet, 0, HTMT__FADED, true), PARCELS + key);
    htmt__sheet_clear(&sheet);
}

/* The bars of a row in the order of the parcels. */
static const struct htmt__shape *bar(const struct htmt__sheet *sheet, uint32_t fill, unsigned nth)
{
    for (size_t i = 0; i < sheet->drawing.count; i++) {
        const struct htmt__shape *s = &sheet->shape[i];
        if (s->kind == HTMT__SHAPE_BOX && !s->hatched && s->fill == fill && nth-- == 0)
            return s;
    }
    cr_assert_fail("no bar");
    return NULL;
}

Test(pipeline, bars_that_overlap_are_staggered_and_the_first_lane_is_used_again)
{
    struct made m;
    struct htmt__sheet sheet = draw(&m);
    unsigned key = 1;
    const struct htmt__shape *first = bar(&sheet, colour(HTMT__COMPUTE), key);
    const struct htmt__shape *second = bar(&sheet, colour(HTMT__COMPUTE), key + 1);
    const struct htmt__shape *third = bar(&sheet, colour(HTMT__COMPUTE), key + 2);
    cr_expect_lt(first->y + first->height, second->y + 0.01);
    cr_expect_float_eq(third->y, first->y, 0.01);
    cr_expect_float_eq(second->x - first->x, (third->x - first->x) / 2, 0.01);
    htmt__sheet_clear(&sheet);
}

Test(pipeline, texts_stand_apart_and_bars_have_the_numbers_of_their_parcels)
{
    struct made m;
    struct htmt__sheet sheet = draw(&m);
    expect_texts_apart(&sheet);
    expect_texts_inside(&sheet);
    find_text(&sheet, "1");
    find_text(&sheet, "3");
    find_text(&sheet, "virtual time, us");
    find_text(&sheet, "(rti)");
    htmt__sheet_clear(&sheet);
}

Test(pipeline, an_incomplete_or_filtered_trace_says_so)
{
    struct made m;
    struct htmt__sheet sheet = {0};
    make(&m);
    m.info.complete = false;
    m.info.filtered = true;
    cr_assert_eq(htmt__pipeline_draw(&m.p, &sheet), 0);
    cr_expect_eq(count_texts(&sheet, "INCOMPLETE"), 1);
    cr_expect_eq(count_texts(&sheet, "FILTERED"), 1);
    htmt__sheet_clear(&sheet);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of a timeline's picture is summed up by pixels; tests/integration/pictures.sh has whole
 * ones.
 */
#include "emul/view/picture/timeline_parts.h"

#include <criterion/criterion.h>

struct made {
    struct htmt_trace_layer layer;
    struct htmt_trace_info info;
    struct htmt__sheet sheet;
    struct htmt__timeline_picture p;
};

/* A pixel is an instant; the one memory has 100 words. */
static void make(struct made *m)
{
    *m = (struct made){.layer = {.memory = "CRAM", .capacity = 100}};
    m->info = (struct htmt_trace_info){.layers = 1, .layer = &m->layer};
    m->p = (struct htmt__timeline_picture){
        .info = &m->info,
        .sheet = &m->sheet,
        .axis = {1000, 1000 + HTMT__TIMELINE_PLOT, HTMT__TIMELINE_LEFT, HTMT__TIMELINE_PLOT}};
}

/* ---- depth ---------------------------------------------------------------------------------- */

static void draw_depth(struct made *m, struct htmt__timeline_depth *d)
{
    struct htmt__timeline_band band = {.top = 0, .lanes = 16, .lane_height = 8, .deeper = true};
    htmt__timeline_depth_draw(&m->p, d, 1, &band, 0x009E73);
    htmt__timeline_depth_clear(d);
}

Test(timeline_depth, the_darkest_shade_is_where_most_intervals_are)
{
    struct made m;
    struct htmt__timeline_depth d;
    make(&m);
    cr_assert_eq(htmt__timeline_depth_create(2, &d), 0);
    htmt__timeline_depth_add(&d, 1, 10, 30);
    htmt__timeline_depth_add(&d, 1, 20, 40);
    draw_depth(&m, &d);
    cr_assert_eq(m.sheet.drawing.count, 3);
    cr_expect_float_eq(m.sheet.shape[1].x, HTMT__TIMELINE_LEFT + 20, 1e-9);
    cr_expect_float_eq(m.sheet.shape[1].width, 10, 1e-9);
    cr_expect_eq(m.sheet.shape[1].fill, 0x009E73);
    cr_expect_eq(m.sheet.shape[0].fill, m.sheet.shape[2].fill);
    cr_expect_neq(m.sheet.shape[0].fill, 0x009E73);
    htmt__sheet_clear(&m.sheet);
}

Test(timeline_depth, an_interval_shorter_than_a_pixel_does_not_vanish)
{
    struct made m;
    struct htmt__timeline_depth d;
    make(&m);
    cr_assert_eq(htmt__timeline_depth_create(2, &d), 0);
    htmt__timeline_depth_add(&d, 1, 0, 1);
    htmt__timeline_depth_add(&d, 1, 500.25, 500.26);
    htmt__timeline_depth_add(&d, 1, HTMT__TIMELINE_PLOT - 1, HTMT__TIMELINE_PLOT);
    draw_depth(&m, &d);
    cr_assert_eq(m.sheet.drawing.count, 3);
    cr_expect_float_eq(m.sheet.shape[1].x, HTMT__TIMELINE_LEFT + 500, 1e-9);
    htmt__sheet_clear(&m.sheet);
}

/* ---- memories ------------------------------------------------------------------------------- */

static void add(struct made *m, struct htmt__timeline_fill *f, uint64_t level, htmt_time at,
                uint64_t words)
{
    struct htmt_trace_sample sample = {.at = at, .words = words};
    struct htmt_trace_block b = {.samples = 1, .sample = &sample, .level = &level, .from = at};
    htmt__timeline_fill_add(&m->p, f, &b);
}

/* A pixel is so many instants. */
static struct htmt__timeline_fill make_fill(struct made *m, htmt_time pixel)
{
    struct htmt__timeline_fill f;
    make(m);
    m->p.axis.to = 1000 + pixel * HTMT__TIMELINE_PLOT;
    cr_assert_eq(htmt__timeline_fill_create(&m->p, &f), 0);
    return f;
}

/* Boxes of the curve, without the line of the capacity. */
static unsigned draw_fill(struct made *m, struct htmt__timeline_fill *f)
{
    unsigned boxes = 0;
    htmt__timeline_fill_draw(&m->p, f, 0, 0);
    htmt__timeline_fill_clear(f);
    for (size_t i = 0; i < m->sheet.drawing.count; i++)
        boxes += m->sheet.shape[i].kind == HTMT__SHAPE_BOX;
    return boxes;
}

Test(timeline_fill, a_memory_is_as_full_before_the_first_change_as_the_block_says)
{
    struct made m;
    struct htmt__timeline_fill f = make_fill(&m, 1);
    add(&m, &f, 50, 1100, 100);
    cr_expect(f.used[0]);
    cr_assert_eq(draw_fill(&m, &f), 2);
    cr_expect_float_eq(m.sheet.shape[0].width, 100, 1e-9);
    cr_expect_float_eq(2 * m.sheet.shape[0].height, m.sheet.shape[2].height, 1e-9);
    htmt__sheet_clear(&m.sheet);
}

Test(timeline_fill, changes_before_the_window_set_its_beginning_and_later_ones_nothing)
{
    struct made m;
    struct htmt__timeline_fill f = make_fill(&m, 1);
    add(&m, &f, 0, 10, 90);
    add(&m, &f, 90, 20, 40);
    add(&m, &f, 40, 100000, 100);
    cr_assert_eq(draw_fill(&m, &f), 1);
    cr_expect_float_eq(m.sheet.shape[0].width, HTMT__TIMELINE_PLOT, 1e-9);
    cr_expect_float_eq(m.sheet.shape[0].height, 0.4 * (HTMT__TIMELINE_FILL - 4), 1e-9);
    htmt__sheet_clear(&m.sheet);
}

Test(timeline_fill, the_most_words_of_a_pixel_are_shown)
{
    struct made m;
    struct htmt__timeline_fill f = make_fill(&m, 10);
    add(&m, &f, 0, 2001, 80);
    add(&m, &f, 80, 2005, 0);
    cr_assert_eq(draw_fill(&m, &f), 1);
    cr_expect_float_eq(m.sheet.shape[0].x, HTMT__TIMELINE_LEFT + 100, 1e-9);
    cr_expect_float_eq(m.sheet.shape[0].width, 1, 1e-9);
    htmt__sheet_clear(&m.sheet);
}

/* ---- bars ----------------------------------------------------------------------------------- */

Test(timeline_bars, a_label_stands_behind_the_start_up)
{
    struct made m;
    struct htmt_trace_resource link = {.startup = 100};
    struct htmt_trace_step step = {
        .type = "Move", .stage = HTMT_GATHER, .place = HTMT_TRACE_SENT, .resource = 0};
    struct htmt_trace_interval i = {.end = 1400, .service = 400, .serial = 7};
    struct htmt__timeline_band band = {.lanes = 1, .lane_height = 16};
    struct htmt__timeline_pixel pixel = {0};
    struct htmt__timeline_bar bar = {.interval = &i, .band = &band, .pixel = &pixel};
    make(&m);
    m.info.resource = &link;
    m.info.step = &step;
    htmt__timeline_bar_draw(&m.p, &bar);
    const struct htmt__shape *label = &m.sheet.shape[m.sheet.drawing.count - 1];
    cr_assert_str_eq(label->text, "Move #7");
    cr_expect_float_eq(label->x, HTMT__TIMELINE_LEFT + 250, 1e-9);
    cr_expect_float_eq(label->room, 298, 1e-9);
    htmt__sheet_clear(&m.sheet);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes and states of a slice, block by block, against those of all its intervals at once.
 */
#include "emul/lib/trace/lane_layout.h"

#include "emul/view/page/tile.h"
#include "tests/trace/opened.h"

enum { EACH = 3000, PART = 100 };

static const struct model model = {3, 1, EACH, 256};

/* All of a slice, the rows of its trace, and what is tested. */
struct fixture {
    struct opened o;
    const struct htmt_trace_info *info;
    struct htmt__rows rows;
    struct htmt__trace_slices slices;
    struct htmt__lane_layout marks;
    struct htmt_trace_interval interval[EACH];
};

static struct fixture *set_up(uint32_t slice)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct htmt_fault fault = {0};
    cr_assert(f);
    f->o = open_bytes(model_file(&model, true));
    f->info = htmt_trace_info(f->o.t);
    cr_assert_eq(htmt__rows_make(f->info, &f->rows), 0);
    cr_assert_eq(htmt__trace_slices_make(f->o.t, &f->slices), 0);
    cr_assert_eq(
        htmt__lane_layout_make(f->o.t, &f->rows, &f->slices.slice[slice], &f->marks, &fault), 0);
    for (uint64_t n = 0; n < EACH; n++)
        f->interval[n] = model_interval(&model, slice, n);
    return f;
}

static void tear_down(struct fixture *f)
{
    htmt__lane_layout_clear(&f->marks);
    htmt__trace_slices_clear(&f->slices);
    htmt__rows_clear(&f->rows);
    close_bytes(&f->o);
    free(f);
}

static uint32_t row_of(const struct fixture *f, int n)
{
    return f->rows.of_step[f->interval[n].step];
}

static enum htmt_trace_place place_of(const struct fixture *f, int n)
{
    return f->info->step[f->interval[n].step].place;
}

static htmt_time begin_of(const struct fixture *f, int n)
{
    return htmt__lane_begin(&f->interval[n], place_of(f, n));
}

static bool overlap(htmt_time a, htmt_time b, htmt_time from, htmt_time to)
{
    return a < b && from < to && a < to && from < b;
}

Test(rows, sections_come_first_then_each_layer_from_the_outer_one)
{
    struct fixture *f = set_up(0);
    const char *expected[] = {"sections", "DPIM", "DRAM",       "rti dram out",
                              "SPELL",    "CRAM", "rti cram in"};
    const uint32_t of_step[] = {1, 4, 3, 6, 5, 0, 2, 0};
    cr_assert_eq(f->rows.count, 7);
    for (int i = 0; i < 7; i++)
        cr_expect_str_eq(f->rows.row[i].name, expected[i]);
    for (int i = 0; i < MODEL_STEPS; i++)
        cr_expect_eq(f->rows.of_step[i], of_step[i], "step %d", i);
    tear_down(f);
}

Test(rows, waits_at_gates_of_a_run_without_sections_stand_in_a_row_of_gates)
{
    struct htmt_trace_step step[] = {
        {.place = HTMT_TRACE_SECTION, .resource = UINT32_MAX, .layer = UINT32_MAX},
        {.place = HTMT_TRACE_GATE, .resource = UINT32_MAX, .layer = UINT32_MAX}};
    struct htmt_trace_info info = {.steps = 2, .step = step};
    static const char *const expected[] = {"gates", "sections", "sections"};
    for (uint32_t i = 0; i < 3; i++) {
        struct htmt__rows rows;
        info.sections = i == 1;
        info.steps = i == 2 ? 1 : 2;
        cr_assert_eq(htmt__rows_make(&info, &rows), 0);
        cr_expect_str_eq(rows.row[0].name, expected[i]);
        htmt__rows_clear(&rows);
    }
}

Test(slices, that_end_at_one_instant_end_together)
{
    struct htmt__trace_slice slice[] = {{.end = 7}, {.end = 7}};
    struct htmt__trace_slices s = {.slice = slice, .count = 2, .fastest = 1};
    cr_expect(htmt__trace_slices_together(&s));
    slice[1].end = 6;
    cr_expect_not(htmt__trace_slices_together(&s));
    s = (struct htmt__trace_slices){.slice = slice, .count = 1};
    cr_expect_not(htmt__trace_slices_together(&s));
}

Test(slices, the_slowest_ends_last)
{
    struct fixture *f = set_up(0);
    const struct htmt__trace_slices *s = &f->slices;
    cr_assert_eq(s->count, 3);
    cr_expect_geq(s->slice[s->slowest].end, s->slice[s->median].end);
    cr_expect_geq(s->slice[s->median].end, s->slice[s->fastest].end);
    cr_expect_eq(s->slice[s->slowest].end, s->end);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(s->slice[i].slice, i);
        cr_expect_eq(s->slice[i].intervals, EACH);
    }
    tear_down(f);
}

Test(marks, no_lane_of_a_row_has_two_intervals_at_once)
{
    struct fixture *f = set_up(1);
    for (int a = 0; a < EACH; a++)
        for (int b = 0; b < a; b++)
            cr_assert(row_of(f, a) != row_of(f, b) || f->marks.lane[a] != f->marks.lane[b] ||
                          !overlap(begin_of(f, a), f->interval[a].end, begin_of(f, b),
                                   f->interval[b].end),
                      "%d and %d", a, b);
    tear_down(f);
}

/* Intervals of the row that began before a, or with it, and end after its begin. */
static int busy_lanes(const struct fixture *f, int a)
{
    int count = 0;
    for (int b = 0; b < EACH; b++)
        count += row_of(f, a) == row_of(f, b) && begin_of(f, b) <= begin_of(f, a) &&
                 f->interval[b].end > begin_of(f, a);
    return count;
}

Test(marks, a_row_has_as_many_lanes_as_its_intervals_overlap)
{
    struct fixture *f = set_up(2);
    for (uint32_t row = 1; row < f->rows.count; row++) {
        int most = 0;
        for (int a = 0; a < EACH; a++)
            if (row_of(f, a) == row && busy_lanes(f, a) > most)
                most = busy_lanes(f, a);
        /* One of no length may need a lane beside them. */
        cr_expect_geq((int)f->marks.depth[row], most);
        cr_expect_leq((int)f->marks.depth[row], most + 1);
    }
    tear_down(f);
}

static bool blocks(const struct fixture *f, int a)
{
    const struct htmt_trace_interval *i = &f->interval[a];
    bool any = false;
    for (int b = 0; b < EACH && place_of(f, a) < HTMT_TRACE_STALLED; b++) {
        const struct htmt_trace_interval *j = &f->interval[b];
        htmt_time start = j->end - j->service;
        any = any || (row_of(f, a) == row_of(f, b) && place_of(f, b) < HTMT_TRACE_STALLED &&
                      overlap(i->end - i->service, i->end, start - j->wait, start));
    }
    return any;
}

Test(marks, an_interval_blocks_others_that_wait_in_its_row_meanwhile)
{
    struct fixture *f = set_up(0);
    for (int a = 0; a < EACH; a++)
        cr_assert_eq(!!(f->marks.state[a] & HTMT__LANE_BLOCKS), blocks(f, a), "interval %d", a);
    tear_down(f);
}

static bool holds(const struct fixture *f, int a)
{
    enum htmt_trace_place place = place_of(f, a);
    for (int b = 0; b < a; b++)
        if (place_of(f, b) != HTMT_TRACE_SECTION && f->interval[b].serial == f->interval[a].serial)
            return true;
    return place == HTMT_TRACE_STALLED || place == HTMT_TRACE_ROOM || place == HTMT_TRACE_GATE;
}

Test(marks, what_was_somewhere_before_holds_a_place_while_it_waits)
{
    struct fixture *f = set_up(1);
    for (int a = 0; a < EACH; a++)
        if (place_of(f, a) != HTMT_TRACE_SECTION)
            cr_assert_eq(!!(f->marks.state[a] & HTMT__LANE_HOLDS), holds(f, a), "interval %d", a);
    tear_down(f);
}

/* ---- parts of blocks ---------------------------------------------------------------------------
 */

Test(part, the_parts_of_a_block_have_all_of_it)
{
    struct htmt_trace_block whole = model_block(&model, 1, 0);
    struct htmt__block_part part;
    uint32_t interval = 0, sample = 0, parts = 0;
    htmt__part_begin(&whole, MODEL_LAYERS, &part);
    for (; htmt__part_next(&whole, PART, &part); parts++) {
        const struct htmt_trace_block *b = &part.b;
        cr_assert_eq(b->first, whole.first + interval);
        cr_assert_eq(b->interval, whole.interval + interval);
        cr_assert_eq(b->sample, whole.sample + sample);
        for (uint32_t i = 0; i < b->count; i++) {
            const struct htmt_trace_interval *n = &b->interval[i];
            cr_assert(n->end - n->service - n->wait >= b->from && n->end <= b->to);
        }
        for (uint32_t l = 0; l < MODEL_LAYERS; l++) {
            uint64_t level = whole.level[l];
            for (uint32_t i = 0; i < sample; i++)
                level = whole.sample[i].layer == l ? whole.sample[i].words : level;
            cr_assert_eq(b->level[l], level);
        }
        interval += b->count;
        sample += b->samples;
    }
    cr_expect_eq(parts, (whole.count + PART - 1) / PART);
    cr_expect_eq(interval, whole.count);
    cr_expect_eq(sample, whole.samples);
    htmt_trace_block_clear(&whole);
}

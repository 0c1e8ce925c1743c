/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/tile.h"

#include "tests/page/numbers.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { COUNT = 3000, SAMPLES = 500, STEPS = 5, LAYERS = 3 };

static const uint32_t slice = 6;
static const uint64_t first = 1000;

static htmt_trace_ref draw_reference(uint64_t *seed, uint64_t own)
{
    switch (draw_below(seed, 4)) {
    case 0:
        return HTMT_TRACE_NONE;
    case 1:
        return own - draw_below(seed, 900) - 1;
    case 2:
        return own + 7;
    default:
        return htmt_trace_ref_of(3, draw_below(seed, 1000));
    }
}

static void draw_interval(uint64_t *seed, uint64_t own, htmt_time end,
                          struct htmt_trace_interval *i)
{
    i->end = end;
    i->service = (htmt_time)draw_below(seed, 5000);
    i->wait = draw_below(seed, 2) ? (htmt_time)draw_below(seed, 100000) : 0;
    i->serial = (uint64_t)draw_below(seed, 9) << 40 | draw_below(seed, 100000);
    i->cause = draw_reference(seed, own);
    i->line = i->wait ? draw_reference(seed, own) : HTMT_TRACE_NONE;
    i->step = (uint32_t)draw_below(seed, STEPS);
    i->open = draw_below(seed, 10) == 0;
}

/* Its times do not fit 53 bits. */
static void make_block(struct htmt_trace_block *b)
{
    uint64_t seed = 5;
    htmt_time now = INT64_C(16000000000000001);
    *b = (struct htmt_trace_block){
        .slice = slice, .first = first, .count = COUNT, .samples = SAMPLES, .from = now};
    b->interval = calloc(COUNT, sizeof *b->interval);
    b->sample = calloc(SAMPLES, sizeof *b->sample);
    b->level = calloc(LAYERS, sizeof *b->level);
    for (uint32_t n = 0; n < COUNT; n++) {
        now += (htmt_time)draw_below(&seed, 1000) - 100;
        draw_interval(&seed, htmt_trace_ref_of(slice, first + n), now, &b->interval[n]);
    }
    for (uint32_t n = 0; n < LAYERS; n++)
        b->level[n] = draw_below(&seed, 1000);
    for (uint32_t n = 0; n < SAMPLES; n++)
        b->sample[n] = (struct htmt_trace_sample){b->from + 10 * (htmt_time)n,
                                                  (uint32_t)draw_below(&seed, LAYERS),
                                                  draw_below(&seed, 1000000)};
}

static void make_marks(struct htmt__lane_layout *m)
{
    uint64_t seed = 9;
    *m = (struct htmt__lane_layout){.count = first + COUNT};
    m->lane = calloc(m->count, sizeof *m->lane);
    m->state = calloc(m->count, sizeof *m->state);
    for (uint64_t i = 0; i < m->count; i++) {
        m->lane[i] = (uint16_t)draw_below(&seed, 40);
        m->state[i] = (uint8_t)draw_below(&seed, 4);
    }
}

struct columns {
    const uint8_t *at[HTMT__TILE_COLUMNS], *end[HTMT__TILE_COLUMNS];
};

static void split(const struct htmt__bytes *bytes, struct columns *c)
{
    const uint8_t *at = bytes->byte;
    for (int i = 0; i < HTMT__TILE_COLUMNS; i++) {
        size_t length = (size_t)take_number(&at);
        c->at[i] = at;
        at += length;
        c->end[i] = at;
    }
    cr_assert_eq(at, bytes->byte + bytes->count);
}

static htmt_trace_ref take_reference(struct columns *c, int column, uint64_t own)
{
    uint64_t code = take_number(&c->at[column]);
    if (code == 1) {
        uint32_t of = (uint32_t)take_number(&c->at[7]);
        return htmt_trace_ref_of(of, take_number(&c->at[7]));
    }
    return code ? own - code / 2 : HTMT_TRACE_NONE;
}

static void check_interval(struct columns *c, const struct htmt_trace_interval *i, uint64_t own,
                           htmt_time *service, htmt_time *wait)
{
    cr_assert_eq(take_number(&c->at[0]), 2 * (uint64_t)i->step + i->open);
    service[i->step] += take_signed(&c->at[2]);
    wait[i->step] += take_signed(&c->at[3]);
    cr_assert_eq(service[i->step], i->service);
    cr_assert_eq(wait[i->step], i->wait);
    cr_assert_eq(take_reference(c, 5, own), i->cause);
    if (i->wait)
        cr_assert_eq(take_reference(c, 6, own), i->line);
}

static void check_intervals(struct columns *c, const struct htmt_trace_block *b)
{
    htmt_time service[STEPS] = {0}, wait[STEPS] = {0}, end = 0;
    uint64_t serial = 0;
    for (uint32_t n = 0; n < COUNT; n++) {
        check_interval(c, &b->interval[n], htmt_trace_ref_of(slice, first + n), service, wait);
        end += take_signed(&c->at[1]);
        serial += (uint64_t)take_signed(&c->at[4]);
        cr_assert_eq(b->from + end, b->interval[n].end);
        cr_assert_eq(serial, b->interval[n].serial);
    }
}

static void check_samples(struct columns *c, const struct htmt_trace_block *b)
{
    uint64_t level[LAYERS];
    htmt_time at = b->from;
    for (int i = 0; i < LAYERS; i++) {
        level[i] = take_number(&c->at[9]);
        cr_assert_eq(level[i], b->level[i]);
    }
    for (uint32_t n = 0; n < SAMPLES; n++) {
        uint64_t what = take_number(&c->at[9]), words = take_number(&c->at[9]);
        at += take_signed(&c->at[8]);
        cr_assert_eq(what / 2, b->sample[n].layer);
        level[what / 2] += what & 1 ? -words : words;
        cr_assert_eq(level[what / 2], b->sample[n].words);
        cr_assert_eq(at, b->sample[n].at);
    }
}

static void check_marks(struct columns *c, const struct htmt__lane_layout *m)
{
    for (uint32_t n = 0; n < COUNT; n++) {
        uint8_t mark = *c->at[10]++, state = m->state[first + n];
        uint16_t lane = m->lane[first + n];
        cr_assert_eq(mark & 15, lane < 16 ? lane : 15);
        cr_assert_eq(!!(mark & HTMT__TILE_DEEPER), lane >= 16);
        cr_assert_eq(!!(mark & HTMT__TILE_BLOCKS), !!(state & HTMT__LANE_BLOCKS));
        cr_assert_eq(!!(mark & HTMT__TILE_HOLDS), !!(state & HTMT__LANE_HOLDS));
    }
}

static void check(const struct htmt__bytes *bytes, const struct htmt_trace_block *b,
                  const struct htmt__lane_layout *m)
{
    struct columns c;
    cr_assert(!bytes->failed);
    split(bytes, &c);
    check_intervals(&c, b);
    check_samples(&c, b);
    check_marks(&c, m);
    for (int i = 0; i < HTMT__TILE_COLUMNS; i++)
        cr_assert_eq(c.at[i], c.end[i], "column %d", i + 1);
}

Test(tile, its_columns_give_back_each_block)
{
    const struct htmt_trace_info info = {.steps = STEPS, .layers = LAYERS};
    struct htmt__tile_encoder *e = htmt__tile_encoder_create(&info);
    struct htmt__bytes bytes = {0};
    struct htmt_trace_block b;
    struct htmt__lane_layout m;
    make_block(&b);
    make_marks(&m);
    for (int again = 0; again < 2; again++) {
        htmt__bytes_reset(&bytes);
        htmt__tile_encode(e, &b, &m, &bytes);
        check(&bytes, &b, &m);
    }
    htmt_trace_block_clear(&b);
    htmt__lane_layout_clear(&m);
    htmt__bytes_clear(&bytes);
    htmt__tile_encoder_destroy(&e);
}

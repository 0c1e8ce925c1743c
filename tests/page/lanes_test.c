/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/lanes.h"

#include "emul/lib/trace/segments.h"
#include "tests/page/numbers.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SPANS = 400, MOST = 100 };

struct span {
    htmt_time start, end;
    int lane;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Spans of `least` or longer. */
static void make(struct span *span, uint64_t seed, uint64_t least)
{
    for (int i = 0; i < SPANS; i++) {
        htmt_time start = (htmt_time)draw_below(&seed, 10 * MOST);
        span[i] = (struct span){start, start + (htmt_time)(least + draw_below(&seed, MOST)), -1};
    }
    qsort(span, SPANS, sizeof *span, by_start);
}

/* How many spans hold an instant, at most: it is the begin of one of them. */
static uint32_t overlap(const struct span *span)
{
    uint32_t most = 0;
    for (int i = 0; i < SPANS; i++) {
        uint32_t here = 0;
        for (int j = 0; j < SPANS; j++)
            here += span[j].start <= span[i].start && span[i].start < span[j].end;
        most = here > most ? here : most;
    }
    return most;
}

static uint32_t place(struct span *span)
{
    struct htmt__lanes lanes = {0};
    for (int i = 0; i < SPANS; i++) {
        span[i].lane = htmt__lanes_take(&lanes, span[i].start, span[i].end);
        cr_assert(span[i].lane >= 0);
    }
    uint32_t count = htmt__lanes_count(&lanes);
    htmt__lanes_clear(&lanes);
    return count;
}

static bool collide(const struct span *a, const struct span *b)
{
    return a->lane == b->lane && a->start < b->end && b->start < a->end;
}

Test(lanes, a_lane_has_no_two_spans_at_once)
{
    struct span span[SPANS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make(span, seed, seed % 2);
        place(span);
        for (int i = 0; i < SPANS; i++)
            for (int j = 0; j < i; j++)
                cr_assert(!collide(&span[i], &span[j]), "seed %d", (int)seed);
    }
}

Test(lanes, there_are_as_many_as_spans_overlap)
{
    struct span span[SPANS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make(span, seed, 1);
        cr_expect_eq(place(span), overlap(span), "seed %d", (int)seed);
    }
}

Test(lanes, each_lower_lane_is_busy_when_a_span_begins)
{
    struct span span[SPANS];
    make(span, 7, 1);
    place(span);
    for (int i = 0; i < SPANS; i++)
        for (int lane = 0; lane < span[i].lane; lane++) {
            bool busy = false;
            for (int j = 0; j < i; j++)
                busy = busy || (span[j].lane == lane && span[j].end > span[i].start);
            cr_assert(busy);
        }
}

Test(lanes, a_span_may_begin_when_another_one_ends)
{
    struct htmt__lanes lanes = {0};
    cr_expect_eq(htmt__lanes_take(&lanes, 0, 5), 0);
    cr_expect_eq(htmt__lanes_take(&lanes, 3, 9), 1);
    cr_expect_eq(htmt__lanes_take(&lanes, 5, 6), 0);
    cr_expect_eq(htmt__lanes_take(&lanes, 5, 5), 2);
    cr_expect_eq(htmt__lanes_take(&lanes, 6, 7), 0);
    cr_expect_eq(htmt__lanes_take(&lanes, 6, 7), 2);
    htmt__lanes_clear(&lanes);
}

Test(segments, an_instant_is_in_the_union_if_a_span_has_it)
{
    bool in[12 * MOST] = {false};
    struct htmt__segments s = {0};
    uint64_t seed = 3;
    for (int i = 0; i < 60; i++) {
        htmt_time from = (htmt_time)draw_below(&seed, 10 * MOST);
        htmt_time to = from + (htmt_time)draw_below(&seed, 20);
        cr_assert_eq(htmt__segments_add(&s, from, to), 0);
        for (htmt_time t = from; t < to; t++)
            in[t] = true;
    }
    for (htmt_time t = 0; t < 11 * MOST; t++) {
        cr_assert_eq(htmt__segments_meet(&s, t, t + 1), in[t], "instant %d", (int)t);
        cr_assert(!htmt__segments_meet(&s, t, t));
    }
    for (size_t i = 1; i < s.count; i++)
        cr_assert_gt(s.segment[i].from, s.segment[i - 1].to);
    htmt__segments_clear(&s);
}

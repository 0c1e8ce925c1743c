/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What exports write, in the order of virtual time: everything once, on lanes that do not overlap,
 * in any number of passes.
 */
#include "emul/lib/trace/export/order.h"
#include "tests/trace/opened.h"

#define EVENTS_MAX 40000

struct events {
    struct htmt__order_event *at;
    uint32_t count;
};

static struct events list_events(const struct opened *o, uint64_t kept)
{
    struct events e = {calloc(EVENTS_MAX, sizeof *e.at), 0};
    struct htmt__order *order = NULL;
    struct htmt_fault fault = {0};
    bool more = true;
    cr_assert_eq(htmt__order_create(&order, o->t, kept, &fault), 0, "%s", fault.text);
    while (more) {
        cr_assert_lt(e.count, EVENTS_MAX);
        cr_assert_eq(htmt__order_next(order, &e.at[e.count], &more, &fault), 0, "%s", fault.text);
        e.count += more;
    }
    htmt__order_destroy(&order);
    return e;
}

static bool same(const struct htmt__order_event *a, const struct htmt__order_event *b)
{
    return a->what == b->what && a->at == b->at && a->slice == b->slice && a->row == b->row &&
           a->lane == b->lane && a->busy == b->busy && a->kind == b->kind &&
           a->span.ref == b->span.ref && a->span.cause == b->span.cause;
}

Test(order, many_passes_give_what_one_gives)
{
    struct opened o = open_bytes(model_file(&model_small, true));
    struct events one = list_events(&o, HTMT__ORDER_KEPT);
    for (uint64_t kept = 1; kept < 10000; kept = 7 * kept + 50) {
        struct events many = list_events(&o, kept);
        cr_assert_eq(many.count, one.count, "%llu", (unsigned long long)kept);
        for (uint32_t i = 0; i < one.count; i++)
            cr_assert(same(&one.at[i], &many.at[i]), "event %u", i);
        free(many.at);
    }
    free(one.at);
    close_bytes(&o);
}

/* Of which interval each lane is busy. */
struct lane {
    bool busy;
    htmt_time until;
};

#define LANES 4000

Test(order, what_is_on_a_lane_ends_before_the_next_begins)
{
    struct opened o = open_bytes(model_file(&model_small, true));
    struct events e = list_events(&o, HTMT__ORDER_KEPT);
    struct lane *lane = calloc((size_t)LANES * 64 * 2, sizeof *lane);
    htmt_time now = -1;
    for (uint32_t i = 0; i < e.count; i++) {
        const struct htmt__order_event *x = &e.at[i];
        cr_assert_geq(x->at, now, "event %u goes back", i);
        now = x->at;
        if (x->what == HTMT__ORDER_FILL)
            continue;
        size_t row = x->slice * 16 + x->row;
        struct lane *l = &lane[(2 * row + (x->kind == HTMT__SPAN_WAIT)) * LANES + x->lane];
        bool begins = x->what == HTMT__ORDER_BEGIN;
        cr_assert_eq(l->busy, !begins, "event %u", i);
        if (begins)
            l->until = x->span.end;
        else if (x->kind != HTMT__SPAN_SECTION)
            cr_assert_eq(l->until, x->at);
        l->busy = begins && (x->span.end > x->at || x->kind == HTMT__SPAN_SECTION);
    }
    free(lane);
    free(e.at);
    close_bytes(&o);
}

Test(order, every_service_wait_section_and_sample_is_there_once)
{
    struct opened o = open_bytes(model_file(&model_small, true));
    struct events e = list_events(&o, 100);
    struct { /* spans of each kind, and their time */
        uint64_t count[4];
        htmt_time time[4];
    } want = {{0}, {0}}, found = {{0}, {0}};
    for (uint32_t slice = 0; slice < model_small.slices; slice++)
        for (uint64_t n = 0; n < model_small.each; n++) {
            struct htmt_trace_interval i = model_interval(&model_small, slice, n);
            want.count[HTMT__SPAN_WAIT] += i.wait > 0;
            want.time[HTMT__SPAN_WAIT] += i.wait;
            want.count[i.step == 5 ? HTMT__SPAN_SECTION : HTMT__SPAN_SERVICE] +=
                i.step < 4 || i.step == 5;
            want.time[HTMT__SPAN_SERVICE] += i.service;
            want.count[HTMT__SPAN_FILL] += n % 4 == 0;
        }
    for (uint32_t i = 0; i < e.count; i++) {
        const struct htmt__order_event *x = &e.at[i];
        found.count[x->kind] += x->what != HTMT__ORDER_END;
        if (x->what == HTMT__ORDER_BEGIN && x->kind != HTMT__SPAN_SECTION)
            found.time[x->kind] += x->span.end - x->span.begin;
    }
    for (unsigned k = 0; k < 4; k++) {
        cr_expect_eq(found.count[k], want.count[k], "kind %u: %llu", k,
                     (unsigned long long)found.count[k]);
        cr_expect_eq(found.time[k], want.time[k], "kind %u", k);
    }
    free(e.at);
    close_bytes(&o);
}

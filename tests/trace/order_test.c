/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What exports write, in the order of virtual time: everything once, on lanes that do not overlap,
 * in any number of passes.
 */
#include "emul/lib/trace/export/order.h"
#include "tests/trace/model.h"

#include <criterion/criterion.h>

struct opened {
    char *path;
    struct htmt_trace *t;
};

static struct opened open_model(const struct model *m)
{
    struct bytes file = model_file(m, true);
    struct opened o = {model_save(&file), NULL};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_trace_open(&o.t, o.path, &fault), 0, "%s", fault.text);
    free(file.at);
    return o;
}

static void close_model(struct opened *o)
{
    htmt_trace_close(&o->t);
    unlink(o->path);
    free(o->path);
}

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
    struct opened o = open_model(&model_small);
    struct events one = list_events(&o, HTMT__ORDER_KEPT);
    for (uint64_t kept = 1; kept < 10000; kept = 7 * kept + 50) {
        struct events many = list_events(&o, kept);
        cr_assert_eq(many.count, one.count, "%llu", (unsigned long long)kept);
        for (uint32_t i = 0; i < one.count; i++)
            cr_assert(same(&one.at[i], &many.at[i]), "event %u", i);
        free(many.at);
    }
    free(one.at);
    close_model(&o);
}

/* Of which interval each lane is busy. */
struct lane {
    bool busy;
    htmt_time until;
};

#define LANES 4000

Test(order, what_is_on_a_lane_ends_before_the_next_begins)
{
    struct opened o = open_model(&model_small);
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
    close_model(&o);
}

/* Spans of each kind, and their time. */
struct sums {
    uint64_t count[4];
    htmt_time time[4];
};

static struct sums sum_model(const struct model *m)
{
    struct sums s = {{0}, {0}};
    for (uint32_t slice = 0; slice < m->slices; slice++)
        for (uint64_t n = 0; n < m->each; n++) {
            struct htmt_trace_interval i = model_interval(m, slice, n);
            unsigned kind = i.step == 5 ? HTMT__SPAN_SECTION : HTMT__SPAN_SERVICE;
            s.count[HTMT__SPAN_WAIT] += i.wait > 0;
            s.time[HTMT__SPAN_WAIT] += i.wait;
            s.count[kind] += i.step < 4 || i.step == 5;
            s.time[HTMT__SPAN_SERVICE] += i.service;
            s.count[HTMT__SPAN_FILL] += n % 4 == 0;
        }
    return s;
}

Test(order, every_service_wait_section_and_sample_is_there_once)
{
    struct opened o = open_model(&model_small);
    struct events e = list_events(&o, 100);
    struct sums want = sum_model(&model_small), found = {{0}, {0}};
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
    close_model(&o);
}

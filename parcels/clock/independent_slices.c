/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/independent_slices.h"
#include "parcels/clock/lane.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/play.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/turn.h"
#include "parcels/clock/window.h"
#include "parcels/message/packet_network.h"

void htmt__alone_once(struct htmt_emulator *e, struct htmt__list roots, htmt_time last)
{
    e->now = 0;
    e->followed_at = e->phased_at = -1;
    e->ready = roots;
    if (htmt__explained(e))
        e->explain->begin(e);
    htmt__roots_run(e);
    htmt__play(e, last);
    htmt__turn_over(e);
    if (e->guard)
        htmt__guard_open(e->guard);
    if (htmt__explained(e))
        e->explain->end(e);
}

static void rest(struct htmt_emulator *e, uint32_t slice)
{
    if (!e->data && !e->guard)
        htmt__slice_rest(htmt__slice_at(e, slice));
    if (htmt__explained(e))
        e->explain->rest(e, slice);
}

/* The first failure so far. */
struct first {
    struct htmt_fault fault; /* code 0: none */
    struct htmt__failure failure;
};

/* The others play on to that instant: one of them may fail before. */
static void set_aside(struct htmt_emulator *e, struct first *first)
{
    struct htmt__failure failure = {e->now, htmt__order(e)};
    if (!first->fault.code || htmt__fails_before(failure, first->failure))
        *first = (struct first){e->fault, failure};
    e->fault.code = 0;
    e->ready = (struct htmt__list){0};
    htmt__pending_fini(&e->pending);
    htmt__pending_init(&e->pending);
    if (e->lane)
        htmt__lane_clear(e);
    if (e->packets)
        htmt__packet_queue_clear(&e->packets->queue);
}

static bool stopped(const struct htmt_emulator *e)
{
    return e->windows && atomic_load(&e->windows->stop);
}

void htmt__alone_run(struct htmt_emulator *e, const uint32_t *slices, uint32_t count,
                     const struct htmt__list *roots)
{
    bool independent = e->options.symmetry == HTMT_INDEPENDENT;
    struct first first = {.fault.code = 0};
    htmt_time latest = 0;
    for (uint32_t i = 0; i < count && !stopped(e) && !e->fault.code; i++) {
        uint32_t slice = slices ? slices[i] : i;
        e->present = slice;
        htmt__alone_once(e, roots[slice], first.fault.code ? first.failure.at : HTMT_TIME_MAX - 1);
        latest = e->now > latest ? e->now : latest;
        if (!e->fault.code)
            rest(e, slice);
        else if (independent || e->fault.code == HTMT_ECANCELLED)
            e->failure = (struct htmt__failure){0, slice};
        else
            set_aside(e, &first);
    }
    e->now = first.fault.code ? first.failure.at : latest;
    if (first.fault.code && !e->fault.code) {
        e->fault = first.fault;
        e->failure = first.failure;
    }
}

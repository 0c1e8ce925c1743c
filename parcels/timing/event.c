/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/event.h"
#include "parcels/timing/livelock.h"
#include "parcels/timing/message.h"
#include "parcels/timing/observed.h"

int htmt__schedule_check(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    if (at == e->now) {
        e->followed = htmt__order(e);
        e->followed_at = at;
        return htmt__livelock_check(e, p);
    }
    bool late = at < 0 || at == HTMT_TIME_MAX;
    return htmt__fail(e, late ? HTMT_EOVERFLOW : HTMT_EPAST,
                      late ? "virtual time passes 2.56 hours" : "dispatch into the past");
}

int htmt__schedule_failed(struct htmt_emulator *e)
{
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

uint32_t htmt__line_between(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return p->kind == HTMT__MESSAGE ? htmt__message_line(e, p->message->leg.network, p->head)
                                    : htmt__moment_line(e);
}

bool htmt__schedule_leaves(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return (p->head || p->kind == HTMT__MESSAGE) && htmt__elsewhere(e, htmt__outbox_slice(p));
}

void htmt__schedule_apart(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    htmt__schedule(e, p, at);
}

void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->state = HTMT__READY;
    p->queue = NULL;
    if (htmt__explained(e))
        e->explain->called(e, p);
    if (e->ready.tail)
        e->ready.tail->queue = p;
    else
        e->ready.head = p;
    e->ready.tail = p;
}

void htmt__observe(struct htmt_emulator *e, uint32_t slice, const struct htmt__stage_stats *stats,
                   uint64_t serial, uint32_t stage, uint64_t words)
{
    struct htmt_event seen = {e->now, stats->resource, slice, serial, stage, words};
    if (e->partition)
        htmt__observed_keep(e, &seen);
    else
        e->options.observe(e->options.user, &seen);
}

void htmt__record_aside(struct htmt_emulator *e, uint32_t slice, struct htmt__stage_stats *stats,
                        uint64_t serial, uint32_t stage, uint64_t words)
{
    struct htmt__history_event event = {e->now, stats->resource, slice, serial, stage, words};
    htmt__stage_stats_ended(stats, e->now);
    if (!e->unbooked || !htmt__booking_own(e, slice, &event))
        htmt__history_absorb(&htmt__slice_at(e, slice)->history, event);
    if (e->options.observe)
        htmt__observe(e, slice, stats, serial, stage, words);
}

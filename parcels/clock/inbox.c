/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/inbox.h"
#include "parcels/clock/event.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/message.h"

/* Its leg is charged here from now on. */
static int adopt(struct htmt_emulator *e, struct htmt__message *m)
{
    struct htmt__leg *g = &m->leg;
    g->stats = htmt__message_stats_here(e, g->network, g->from, g->to, htmt__message_group_of(m));
    return g->stats ? 0 : HTMT_ENOMEM;
}

static void take_events(struct htmt_emulator *e, struct htmt__outbox *o)
{
    for (uint32_t i = 0; i < o->events; i++) {
        struct htmt__head h = o->event[i];
        if (h.p->kind == HTMT__MESSAGE && adopt(e, h.p->message))
            break;
        if (h.at < HTMT_TIME_MAX && htmt__schedule_here(e, h.p, h.at)) /* or its packets come */
            break;
    }
    o->events = 0;
}

static void take_packets(struct htmt_emulator *e, struct htmt__outbox *o)
{
    for (uint32_t i = 0; i < o->packets; i++)
        if (htmt__packet_queue_push(&e->packets->queue, &o->packet[i].event, o->packet[i].network))
            htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    o->packets = 0;
}

static void take_back(struct htmt_emulator *e, struct htmt__outbox *o)
{
    struct htmt__entity *next;
    for (struct htmt__entity *p = o->over; p; p = next) {
        next = p->queue;
        if (e->guard)
            htmt__guard_enter(e->guard, p->slice);
        htmt__message_over(e, p);
    }
    o->over = NULL;
}

static void take_box(struct htmt_emulator *e, uint32_t from)
{
    const struct htmt__windows *w = e->windows;
    struct htmt__outbox *o =
        htmt__outbox_for(&w->partition[from].outbox[~w->round & 1], e->partition->number);
    if (!o)
        return;
    take_events(e, o);
    take_packets(e, o);
    for (uint32_t k = 0; k < o->dues; k++)
        htmt__booking_take(e, &o->due[k], true);
    o->dues = 0;
    take_back(e, o);
}

void htmt__inbox_take(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    _Atomic uint64_t *mail = e->partition->mail[~w->round & 1];
    for (uint32_t word = 0; mail && word < (w->partitions + 63) / 64; word++) {
        uint64_t bits = atomic_load(&mail[word]);
        if (bits)
            atomic_store(&mail[word], 0);
        for (; bits; bits &= bits - 1)
            take_box(e, word * 64 + (uint32_t)__builtin_ctzll(bits));
    }
}

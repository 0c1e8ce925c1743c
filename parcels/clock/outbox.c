/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Outboxes. A partition has two sets of them, which serve in turns of windows: while one is filled
 * in this window, the others empty the one that was filled in the last window. So no box has a
 * reader and a writer at once, and there are no locks. The set for this window is the one of the
 * parity of w->round.
 *
 * A set is a hash table by the partition that a box is for, since most partitions send to few. The
 * first thing that goes into a box sets this partition's bit in the other one's `mail` of that
 * parity: so who takes in looks at the boxes that have something, not at all of them.
 */
#include "parcels/clock/outbox.h"
#include "parcels/message/capture.h"
#include "parcels/message/cell_clock.h"
#include "runtime/base/array.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define BOXES_LEAST 4u

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Its place, or the free one where it would be. There is always a free one. */
static struct htmt__outbox *place_of(const struct htmt__outboxes *all, uint32_t partition)
{
    struct htmt__outbox *o;
    for (uint32_t i = partition;; i++) {
        o = &all->at[i & (all->room - 1)];
        if (o->to == partition + 1 || !o->to)
            return o;
    }
}

struct htmt__outbox *htmt__outbox_for(const struct htmt__outboxes *all, uint32_t partition)
{
    struct htmt__outbox *o = all->room ? place_of(all, partition) : NULL;
    return o && o->to ? o : NULL;
}

/* The one that there is, or a new one, of which a quarter of the table stays free; NULL: no host
 * memory. */
static struct htmt__outbox *make_box(struct htmt__outboxes *all, uint32_t partition)
{
    struct htmt__outbox *o = htmt__outbox_for(all, partition);
    if (o)
        return o;
    if (4 * (all->count + 1) > 3 * all->room) {
        struct htmt__outboxes more = {.count = all->count,
                                      .room = all->room ? 2 * all->room : BOXES_LEAST};
        more.at = htmt__record_alloc(more.room * sizeof *more.at);
        if (!more.at)
            return NULL;
        for (uint32_t i = 0; i < all->room; i++)
            if (all->at[i].to)
                *place_of(&more, all->at[i].to - 1) = all->at[i];
        free(all->at);
        *all = more;
    }
    o = place_of(all, partition);
    o->to = partition + 1;
    all->count++;
    return o;
}

void htmt__outboxes_fini(struct htmt__outboxes *all)
{
    for (uint32_t i = 0; i < all->room; i++) {
        free(all->at[i].event);
        free(all->at[i].packet);
        free(all->at[i].tell);
    }
    free(all->at);
}

/* In this window. Whoever empties it looks for the bit. NULL: no host memory. */
static struct htmt__outbox *box_of(struct htmt__partition *from, const struct htmt__windows *w,
                                   uint32_t slice)
{
    const unsigned turn = w->round & 1;
    const uint32_t to = w->partition_of[slice];
    struct htmt__outboxes *all = &from->outbox[turn];
    struct htmt__outbox *o = all->at + (to & (all->room - 1));
    if (__builtin_expect(!all->room || o->to != to + 1, 0) && !(o = make_box(all, to)))
        return NULL;
    if (!(o->events | o->packets | o->tells) && !o->over && !o->bytes)
        atomic_fetch_or(&w->partition[to].mail[turn][from->number / 64], UINT64_C(1)
                                                                             << from->number % 64);
    return o;
}

/* ---- what is put down ------------------------------------------------------------------------ */

uint32_t htmt__outbox_slice(const struct htmt__entity *p)
{
    if (p->head && p->inside)
        return p->place;
    return p->kind == HTMT__MESSAGE ? p->message->leg.target : p->slice;
}

int htmt__outbox_put(struct htmt__partition *from, const struct htmt__windows *w,
                     struct htmt__entity *p, htmt_time at)
{
    struct htmt__outbox *o = box_of(from, w, htmt__outbox_slice(p));
    if (!o || !htmt__array_fits(&o->event, &o->event_room, o->events + 1, sizeof *o->event))
        return HTMT_ENOMEM;
    o->event[o->events++] = (struct htmt__head){at, p};
    return 0;
}

int htmt__outbox_put_packet(struct htmt__partition *from, const struct htmt__windows *w,
                            uint32_t slice, const struct htmt__packet_event *event)
{
    struct htmt__outbox *o = box_of(from, w, slice);
    if (!o || !htmt__array_fits(&o->packet, &o->packet_room, o->packets + 1, sizeof *o->packet))
        return HTMT_ENOMEM;
    o->packet[o->packets++] = *event;
    return 0;
}

int htmt__outbox_put_tell(struct htmt__partition *from, const struct htmt__windows *w,
                          const struct htmt__cell_tell *tell)
{
    struct htmt__outbox *o = box_of(from, w, tell->tell.cell);
    if (!o || !htmt__array_fits(&o->tell, &o->tell_room, o->tells + 1, sizeof *o->tell))
        return HTMT_ENOMEM;
    o->tell[o->tells++] = *tell;
    return 0;
}

int htmt__outbox_put_over(struct htmt__partition *from, const struct htmt__windows *w,
                          struct htmt__entity *p)
{
    struct htmt__outbox *o = box_of(from, w, p->slice);
    if (!o)
        return HTMT_ENOMEM;
    p->queue = o->over;
    o->over = p;
    return 0;
}

/* ---- by the clock ---------------------------------------------------------------------------- */

static int no_room(struct htmt_emulator *e)
{
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for what goes to other slices");
}

int htmt__outbox_send(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    struct htmt__partition *here = e->partition;
    if (__builtin_expect(at <= e->windows->last, 0))
        return htmt__fail(e, HTMT_EPAST, "a message comes to slice %u within a window of %lld fs",
                          htmt__outbox_slice(p), (long long)e->lookahead);
    here->sent = at < here->sent ? at : here->sent;
    return htmt__outbox_put(here, e->windows, p, at) ? no_room(e) : 0;
}

void htmt__outbox_packet(struct htmt_emulator *e, const struct htmt__packet_event *event)
{
    struct htmt__partition *here = e->partition;
    const htmt_time at = event->event.at;
    if (__builtin_expect(at <= e->windows->last, 0)) {
        htmt__fail(e, HTMT_EPAST, "a packet comes to slice %u within a window of %lld fs",
                   event->event.slice, (long long)e->lookahead);
        return;
    }
    here->sent = at < here->sent ? at : here->sent;
    if (htmt__outbox_put_packet(here, e->windows, htmt__fabric_slice(e, event->event.slice), event))
        no_room(e);
}

void htmt__outbox_tell(struct htmt_emulator *e, const struct htmt__cell_tell *tell, htmt_time at)
{
    struct htmt__partition *here = e->partition;
    here->sent = at < here->sent ? at : here->sent;
    if (htmt__outbox_put_tell(here, e->windows, tell))
        no_room(e);
}

void htmt__outbox_return(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (htmt__outbox_put_over(e->partition, e->windows, p))
        no_room(e);
}

int htmt__outbox_bytes(struct htmt_emulator *e, struct htmt__capture *c)
{
    struct htmt__outbox *o = box_of(e->partition, e->windows, c->target);
    if (!o)
        return no_room(e);
    c->next = o->bytes;
    o->bytes = c;
    return 0;
}

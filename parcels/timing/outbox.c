/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/outbox.h"
#include "parcels/timing/capture.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define ROOM_LEAST 16u

/* In this window. Whoever empties it looks for the bit. */
static struct htmt__outbox *box_of(const struct htmt__partition *from,
                                   const struct htmt__windows *w, uint32_t slice)
{
    const unsigned turn = w->round & 1;
    const uint32_t to = w->partition_of[slice];
    struct htmt__outbox *o = &from->outbox[turn][to];
    if (!(o->events | o->dues) && !o->over && !o->bytes)
        atomic_fetch_or(&w->partition[to].mail[turn][from->number / 64], UINT64_C(1)
                                                                             << from->number % 64);
    return o;
}

/* Room for one more. */
static bool has_room(void **rows, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    uint32_t more = *room ? 2 * *room : ROOM_LEAST;
    void *grown = htmt__fault_injected() ? NULL : realloc(*rows, more * size);
    if (!grown)
        return false;
    *rows = grown;
    *room = more;
    return true;
}

static int no_room(struct htmt_emulator *e)
{
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for what goes to other slices");
}

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
    if (!has_room((void **)&o->event, o->events, &o->event_room, sizeof *o->event))
        return HTMT_ENOMEM;
    o->event[o->events++] = (struct htmt__head){at, p};
    return 0;
}

int htmt__outbox_put_booked(struct htmt__partition *from, const struct htmt__windows *w,
                            const struct htmt__booked *due)
{
    struct htmt__outbox *o = box_of(from, w, due->event.slice);
    if (!has_room((void **)&o->due, o->dues, &o->due_room, sizeof *o->due))
        return HTMT_ENOMEM;
    o->due[o->dues++] = *due;
    return 0;
}

void htmt__outbox_put_over(struct htmt__partition *from, const struct htmt__windows *w,
                           struct htmt__entity *p)
{
    struct htmt__outbox *o = box_of(from, w, p->slice);
    p->queue = o->over;
    o->over = p;
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

void htmt__outbox_book(struct htmt_emulator *e, const struct htmt__booked *due)
{
    if (htmt__outbox_put_booked(e->partition, e->windows, due))
        no_room(e);
}

void htmt__outbox_return(struct htmt_emulator *e, struct htmt__entity *p)
{
    htmt__outbox_put_over(e->partition, e->windows, p);
}

void htmt__outbox_bytes(struct htmt_emulator *e, struct htmt__capture *c)
{
    struct htmt__outbox *o = box_of(e->partition, e->windows, c->target);
    c->next = o->bytes;
    o->bytes = c;
}

void htmt__outbox_fini(struct htmt__outbox *o)
{
    free(o->event);
    free(o->due);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two halves of an arrival: how a source hears that its message is there.
 *
 * An arrival touches two slices. The target delivers the bytes and counts its slot down. The source
 * counts the message in its history, since the history of a slice has all events of what the slice
 * sent. Why two halves, not one event? An event may touch one slice only: then slices may be played
 * at the same time. The target's half needs to know nothing of the source, and nothing that is
 * timed depends on the source's half. So the source's half may be done elsewhere, and later. On one
 * clock both follow each other in one event (play.c). Between partitions the halves are apart, and
 * this file is about the source's.
 *
 * The history of a slice is a hash, which absorbs the events in the order of time. So the source's
 * half must enter at the instant of the arrival, between the slice's own events. When is that
 * known?
 *
 * (1) Where nothing queues at the target, already when the message leaves: the arrival is put into
 * the row `due` at once. Before an own event of the slice enters the history, the arrivals that
 * come before it enter.
 *
 * (2) Where the message queues at the target, only when its head is there. Until then the message
 * is *open*. The target's partition computes the end and sends it back by its outbox. The source
 * may be beyond that instant by then, though not beyond the end of the next window. So as long as a
 * slice has open messages, its own events wait in the row `own`; when the next window begins, at T,
 * all arrivals before T are known, and own events and arrivals are merged up to T.
 *
 * Why it is right. An open message with its arrival at t < T: its head was at the target before T,
 * in a window that has been played by all, and the outboxes of that window have been taken in. So
 * when settle(T) runs no arrival before T is missing. Own events that wait are before T, too, since
 * this partition has been played to T and no further. Ties at one instant go by (turn, key), the
 * order in which one clock plays them.
 *
 * Cost. Appending and merging, O(1) an event. Arrivals mostly come in order; one that is up to NEAR
 * places out of turn is inserted into the row, one that is farther goes to a heap, so that a burst
 * from many targets does not make the row quadratic.
 *
 * By hand: window [0, 100). Slice 3 sends at 10 to a port with a queue, and ends a service at 50.
 * The message is open, so the event of 50 waits. The target finds that the message ends at 40 and
 * puts that down. When the window [100, 200) begins, the source takes the arrival in (open is 0
 * again), and settle(100) absorbs 40, then 50: the order of one clock.
 */
#include "parcels/clock/remote_arrivals.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/message.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

#define NEAR 16u /* places that an arrival may be out of turn, and stay in the row */

static bool before(const struct htmt__remote_arrival *a, const struct htmt__remote_arrival *b)
{
    if (a->event.fs != b->event.fs)
        return a->event.fs < b->event.fs;
    return a->turn != b->turn ? a->turn < b->turn : a->key < b->key;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* A full row first moves up to its begin. It grows unless that has emptied half of it, so that the
 * bytes moved stay within twice those appended. A slice's own events come in their order, which at
 * one instant need not be that of their keys. */
static int append(struct htmt_emulator *e, struct htmt__arrival_row *r,
                  const struct htmt__remote_arrival *new)
{
    if (r->end == r->room) {
        if (r->first)
            memmove(r->at, r->at + r->first, (r->end - r->first) * sizeof *r->at);
        r->end -= r->first;
        r->first = 0;
        size_t wanted = r->end < r->room / 2 ? 0 : r->room + 1;
        if (!htmt__array_fits(&r->at, &r->room, wanted, sizeof *r->at))
            return htmt__fail(e, HTMT_ENOMEM, "no host memory for the history of a slice");
    }
    r->at[r->end++] = *new;
    return 0;
}

/* An arrival goes where its turn is: mostly behind all others. */
static void insert(struct htmt_emulator *e, struct htmt__remote_arrivals *a,
                   const struct htmt__remote_arrival *new)
{
    struct htmt__arrival_row *r = &a->due;
    struct htmt__arrival_heap *h = &a->late;
    if (r->end - r->first > NEAR && before(new, &r->at[r->end - NEAR])) {
        if (!htmt__array_fits(&h->at, &h->room, h->count + 1, sizeof *h->at)) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory for the history of a slice");
            return;
        }
        size_t i = h->count++;
        for (; i && before(new, &h->at[(i - 1) / 2]); i = (i - 1) / 2)
            h->at[i] = h->at[(i - 1) / 2];
        h->at[i] = *new;
        return;
    }
    if (append(e, r, new))
        return;
    size_t i = r->end - 1;
    for (; i > r->first && before(new, &r->at[i - 1]); i--)
        r->at[i] = r->at[i - 1];
    r->at[i] = *new;
}

static const struct htmt__remote_arrival *first_of(const struct htmt__arrival_row *r)
{
    return r->first < r->end ? &r->at[r->first] : NULL;
}

/* Of the row and the heap. */
static const struct htmt__remote_arrival *first_due(const struct htmt__remote_arrivals *a)
{
    const struct htmt__remote_arrival *due = first_of(&a->due);
    return a->late.count && (!due || before(a->late.at, due)) ? a->late.at : due;
}

/* ---- the history ----------------------------------------------------------------------------- */

static void absorb_first(uint64_t *history, struct htmt__arrival_row *r)
{
    htmt__history_absorb(history, r->at[r->first++].event);
    if (r->first == r->end)
        r->first = r->end = 0;
}

static void absorb_due(uint64_t *history, struct htmt__remote_arrivals *a)
{
    struct htmt__arrival_heap *h = &a->late;
    if (first_due(a) == first_of(&a->due)) {
        absorb_first(history, &a->due);
        return;
    }
    htmt__history_absorb(history, h->at->event);
    const struct htmt__remote_arrival last = h->at[--h->count];
    size_t i = 0;
    for (size_t next; (next = 2 * i + 1) < h->count; i = next) {
        next += next + 1 < h->count && before(&h->at[next + 1], &h->at[next]);
        if (!before(&h->at[next], &last))
            break;
        h->at[i] = h->at[next];
    }
    h->at[i] = last;
}

void htmt__remote_arrivals_settle(struct htmt_emulator *e, htmt_time end)
{
    uint32_t *slice = e->partition->deferred, left = 0;
    for (uint32_t i = 0; i < e->deferred; i++) {
        struct htmt__remote_arrivals *a = &e->windows->arrivals[slice[i]];
        uint64_t *history = &htmt__slice_at(e, slice[i])->history;
        if (e->guard)
            htmt__guard_enter(e->guard, slice[i]);
        for (;;) {
            const struct htmt__remote_arrival *due = first_due(a), *own = first_of(&a->own);
            if (due && due->event.fs < end && (!own || before(due, own)))
                absorb_due(history, a);
            else if (own)
                absorb_first(history, &a->own);
            else
                break;
        }
        a->listed = a->open || first_due(a);
        if (a->listed)
            slice[left++] = slice[i];
    }
    e->deferred = left;
}

/* Without open messages all that is due is known: what comes before this event, and the event. */
bool htmt__remote_arrivals_record(struct htmt_emulator *e, uint32_t slice,
                                  const struct htmt__history_event *event)
{
    struct htmt__remote_arrivals *a = &e->windows->arrivals[slice];
    const struct htmt__remote_arrival own = {htmt__order(e), e->turn, *event}, *due;
    uint64_t *history = &htmt__slice_at(e, slice)->history;
    if (!a->listed)
        return false;
    if (a->open || first_of(&a->own)) {
        append(e, &a->own, &own);
        return true;
    }
    while ((due = first_due(a)) && before(due, &own))
        absorb_due(history, a);
    htmt__history_absorb(history, *event);
    return true;
}

/* ---- arrivals -------------------------------------------------------------------------------- */

static struct htmt__remote_arrivals *listed(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__remote_arrivals *a = &e->windows->arrivals[slice];
    if (!a->listed)
        e->partition->deferred[e->deferred++] = slice;
    a->listed = true;
    return a;
}

void htmt__remote_arrival_open(struct htmt_emulator *e, uint32_t source)
{
    listed(e, source)->open++;
}

void htmt__remote_arrival_take(struct htmt_emulator *e, const struct htmt__remote_arrival *due,
                               bool opened)
{
    struct htmt__remote_arrivals *a = listed(e, due->event.slice);
    a->open -= opened;
    insert(e, a, due);
}

/* What arrives at this very instant follows the present turn. */
void htmt__remote_arrival_add(struct htmt_emulator *e, const struct htmt__entity *p,
                              const struct htmt__leg *g, htmt_time at, bool opened)
{
    htmt_uwide now = at == e->now ? htmt__order(e) : 0;
    const struct htmt__remote_arrival due = {.turn = now > p->key ? now : p->key,
                                             .key = p->key,
                                             .event = {.fs = at,
                                                       .resource = g->stats->resource,
                                                       .slice = g->source,
                                                       .parcel = p->serial,
                                                       .stage = HTMT_PUT,
                                                       .words = g->words}};
    if (opened)
        htmt__outbox_arrival(e, &due);
    else
        htmt__remote_arrival_take(e, &due, false);
    htmt__stage_stats_ended(g->stats, at);
}

void htmt__remote_arrivals_fini(struct htmt__remote_arrivals *a)
{
    free(a->due.at);
    free(a->late.at);
    free(a->own.at);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/remote_arrivals.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/statistics.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 8u
#define NEAR       16u /* places that a booking may be out of turn, and stay in the row */

/* ---- rows ------------------------------------------------------------------------------------ */

static bool before(const struct htmt__booked *a, const struct htmt__booked *b)
{
    if (a->event.fs != b->event.fs)
        return a->event.fs < b->event.fs;
    return a->turn != b->turn ? a->turn < b->turn : a->key < b->key;
}

static bool make_room(struct htmt__book_row *r)
{
    if (r->first) {
        memmove(r->at, r->at + r->first, (r->end - r->first) * sizeof *r->at);
        r->end -= r->first;
        r->first = 0;
        if (r->end < r->room / 2)
            return true;
    }
    size_t room = r->room ? 2 * r->room : ROOM_LEAST;
    struct htmt__booked *more = realloc(r->at, room * sizeof *more);
    if (!more)
        return false;
    r->at = more;
    r->room = room;
    return true;
}

/* A slice's own events come in their order, which at one instant need not be that of their keys. */
static int append(struct htmt_emulator *e, struct htmt__book_row *r, const struct htmt__booked *new)
{
    if (r->end == r->room && !make_room(r))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the history of a slice");
    r->at[r->end++] = *new;
    return 0;
}

/* ---- what came late -------------------------------------------------------------------------- */

static int put_late(struct htmt_emulator *e, struct htmt__book_heap *h,
                    const struct htmt__booked *new)
{
    if (h->count == h->room) {
        size_t room = h->room ? 2 * h->room : ROOM_LEAST;
        struct htmt__booked *more = realloc(h->at, room * sizeof *more);
        if (!more)
            return htmt__fail(e, HTMT_ENOMEM, "no host memory for the history of a slice");
        h->at = more;
        h->room = room;
    }
    size_t i = h->count++;
    for (; i && before(new, &h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = *new;
    return 0;
}

static void drop_first_late(struct htmt__book_heap *h)
{
    const struct htmt__booked last = h->at[--h->count];
    size_t i = 0;
    for (size_t next; (next = 2 * i + 1) < h->count; i = next) {
        next += next + 1 < h->count && before(&h->at[next + 1], &h->at[next]);
        if (!before(&h->at[next], &last))
            break;
        h->at[i] = h->at[next];
    }
    h->at[i] = last;
}

/* Where its turn is: mostly behind all others. */
static int insert(struct htmt_emulator *e, struct htmt__books *b, const struct htmt__booked *new)
{
    struct htmt__book_row *r = &b->due;
    if (r->end - r->first > NEAR && before(new, &r->at[r->end - NEAR]))
        return put_late(e, &b->late, new);
    if (append(e, r, new))
        return HTMT_ENOMEM;
    size_t i = r->end - 1;
    for (; i > r->first && before(new, &r->at[i - 1]); i--)
        r->at[i] = r->at[i - 1];
    r->at[i] = *new;
    return 0;
}

/* ---- the history ----------------------------------------------------------------------------- */

static const struct htmt__booked *first_of(const struct htmt__book_row *r)
{
    return r->first < r->end ? &r->at[r->first] : NULL;
}

static void absorb_first(uint64_t *history, struct htmt__book_row *r)
{
    htmt__history_absorb(history, r->at[r->first++].event);
    if (r->first == r->end)
        r->first = r->end = 0;
}

static const struct htmt__booked *first_due(const struct htmt__books *b)
{
    const struct htmt__booked *due = first_of(&b->due);
    return b->late.count && (!due || before(b->late.at, due)) ? b->late.at : due;
}

static void absorb_due(uint64_t *history, struct htmt__books *b)
{
    if (first_due(b) == first_of(&b->due)) {
        absorb_first(history, &b->due);
        return;
    }
    htmt__history_absorb(history, b->late.at->event);
    drop_first_late(&b->late);
}

static bool unbooked(const struct htmt__books *b)
{
    return b->open || first_due(b) || first_of(&b->own);
}

static void settle(struct htmt_emulator *e, uint32_t slice, htmt_time end)
{
    struct htmt__books *b = &e->windows->books[slice];
    uint64_t *history = &htmt__slice_at(e, slice)->history;
    if (e->guard)
        htmt__guard_enter(e->guard, slice);
    for (;;) {
        const struct htmt__booked *due = first_due(b), *own = first_of(&b->own);
        if (due && due->event.fs < end && (!own || before(due, own)))
            absorb_due(history, b);
        else if (own)
            absorb_first(history, &b->own);
        else
            break;
    }
}

void htmt__booking_settle(struct htmt_emulator *e, htmt_time end)
{
    uint32_t *slice = e->partition->unbooked, left = 0;
    for (uint32_t i = 0; i < e->unbooked; i++) {
        struct htmt__books *b = &e->windows->books[slice[i]];
        settle(e, slice[i], end);
        b->listed = unbooked(b);
        if (b->listed)
            slice[left++] = slice[i];
    }
    e->unbooked = left;
}

/* All that is due is known: what comes before this event, and the event. */
static void absorb_up_to(struct htmt_emulator *e, uint32_t slice, struct htmt__books *b,
                         const struct htmt__booked *own)
{
    uint64_t *history = &htmt__slice_at(e, slice)->history;
    for (const struct htmt__booked *due; (due = first_due(b)) && before(due, own);)
        absorb_due(history, b);
    htmt__history_absorb(history, own->event);
}

bool htmt__booking_own(struct htmt_emulator *e, uint32_t slice,
                       const struct htmt__history_event *event)
{
    struct htmt__books *b = &e->windows->books[slice];
    struct htmt__booked own = {htmt__order(e), e->turn, *event};
    if (!b->listed)
        return false;
    if (b->open || first_of(&b->own))
        append(e, &b->own, &own);
    else
        absorb_up_to(e, slice, b, &own);
    return true;
}

/* ---- bookings -------------------------------------------------------------------------------- */

static struct htmt__books *books_of(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__books *b = &e->windows->books[slice];
    if (!b->listed)
        e->partition->unbooked[e->unbooked++] = slice;
    b->listed = true;
    return b;
}

void htmt__booking_open(struct htmt_emulator *e, uint32_t source)
{
    books_of(e, source)->open++;
}

void htmt__booking_take(struct htmt_emulator *e, const struct htmt__booked *due, bool opened)
{
    struct htmt__books *b = books_of(e, due->event.slice);
    b->open -= opened;
    insert(e, b, due);
}

/* What arrives at this very instant follows the present turn. */
static htmt_uwide turn_of(const struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    htmt_uwide now = at == e->now ? htmt__order(e) : 0;
    return now > p->key ? now : p->key;
}

void htmt__booking_add(struct htmt_emulator *e, const struct htmt__entity *p,
                       const struct htmt__leg *g, htmt_time at, bool opened)
{
    struct htmt__booked due = {.turn = turn_of(e, p, at),
                               .key = p->key,
                               .event = {.fs = at,
                                         .resource = g->stats->resource,
                                         .slice = g->source,
                                         .parcel = p->serial,
                                         .stage = HTMT_PUT,
                                         .words = g->words}};
    if (opened)
        htmt__outbox_book(e, &due);
    else
        htmt__booking_take(e, &due, false);
    htmt__stage_stats_ended(g->stats, at);
}

void htmt__books_fini(struct htmt__books *b)
{
    free(b->due.at);
    free(b->late.at);
    free(b->own.at);
}

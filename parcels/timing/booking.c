/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/booking.h"
#include "parcels/timing/statistics.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 8u

struct entry {
    uint64_t key; /* its turn at that instant */
    struct htmt__history_event event;
};

/* In order; the first ones are gone. */
struct row {
    struct entry *at;
    size_t first, end, room;
};

struct htmt__books {
    uint32_t open;  /* messages that left, arriving nobody knows when */
    struct row due; /* their legs */
    struct row own; /* what the slice did meanwhile */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static bool before(const struct entry *a, const struct entry *b)
{
    return a->event.fs != b->event.fs ? a->event.fs < b->event.fs : a->key < b->key;
}

static bool make_room(struct row *r)
{
    if (r->first) {
        memmove(r->at, r->at + r->first, (r->end - r->first) * sizeof *r->at);
        r->end -= r->first;
        r->first = 0;
        if (r->end < r->room / 2)
            return true;
    }
    size_t room = r->room ? 2 * r->room : ROOM_LEAST;
    struct entry *more = realloc(r->at, room * sizeof *more);
    if (!more)
        return false;
    r->at = more;
    r->room = room;
    return true;
}

/* A slice's own events come in their order, which at one instant need not be that of their keys. */
static int append(struct htmt_emulator *e, struct row *r, const struct entry *new)
{
    if (r->end == r->room && !make_room(r))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the history of a slice");
    r->at[r->end++] = *new;
    return 0;
}

/* Where its turn is: mostly behind all others. */
static int insert(struct htmt_emulator *e, struct row *r, const struct entry *new)
{
    if (append(e, r, new))
        return HTMT_ENOMEM;
    size_t i = r->end - 1;
    for (; i > r->first && before(new, &r->at[i - 1]); i--)
        r->at[i] = r->at[i - 1];
    r->at[i] = *new;
    return 0;
}

/* ---- the history ----------------------------------------------------------------------------- */

static const struct entry *first_of(const struct row *r)
{
    return r->first < r->end ? &r->at[r->first] : NULL;
}

static void absorb_first(uint64_t *history, struct row *r)
{
    htmt__history_absorb(history, r->at[r->first++].event);
    if (r->first == r->end)
        r->first = r->end = 0;
}

static void count(struct htmt__lane *l)
{
    const struct htmt__books *b = l->books;
    l->unbooked = b->open || first_of(&b->due) || first_of(&b->own);
}

void htmt__booking_settle(struct htmt_emulator *e, uint32_t slice, htmt_time end)
{
    struct htmt__lane *l = &e->windows->lane[slice];
    struct htmt__books *b = l->books;
    uint64_t *history = &htmt__slice_at(e, slice)->history;
    for (;;) {
        const struct entry *due = first_of(&b->due), *own = first_of(&b->own);
        if (due && due->event.fs < end && (!own || before(due, own)))
            absorb_first(history, &b->due);
        else if (own)
            absorb_first(history, &b->own);
        else
            break;
    }
    count(l);
}

/* All that is due is known: what comes before this event, and the event. */
static void absorb_up_to(struct htmt_emulator *e, uint32_t slice, struct htmt__books *b,
                         const struct entry *own)
{
    uint64_t *history = &htmt__slice_at(e, slice)->history;
    for (const struct entry *due; (due = first_of(&b->due)) && before(due, own);)
        absorb_first(history, &b->due);
    htmt__history_absorb(history, own->event);
    count(&e->windows->lane[slice]);
}

void htmt__booking_own(struct htmt_emulator *e, uint32_t slice,
                       const struct htmt__history_event *event)
{
    struct htmt__books *b = e->windows->lane[slice].books;
    struct entry own = {htmt__order(e), *event};
    if (b->open || first_of(&b->own))
        append(e, &b->own, &own);
    else
        absorb_up_to(e, slice, b, &own);
}

/* ---- bookings -------------------------------------------------------------------------------- */

static struct htmt__books *books_of(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__lane *l = &e->windows->lane[slice];
    if (!l->books && !(l->books = calloc(1, sizeof *l->books)))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the history of a slice");
    return l->books;
}

void htmt__booking_open(struct htmt_emulator *e, uint32_t source)
{
    struct htmt__books *b = books_of(e, source);
    if (!b)
        return;
    b->open++;
    e->windows->lane[source].unbooked = 1;
}

void htmt__booking_add(struct htmt_emulator *e, const struct htmt__entity *p,
                       const struct htmt__leg *g, htmt_time at, bool opened)
{
    struct htmt__books *b = books_of(e, g->source);
    struct entry due = {.key = p->key,
                        .event = {.fs = at,
                                  .resource = g->stats->resource,
                                  .slice = g->source,
                                  .parcel = p->serial,
                                  .stage = HTMT_PUT,
                                  .words = g->words}};
    if (!b)
        return;
    b->open -= opened;
    insert(e, &b->due, &due);
    e->windows->lane[g->source].unbooked = 1;
    htmt__stage_stats_ended(g->stats, at);
}

void htmt__bookings_fini(struct htmt__lane *l)
{
    if (!l->books)
        return;
    free(l->books->due.at);
    free(l->books->own.at);
    free(l->books);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/event_observers.h"
#include "parcels/clock/partition.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define ROOM_LEAST 256u

/* ---- kept ------------------------------------------------------------------------------------ */

static bool has_room(struct htmt__observed_row *r)
{
    if (r->count < r->room)
        return true;
    size_t room = r->room ? 2 * r->room : ROOM_LEAST;
    struct htmt__observed *more =
        htmt__fault_injected() ? NULL : realloc(r->at, room * sizeof *more);
    if (!more)
        return false;
    r->at = more;
    r->room = room;
    return true;
}

int htmt__observed_keep(struct htmt_emulator *e, const struct htmt_event *event)
{
    struct htmt__observed_row *r = &e->partition->observed;
    if (!has_room(r))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the events of a window");
    r->at[r->count++] = (struct htmt__observed){*event, {e->now, htmt__order(e)}};
    return 0;
}

void htmt__observed_fini(struct htmt__observed_row *r)
{
    free(r->at);
}

/* ---- merged ---------------------------------------------------------------------------------- */

/* Those of a partition come in order. So a heap of the rows that have some left gives the next of
 * all. No two rows have events of one order at one instant. */
struct heap {
    struct htmt__observed_row **row;
    uint32_t count;
};

static const struct htmt__observed *next_of(const struct htmt__observed_row *r)
{
    return &r->at[r->told];
}

static bool before(const struct htmt__observed_row *a, const struct htmt__observed_row *b)
{
    return htmt__fails_before(next_of(a)->turn, next_of(b)->turn);
}

static void sift(struct heap *h, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child < h->count && child <= 2 * at + 2; child++)
            if (before(h->row[child], h->row[least]))
                least = child;
        if (least == at)
            return;
        struct htmt__observed_row *row = h->row[at];
        h->row[at] = h->row[least];
        h->row[least] = row;
        at = least;
    }
}

/* The failing partition has none behind its failure; others may have gone on. */
static bool counts(const struct htmt_emulator *e, const struct htmt__observed *o)
{
    return !e->fault.code || !htmt__fails_before(e->failure, o->turn);
}

static void tell(struct htmt_emulator *e, struct heap *h)
{
    for (uint32_t i = h->count / 2; i-- > 0;)
        sift(h, i);
    while (h->count && counts(e, next_of(h->row[0]))) {
        struct htmt__observed_row *r = h->row[0];
        e->options.observe(e->options.user, &next_of(r)->event);
        if (++r->told == r->count)
            h->row[0] = h->row[--h->count];
        sift(h, 0);
    }
}

int htmt__observed_tell(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    struct heap h = {.row = malloc(w->partitions * sizeof(struct htmt__observed_row *))};
    if (!h.row)
        return htmt__fail(whole, HTMT_ENOMEM, "no host memory for the events of a window");
    for (uint32_t i = w->first; i < w->end; i++)
        if (w->partition[i].observed.count)
            h.row[h.count++] = &w->partition[i].observed;
    tell(whole, &h);
    for (uint32_t i = w->first; i < w->end; i++)
        w->partition[i].observed.count = w->partition[i].observed.told = 0;
    free(h.row);
    return 0;
}

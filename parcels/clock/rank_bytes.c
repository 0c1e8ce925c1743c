/* SPDX-License-Identifier: BSD-3-Clause
 *
 * After a run in several ranks: the bytes of objects of other ranks.
 */
#include "parcels/clock/rank_turn.h"
#include "parcels/walk/permit.h"

#include <stdlib.h>

static uint32_t owner_of(const struct htmt__windows *w, const struct htmt_object *o)
{
    return htmt__rank_of(w, w->partition_of[o->slice]);
}

/* Who has them puts them down for those who want them. */
static void put_down(struct htmt_emulator *e, struct htmt_object *o, bool for_all)
{
    struct htmt__rank *r = e->windows->rank;
    const void *bytes = htmt_object_bytes(o);
    for (uint32_t to = 0; bytes && to < (for_all ? r->ranks->count : 1); to++)
        if (to != r->ranks->rank)
            htmt__buffer_add(&r->out[to], bytes, o->bytes);
}

/* Where any type may lie. */
static int take_up(struct htmt__rank *r, const struct htmt__cursor *c, uint64_t size,
                   const void **bytes)
{
    if ((uint64_t)(c->end - c->at) != size)
        return HTMT_ESYSTEM;
    r->fetched.size = 0;
    htmt__buffer_add(&r->fetched, c->at, size);
    *bytes = r->fetched.at;
    return r->fetched.lacking ? HTMT_ENOMEM : 0;
}

static int fetch(struct htmt_emulator *e, struct htmt_object *o, bool for_all, const void **bytes,
                 struct htmt__cursor *cursor)
{
    struct htmt__rank *r = e->windows->rank;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX};
    const uint32_t owner = owner_of(e->windows, o);
    htmt__rank_turn_begin(r, &own, NULL, (struct htmt__failure){0, 0});
    if (owner == r->ranks->rank)
        put_down(e, o, for_all);
    int rc = htmt__rank_turn_end(e, cursor);
    const struct htmt__cursor *c = &cursor[owner];
    bool wanted = for_all || !r->ranks->rank;
    if (rc || !wanted)
        return rc;
    if (owner != r->ranks->rank)
        return take_up(r, c, o->bytes, bytes);
    *bytes = htmt_object_bytes(o);
    return 0;
}

int htmt__rank_fetch(struct htmt_emulator *e, struct htmt_object *o, bool for_all,
                     const void **bytes)
{
    struct htmt__rank *r = e->windows ? e->windows->rank : NULL;
    *bytes = NULL;
    if (!e->data || !o->bytes)
        return 0;
    if (!r) {
        *bytes = htmt_object_bytes(o);
        return 0;
    }
    if (r->lost || !e->windows->played)
        return HTMT_ESYSTEM;
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    int rc = cursor ? fetch(e, o, for_all, bytes, cursor) : HTMT_ENOMEM;
    free(cursor);
    r->lost |= rc != 0;
    return rc;
}

int htmt_object_fetch(struct htmt_object *object, const void **bytes)
{
    struct htmt_emulator *e = object ? object->emulator : NULL;
    int rc = htmt__given(e, object, "htmt_object_fetch()", "object");
    rc = rc ? rc : htmt__given(e, bytes, "htmt_object_fetch()", "place for the address");
    rc = rc ? rc : htmt__permit_host(e, "htmt_object_fetch()");
    if (!rc && atomic_load(&e->state) != HTMT__ENDED)
        rc = htmt__refuse(e, HTMT_EINVAL, "htmt_object_fetch() before the end of the run");
    return rc ? rc : htmt__rank_fetch(e, object, false, bytes);
}

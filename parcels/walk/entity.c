/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entities come in chunks that belong to a slice and are used again last freed, first taken: the
 * index of an entity depends on its own slice's history only.
 */
#include "parcels/walk/entity.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/probe.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

struct htmt__owned {
    struct htmt__owned *next;
    _Alignas(64) char bytes[];
};

void *htmt__slice_memory(struct htmt_emulator *e, uint32_t slice, size_t size)
{
    if (e->guard)
        return htmt__guard_alloc(e->guard, slice, size);
    struct htmt__owned *o = htmt__record_alloc(sizeof *o + size);
    if (!o)
        return NULL;
    o->next = e->owned;
    e->owned = o;
    return o->bytes;
}

void htmt__slice_memory_free(struct htmt_emulator *e)
{
    while (e->owned) {
        struct htmt__owned *next = e->owned->next;
        free(e->owned);
        e->owned = next;
    }
}

/* ---- entities -------------------------------------------------------------------------------- */

static struct htmt__entity *chunk_of(struct htmt_emulator *e, uint32_t slice, bool between)
{
    size_t size = HTMT__CHUNK * sizeof(struct htmt__entity);
    return e->guard && !between ? htmt__guard_alloc(e->guard, slice, size)
                                : htmt__record_alloc(size);
}

/* Threads that play messages of the slice elsewhere may read its table meanwhile
 * (htmt__entity_at()): the old one stays, named by the place before the new one's first. */
static bool grow_table(struct htmt__slice *s)
{
    uint32_t room = s->room ? 2 * s->room : 4;
    struct htmt__entity **table = malloc((room + 1) * sizeof(struct htmt__entity *));
    if (!table)
        return false;
    *(struct htmt__entity ***)(void *)table = s->chunk;
    if (s->chunks)
        memcpy(table + 1, s->chunk, s->chunks * sizeof(struct htmt__entity *));
    __atomic_store_n(&s->chunk, table + 1, __ATOMIC_RELEASE);
    s->room = room;
    return true;
}

void htmt__slice_table_free(struct htmt__slice *s)
{
    while (s->chunk) {
        struct htmt__entity **table = s->chunk - 1;
        s->chunk = *(struct htmt__entity ***)(void *)table;
        free(table);
    }
}

static int add_chunk(struct htmt_emulator *e, struct htmt__slice *s, uint32_t slice, bool between)
{
    if (s->fresh > (e->guard ? HTMT__BETWEEN : HTMT__INDICES) - HTMT__CHUNK)
        return HTMT_ENOMEM;
    if (s->chunks == s->room && !grow_table(s))
        return HTMT_ENOMEM;
    struct htmt__entity *fresh = chunk_of(e, slice, between);
    if (!fresh)
        return HTMT_ENOMEM;
    s->chunk[s->chunks++] = fresh;
    return 0;
}

/* A new one: `first` of them lie in the common array. */
static struct htmt__entity *grow(struct htmt_emulator *e, struct htmt__slice *s, uint32_t slice,
                                 bool between)
{
    uint32_t first = between ? 0 : e->first_each;
    if (s->fresh >= first + s->chunks * HTMT__CHUNK && add_chunk(e, s, slice, between))
        return NULL;
    uint32_t index = s->fresh | (between ? HTMT__BETWEEN : 0);
    struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, index));
    p->slice = slice;
    p->index = index;
    s->fresh++;
    return p;
}

struct htmt__entity *htmt__entity_create_other(struct htmt_emulator *e, uint32_t slice,
                                               enum htmt__kind kind)
{
    struct htmt__slice *s = htmt__slice_at(e, slice);
    bool between = kind == HTMT__MESSAGE && e->guard;
    struct htmt__slice *from = between ? &e->post[slice] : s;
    struct htmt__entity *p = from->free ? htmt__entity_take(from) : grow(e, from, slice, between);
    if (p)
        return htmt__entity_begin(s, p, kind);
    htmt__fail(e, HTMT_ENOMEM, "no host memory for another parcel");
    return NULL;
}

void htmt__entity_tell(struct htmt_emulator *e, const struct htmt__entity *p)
{
    e->explain->over(e, p);
}

struct htmt__entity *htmt__entity_place(struct htmt_emulator *e, uint32_t slice, uint32_t index)
{
    struct htmt__slice *s = htmt__slice_at(e, slice);
    while (s->fresh <= index)
        if (!grow(e, s, slice, false)) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory for another parcel");
            return NULL;
        }
    return htmt__entity_at(e, htmt__entity_key(slice, index));
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A block of a type serves one parcel after another, in a guarded run only one. */
static struct htmt__body *block(struct htmt_emulator *e, struct htmt_type *t, uint32_t slice)
{
    size_t size = t->args_at + t->code.args_bytes;
    struct htmt__body *body = t->spare;
    if (e->guard)
        return htmt__guard_alloc(e->guard, htmt__played(e, slice), size);
    if (!body)
        return malloc(size);
    t->spare = body->spare;
    __builtin_prefetch(t->spare, 1); /* the next to be made */
    return body;
}

struct htmt__body *htmt__body_create(struct htmt_emulator *e, struct htmt_type *t, uint32_t slice)
{
    struct htmt__body *body = block(e, t, slice);
    if (!body)
        return NULL;
    body->early = NULL;
    body->live = 0;
    body->begun = false;
    body->thread = UINT8_MAX;
    for (uint32_t i = 0; i < t->fiber_count; i++)
        body->slot[i] = (struct htmt__fiber_slot){t->code.fiber[i].count, t->code.fiber[i].reset,
                                                  t->code.fiber[i].count};
    return body;
}

void htmt__body_free(struct htmt_emulator *e, struct htmt_type *t, struct htmt__body *body)
{
    if (e->guard)
        return;
    body->spare = t->spare;
    t->spare = body;
}

void htmt__slice_rest(struct htmt__slice *s)
{
    if (s->live || !s->chunks)
        return;
    while (s->chunks)
        free(s->chunk[--s->chunks]);
    s->free = NULL;
    s->fresh = 0;
}

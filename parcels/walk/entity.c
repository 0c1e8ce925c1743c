/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of entities and of what they carry.
 *
 * A slice numbers its entities from 0. The first ones of all slices lie in one array (emulator.c),
 * further ones in chunks that belong to the slice. A freed entity is the first to be used again:
 * its cache lines are mostly still there. So the number of an entity depends on the history of its
 * own slice alone, and with it the keys of its events, whoever plays the slice and on whatever
 * thread.
 *
 * Chunks have 8, 16, 32, 64 and then 128 entities each. Of many slices most need a few entities
 * more than their first ones: a chunk of 128 for each had 16 KB, of which 1 KB was used. As chunks
 * double, less than half of what a slice has is unused. By hand: the entity 30 beyond the first
 * ones stands at 30 + 8 = 38, between 32 and 64, so in the third chunk, of 32, at its place 38 - 32
 * = 6; the chunks before have the places 8 to 15 and 16 to 31.
 *
 * Threads that play messages between slices may look up an entity of a slice that another thread
 * plays, and grows. Therefore a table of chunks is never freed while the emulator lives: a larger
 * copy takes its place by an atomic store, and the old one hangs from it until the end. Together
 * the old ones are not larger than the last one.
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

void htmt__slice_table_free(struct htmt__slice *s)
{
    while (s->chunk) {
        struct htmt__entity **table = s->chunk - 1;
        s->chunk = *(struct htmt__entity ***)(void *)table;
        free(table);
    }
}

/* A new one; `between`: a message of a guarded run. The first ones lie in the common array. NULL:
 * out of memory, or of indices. */
static struct htmt__entity *grow(struct htmt_emulator *e, struct htmt__slice *s, uint32_t slice,
                                 bool between)
{
    const uint32_t first = between ? 0 : e->first_each;
    const uint32_t at = s->fresh - first + HTMT__CHUNK_LEAST;
    if (s->fresh >= first && htmt__chunk_number(at) == s->chunks) {
        const size_t size = htmt__chunk_size(at) * sizeof(struct htmt__entity);
        if (s->fresh > (e->guard ? HTMT__BETWEEN : HTMT__INDICES) - HTMT__CHUNK_MOST)
            return NULL;
        if (s->chunks == s->room) {
            const uint32_t room = s->room ? 2 * s->room : 4;
            struct htmt__entity **table = malloc((room + 1) * sizeof(struct htmt__entity *));
            if (!table)
                return NULL;
            *(struct htmt__entity ***)(void *)table = s->chunk; /* the old one hangs from it */
            if (s->chunks)
                memcpy(table + 1, s->chunk, s->chunks * sizeof(struct htmt__entity *));
            __atomic_store_n(&s->chunk, table + 1, __ATOMIC_RELEASE);
            s->room = room;
        }
        struct htmt__entity *fresh = e->guard && !between ? htmt__guard_alloc(e->guard, slice, size)
                                                          : htmt__record_alloc(size);
        if (!fresh)
            return NULL;
        s->chunk[s->chunks++] = fresh;
    }
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
    if (!p) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another parcel");
        return NULL;
    }
    htmt__entity_begin(s, p, kind);
    if (htmt__explained(e))
        e->explain->made(e, p);
    return p;
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

void htmt__slice_rest(struct htmt__slice *s)
{
    if (s->live || !s->chunks)
        return;
    while (s->chunks)
        free(s->chunk[--s->chunks]);
    s->free = NULL;
    s->fresh = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records are cut from chunks, front to back, and never go back to them: what is given back waits
 * in the list of its size, and the next record of that size is taken from there, while its lines
 * are still in the cache. Sizes are multiples of a cache line, so a run with closures of a few
 * sizes soon takes nothing from a chunk any more. Chunks double from 2 to 32 MiB.
 */
#include "parcels/data/slab.h"
#include "runtime/base/pages.h"
#include "runtime/host/arena.h"

#include <stdlib.h>

#define CHUNK_FIRST ((size_t)2 << 20)
#define CHUNK_LAST  ((size_t)32 << 20)

struct htmt__slab_spare {
    struct htmt__slab_spare *next;
};

struct htmt__slab_chunk {
    struct htmt__slab_chunk *next;
    size_t size;
    _Alignas(HTMT__SLAB_UNIT) char bytes[];
};

static size_t units_of(size_t bytes)
{
    return bytes ? (bytes + HTMT__SLAB_UNIT - 1) / HTMT__SLAB_UNIT : 1;
}

/* From the newest chunk, or a new one. What is left of the chunk before is not used: less than a
 * sixteenth. */
static void *carve(struct htmt__slab *s, size_t room)
{
    if ((size_t)(s->end - s->at) < room) {
        size_t bytes = s->next_room ? s->next_room : CHUNK_FIRST;
        struct htmt__slab_chunk *chunk = htmt__table_alloc(1, bytes);
        if (!chunk)
            return NULL;
        chunk->next = s->chunks;
        chunk->size = bytes;
        s->chunks = chunk;
        s->at = chunk->bytes;
        s->end = (char *)chunk + bytes;
        s->next_room = bytes < CHUNK_LAST ? 2 * bytes : bytes;
    }
    void *record = s->at;
    s->at += room;
    return record;
}

void *htmt__slab_take(struct htmt__slab *s, size_t bytes)
{
    size_t units = units_of(bytes);
    if (units > HTMT__SLAB_CLASSES)
        return htmt__record_alloc(bytes);
    struct htmt__slab_spare *spare = s->spare[units - 1];
    if (!spare)
        return carve(s, units * HTMT__SLAB_UNIT);
    HTMT__UNPOISON(spare, units * HTMT__SLAB_UNIT);
    s->spare[units - 1] = spare->next;
    return spare;
}

void htmt__slab_give(struct htmt__slab *s, void *record, size_t bytes)
{
    struct htmt__slab_spare *spare = record;
    size_t units = units_of(bytes);
    if (!record || units > HTMT__SLAB_CLASSES) {
        free(record);
        return;
    }
    spare->next = s->spare[units - 1];
    s->spare[units - 1] = spare;
    HTMT__POISON(spare, units * HTMT__SLAB_UNIT);
}

void htmt__slab_fini(struct htmt__slab *s)
{
    while (s->chunks) {
        struct htmt__slab_chunk *next = s->chunks->next;
        HTMT__UNPOISON(s->chunks, s->chunks->size);
        htmt__table_free(s->chunks, 1, s->chunks->size);
        s->chunks = next;
    }
}

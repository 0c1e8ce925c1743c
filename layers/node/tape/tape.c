/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A writer's chunk, and tapes in memory.
 *
 * What is recorded goes through one chunk of 64 KiB, which stays in the second cache of the host,
 * and from there to a sink: into a node, which plays it at once and forgets it, or to a tape in
 * memory, which copies it. A hook therefore costs one store and a compare, whatever becomes of the
 * entries.
 *
 * A tape in memory is a list of chunks that are full but for the last, so entry number n stands in
 * chunk n / HTMT__TAPE_CHUNK. The chunks of a long tape lie in huge pages, which take a tenth of
 * the time of as many small ones.
 */
#include "layers/node/tape/tape_tables.h"

#include "runtime/base/array.h"
#include "runtime/base/error.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (HTMT__TAPE_CHUNK * sizeof(uint64_t))
#define SLAB        64 /* chunks: 4 MiB */

struct htmt__tape {
    const struct htmt__tape_program *program;
    void *tables; /* the program's, where the tape owns it; NULL: it is the caller's */
    struct htmt__tape_region *region;
    size_t regions, region_room;
    uint64_t **chunk; /* each is full, but for the last */
    size_t chunks, chunk_room;
    uint64_t entries;
};

/* ---- the writer ------------------------------------------------------------------------------ */

int htmt__tape_open(struct htmt__tape_writer *w, htmt__tape_sink_fn *sink, void *user)
{
    uint64_t *chunk = malloc(CHUNK_BYTES);
    *w = (struct htmt__tape_writer){.next = chunk,
                                    .end = chunk ? chunk + HTMT__TAPE_CHUNK : NULL,
                                    .chunk = chunk,
                                    .sink = sink,
                                    .user = user};
    return chunk ? 0 : HTMT_ENOMEM;
}

void htmt__tape_flush(struct htmt__tape_writer *w)
{
    const size_t n = (size_t)(w->next - w->chunk);
    if (n && !w->code)
        w->code = w->sink(w->user, w->chunk, n);
    w->next = w->chunk;
}

int htmt__tape_close(struct htmt__tape_writer *w)
{
    htmt__tape_flush(w);
    free(w->chunk);
    w->chunk = w->next = w->end = NULL;
    return w->code;
}

/* ---- a tape in memory ------------------------------------------------------------------------ */

int htmt__tape_new(struct htmt__tape **tape, const struct htmt__tape_program *program)
{
    struct htmt__tape *t = calloc(1, sizeof *t);
    if (!t)
        return HTMT_ENOMEM;
    t->program = program;
    *tape = t;
    return 0;
}

void htmt__tape_free(struct htmt__tape *tape)
{
    if (!tape)
        return;
    for (size_t i = 0; i < tape->chunks && i < SLAB; i++)
        free(tape->chunk[i]);
    for (size_t i = SLAB; i < tape->chunks; i += SLAB)
        htmt__table_free(tape->chunk[i], SLAB, CHUNK_BYTES);
    free(tape->chunk);
    free(tape->region);
    free(tape->tables);
    free(tape);
}

static int add_chunk(struct htmt__tape *t)
{
    if (!htmt__array_fits(&t->chunk, &t->chunk_room, t->chunks + 1, sizeof(uint64_t *)))
        return HTMT_ENOMEM;
    uint64_t *chunk = t->chunks < SLAB   ? malloc(CHUNK_BYTES)
                      : t->chunks % SLAB ? t->chunk[t->chunks - 1] + HTMT__TAPE_CHUNK
                                         : htmt__table_alloc(SLAB, CHUNK_BYTES);
    if (!chunk)
        return HTMT_ENOMEM;
    t->chunk[t->chunks++] = chunk;
    return 0;
}

int htmt__tape_append(void *user, const uint64_t *entries, size_t n)
{
    struct htmt__tape *t = user;
    while (n) {
        const size_t at = (size_t)(t->entries % HTMT__TAPE_CHUNK);
        const size_t room = HTMT__TAPE_CHUNK - at, some = n < room ? n : room;
        if (!at && add_chunk(t))
            return HTMT_ENOMEM;
        memcpy(t->chunk[t->chunks - 1] + at, entries, some * sizeof *entries);
        t->entries += some;
        entries += some;
        n -= some;
    }
    return 0;
}

int htmt__tape_add_region(struct htmt__tape *tape, const struct htmt__tape_region *region)
{
    if (!htmt__array_fits(&tape->region, &tape->region_room, tape->regions + 1, sizeof *region))
        return HTMT_ENOMEM;
    tape->region[tape->regions++] = *region;
    return 0;
}

int htmt__tape_keep_program(struct htmt__tape *tape, const struct htmt__tape_program *program)
{
    struct htmt__tape_program *copy = htmt__tape_copy(program);
    if (!copy)
        return HTMT_ENOMEM;
    free(tape->tables);
    tape->tables = copy;
    tape->program = copy;
    return 0;
}

const struct htmt__tape_program *htmt__tape_program(const struct htmt__tape *tape)
{
    return tape->program;
}

size_t htmt__tape_regions(const struct htmt__tape *tape, const struct htmt__tape_region **regions)
{
    *regions = tape->region;
    return tape->regions;
}

uint64_t htmt__tape_entries(const struct htmt__tape *tape)
{
    return tape->entries;
}

const uint64_t *htmt__tape_chunk(const struct htmt__tape *tape, size_t i, size_t *n)
{
    if (i >= tape->chunks)
        return NULL;
    const uint64_t before = (uint64_t)i * HTMT__TAPE_CHUNK, left = tape->entries - before;
    *n = left < HTMT__TAPE_CHUNK ? (size_t)left : HTMT__TAPE_CHUNK;
    return tape->chunk[i];
}

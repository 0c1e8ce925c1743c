/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A writer's chunk, and tapes in memory: entries in chunks that are full but for the last.
 */
#include "layers/node/tape/tape_parts.h"
#include "layers/node/tape/tape_tables.h"

#include "runtime/base/error.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (HTMT__TAPE_CHUNK * sizeof(uint64_t))
#define SLAB        64 /* chunks: 4 MiB */

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

/* Room for twice as many when a power of two is reached. */
static void *one_more(void *array, size_t n, size_t bytes)
{
    if (n & (n - 1))
        return array;
    return reallocarray(array, n ? 2 * n : 1, bytes);
}

/* A long tape's chunks lie in huge pages, which take a tenth of the time of as many small ones. */
static uint64_t *next_chunk(const struct htmt__tape *t)
{
    if (t->chunks < SLAB)
        return malloc(CHUNK_BYTES);
    if (t->chunks % SLAB)
        return t->chunk[t->chunks - 1] + HTMT__TAPE_CHUNK;
    return htmt__table_alloc(SLAB, CHUNK_BYTES);
}

static int add_chunk(struct htmt__tape *t)
{
    uint64_t **chunk = one_more(t->chunk, t->chunks, sizeof *chunk);
    if (!chunk)
        return HTMT_ENOMEM;
    t->chunk = chunk;
    t->chunk[t->chunks] = next_chunk(t);
    if (!t->chunk[t->chunks])
        return HTMT_ENOMEM;
    t->chunks++;
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
    struct htmt__tape_region *all = one_more(tape->region, tape->regions, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    tape->region = all;
    all[tape->regions++] = *region;
    return 0;
}

int htmt__tape_keep_program(struct htmt__tape *tape, const struct htmt__tape_program *program)
{
    const struct htmt__tape_counts n = htmt__tape_count(program);
    const uint64_t words = htmt__tape_words(&n);
    uint32_t *all = calloc(1, words * sizeof *all + n.text + 8);
    struct htmt__tape_program *copy = NULL;
    if (all) {
        htmt__tape_pack(program, all, (char *)(all + words));
        copy = htmt__tape_unpack(&n, all, (const char *)(all + words));
    }
    free(all);
    if (!copy)
        return HTMT_ENOMEM;
    memcpy(copy->name, program->name, sizeof copy->name);
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

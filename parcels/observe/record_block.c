/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The columns of a block have fixed shares of its bytes, after how many bytes a value mostly takes:
 * ends differ most, references least. Of 64 MiB for all open blocks each slice gets an equal part,
 * at most what 65,536 intervals mostly need.
 *
 * The writer of an interval may not test each column for room. So a look at the block counts how
 * many intervals, and samples, fit for certain if every number takes its most, 10 bytes; that many
 * are written without a test (b->left), then the next look counts again. When hardly any more fit
 * the block is full. With 9 bytes left for the ends none fits for certain, and the block goes,
 * though 4 more might have fitted.
 *
 * A block that is closed has its columns behind each other, each with its length, ready to be
 * deflated.
 */
#include "parcels/observe/record_block.h"

#include <stdlib.h>

/* Of a block's bytes each column has so many parts. */
static const uint8_t parts[HTMT__RECORD_COLUMNS] = {2, 6, 4, 5, 3, 2, 2, 3, 4, 4};
#define PARTS 35u

#define PART_FULL  ((size_t)48 << 10) /* of a block of 65,536 intervals */
#define ALL_BYTES  ((size_t)64 << 20) /* of all open blocks */
#define PART_LEAST ((size_t)128)

#define LEFT_LEAST     8u /* fewer further intervals are not waited for */
#define BYTES_TO_SPARE 8u

size_t htmt__record_block_room(uint32_t slices)
{
    size_t part = ALL_BYTES / PARTS / slices;
    part = part < PART_LEAST ? PART_LEAST : part > PART_FULL ? PART_FULL : part;
    return part * PARTS;
}

static uint8_t *first_of(const struct htmt__record_block *b, size_t room, unsigned column)
{
    size_t before = 0;
    for (unsigned i = 0; i < column; i++)
        before += parts[i];
    return b->bytes + room / PARTS * before;
}

/* How many more numbers fit into the column, each with `count` others. */
static size_t fits(const struct htmt__record_block *b, size_t room, unsigned column, unsigned count)
{
    const uint8_t *end = first_of(b, room, column) + room / PARTS * parts[column];
    return (size_t)(end - b->at[column]) / (count * HTMT__LEB128_MOST);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool htmt__record_block_look(struct htmt__record_block *b, size_t room)
{
    size_t left = HTMT__RECORD_MOST - b->count;
    for (unsigned i = 0; i < HTMT__RECORD_FOREIGN; i++)
        left = least(left, fits(b, room, i, 1));
    left = least(left, fits(b, room, HTMT__RECORD_FOREIGN, 4));
    size_t samples =
        least(fits(b, room, HTMT__RECORD_WHEN, 1), fits(b, room, HTMT__RECORD_WHAT, 2));
    bool full = left < LEFT_LEAST || samples < LEFT_LEAST;
    b->left = (uint32_t)left;
    b->samples_left = (uint32_t)least(samples, UINT32_MAX);
    return !full || (!b->count && !b->samples);
}

int htmt__record_block_open(struct htmt__record_block *b, size_t room, uint32_t layers)
{
    if (!b->bytes)
        b->bytes = malloc(room + BYTES_TO_SPARE);
    if (!b->bytes)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < HTMT__RECORD_COLUMNS; i++)
        b->at[i] = first_of(b, room, i);
    memcpy(b->level, b->words, sizeof b->level);
    for (uint32_t l = 0; l < layers; l++)
        htmt__record_put(b, HTMT__RECORD_WHAT, b->level[l]);
    if (b->steps)
        memset(b->before, 0, b->steps * sizeof *b->before);
    b->count = b->samples = 0;
    b->end = b->sample_at = 0;
    b->serial = 0;
    b->from = HTMT_TIME_MAX;
    b->to = 0;
    htmt__record_block_look(b, room);
    return 0;
}

int htmt__record_block_steps(struct htmt__record_block *b, uint32_t steps)
{
    if (steps <= b->steps)
        return 0;
    struct htmt__record_before *more = realloc(b->before, steps * sizeof *more);
    if (!more)
        return HTMT_ENOMEM;
    memset(more + b->steps, 0, (steps - b->steps) * sizeof *more);
    b->before = more;
    b->steps = steps;
    return 0;
}

size_t htmt__record_block_most(size_t room)
{
    return room + HTMT__RECORD_COLUMNS * HTMT__LEB128_MOST;
}

size_t htmt__record_block_close(struct htmt__record_block *b, size_t room, uint8_t *into)
{
    uint8_t *at = into;
    for (unsigned i = 0; i < HTMT__RECORD_COLUMNS; i++) {
        const uint8_t *first = first_of(b, room, i);
        size_t bytes = (size_t)(b->at[i] - first);
        at = htmt__leb128_put(at, bytes);
        memcpy(at, first, bytes);
        at += bytes;
    }
    b->left = b->samples_left = b->count = b->samples = 0;
    return (size_t)(at - into);
}

void htmt__record_block_fini(struct htmt__record_block *b)
{
    free(b->bytes);
    free(b->before);
    b->bytes = NULL;
    b->before = NULL;
    b->steps = 0;
}

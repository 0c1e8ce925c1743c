/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a block of a trace while it is written: what one slice did, in columns.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_BLOCK_H
#define HTMT_PARCELS_OBSERVE_RECORD_BLOCK_H

#include "layers/machine/machine.h"
#include "runtime/base/leb128.h"

enum htmt__record_column {
    HTMT__RECORD_STEP,
    HTMT__RECORD_END,
    HTMT__RECORD_SERVICE,
    HTMT__RECORD_WAIT,
    HTMT__RECORD_SERIAL,
    HTMT__RECORD_CAUSE,
    HTMT__RECORD_LINE,
    HTMT__RECORD_FOREIGN,
    HTMT__RECORD_WHEN,
    HTMT__RECORD_WHAT,
    HTMT__RECORD_COLUMNS
};

#define HTMT__RECORD_MOST 65536u /* intervals of a block */

/* An interval's slice and number, from 1 on; 0: none. */
typedef uint64_t htmt__record_ref;
#define HTMT__RECORD_NUMBER_BITS 40

struct htmt__record_interval {
    uint32_t slice, step; /* step: twice its index, and 1 if it is still open */
    htmt_time end, service, wait;
    uint64_t serial;
    htmt__record_ref cause, line;
};

struct htmt__record_block {
    uint32_t left, samples_left; /* fit before the next look at the room; 0: the block is closed */
    uint8_t *at[HTMT__RECORD_COLUMNS];
    uint32_t count, samples;
    htmt__record_ref last; /* interval of the slice */
    htmt_time end, sample_at;
    uint64_t serial;
    htmt_time from, to;
    struct htmt__record_before {
        htmt_time service, wait;
    } * before; /* of the last interval of each step */
    uint32_t steps;
    uint8_t *bytes;
    uint64_t words[HTMT_LAYERS_MAX]; /* in use */
    uint64_t level[HTMT_LAYERS_MAX]; /* the same, as the block tells: samples may be left out */
};

/* How many bytes the columns of a block have when so many slices are recorded. */
size_t htmt__record_block_room(uint32_t slices);
/* It holds nothing, and begins with the levels of so many layers. Errors: HTMT_ENOMEM. */
int htmt__record_block_open(struct htmt__record_block *b, size_t room, uint32_t layers);
/* Room for so many steps. Errors: HTMT_ENOMEM. */
int htmt__record_block_steps(struct htmt__record_block *b, uint32_t steps);
/* Counts what fits next; false: the block is full. */
bool htmt__record_block_look(struct htmt__record_block *b, size_t room);
/* At most these bytes. */
size_t htmt__record_block_most(size_t room);
/* The columns, one behind another, to `into`; the block is closed. Returns their bytes. */
size_t htmt__record_block_close(struct htmt__record_block *b, size_t room, uint8_t *into);
void htmt__record_block_fini(struct htmt__record_block *b);

static inline void htmt__record_put(struct htmt__record_block *b, enum htmt__record_column column,
                                    uint64_t value)
{
    b->at[column] = htmt__leb128_put(b->at[column], value);
}

/* `of`: how many intervals before, in the same slice; or which, in another one. */
static inline void htmt__record_refer(struct htmt__record_block *b, enum htmt__record_column column,
                                      htmt__record_ref self, htmt__record_ref of)
{
    const uint64_t number = (UINT64_C(1) << HTMT__RECORD_NUMBER_BITS) - 1;
    if (!of) {
        htmt__record_put(b, column, 0);
    } else if (__builtin_expect(!((self ^ of) >> HTMT__RECORD_NUMBER_BITS), 1)) {
        htmt__record_put(b, column, 2 * (self - of));
    } else {
        htmt__record_put(b, column, 1);
        htmt__record_put(b, HTMT__RECORD_FOREIGN, of >> HTMT__RECORD_NUMBER_BITS);
        htmt__record_put(b, HTMT__RECORD_FOREIGN, (of & number) - 1);
    }
}

/* Most are what they were before. */
static inline void htmt__record_change(struct htmt__record_block *b,
                                       enum htmt__record_column column, htmt_time *before,
                                       htmt_time now)
{
    if (now == *before) {
        *b->at[column]++ = 0;
        return;
    }
    htmt__record_put(b, column, htmt__zigzag(now - *before));
    *before = now;
}

/* The block is open and has room for it and its step. Returns its number. */
static inline htmt__record_ref htmt__record_block_add(struct htmt__record_block *b,
                                                      const struct htmt__record_interval *i)
{
    struct htmt__record_before *before = &b->before[i->step / 2];
    htmt_time from = i->end - i->service - i->wait;
    htmt__record_put(b, HTMT__RECORD_STEP, i->step);
    htmt__record_put(b, HTMT__RECORD_END, htmt__zigzag(i->end - b->end));
    htmt__record_change(b, HTMT__RECORD_SERVICE, &before->service, i->service);
    htmt__record_change(b, HTMT__RECORD_WAIT, &before->wait, i->wait);
    htmt__record_put(b, HTMT__RECORD_SERIAL, htmt__zigzag((int64_t)(i->serial - b->serial)));
    b->last++;
    htmt__record_refer(b, HTMT__RECORD_CAUSE, b->last, i->cause);
    if (i->wait)
        htmt__record_refer(b, HTMT__RECORD_LINE, b->last, i->line);
    b->end = i->end;
    b->serial = i->serial;
    b->from = from < b->from ? from : b->from;
    b->to = i->end > b->to ? i->end : b->to;
    b->count++;
    return b->last;
}

/* The slice uses so many words of the layer, other ones than before. */
static inline void htmt__record_block_sample(struct htmt__record_block *b, htmt_time at,
                                             uint32_t layer, uint64_t words)
{
    bool less = words < b->level[layer];
    htmt__record_put(b, HTMT__RECORD_WHEN, htmt__zigzag(at - b->sample_at));
    htmt__record_put(b, HTMT__RECORD_WHAT, 2 * layer + less);
    htmt__record_put(b, HTMT__RECORD_WHAT,
                     less ? b->level[layer] - words : words - b->level[layer]);
    b->level[layer] = words;
    b->sample_at = at;
    b->samples++;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: intervals and changes of memories go to the blocks of their slices, full
 * blocks to the file; those of a partition wait until the whole takes them. Steps get numbers.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_WRITER_H
#define HTMT_PARCELS_OBSERVE_RECORD_WRITER_H

#include "parcels/observe/recorder.h"

/* There will be no file. */
void htmt__record_give_up(struct htmt_emulator *e);
/* The same for want of memory, which is latched. */
void htmt__record_out_of_memory(struct htmt_emulator *e);

/* Packs for the recorder: those of partitions are packed side by side. NULL: out of memory. */
struct htmt__record_packer *htmt__record_packer_of(struct htmt__recorder *r);

/* The step is met for the first time: twice its index and 2; 1: it is left out. Errors (latched):
 * HTMT_ENOMEM. */
uint32_t htmt__record_step_new(struct htmt_emulator *e, const struct htmt__stage_stats *stats,
                               enum htmt__record_place place);
/* Steps that partitions have met get numbers of the whole. Errors (latched): HTMT_ENOMEM. */
void htmt__record_steps_number(struct htmt_emulator *whole);

/* The block of the slice is open then; false: the slice is left out, or there is no file any more.
 * Errors (latched): HTMT_ENOMEM. */
bool htmt__record_open(struct htmt_emulator *e, uint32_t slice);
/* It has no room that is counted: more is counted, or it is full and goes. Errors (latched):
 * HTMT_ENOMEM, HTMT_EIO. */
void htmt__record_look(struct htmt_emulator *e, uint32_t slice);
/* What it holds goes. Errors: as above. */
void htmt__record_write_block(struct htmt_emulator *e, uint32_t slice);
/* The slice used other words of the layer from then on. Errors: as above. */
void htmt__record_write_sample(struct htmt_emulator *e, uint32_t slice, htmt_time at,
                               uint32_t layer, uint64_t words);
/* Full blocks of all partitions go to the file in the order of turns. Errors (latched): HTMT_EIO,
 * HTMT_ENOMEM. */
void htmt__record_write_closed(struct htmt_emulator *whole);
void htmt__record_closed_free(struct htmt__recorder *part);

static inline bool htmt__record_outside(const struct htmt_recording *o, htmt_time from,
                                        htmt_time to)
{
    return to < o->from || (o->to && from > o->to);
}

/* It is not left out. 0: it was not written. */
static inline __attribute__((always_inline)) htmt__record_ref
htmt__record_write(struct htmt_emulator *e, const struct htmt__record_interval *i)
{
    struct htmt__record_block *b = &e->recorder->slice[i->slice].block;
    if (__builtin_expect(!b->left, 0) && !htmt__record_open(e, i->slice))
        return 0;
    htmt__record_ref self = htmt__record_block_add(b, i);
    if (__builtin_expect(--b->left == 0, 0))
        htmt__record_look(e, i->slice);
    return self;
}

#endif

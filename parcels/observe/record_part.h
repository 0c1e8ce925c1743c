/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the recorder of a partition. It notes the intervals of a window, and writes
 * them to the blocks of its slices when it plays the next one: then steps and sections that were
 * new in the window have the numbers that the sequential clock gives them.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_PART_H
#define HTMT_PARCELS_OBSERVE_RECORD_PART_H

#include "parcels/observe/recorder.h"

/* Of a copy of the emulator, whose slices have what the whole's recorder has of them. NULL: out of
 * memory. */
struct htmt__recorder *htmt__record_part_create(struct htmt__recorder *whole, uint32_t resources);
void htmt__record_part_free(struct htmt__recorder *part);

/* An interval that is not left out, by the partition's numbers. 0: it was not noted. Errors
 * (latched): HTMT_ENOMEM. */
htmt__record_ref htmt__record_note(struct htmt_emulator *part,
                                   const struct htmt__record_interval *i);
/* The slice used other words of the layer from then on. Errors (latched): HTMT_ENOMEM. */
void htmt__record_note_sample(struct htmt_emulator *part, uint32_t slice, htmt_time at,
                              uint32_t layer, uint64_t words);
/* What was noted is written: all of it has numbers. Errors (latched): HTMT_ENOMEM. */
void htmt__record_part_write(struct htmt_emulator *part);

/* A window is over. Of one with a failure nothing stays that comes behind it. Errors (latched):
 * HTMT_ENOMEM, HTMT_EIO. */
void htmt__record_window(struct htmt_emulator *whole);
/* What was noted since then, and is not yet written, goes to the file. */
void htmt__record_rest(struct htmt_emulator *whole);
/* Of all partitions, to `sums`, which is all zeros. */
void htmt__record_sum_up(const struct htmt_emulator *whole, struct htmt__record_sums *sums);
int htmt__record_sums_init(struct htmt__record_sums *sums, uint32_t resources);
void htmt__record_sums_fini(struct htmt__record_sums *sums);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Program data that belongs to slices. Controls of one slice write only its own record, and records
 * share no cache line, so that slices may be played side by side; totals are summed after the run.
 *
 *     struct mine {
 *         HTMT_PER_SLICE uint64_t parcels;
 *     } *of_slice = htmt_per_slice_create(slices, sizeof *of_slice);
 *
 * In a run of several ranks each has the records of the slices that it plays. What has one size in
 * all slices comes to all ranks by htmt_slices_share(), other things by htmt_per_slice_fetch().
 */
#ifndef HTMT_APPS_LIB_PER_SLICE_H
#define HTMT_APPS_LIB_PER_SLICE_H

#include <stddef.h>
#include <stdint.h>

#include "parcels/emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_PER_SLICE_BYTES 64

/* In front of the first member of a record. */
#ifdef __cplusplus
#define HTMT_PER_SLICE alignas(HTMT_PER_SLICE_BYTES)
#else
#define HTMT_PER_SLICE _Alignas(HTMT_PER_SLICE_BYTES)
#endif

/* Zeros; `bytes` is a multiple of HTMT_PER_SLICE_BYTES. NULL: no host memory. To be given to
 * free(). */
void *htmt_per_slice_create(uint32_t slices, size_t bytes);

/* After the run, in all ranks alike (htmt_options.ranks): what the rank that plays `slice` gives,
 * *size bytes at *at of malloc(), goes to rank 0, where *at and *size then tell of it; in the other
 * ranks they become NULL and 0. What ranks give that do not play it must be NULL and 0. In one
 * process, and where each rank has played all slices, both stay. Whatever comes of it, the caller
 * has *at to give to free(). Errors: HTMT_ENOMEM; HTMT_ESYSTEM: other ranks are gone. */
int htmt_per_slice_fetch(struct htmt_emulator *e, uint32_t slice, void **at, size_t *size);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Program data that belongs to slices. Controls of one slice write only its own record, and records
 * share no cache line, so that slices may be played side by side; totals are summed after the run.
 *
 *     struct mine {
 *         HTMT_PER_SLICE uint64_t parcels;
 *     } *of_slice = htmt_per_slice_create(slices, sizeof *of_slice);
 */
#ifndef HTMT_APPS_LIB_PER_SLICE_H
#define HTMT_APPS_LIB_PER_SLICE_H

#include <stddef.h>
#include <stdint.h>

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

#ifdef __cplusplus
}
#endif

#endif

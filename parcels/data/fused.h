/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: parcels whose gather, kernel and scatter become one job.
 */
#ifndef HTMT_PARCELS_DATA_FUSED_H
#define HTMT_PARCELS_DATA_FUSED_H

#include "parcels/parcel.h"
#include "runtime/host/extent.h"

struct htmt__closure;
struct htmt__storage;

bool htmt__defer_may(const struct htmt_emulator *e, const struct htmt_parcel_desc *desc);
void htmt__defer_read(struct htmt__closure *c, uint32_t layer);
/* Of a parcel that is not deferred: what its kernels read in place, from now on. */
void htmt__defer_stay(struct htmt_emulator *e, struct htmt__closure *c, uint32_t layer);
void htmt__defer_kernel(struct htmt_parcel *p);
/* true: done; false: there are several places to write, so the closure is not deferred any more. */
bool htmt__defer_write(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer);
/* At the end of a parcel that wrote nothing: its kernel runs all the same. */
void htmt__defer_end(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__defer_forget(struct htmt__closure *c);
/* Somebody is about to write that part of the storage, or to let all of it go: those who have yet
 * to read it do so. */
void htmt__defer_force(struct htmt_emulator *e, struct htmt__storage *storage,
                       struct htmt__extent extent);

#endif

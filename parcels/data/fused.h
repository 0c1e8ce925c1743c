/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: parcels whose gather, kernel and scatter become one job.
 */
#ifndef HTMT_PARCELS_DATA_FUSED_H
#define HTMT_PARCELS_DATA_FUSED_H

#include "parcels/data/closure.h"

void htmt__fuse_read(struct htmt__closure *c, uint32_t layer);
/* Of a parcel that is not fused: what its kernels read in place, from now on. */
void htmt__fuse_stay(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);
void htmt__fuse_kernel(struct htmt__closure *c);
/* Something goes to the layer. true: done; false: there are several places to write, so the closure
 * is not fused any more. */
bool htmt__fuse_write(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);
/* At the end of a parcel that wrote nothing: its kernel runs all the same. */
void htmt__fuse_end(struct htmt__data *d, struct htmt__closure *c);
/* The run ends before the parcel does: its kernel runs if its turn has come. */
void htmt__fuse_finish(struct htmt__data *d, struct htmt__closure *c);
/* Somebody is about to write that part of the storage, or to let all of it go: those who have yet
 * to read it do so. */
void htmt__fuse_force(struct htmt__data *d, struct htmt__storage *storage,
                      struct htmt__extent extent);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the order in which jobs reach the host. Deferred parcels are collected in
 * batches, and whatever is issued later comes behind them.
 */
#ifndef HTMT_PARCELS_DATA_BATCH_H
#define HTMT_PARCELS_DATA_BATCH_H

#include "parcels/parcel.h"
#include "runtime/host/host.h"

struct htmt__whole;

/* Jobs are issued in one order: nothing overtakes a batch. To be called before anything else that
 * concerns the host. */
void htmt__batches_issue(struct htmt_emulator *e);
/* The way by which all other jobs are issued. */
void htmt__issue(struct htmt_emulator *e, struct htmt__job *job, bool keep);
/* Deferred parcels that work on neighbouring columns, in one job. A place in the job for the
 * parcel, and the job to name its storages to; joined() when all of it is there. NULL: no memory
 * (latched). */
struct htmt__whole *htmt__batch_join(struct htmt_emulator *e, const struct htmt_parcel *p,
                                     uint32_t layer, struct htmt__job **job);
void htmt__batch_joined(struct htmt_emulator *e, uint32_t slice);

#endif

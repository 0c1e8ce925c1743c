/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: the order in which jobs reach the host. Fused parcels are collected in
 * batches, and whatever is issued later comes behind them.
 */
#ifndef HTMT_PARCELS_DATA_BATCH_H
#define HTMT_PARCELS_DATA_BATCH_H

#include "parcels/data/copy.h"
#include "parcels/data/kernel.h"

/* A fused parcel in its job. Addresses in the room that is lent are offsets. */
struct htmt__fused {
    uint32_t in, out;
    struct htmt_kernel kernel;
    struct htmt__copy_op copy[]; /* in, then out: room for two a region; then views, arguments */
};

/* Jobs are issued in one order: nothing overtakes a batch. To be called before anything else that
 * concerns the host. */
void htmt__batches_issue_all(struct htmt__data *d);
static inline void htmt__batches_issue(struct htmt__data *d)
{
    if (d->batches)
        htmt__batches_issue_all(d);
}
/* Nobody will share a job with it: it does not go by columns. */
bool htmt__batch_alone(const struct htmt__closure *c);
/* The way by which all other jobs are issued. */
void htmt__issue(struct htmt__data *d, struct htmt__job *job, bool keep);
/* Fused parcels that work on neighbouring columns, in one job. A place in the job for the parcel,
 * and the job to name its storages to; joined() when all of it is there. NULL: no memory (latched).
 */
struct htmt__fused *htmt__batch_join(struct htmt__data *d, const struct htmt__closure *c,
                                     uint32_t layer, struct htmt__job **job);
void htmt__batch_joined(struct htmt__data *d, uint32_t slice);

#endif

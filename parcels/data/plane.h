/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: its state.
 */
#ifndef HTMT_PARCELS_DATA_PLANE_H
#define HTMT_PARCELS_DATA_PLANE_H

#include "parcels/data/data.h"
#include "parcels/data/fence.h"
#include "parcels/data/slab.h"
#include "runtime/host/host.h"

#define HTMT__SPARES_MAX 256u

struct htmt__batch;

struct htmt__data {
    struct htmt__host *host;
    struct htmt_fault *fault;                      /* the emulator's */
    struct htmt__diagnostics *diagnostics;         /* of kernels; the emulator's */
    struct htmt__batch *batches;                   /* of all slices */
    struct htmt__batch **open;                     /* of each slice, not yet issued */
    struct htmt__storage *spare[HTMT__SPARES_MAX]; /* left over by puts that handed over pages: the
                                                      next such put takes one, so the host's pages
                                                      go round instead of being faulted in */
    uint32_t spares;
    struct htmt__slab slab;             /* closures, and what messages hold */
    struct htmt__turn now;              /* of the last kernel whose turn has come */
    bool checked;                       /* htmt_options.checked */
    bool direct;                        /* nobody else runs jobs: see htmt__host_direct() */
    struct htmt__op_recorder *recorder; /* NULL: kernels are timed by what they count */
};

/* Bytes of host memory behind, and in closures in front of, what a kernel may write. */
static inline uint64_t htmt__fence_bytes(const struct htmt__data *d)
{
    return d->checked ? HTMT__FENCE : 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: words and times of a closure in each layer that it passes.
 */
#ifndef HTMT_PARCELS_TIMING_MOVE_COST_H
#define HTMT_PARCELS_TIMING_MOVE_COST_H

#include "parcels/parcel.h"

/* Words and times of a closure: equal for most parcels of a type, so shared. */
struct htmt__move_cost {
    struct htmt__move_cost *next;
    struct htmt__size {
        uint64_t space; /* held in the layer */
        uint64_t in;    /* moved into it */
        uint64_t out;   /* moved out of it */
        uint64_t in_pieces, out_pieces;
    } size[HTMT_LAYERS_MAX];
    htmt_time in_time[HTMT_LAYERS_MAX], in_port[HTMT_LAYERS_MAX];   /* channel occupied */
    htmt_time out_time[HTMT_LAYERS_MAX], out_port[HTMT_LAYERS_MAX]; /* at either end */
};

const struct htmt__move_cost *htmt__move_cost_of(struct htmt_emulator *e, struct htmt_type *type,
                                                 const struct htmt_parcel_desc *desc);

#endif

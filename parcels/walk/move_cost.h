/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: words and times of a closure in each layer that it passes.
 */
#ifndef HTMT_PARCELS_WALK_MOVE_COST_H
#define HTMT_PARCELS_WALK_MOVE_COST_H

#include "parcels/parcel.h"

#define HTMT__REGIONS_KNOWN 4 /* a parcel of more is weighed each time */

/* Words and times of a closure: equal for most parcels of a type, so shared. A type keeps those
 * that no parcel has any more, up to a bound. */
struct htmt__move_cost {
    struct htmt__move_cost *next;
    bool used; /* while it is looked for those that no parcel has */
    struct htmt__size {
        uint64_t space; /* held in the layer */
        uint64_t in;    /* moved into it */
        uint64_t out;   /* moved out of it */
        uint64_t in_pieces, out_pieces;
    } size[HTMT_LAYERS_MAX];
    uint64_t space[HTMT_LAYERS_MAX]; /* of `size` */
    struct htmt__passage {
        uint64_t words;
        htmt_time out_time, in_time; /* that a channel is occupied at the source, at the target */
    } passage[2 * HTMT_LAYERS_MAX];  /* into layer i, then out of layer i */
    uint64_t fits_beside;            /* it fits everywhere, as long as e->crowded is this */
    uint32_t regions;                /* of the last description that was found to cost this */
    struct htmt__region_cost {       /* all that its cost depends on */
        uint8_t from, to, into;      /* layers; HTMT_LAYERS_MAX: nowhere */
        bool read_only;
        uint64_t bytes;
        struct htmt_pieces from_pieces, to_pieces;
        uint64_t words[2 * HTMT_LAYERS_MAX];
    } region[HTMT__REGIONS_KNOWN];
};

const struct htmt__move_cost *htmt__move_cost_of(struct htmt_emulator *e, struct htmt_type *type,
                                                 const struct htmt_parcel_desc *desc);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of one miss, store or line outside the first cache: when it is where, and what each leg
 * took. Times here are ticks of a node (layers/node/ticks.h).
 */
#ifndef HTMT_LAYERS_NODE_MISS_PATH_H
#define HTMT_LAYERS_NODE_MISS_PATH_H

#include "runtime/base/ratio.h"

/* In the order in which a miss meets them. */
enum htmt__node_leg {
    HTMT__LEG_REQUEST, /* arbitration, and the wait for it */
    HTMT__LEG_L2,
    HTMT__LEG_REFRESH,
    HTMT__LEG_PAGES,
    HTMT__LEG_DATA, /* the line on the bus, and the wait for the bus */
    HTMT__LEGS
};

struct htmt__node_trip {
    htmt_time now;
    htmt_time leg[HTMT__LEGS];
};

/* The trip is at `until`, all since now on this leg. */
static inline void htmt__trip_to(struct htmt__node_trip *trip, enum htmt__node_leg leg,
                                 htmt_time until)
{
    trip->leg[leg] += until - trip->now;
    trip->now = until;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What trace.c keeps and path.c reads.
 */
#ifndef HTMT_PARCELS_OBSERVE_TRACE_PRIV_H
#define HTMT_PARCELS_OBSERVE_TRACE_PRIV_H

#include "parcels/observe/trace.h"

struct htmt__reason {
    enum htmt__why why;
    uint32_t of;
};

struct htmt__trace {
    struct htmt__node *node;
    uint32_t count, room, free;
    struct htmt__row {
        struct htmt__seat {
            uint32_t node; /* where the entity's event, or turn, will stand */
            uint32_t sent; /* where its last message left its channel */
            struct htmt__reason reason;
        } * seat;
        uint32_t seats;
    } * row; /* of each slice */
    struct htmt__seat nobody;
    uint32_t *channel, *more; /* where each was last used: the first of each link, further ones */
    size_t more_each;         /* of a slice */
    uint32_t now;             /* what is being done came from there */
    struct htmt__reason reason;
    bool has_via;
    uint32_t via;                   /* what is scheduled next comes from there instead, */
    struct htmt__reason via_reason; /* for that reason */
    const struct htmt__phase *phase;
    uint32_t last; /* the last event of all */
    htmt_time latest;
};

#endif

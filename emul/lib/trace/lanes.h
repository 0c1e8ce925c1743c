/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes of a row: intervals that overlap are drawn beside each other. A lane is no processor: it
 * only says how many were busy at once.
 */
#ifndef HTMT_EMUL_LIB_TRACE_LANES_H
#define HTMT_EMUL_LIB_TRACE_LANES_H

#include "parcels/emulator.h"

#include <stdint.h>

/* A row shows so many lanes; deeper intervals are only counted. */
#define HTMT__LANES_SHOWN 16

struct htmt__lane_end {
    htmt_time until;
    uint32_t lane;
};

/* {0} has no lanes yet. Both arrays are heaps: busy by (until, lane), idle by lane. */
struct htmt__lanes {
    struct htmt__lane_end *busy, *idle;
    uint32_t busy_count, idle_count;
    size_t busy_room, idle_room; /* each for all lanes */
};

/* The lowest lane that is free at `start`; it is busy until `end`. Calls come in the order of
 * (start, end, number of the interval). Returns the lane, or HTMT_ENOMEM. */
int htmt__lanes_take(struct htmt__lanes *l, htmt_time start, htmt_time end);

/* Lanes taken so far. */
uint32_t htmt__lanes_count(const struct htmt__lanes *l);

void htmt__lanes_clear(struct htmt__lanes *l);

#endif

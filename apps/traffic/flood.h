/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pattern of many nodes as a parcel program, in model runs: messages are counted, not known. A
 * node sends the next one when the last one has left, so that few are there at a time.
 */
#ifndef HTMT_APPS_TRAFFIC_FLOOD_H
#define HTMT_APPS_TRAFFIC_FLOOD_H

#include "apps/traffic/pattern.h"
#include "parcels/htmt.h"

struct htmt__traffic_flood;

/* As htmt__traffic_program_create(); `p` outlives the program. */
int htmt__traffic_flood_create(struct htmt_emulator *e, const struct htmt__traffic_pattern *p,
                               uint32_t layer, struct htmt__traffic_flood **flood,
                               struct htmt_fault *fault);
void htmt__traffic_flood_destroy(struct htmt__traffic_flood **flood);

#endif

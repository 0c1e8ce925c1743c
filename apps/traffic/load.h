/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a pattern asks of an n x n mesh: messages over its busiest link, and hops, by routing first
 * along x, then along y. Nodes stand in rows.
 */
#ifndef HTMT_APPS_TRAFFIC_LOAD_H
#define HTMT_APPS_TRAFFIC_LOAD_H

#include "apps/traffic/pattern.h"

struct htmt__traffic_load {
    uint64_t busiest; /* messages of a slot over one link, one way */
    uint64_t messages, hops, least, most;
};

/* Of one slot. Errors: HTMT_EINVAL (the nodes make no square, or slots differ, or a slot has more
 * messages than 2^25), HTMT_ENOMEM. */
int htmt__traffic_load_of(const struct htmt__traffic_pattern *p, struct htmt__traffic_load *load);

#endif

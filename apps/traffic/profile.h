/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile of a table: how large the messages of each node are, to whom they go, how many are
 * synchronous and how much time lies between them. A seed makes a table of the same profile.
 */
#ifndef HTMT_APPS_TRAFFIC_PROFILE_H
#define HTMT_APPS_TRAFFIC_PROFILE_H

#include "apps/traffic/io/table.h"

/* What a report says of a table's profile, over all nodes. */
struct htmt__traffic_profile {
    double mean_bytes, mean_partners, synchronous; /* share of the messages */
    double mean_gap;                               /* fs of computing before a message */
};

struct htmt__traffic_profile htmt__traffic_profile_of(const struct htmt__traffic_table *t);

/* A table with as many messages of each node: size, partner, synchronization and the computing
 * before it are drawn, each by itself, from those of the node's messages. What a message is drawn
 * to is taken when it comes. `made` is empty before, and not completed after. Errors:
 * HTMT_ENOMEM. */
int htmt__traffic_profile_make(const struct htmt__traffic_table *t, uint64_t seed,
                               struct htmt__traffic_table *made, struct htmt_fault *fault);

#endif

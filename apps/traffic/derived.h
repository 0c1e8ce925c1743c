/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables made from a table: with other orders, periods and work, or drawn with the same profile.
 */
#ifndef HTMT_APPS_TRAFFIC_DERIVED_H
#define HTMT_APPS_TRAFFIC_DERIVED_H

#include "apps/traffic/io/table.h"

struct htmt__traffic_changes {
    bool rotates;          /* source number i begins its list with entry i */
    bool has_period;       /* of all sources */
    htmt_time period;      /* 0: as fast as their messages leave */
    htmt_time least, most; /* more work of each node before it sends, from the first to the last */
};

/* A changed copy, completed; `t` is completed too. Errors: HTMT_ENOMEM. */
int htmt__traffic_adjust(const struct htmt__traffic_table *t,
                         const struct htmt__traffic_changes *changes,
                         struct htmt__traffic_table *changed, struct htmt_fault *fault);

/* The profile of a table: how large the messages of each node are, to whom they go, how many are
 * synchronous and how much time lies between them; as a report says it, over all nodes. */
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

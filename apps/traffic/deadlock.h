/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a deadlock is in the words of a table: nodes, operations and their cycle.
 */
#ifndef HTMT_APPS_TRAFFIC_DEADLOCK_H
#define HTMT_APPS_TRAFFIC_DEADLOCK_H

#include "apps/traffic/io/table.h"

/* How far a node has come. */
struct htmt__traffic_place {
    uint64_t iteration;
    uint32_t next; /* operation: those before it were begun, and the last one may wait */
    bool ended;
};

/* Whether nodes of a completed table wait for each other: then `text` says who waits for whom, at
 * which operation, and how many wait behind them. False also without memory for the search. */
bool htmt__traffic_deadlock(const struct htmt__traffic_table *t,
                            const struct htmt__traffic_place *places, char *text, size_t room);

#endif

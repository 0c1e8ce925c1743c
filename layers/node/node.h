/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inside of a processor: operations of a tape through issue, units, caches, bus and DRAM.
 *
 * A block takes max(n / issue, chain, f(units, memory, branches)), f = max + (1 - overlap) (sum -
 * max). Accesses play in order from the block's start. Tags only, no contents; integer
 * femtoseconds. A node knows no parcels; a thread may play one node, each its own.
 */
#ifndef HTMT_LAYERS_NODE_H
#define HTMT_LAYERS_NODE_H

#include "layers/node/tape/tape.h"
#include "runtime/base/ratio.h"

struct htmt__node;         /* state: caches, buffers, banks */
struct htmt__node_figures; /* what the machine file gives: layers/node/figures.h */

/* Where the time of a service went: femtoseconds, whose sum is the service's. */
enum htmt__node_part {
    HTMT__NODE_ISSUE,
    HTMT__NODE_UNITS,
    HTMT__NODE_CHAIN,
    HTMT__NODE_L1,
    HTMT__NODE_L2,
    HTMT__NODE_BUS,
    HTMT__NODE_PAGES,
    HTMT__NODE_REFRESH,
    HTMT__NODE_BRANCHES,
    HTMT__NODE_PARTS
};

struct htmt__node_account {
    htmt_time part[HTMT__NODE_PARTS];
    uint64_t entries, blocks, instructions, loads, stores, l1_misses, l1_code_misses, l2_misses,
        write_backs, page_hits, page_misses, refreshes, branches_missed;
};

/* `program` may be NULL: a tape of annotations. Errors: HTMT_ENOMEM. */
int htmt__node_new(struct htmt__node **node, const struct htmt__node_figures *figures,
                   const struct htmt__tape_program *program);
void htmt__node_free(struct htmt__node *node);
/* A service starts: caches, pages and refresh as at the first (`warm` keeps the caches). */
void htmt__node_start(struct htmt__node *node, bool warm);
/* A sink of tapes; `user` is the node. HTMT_EINVAL: an operation without latency came up (its name
 * by htmt__node_unknown()); HTMT_EOVERFLOW. */
htmt__tape_sink_fn htmt__node_play;
/* The service ends: its length, -1 after an error; *account may be NULL. */
htmt_time htmt__node_finish(struct htmt__node *node, struct htmt__node_account *account);
/* "sin-f64", or NULL. */
const char *htmt__node_unknown(const struct htmt__node *node);

/* Misses of the first data cache (accesses of memory, where there is none) are counted by region
 * from now on. The regions stay the caller's. There are `count` + 1 numbers, the
 * last one for addresses in no region. Errors: HTMT_ENOMEM. */
int htmt__node_regions(struct htmt__node *node, const struct htmt__tape_region *regions,
                       size_t count);
const uint64_t *htmt__node_misses(const struct htmt__node *node);

/* ---- several processors at one bus and DRAM ----------------------------------------------------
 */

/* The node has the other one's bus and DRAM, which must outlive it; before htmt__node_start(). */
void htmt__node_share(struct htmt__node *node, struct htmt__node *with);
/* htmt__node_start() of a service that begins while others play: bus and DRAM go on. `at`:
 * femtoseconds since they started. Errors: HTMT_EOVERFLOW. */
int htmt__node_join(struct htmt__node *node, bool warm, htmt_time at);
/* The node, whose figures equal the other one's, has its caches and counters of branches from now
 * on. */
void htmt__node_take_over(struct htmt__node *node, struct htmt__node *from);
/* Plays entries that ask bus and DRAM no more than `permits` times, and stops before the next one
 * that does; htmt__node_request() is when it would ask, in ticks that equal figures have in
 * common. *played: entries that were played. Errors: as htmt__node_play(). */
int htmt__node_play_some(struct htmt__node *node, const uint64_t *entries, size_t count,
                         uint64_t permits, size_t *played);
htmt_time htmt__node_request(const struct htmt__node *node);
/* The same in femtoseconds, rounded down. */
htmt_time htmt__node_request_time(const struct htmt__node *node);
/* The tape stands still for `time` femtoseconds, while the others play on. Overflow ends it. */
void htmt__node_put_off(struct htmt__node *node, htmt_time time);
/* Permits that were not used. */
uint64_t htmt__node_permits(const struct htmt__node *node);

#endif

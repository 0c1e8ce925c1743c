/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All services of a tape, on one processor or several of a slice.
 */
#ifndef HTMT_LAYERS_NODE_REPLAY_H
#define HTMT_LAYERS_NODE_REPLAY_H

#include "layers/node/node.h"

struct htmt__replay_options {
    uint32_t processors; /* >= 1; several share bus and DRAM */
    bool warm;           /* caches stay from service to service of a processor */
};

/* Processors play one service each at a time, in the tape's order; a tape of fewer services than
 * processors is repeated until each has one. */
struct htmt__replay {
    uint64_t services, rounds;
    htmt_time time;                    /* of all rounds: each as long as its longest service */
    htmt_time sum, longest;            /* of services */
    struct htmt__node_account account; /* of all services; its parts add up to `sum` */
    uint64_t *misses;                  /* by region of the tape, one more for none of them */
    size_t regions;
    char unknown[24]; /* an operation without latency that came up */
};

/* On success the caller gives *r to htmt__replay_fini(). Errors: HTMT_EINVAL (`unknown` names the
 * operation), HTMT_EFORMAT (a broken tape), HTMT_EOVERFLOW, HTMT_ENOMEM; *r then has `unknown`
 * alone. */
int htmt__replay(const struct htmt__node_figures *figures, const struct htmt__tape *tape,
                 const struct htmt__replay_options *options, struct htmt__replay *r);
void htmt__replay_fini(struct htmt__replay *r);

#endif

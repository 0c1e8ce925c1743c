/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: services whose own operations are played when they start, since their time
 * depends on other services of the slice: caches stay from service to service of a processor
 * (`caches: warm`), or processors share bus and DRAM (`sharing: bus`).
 */
#ifndef HTMT_PARCELS_WALK_NODE_SERVICES_H
#define HTMT_PARCELS_WALK_NODE_SERVICES_H

#include "parcels/walk/entity.h"

struct htmt__nodes; /* e->nodes; NULL: each service is timed by itself */

/* e->nodes, where operations or profiles time services that depend on each other. Errors:
 * HTMT_ENOMEM. */
int htmt__nodes_create(struct htmt_emulator *e);
void htmt__nodes_destroy(struct htmt_emulator *e);

/* Only where there are some (HTMT__BY_NODES): */
/* p has a server of its bank from now on; its service ends. */
void htmt__nodes_begin(struct htmt_emulator *e, struct htmt__entity *p);
void htmt__nodes_end(struct htmt_emulator *e, const struct htmt__entity *p);
/* Whether p's service depends on others. */
bool htmt__nodes_have(const struct htmt_emulator *e, const struct htmt__entity *p);
/* p's service, of these counts, takes what its operations take: `deferred`, which is used up, or
 * NULL: those of its profile. Failures are latched: HTMT_EINVAL (an operation without latency),
 * HTMT_EOVERFLOW, HTMT_ENOMEM. */
void htmt__nodes_play(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt_ops *ops,
                      struct htmt__deferred_tape *deferred);
/* p's service stands still for `time` from now on; its processor routes. */
void htmt__nodes_put_off(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time time);
/* The event of a shared bus. */
void htmt__nodes_turn(struct htmt_emulator *e, struct htmt__entity *event);

#endif

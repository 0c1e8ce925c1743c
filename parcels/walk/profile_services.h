/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: services that take as long as operations made of a profile
 * (htmt_options.profiles). profile_services.c says how.
 */
#ifndef HTMT_PARCELS_WALK_PROFILE_SERVICES_H
#define HTMT_PARCELS_WALK_PROFILE_SERVICES_H

#include "layers/node/tape/tape_service.h"
#include "parcels/clock/engine.h"

#define HTMT__VARIANTS 16u

struct htmt__step;

struct htmt__profiled {
    struct htmt__profiled *next;
    struct htmt__profiled *larger; /* the next larger shape of the same services; NULL: none */
    const struct htmt__profile *profile;
    char type[64];
    int fiber; /* -1: the stage execute */
    uint32_t layer;
    uint64_t counts;                  /* operations that a service of the profile counts; 0: any */
    htmt_time length[HTMT__VARIANTS]; /* by itself, from cold caches */
    /* Where services depend on each other (node_services.c); one, if variants are the same; else
     * none: */
    struct htmt__tape *tape[HTMT__VARIANTS];
    uint64_t *start[HTMT__VARIANTS]; /* of each service, and of the one behind the last */
};

/* Play the profiles of a step's kernel; returns that of the smallest shape. A profile belongs to a
 * kernel by its name: "TYPE" is the stage execute of the type or, without one, its fiber 0;
 * "TYPE.N" is its fiber N; case does not matter. NULL without a failure: the kernel has no profile.
 * Failures are latched: HTMT_EINVAL (no inside, an operation without latency, two profiles of one
 * shape), HTMT_EOVERFLOW, HTMT_ENOMEM. */
struct htmt__profiled *htmt__profiled_find(struct htmt_emulator *e, const char *type, int fiber,
                                           uint32_t layer);
/* The profile whose shape the service has, else the nearest one by the ratio of counts; of two
 * equally near ones the smaller. The step's statistics count which it was. */
const struct htmt__profiled *htmt__profiled_choose(const struct htmt__step *step,
                                                   const struct htmt_ops *ops);
/* What a service of that birth and these counts takes; -1: overflow. */
htmt_time htmt__profiled_length(const struct htmt__profiled *profiled, uint64_t birth,
                                const struct htmt_ops *ops);
/* The operations of a service, out of the profile's tapes, as many as its counts say. false: too
 * many. */
bool htmt__profiled_read(const struct htmt__profiled *profiled, uint64_t birth,
                         const struct htmt_ops *ops, struct htmt__tape_reading *reading);
/* Before the run: a profile that is no type's is refused. */
void htmt__profiled_check(struct htmt_emulator *e);
/* Behind the run: a note of how many services had the shape of a profile. */
void htmt__profiled_note(struct htmt_emulator *e);
void htmt__profiled_destroy(struct htmt_emulator *e);

#endif

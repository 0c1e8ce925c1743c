/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program: vertices in kept objects of their slices, actions and diffusions as posts.
 */
#ifndef HTMT_APPS_GRAPH_PROGRAM_H
#define HTMT_APPS_GRAPH_PROGRAM_H

#include "apps/graph/plan.h"

#include "parcels/post.h"

struct htmt__graph_run {
    const struct htmt__graph_plan *plan;
    struct htmt_emulator *e;
    struct htmt_type *action, *diffuse, *release;
    struct htmt_object **kept; /* of each slice */
    uint64_t nothing;          /* what the edges' objects lie over */
};

/* Objects, types, and what begins. Errors: those of the calls; HTMT_ECAPACITY: a slice's vertices
 * and edges are more than its memory, which a line of the task's says. The caller gives *r to
 * htmt__graph_run_clear(), whatever comes of it. */
int htmt__graph_create(struct htmt_task *task, const struct htmt__graph_plan *plan,
                       struct htmt_emulator *e, struct htmt__graph_run *r);
void htmt__graph_run_clear(struct htmt__graph_run *r);

/* After the run: the vertices in the order of their numbers, on the process that has all results;
 * *values is NULL on others. The caller frees *values. `rounds`: how often all was quiet. Errors:
 * HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__graph_gather(const struct htmt__graph_run *r, struct htmt__vertex **values,
                       uint64_t *rounds);

#endif

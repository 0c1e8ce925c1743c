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

/* Objects, types, and what begins. Errors: those of the calls; HTMT_ERANGE: a slice's vertices and
 * edges are more than its memory, which a line of the task's says. The caller gives *r to
 * htmt__graph_run_clear(), whatever comes of it. */
int htmt__graph_create(struct htmt_task *task, const struct htmt__graph_plan *plan,
                       struct htmt_emulator *e, struct htmt__graph_run *r);
void htmt__graph_run_clear(struct htmt__graph_run *r);

struct htmt__graph_results {
    struct htmt__vertex *value; /* of each vertex; NULL on a process that has not all results */
    uint64_t *actions;          /* true ones of each slice; likewise */
    uint64_t rounds;            /* how often all was quiet */
};

/* After the run. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. The caller gives *results to
 * htmt__graph_results_clear(), whatever comes of it. */
int htmt__graph_gather(const struct htmt__graph_run *r, struct htmt__graph_results *results);
void htmt__graph_results_clear(struct htmt__graph_results *results);

#endif

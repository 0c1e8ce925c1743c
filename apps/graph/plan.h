/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan: what a command line asks for, the graph, where its vertices live, and which of them
 * begin.
 */
#ifndef HTMT_APPS_GRAPH_PLAN_H
#define HTMT_APPS_GRAPH_PLAN_H

#include "apps/graph/vertex.h"
#include "apps/lib/steps.h"

struct htmt__graph_plan {
    enum htmt__graph_program program;
    bool by_levels;
    bool as_cca;      /* pagerank: those begin that do in CCA-Simulator */
    bool begins_once; /* each vertex begins or is told: else there is nothing to compare with */
    uint32_t root;
    unsigned iterations; /* of pagerank */
    uint32_t slices, layer;
    char from[200]; /* the graph's file or recipe */
    struct htmt__place_rules rules;
    struct htmt__graph graph, oriented; /* oriented: that of triangles, else empty */
    struct htmt__placed place;
    struct htmt__vertices all;
    uint32_t *in, *out; /* edges of each vertex; of pagerank */
    /* Vertices that begin an iteration of pagerank by themselves, slice by slice, in the order in
     * which they do: begin[first_begin[s]] is the first one of slice s. */
    uint32_t *begin, *first_begin;
    double bytes; /* of all this */
};

extern const struct htmt_app_option htmt__graph_options[]; /* ends with a NULL name */

/* Errors: those of options, files and placement; HTMT_EUSAGE: no graph, a machine without a
 * processor, slices that are no square for cca; HTMT_ERANGE: a root beyond the vertices; the line
 * is the task's. The caller clears *p, whatever comes of it. */
int htmt__graph_plan(struct htmt_task *task, struct htmt__graph_plan *p);
void htmt__graph_plan_clear(struct htmt__graph_plan *p);

/* The graph that the options name: a file, or one that is made. Used by `htmt graph info`, too. */
int htmt__graph_wanted(const struct htmt_request *r, struct htmt__graph *g, char from[200],
                       struct htmt_fault *fault);

/* ---- costs.c ---- */

#define HTMT__GRAPH_COSTS "graph-cca" /* the file where none is named */

/* Of the cost file. Errors: those of cost files. */
int htmt__graph_costs(const struct htmt_request *r, struct htmt__vertex_costs *costs,
                      struct htmt_fault *fault);

/* ---- verbs.c ---- */

extern const struct htmt_app_verb htmt__graph_verbs[];

#endif

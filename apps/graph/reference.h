/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serial programs that answers are compared with, and the rules that a tree of shortest paths
 * keeps. They share no code with the vertex programs.
 */
#ifndef HTMT_APPS_GRAPH_REFERENCE_H
#define HTMT_APPS_GRAPH_REFERENCE_H

#include "apps/formats/graph.h"

/* Levels, and distances by Dijkstra's algorithm; infinite where the root does not lead. Errors:
 * HTMT_ENOMEM. */
int htmt__reference_levels(const struct htmt__graph *g, uint32_t root, double *level);
int htmt__reference_distances(const struct htmt__graph *g, uint32_t root, double *distance);
/* So many sweeps from 1 / vertices on: (1 - 0.85) / vertices and 0.85 times the scores of all edges
 * that come in, each its source's rank by its number of edges. Sums are of `long double`. Errors:
 * HTMT_ENOMEM. */
int htmt__reference_ranks(const struct htmt__graph *g, unsigned sweeps, double *rank);
/* Sets of three vertices that are all joined, in either direction. Errors: HTMT_ENOMEM. */
int htmt__reference_triangles(const struct htmt__graph *g, uint64_t *triangles);

/* The five rules of Graph500 for a tree of parents, with weights for sssp; each edge of an
 * undirected graph is looked at in both directions, so "differ by at most one" becomes "the end is
 * at most one further". 0: kept; else the number of a rule that is broken, and a vertex of it:
 *   1  parents lead to the root, without a circle
 *   2  a vertex is one edge, or its weight, further than its parent
 *   3  no edge leads further than to its own length
 *   4  what an edge leads to is reached if its source is
 *   5  an edge joins parent and vertex
 * -1: HTMT_ENOMEM. */
int htmt__reference_rule(const struct htmt__graph *g, uint32_t root, bool weights,
                         const double *value, const uint32_t *parent, uint32_t *vertex);

#endif

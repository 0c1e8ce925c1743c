/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the vertices of a graph live.
 *
 * An object is a vertex or a ghost. A vertex holds the first of its edges itself; where it has more
 * of them than fit, ghosts hold them: children of the vertex or of other ghosts. Who sends along
 * all edges of a vertex sends to its ghosts first, which do the same with theirs. With at least 2
 * edges in a vertex, 1 child, and 4 edges in deeper ghosts, a vertex of 5 edges is
 *
 *     vertex (e0 e1) -> ghost (e2 e3) -> ghost (e4)
 *
 * Edges lead to vertices, never to ghosts. Objects 0 to vertices - 1 are the vertices.
 */
#ifndef HTMT_APPS_GRAPH_PLACE_H
#define HTMT_APPS_GRAPH_PLACE_H

#include "apps/formats/graph.h"

#define HTMT__PLACE_CHILDREN 8u /* the most ghosts of an object */

enum htmt__place_kind {
    HTMT__PLACE_CCA,
    HTMT__PLACE_CYCLIC,
    HTMT__PLACE_RANDOM,
    HTMT__PLACE_METIS
};
extern const char *const htmt__place_words[]; /* ends with NULL */

struct htmt__place_rules {
    enum htmt__place_kind kind;
    uint32_t slices, root;
    uint64_t seed; /* of random */
    /* Of cca: slices are a square, edges in vertices and their children, and in deeper ghosts;
     * ghosts of an object; how far away the ghosts of those deeper ones may be. */
    uint32_t side, least, most, ghosts, vicinity;
};

struct htmt__placed {
    uint32_t vertices, objects;
    uint32_t *cell;                  /* of an object */
    uint32_t *member, *first_member; /* vertices in order, cell by cell; slices + 1 of the latter */
    uint32_t *local;                 /* of a vertex: its number among those of its cell */
    uint64_t *first;                 /* objects + 1: of its edges */
    struct htmt__graph_edge *edge;
    uint64_t *first_child; /* objects + 1 */
    uint32_t *child;       /* objects, in the order in which they were made */
};

/* Errors: HTMT_EUSAGE (slices that are no square), HTMT_ERANGE (more than 2^32 - 1 objects),
 * HTMT_ENOMEM, HTMT_EINVAL (METIS fails). On success the caller clears *p. */
int htmt__graph_place(const struct htmt__graph *g, const struct htmt__place_rules *rules,
                      struct htmt__placed *p, struct htmt_fault *fault);
void htmt__placed_clear(struct htmt__placed *p);

/* Cells by METIS's partition of the graph, its edges taken as undirected (metis.c). Errors:
 * HTMT_ENOMEM, HTMT_EINVAL, HTMT_ERANGE (more edges than its numbers hold). */
int htmt__place_by_metis(const struct htmt__graph *g, uint32_t slices, uint32_t *cell,
                         struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a vertex does with a message: the four programs, apart from what brings the messages.
 *
 * An action goes to an object, of which a vertex may take it to heart: a better distance, a score.
 * What follows from it, a diffusion, goes to the object's ghosts and along its edges. Both ask
 * first whether they are still wanted, since a better message may have come meanwhile. Where ghosts
 * are, the action at a ghost changes nothing: its diffusion passes on what the vertex said.
 *
 *     program   value        true if                 says along an edge
 *     bfs       level        it is lower than mine   level + 1
 *     sssp      distance     it is shorter           distance + weight
 *     pagerank  rank or sum  always                  score: rank / edges
 *     triangles found        always                  (wedge) do you know w?
 *
 * By levels a vertex that was improved waits until all is quiet, and only then tells its
 * neighbours.
 */
#ifndef HTMT_APPS_GRAPH_VERTEX_H
#define HTMT_APPS_GRAPH_VERTEX_H

#include "apps/graph/place.h"

enum htmt__graph_program {
    HTMT__GRAPH_BFS,
    HTMT__GRAPH_SSSP,
    HTMT__GRAPH_PAGERANK,
    HTMT__GRAPH_TRIANGLES,
    HTMT__GRAPH_PROGRAMS
};
extern const char *const htmt__graph_program_words[]; /* ends with NULL */

#define HTMT__NOBODY UINT32_MAX /* no vertex */

/* The state of a vertex, 16 bytes. By program:
 *   bfs, sssp  value: level or distance, infinite at first; parent
 *   pagerank   value: the rank; once it has sent its score, the sum of those that came; count: of
 *              these; sent: it has. By levels the sum alone, and scores lie apart. What rounding
 *              took from the sum is in lost, by levels in lost_apart
 *   triangles  value: of those that it found
 * By levels, waits: it is in the list of those that send when all is quiet; next: who is behind it
 * there, by its number in the cell. */
struct htmt__vertex {
    double value;
    union {
        uint32_t parent;
        struct {
            uint32_t count : 31, sent : 1;
        };
        float lost_apart;
    };
    union {
        struct {
            uint32_t next : 31, waits : 1;
        };
        float lost;
    };
};

/* bfs, sssp: value and the vertex that says it. pagerank: a score, `from` HTMT__NOBODY where the
 * vertex shall begin by itself. triangles: `from` is the vertex w that is asked for, and value how
 * many edges it has. */
struct htmt__operon {
    uint32_t object, from;
    double value;
};

/* Instructions, of the cost file. */
struct htmt__vertex_costs {
    struct htmt__vertex_cost {
        uint32_t predicate, work, diffuse; /* of an action; of its diffusion: its predicate */
    } of[HTMT__GRAPH_PROGRAMS], ghost[HTMT__GRAPH_PROGRAMS];
    uint32_t begin, score, reset; /* of pagerank, beside its work */
    uint32_t search;              /* of triangles, for each edge that it compares */
};

struct htmt__vertices {
    enum htmt__graph_program program;
    bool by_levels;
    const struct htmt__placed *place;
    const uint32_t *in, *out; /* edges of each vertex; of pagerank */
    struct htmt__vertex_costs costs;
};

#define HTMT__DAMPING 0.85

/* A ghost has no state: `v` is not looked at. Instructions are added to *charge. */
static inline bool htmt__vertex_is_ghost(const struct htmt__vertices *all, uint32_t object)
{
    return object >= all->place->vertices;
}
/* The state before the first message. */
void htmt__vertex_begin(const struct htmt__vertices *all, struct htmt__vertex *v);

bool htmt__action_wanted(const struct htmt__vertices *all, const struct htmt__vertex *v,
                         const struct htmt__operon *m, uint64_t *charge);
enum htmt__then {
    HTMT__THEN_NOTHING,
    HTMT__THEN_DIFFUSE, /* *out is to be diffused by the same object */
    HTMT__THEN_WAIT,    /* the vertex has something to say when all is quiet */
};
enum htmt__then htmt__action_work(const struct htmt__vertices *all, struct htmt__vertex *v,
                                  const struct htmt__operon *m, struct htmt__operon *out,
                                  uint64_t *charge);
bool htmt__diffusion_wanted(const struct htmt__vertices *all, const struct htmt__vertex *v,
                            const struct htmt__operon *m, uint64_t *charge);
/* Of the diffusion: messages, the i-th of which is computed when it is its turn. */
uint64_t htmt__diffusion_count(const struct htmt__vertices *all, uint32_t object);
struct htmt__operon htmt__diffusion_next(const struct htmt__vertices *all,
                                         const struct htmt__operon *m, uint64_t i);

/* The new rank, when all scores have come. */
void htmt__vertex_settle(const struct htmt__vertices *all, struct htmt__vertex *v);

/* The graph that triangles are counted in: undirected, without loops and doubles, each edge from
 * its end of fewer edges to the other one (by number where they have as many). The weight of an
 * edge is the number of edges at its other end, and edges lie in that order. Errors: HTMT_ENOMEM.
 * On success the caller clears *to. */
int htmt__graph_orient(const struct htmt__graph *g, struct htmt__graph *to,
                       struct htmt_fault *fault);

#endif

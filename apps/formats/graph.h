/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs in memory and in files.
 *
 * A graph is directed: the edges of a vertex lie one behind another, in the order in which the file
 * gives them (compressed sparse rows). A file of undirected edges gives each edge in both
 * directions, a loop once. Loops and double edges stay. An edge takes 8 bytes:
 *
 *     vertex   first     edge
 *     0        0         (to 1, weight 2) (to 2, weight 5)
 *     1        2         (to 2, weight 1)
 *     2        3
 *              3         = edges
 *
 * A weight is not negative, and a float: whole numbers up to 2^24 are exact, others are the nearest
 * float. Vertices count from 0 here, whatever the file counts from.
 *
 *     format         text  vertices           weights        edges
 *     matrix-market  yes   rows, from 1       not a pattern  symmetric: both directions
 *     snap           yes   those that occur   no             directed
 *     list           yes   n n, m; from 0     yes            directed: n n m, from to weight
 *     graph500       no    2^k, from 0        no             both directions; 2 x 48 bits
 *     metis          yes   n m, from 1        if 1 in fmt    both directions, as in the file
 *
 * The vertices of a SNAP list are numbered by the rank of their ids, of which some may be missing;
 * those of a Graph500 list, which does not say how many there are, are as many as the smallest
 * power of two above all ids.
 */
#ifndef HTMT_APPS_FORMATS_GRAPH_H
#define HTMT_APPS_FORMATS_GRAPH_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HTMT__GRAPH_VERTICES UINT32_MAX /* the most; numbers are below */

struct htmt__graph_edge {
    uint32_t to;
    float weight; /* 1 where the file has none */
};

/* XX(name, word of --format) */
#define HTMT__GRAPH_FORMAT_MAP(XX)                                                                 \
    XX(MARKET, "matrix-market")                                                                    \
    XX(SNAP, "snap")                                                                               \
    XX(LIST, "list")                                                                               \
    XX(GRAPH500, "graph500")                                                                       \
    XX(METIS, "metis")

enum htmt__graph_format {
#define HTMT__GRAPH_FORMAT_ENUM(name, word) HTMT__GRAPH_##name,
    HTMT__GRAPH_FORMAT_MAP(HTMT__GRAPH_FORMAT_ENUM)
#undef HTMT__GRAPH_FORMAT_ENUM
        HTMT__GRAPH_FORMATS
};
extern const char *const htmt__graph_format_words[]; /* ends with NULL */

struct htmt__graph {
    uint32_t vertices;
    bool weighted;          /* the file has weights */
    bool both;              /* it has undirected edges */
    uint64_t edges, listed; /* directed; those that the file lists */
    uint64_t *first;        /* vertices + 1 */
    struct htmt__graph_edge *edge;
};

/* ---- a list that becomes a graph ---- */

struct htmt__graph_line {
    uint32_t from, to;
    float weight;
};

struct htmt__graph_list {
    uint32_t vertices;
    bool weighted, both;
    bool twice; /* undirected edges that stand here in both directions */
    uint64_t count, room;
    struct htmt__graph_line *at;
};

/* false: memory has run out. */
bool htmt__graph_list_add(struct htmt__graph_list *list, uint32_t from, uint32_t to, float weight);
void htmt__graph_list_clear(struct htmt__graph_list *list);
/* Sorts the list by `from`, each vertex's edges in the order of the list, and clears it whatever
 * comes of it. Errors: HTMT_ENOMEM, HTMT_EHOSTFIT. On success the caller gives *g to
 * htmt__graph_destroy(). */
int htmt__graph_build(struct htmt__graph_list *list, struct htmt__graph *g,
                      struct htmt_fault *fault);
void htmt__graph_destroy(struct htmt__graph *g);

/* ---- files ---- */

/* Read a graph, also one that gzip has packed. `format`: NULL to find out by the beginning of the
 * file and its name; else a word of the list above. Errors: HTMT_EFORMAT, HTMT_ERANGE (more than
 * 2^32 - 1 vertices, weights that are negative), HTMT_EUSAGE (which format it is cannot be seen),
 * HTMT_ENOMEM, HTMT_EIO and those of runtime/base/input.h. *g is untouched on failure. */
int htmt__graph_read(const char *path, const char *format, struct htmt__graph *g,
                     struct htmt_fault *fault);

/* Write a list as what the suffix of a name says: .mtx, .edgelist or .bin; NULL: .edgelist. Errors:
 * HTMT_EUSAGE. */
int htmt__graph_suffix(const char *path, enum htmt__graph_format *format, struct htmt_fault *fault);
/* Failed writes are found where the stream is closed. A .mtx of undirected edges is symmetric, so
 * an edge whose second vertex is the greater one is turned round. */
void htmt__graph_print(FILE *out, const struct htmt__graph_list *list,
                       enum htmt__graph_format format);

/* ---- generators: the same edges on every host ---- */

enum htmt__graph_kind { HTMT__GRAPH_ER, HTMT__GRAPH_RMAT, HTMT__GRAPH_500, HTMT__GRAPH_KINDS };
extern const char *const htmt__graph_kind_words[]; /* ends with NULL */

struct htmt__graph_recipe {
    enum htmt__graph_kind kind;
    unsigned scale;   /* 2^scale vertices, 1 to 31 */
    uint64_t factor;  /* edges of a vertex */
    uint64_t seed;    /* of graph500 the second user seed is seed + 1 */
    uint32_t weights; /* whole numbers from 1 to this; 0: no weights */
};

/* Errors: HTMT_ENOMEM, HTMT_EHOSTFIT. On success the caller clears *list. */
int htmt__graph_generate(const struct htmt__graph_recipe *recipe, struct htmt__graph_list *list,
                         struct htmt_fault *fault);

#endif

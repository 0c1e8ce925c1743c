/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt graph make` and `htmt graph info`: graph files without an emulation.
 */
#include "apps/graph/plan.h"
#include "apps/lib/request.h"
#include "runtime/base/output.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- make ------------------------------------------------------------------------------------ */

static const struct htmt_app_option make_options[] = {
    {"kind", "KIND", NULL, "er, rmat or graph500; also as the word behind make"},
    {"scale", "N", NULL, "2^N vertices, 1 to 30; required"},
    {"factor", "N", "16", "edges for each vertex"},
    {"seed", "N", "2",
     "of graph500 the user seeds N and N + 1: 2 and 3 are those of its reference"},
    {"weights", "N", "9", "whole numbers from 1 to N; 0: none"},
    {"out", "FILE", NULL,
     "write to this file, what its name ends in: .edgelist, .mtx or .bin (Graph500, without "
     "weights); else an edgelist on standard output"},
    {NULL, NULL, NULL, NULL}};

static int make(const struct htmt_request *r, FILE *out, struct htmt_fault *fault)
{
    const char *file = htmt_request_value(r, "out");
    struct htmt__graph_recipe recipe = {.seed = htmt_request_seed(r)};
    struct htmt__graph_list list = {.vertices = 0};
    struct htmt_whole_file *f = NULL;
    enum htmt__graph_format format;
    unsigned kind = HTMT__GRAPH_KINDS;
    uint64_t scale = 0, weights = 0;
    int rc = htmt_request_choice(r, "kind", htmt__graph_kind_words, &kind, fault);
    if (!rc && kind == HTMT__GRAPH_KINDS)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "the kind is missing: er, rmat or graph500");
    if (!rc && !htmt_request_value(r, "scale"))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--scale N is missing: 2^N vertices");
    rc = rc ? rc : htmt_request_whole(r, "scale", 1, 30, &scale, fault);
    rc = rc ? rc : htmt_request_whole(r, "factor", 0, 1 << 16, &recipe.factor, fault);
    rc = rc ? rc : htmt_request_whole(r, "weights", 0, 1 << 24, &weights, fault);
    rc = rc ? rc : htmt__graph_suffix(file, &format, fault);
    if (!rc && format == HTMT__GRAPH_GRAPH500 && kind != HTMT__GRAPH_500)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "--out: found '%s', a format without directions, expected .edgelist or "
                            ".mtx for a directed graph",
                            file);
    if (!rc && file)
        rc = htmt_output_claim("--out", file, fault);
    recipe.kind = (enum htmt__graph_kind)kind;
    recipe.scale = (unsigned)scale;
    recipe.weights = (uint32_t)weights;
    rc = rc ? rc : htmt__graph_generate(&recipe, &list, fault);
    if (!rc && file)
        rc = htmt_whole_file_open(file, &f, fault);
    if (!rc)
        htmt__graph_print(f ? htmt_whole_file_stream(f) : out, &list, format);
    if (!rc && f)
        rc = htmt_whole_file_commit(&f, fault);
    htmt__graph_list_clear(&list);
    return rc;
}

/* ---- info ------------------------------------------------------------------------------------ */

static const struct htmt_app_option info_options[] = {
    {"graph", "FILE", NULL, "the file; also as the word behind info"},
    {"format", "NAME", NULL,
     "where its name does not tell: matrix-market, snap, list, graph500 or metis"},
    {NULL, NULL, NULL, NULL}};

static int by_size(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Of a forest whose trees are components; the path to the root becomes half as long. */
static uint32_t root_of(uint32_t *above, uint32_t v)
{
    while (above[v] != v) {
        above[v] = above[above[v]];
        v = above[v];
    }
    return v;
}

struct facts {
    uint64_t loops, doubles;
    uint32_t components, largest, alone; /* alone: vertices that no edge touches */
};

/* A component hangs the root of the higher number below the lower one. Doubles are the edges to a
 * vertex that an earlier edge of the same vertex leads to: `met` has who led there last. */
static int find_facts(const struct htmt__graph *g, struct facts *f)
{
    const size_t n = g->vertices;
    uint32_t *above = malloc(n * sizeof *above), *met = calloc(n, sizeof *met);
    uint32_t *size = calloc(n, sizeof *size);
    const bool there = above && met && size;
    for (uint32_t v = 0; there && v < n; v++)
        above[v] = v;
    for (uint32_t v = 0; there && v < n; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++) {
            const uint32_t to = g->edge[i].to, a = root_of(above, v), b = root_of(above, to);
            f->loops += to == v;
            f->doubles += met[to] == v + 1;
            met[to] = v + 1;
            above[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t v = 0; there && v < n; v++) {
        const uint32_t root = root_of(above, v);
        f->components += root == v;
        if (++size[root] > f->largest)
            f->largest = size[root];
    }
    for (uint32_t v = 0; there && v < n; v++)
        f->alone += above[v] == v && size[v] == 1 && g->first[v] == g->first[v + (size_t)1];
    free(above);
    free(met);
    free(size);
    return there ? 0 : HTMT_ENOMEM;
}

static void print_degrees(FILE *out, const char *what, uint32_t *degree, size_t n)
{
    qsort(degree, n, sizeof *degree, by_size);
    fprintf(out, "%s: least %u, median %u, most %u\n", what, degree[0], degree[(n - 1) / 2],
            degree[n - 1]);
}

static int print_info(FILE *out, const struct htmt__graph *g)
{
    struct facts f = {0};
    const size_t n = g->vertices;
    uint32_t *leaving = calloc(n, sizeof *leaving), *coming = calloc(n, sizeof *coming);
    int rc = leaving && coming ? find_facts(g, &f) : HTMT_ENOMEM;
    if (!rc) {
        for (uint32_t v = 0; v < n; v++)
            for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++) {
                leaving[v]++;
                coming[g->edge[i].to]++;
            }
        fprintf(out, "vertices: %u\n", g->vertices);
        if (g->both)
            fprintf(out, "edges: %" PRIu64 ", undirected (%" PRIu64 " directed)\n", g->listed,
                    g->edges);
        else
            fprintf(out, "edges: %" PRIu64 ", directed\n", g->edges);
        fprintf(out, "weights: %s\n", g->weighted ? "yes" : "no");
        print_degrees(out, "edges that leave a vertex", leaving, n);
        print_degrees(out, "edges that lead to a vertex", coming, n);
        fprintf(out, "components: %u, the largest of %u vertices; %u vertices without an edge\n",
                f.components, f.largest, f.alone);
        fprintf(out, "loops: %" PRIu64 "\ndoubles: %" PRIu64 "\n", f.loops, f.doubles);
    }
    free(leaving);
    free(coming);
    return rc;
}

static int info(const struct htmt_request *r, FILE *out, struct htmt_fault *fault)
{
    const char *file = htmt_request_value(r, "graph");
    struct htmt__graph g = {.vertices = 0};
    int rc = file ? htmt__graph_read(file, htmt_request_value(r, "format"), &g, fault)
                  : htmt_fault_set(fault, HTMT_EUSAGE, "the file is missing");
    if (!rc && print_info(out, &g))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to look at it", file);
    htmt__graph_destroy(&g);
    return rc;
}

const struct htmt_app_verb htmt__graph_verbs[] = {
    {.name = "make",
     .summary = "a graph of numbers that are drawn: er, rmat or graph500",
     .options = make_options,
     .run = make},
    {.name = "info",
     .summary = "vertices, edges, degrees and components of a graph file",
     .options = info_options,
     .run = info},
    {.name = NULL},
};

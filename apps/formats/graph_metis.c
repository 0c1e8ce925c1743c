/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs as METIS reads them (manual of METIS 5.1, section 4.1): a header "n m [fmt [ncon]]", then
 * a line for each vertex with its neighbours, from 1. The digits of fmt say what stands beside
 * them: sizes of vertices, `ncon` weights of a vertex, weights of edges. Comments begin with `%`.
 * Each of the m edges stands at both ends, alike; there are no loops. A triangle with weights:
 *
 *     3 3 001
 *     2 7 3 1
 *     1 7 3 4
 *     1 1 2 4
 */
#include "apps/formats/graph_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#define LINE_MOST ((size_t)1 << 32) /* a vertex may have any number of neighbours */

struct header {
    uint64_t edges, beside; /* beside: numbers before the neighbours */
    bool weights;
};

static int read_header(struct htmt__lines *l, struct htmt__graph_list *list, struct header *h)
{
    static const char sizes[] = "the header: vertices edges [fmt [ncon]]";
    uint64_t n = 0, fmt = 0, weights = 1;
    int rc = htmt__lines_next_data(l);
    if (rc > 0)
        return htmt_fault_set(l->fault, HTMT_EFORMAT, "%s: found no header", l->path);
    rc = rc ? rc : htmt__lines_count(l, sizes, &n);
    rc = rc ? rc : htmt__lines_count(l, sizes, &h->edges);
    if (!rc && !htmt__lines_ended(l))
        rc = htmt__lines_count(l, sizes, &fmt);
    if (!rc && !htmt__lines_ended(l))
        rc = htmt__lines_count(l, sizes, &weights);
    rc = rc ? rc : htmt__lines_end(l);
    if (!rc && (fmt > 111 || fmt % 10 > 1 || fmt / 10 % 10 > 1))
        rc = htmt__lines_refuse(l, HTMT_EFORMAT, l->line, "a fmt of three digits 0 or 1");
    if (!rc && (weights < 1 || weights > 1000))
        rc = htmt__lines_refuse(l, HTMT_ERANGE, l->line, "1 to 1000 weights of a vertex");
    h->weights = fmt % 10;
    h->beside = fmt / 100 + (fmt / 10 % 10 ? weights : 0);
    return rc ? rc : htmt__graph_take_vertices(l, n, list);
}

static int read_vertex(struct htmt__lines *l, const struct header *h, uint32_t v,
                       struct htmt__graph_list *list)
{
    uint64_t to = 0;
    int rc = 0;
    for (uint64_t i = 0; !rc && i < h->beside; i++)
        rc = htmt__lines_count(l, "sizes and weights of the vertex", &to);
    while (!rc && !htmt__lines_ended(l)) {
        float weight = 1;
        rc = htmt__lines_count(l, "neighbours of the vertex", &to);
        if (!rc && (to < 1 || to > list->vertices))
            rc = htmt__lines_refuse(l, HTMT_EFORMAT, l->line,
                                    "neighbours from 1 to the number of vertices");
        if (!rc && to - 1 == v)
            rc = htmt__lines_refuse(l, HTMT_EFORMAT, l->line, "no loops");
        if (!rc && h->weights)
            rc = htmt__graph_take_weight(l, true, &weight);
        if (!rc && list->count == 2 * h->edges)
            rc = htmt__lines_refuse(l, HTMT_EFORMAT, l->line,
                                    "each edge of the header's number twice, no more");
        if (!rc && !htmt__graph_list_add(list, v, (uint32_t)(to - 1), weight))
            rc = htmt__graph_no_memory(l->path, l->fault);
    }
    return rc;
}

static int by_ends(const void *a, const void *b)
{
    const struct htmt__graph_line *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* The edges turned round are the same edges. */
static int check_twins(const char *path, const struct htmt__graph_list *list,
                       struct htmt_fault *fault)
{
    const uint64_t n = list->count;
    struct htmt__graph_line *there = malloc((2 * n + 1) * sizeof *there), *back = there + n;
    if (!there)
        return htmt__graph_no_memory(path, fault);
    int rc = 0;
    for (uint64_t i = 0; i < n; i++) {
        there[i] = list->at[i];
        back[i] = (struct htmt__graph_line){there[i].to, there[i].from, there[i].weight};
    }
    qsort(there, n, sizeof *there, by_ends);
    qsort(back, n, sizeof *back, by_ends);
    for (uint64_t i = 0; !rc && i < n; i++) {
        int order = by_ends(&there[i], &back[i]);
        const struct htmt__graph_line *odd = order < 0 ? &there[i] : &back[i];
        if (order)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: found an edge of weight %g at vertex %" PRIu64
                                " but not at %" PRIu64 ", expected each edge at both ends",
                                path, (double)odd->weight,
                                (uint64_t)(order < 0 ? odd->from : odd->to) + 1,
                                (uint64_t)(order < 0 ? odd->to : odd->from) + 1);
    }
    free(there);
    return rc;
}

int htmt__graph_read_metis(const char *path, FILE *in, struct htmt__graph_list *list,
                           struct htmt_fault *fault)
{
    struct htmt__lines l = {
        .path = path, .in = in, .fault = fault, .comment = "%", .most = LINE_MOST};
    struct header h = {0};
    int rc = read_header(&l, list, &h);
    list->weighted = h.weights;
    for (uint32_t v = 0; !rc && v < list->vertices; v++) {
        do
            rc = htmt__lines_next(&l);
        while (!rc && l.line[0] == '%');
        if (rc > 0)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: truncated after line %" PRIu64 ": found %u vertices, "
                                "expected %u",
                                path, l.number, v, list->vertices);
        rc = rc ? rc : read_vertex(&l, &h, v, list);
    }
    if (!rc && (rc = htmt__lines_next_data(&l)) == 0)
        rc = htmt__lines_refuse(&l, HTMT_EFORMAT, l.line, "nothing after the last vertex");
    rc = rc > 0 ? 0 : rc;
    if (!rc && (list->count % 2 || list->count / 2 != h.edges))
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found %" PRIu64 " neighbours, expected two for each of %" PRIu64
                            " edges",
                            path, list->count, h.edges);
    rc = rc ? rc : check_twins(path, list, fault);
    list->twice = true;
    htmt__lines_clear(&l);
    return rc;
}

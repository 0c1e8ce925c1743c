/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of edges as text, one a line.
 *
 * SNAP's (snap.stanford.edu) begin with comments, `#`, and name vertices by any numbers, of which
 * some may be missing. Each number that occurs becomes its rank: 5, 9 and 30 are vertices 0, 1 and
 * 2. A third column, if the first edge has one, is the weight.
 *
 * The list of CCA-Simulator has a header, "n n" and "m", then m lines "from to weight", from 0.
 */
#include "apps/formats/graph_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LINE_MOST     4096
#define EXACT_WEIGHTS 16777216.0 /* 2^24: whole numbers beyond are not all floats */

int htmt__graph_no_memory(const char *path, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for its edges", path);
}

int htmt__graph_take_vertices(const struct htmt__lines *l, uint64_t vertices,
                              struct htmt__graph_list *list)
{
    if (vertices < 1 || vertices > HTMT__GRAPH_VERTICES)
        return htmt__lines_refuse(l, HTMT_ERANGE, l->line, "1 to 4294967295 vertices");
    list->vertices = (uint32_t)vertices;
    return 0;
}

int htmt__graph_weigh(const struct htmt__lines *l, double value, bool integer, float *weight)
{
    if (!(value >= 0))
        return htmt__lines_refuse(l, HTMT_ERANGE, l->line, "a weight of at least 0");
    if (integer && value > EXACT_WEIGHTS)
        return htmt__lines_refuse(l, HTMT_ERANGE, l->line, "a whole weight of at most 2^24");
    *weight = (float)value;
    if (!isfinite(*weight))
        return htmt__lines_refuse(l, HTMT_ERANGE, l->line, "a weight that a float holds");
    return 0;
}

int htmt__graph_take_weight(struct htmt__lines *l, bool integer, float *weight)
{
    double value = 0;
    if (htmt__lines_ended(l))
        return htmt__lines_refuse(l, HTMT_EFORMAT, l->line, "a weight behind the vertices");
    int rc = htmt__lines_value(l, integer, &value);
    return rc ? rc : htmt__graph_weigh(l, value, integer && value == trunc(value), weight);
}

/* ---- SNAP ------------------------------------------------------------------------------------ */

struct ids {
    uint64_t (*of)[2]; /* both ends of each edge */
    uint64_t count, room;
    uint64_t *known; /* in order, each once */
    uint64_t found;
};

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static uint32_t rank_of(const struct ids *ids, uint64_t id)
{
    uint64_t low = 0, high = ids->found;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(ids->known[middle] <= id ? &low : &high) = middle;
    }
    return (uint32_t)low;
}

/* Where all ids are below their number, as most files have it, they are their own ranks, and the
 * search is short of nothing. */
static int rank_ids(struct htmt__lines *l, struct ids *ids, struct htmt__graph_list *list)
{
    const uint64_t both = 2 * ids->count;
    ids->known = malloc((both ? both : 1) * sizeof *ids->known);
    if (!ids->known)
        return htmt__graph_no_memory(l->path, l->fault);
    for (uint64_t i = 0; i < both; i++)
        ids->known[i] = ids->of[i / 2][i % 2];
    qsort(ids->known, both, sizeof *ids->known, by_size);
    for (uint64_t i = 0; i < both; i++)
        if (!ids->found || ids->known[ids->found - 1] != ids->known[i])
            ids->known[ids->found++] = ids->known[i];
    if (!ids->found)
        return htmt_fault_set(l->fault, HTMT_EFORMAT, "%s: found no edge, expected at least one",
                              l->path);
    int rc = htmt__graph_take_vertices(l, ids->found, list);
    for (uint64_t i = 0; !rc && i < ids->count; i++) {
        list->at[i].from = rank_of(ids, ids->of[i][0]);
        list->at[i].to = rank_of(ids, ids->of[i][1]);
    }
    return rc;
}

static int keep_ids(struct ids *ids, const uint64_t ends[2])
{
    if (ids->count == ids->room) {
        uint64_t room = ids->room ? 2 * ids->room : 64;
        void *of = realloc(ids->of, room * sizeof *ids->of);
        if (!of)
            return HTMT_ENOMEM;
        ids->of = of;
        ids->room = room;
    }
    ids->of[ids->count][0] = ends[0];
    ids->of[ids->count++][1] = ends[1];
    return 0;
}

int htmt__graph_read_snap(const char *path, FILE *in, struct htmt__graph_list *list,
                          struct htmt_fault *fault)
{
    static const char edge[] = "an edge: from to";
    struct htmt__lines l = {
        .path = path, .in = in, .fault = fault, .comment = "#%", .most = LINE_MOST};
    struct ids ids = {.count = 0};
    int rc;
    while ((rc = htmt__lines_next_data(&l)) == 0) {
        uint64_t ends[2] = {0, 0};
        float weight = 1;
        rc = htmt__lines_count(&l, edge, &ends[0]);
        if (!rc)
            rc = htmt__lines_count(&l, edge, &ends[1]);
        if (!rc && !list->count)
            list->weighted = !htmt__lines_ended(&l);
        if (!rc && list->weighted)
            rc = htmt__graph_take_weight(&l, false, &weight);
        if (!rc)
            rc = htmt__lines_end(&l);
        if (!rc && (keep_ids(&ids, ends) || !htmt__graph_list_add(list, 0, 0, weight)))
            rc = htmt__graph_no_memory(path, fault);
        if (rc)
            break;
    }
    rc = rc > 0 ? rank_ids(&l, &ids, list) : rc;
    free(ids.of);
    free(ids.known);
    htmt__lines_clear(&l);
    return rc;
}

/* ---- with a header --------------------------------------------------------------------------- */

static int read_header(struct htmt__lines *l, struct htmt__graph_list *list, uint64_t *edges)
{
    static const char sizes[] = "the header: n n, then m";
    uint64_t n = 0, same = 0;
    int rc = htmt__lines_next_data(l);
    if (rc > 0)
        return htmt_fault_set(l->fault, HTMT_EFORMAT, "%s: found no header, expected n n, then m",
                              l->path);
    rc = rc ? rc : htmt__lines_count(l, sizes, &n);
    rc = rc ? rc : htmt__lines_count(l, sizes, &same);
    if (!rc && n != same)
        rc = htmt__lines_refuse(l, HTMT_EFORMAT, l->line, "the number of vertices twice");
    rc = rc ? rc : htmt__graph_take_vertices(l, n, list);
    if (!rc && htmt__lines_ended(l) && (rc = htmt__lines_next_data(l)) > 0)
        return htmt_fault_set(l->fault, HTMT_EFORMAT,
                              "%s: truncated: found no number of edges in the header", l->path);
    rc = rc ? rc : htmt__lines_count(l, sizes, edges);
    return rc ? rc : htmt__lines_end(l);
}

int htmt__graph_read_list(const char *path, FILE *in, struct htmt__graph_list *list,
                          struct htmt_fault *fault)
{
    static const char edge[] = "an edge: from to weight";
    struct htmt__lines l = {
        .path = path, .in = in, .fault = fault, .comment = "#", .most = LINE_MOST};
    uint64_t edges = 0;
    int rc = read_header(&l, list, &edges);
    list->weighted = true;
    while (!rc && (rc = htmt__lines_next_data(&l)) == 0) {
        uint64_t from = 0, to = 0;
        float weight = 0;
        if (list->count == edges)
            rc = htmt__lines_refuse(&l, HTMT_EFORMAT, l.line,
                                    "nothing after as many edges as the header says");
        rc = rc ? rc : htmt__lines_count(&l, edge, &from);
        rc = rc ? rc : htmt__lines_count(&l, edge, &to);
        rc = rc ? rc : htmt__graph_take_weight(&l, false, &weight);
        rc = rc ? rc : htmt__lines_end(&l);
        if (!rc && (from >= list->vertices || to >= list->vertices))
            rc = htmt__lines_refuse(&l, HTMT_EFORMAT, l.line,
                                    "vertices below the number in the header, from 0");
        if (!rc && !htmt__graph_list_add(list, (uint32_t)from, (uint32_t)to, weight))
            rc = htmt__graph_no_memory(path, fault);
    }
    if (rc > 0)
        rc = list->count == edges
                 ? 0
                 : htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: truncated after line %" PRIu64 ": found %" PRIu64
                                  " edges, expected %" PRIu64 " as the header says",
                                  path, l.number, list->count, edges);
    htmt__lines_clear(&l);
    return rc;
}

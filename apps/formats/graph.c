/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/graph.h"
#include "runtime/base/memory.h"

#include <stdlib.h>
#include <string.h>

bool htmt__graph_list_add(struct htmt__graph_list *list, uint32_t from, uint32_t to, float weight)
{
    if (list->count == list->room) {
        uint64_t room = list->room ? 2 * list->room : 64;
        struct htmt__graph_line *at = realloc(list->at, room * sizeof *at);
        if (!at)
            return false;
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = (struct htmt__graph_line){from, to, weight};
    return true;
}

void htmt__graph_list_clear(struct htmt__graph_list *list)
{
    free(list->at);
    *list = (struct htmt__graph_list){.vertices = 0};
}

/* Counting sort: first[v + 1] counts the edges of v, then is where those of v begin while they are
 * put down, and in the end where they end, which is where those of v + 1 begin. */
int htmt__graph_build(struct htmt__graph_list *list, struct htmt__graph *g,
                      struct htmt_fault *fault)
{
    struct htmt__graph found = {.vertices = list->vertices,
                                .weighted = list->weighted,
                                .both = list->both || list->twice,
                                .listed = list->twice ? list->count / 2 : list->count};
    char left[HTMT_MEMORY_TEXT];
    double bytes = ((double)list->vertices + 2) * sizeof *found.first +
                   (double)list->count * (list->both ? 2 : 1) * sizeof *found.edge;
    int rc = HTMT_ENOMEM;
    if (!htmt_memory_holds(bytes, left)) {
        rc = htmt_fault_set(fault, HTMT_EHOSTFIT, "a graph of %u vertices takes %.3g bytes: %s",
                            list->vertices, bytes, left);
        goto done;
    }
    found.first = calloc((size_t)list->vertices + 2, sizeof *found.first);
    if (!found.first)
        goto done;
    uint64_t *ends = found.first + 1;
    for (uint64_t i = 0; i < list->count; i++) {
        const struct htmt__graph_line *l = &list->at[i];
        ends[l->from]++;
        found.edges++;
        if (list->both && l->from != l->to) {
            ends[l->to]++;
            found.edges++;
        }
    }
    for (uint64_t before = 0, v = 0, count; v <= list->vertices; v++, before += count) {
        count = ends[v];
        ends[v] = before;
    }
    found.edge = malloc((found.edges ? found.edges : 1) * sizeof *found.edge);
    if (!found.edge)
        goto done;
    for (uint64_t i = 0; i < list->count; i++) {
        const struct htmt__graph_line *l = &list->at[i];
        found.edge[ends[l->from]++] = (struct htmt__graph_edge){l->to, l->weight};
        if (list->both && l->from != l->to)
            found.edge[ends[l->to]++] = (struct htmt__graph_edge){l->from, l->weight};
    }
    rc = 0;
done:
    htmt__graph_list_clear(list);
    if (rc) {
        htmt__graph_destroy(&found);
        return htmt_fault_set(fault, rc, "no memory for a graph of %u vertices", found.vertices);
    }
    *g = found;
    return 0;
}

void htmt__graph_destroy(struct htmt__graph *g)
{
    free(g->first);
    free(g->edge);
    g->first = NULL;
    g->edge = NULL;
    g->edges = g->vertices = 0;
}

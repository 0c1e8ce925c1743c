/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placement by partition: METIS cuts the graph into as many parts as there are slices, alike in
 * vertices, so that few edges join two parts. A seed of its own makes its choices the same ones on
 * every host with this version.
 */
#include "apps/graph/place.h"

#include <metis.h>
#include <stdlib.h>

/* Both directions of each edge, without loops. A double edge counts as often as it is there. */
static int undirected(const struct htmt__graph *g, idx_t **first, idx_t **to)
{
    const size_t n = g->vertices;
    *first = calloc(n + 2, sizeof **first);
    *to = malloc((2 * g->edges + 1) * sizeof **to);
    if (!*first || !*to)
        return HTMT_ENOMEM;
    idx_t *ends = *first + 1;
    for (size_t v = 0; v < n; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
            if (g->edge[i].to != v) {
                ends[v + 1]++;
                ends[g->edge[i].to + (size_t)1]++;
            }
    for (size_t v = 1; v <= n; v++)
        ends[v] += ends[v - 1];
    for (size_t v = 0; v < n; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
            if (g->edge[i].to != v) {
                (*to)[ends[v]++] = (idx_t)g->edge[i].to;
                (*to)[ends[g->edge[i].to]++] = (idx_t)v;
            }
    return 0;
}

int htmt__place_by_metis(const struct htmt__graph *g, uint32_t slices, uint32_t *cell,
                         struct htmt_fault *fault)
{
    idx_t n = (idx_t)g->vertices, constraints = 1, parts = (idx_t)slices, cut = 0;
    idx_t options[METIS_NOPTIONS], *first = NULL, *to = NULL, *part = NULL;
    int rc = 0, found = METIS_OK;
    if (g->vertices >= INT32_MAX || g->edges >= INT32_MAX / 2)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--place metis: found a graph of more than 2^30 edges or 2^31 "
                              "vertices, which its numbers do not hold");
    for (uint32_t v = 0; g->vertices <= slices && v < g->vertices; v++)
        cell[v] = v;
    if (g->vertices <= slices) /* it complains of empty parts */
        return 0;
    part = calloc((size_t)g->vertices + 1, sizeof *part);
    rc = part ? undirected(g, &first, &to) : HTMT_ENOMEM;
    if (rc) {
        rc = htmt_fault_set(fault, rc, "no memory for METIS");
        goto done;
    }
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (parts > 1)
        found = METIS_PartGraphKway(&n, &constraints, first, to, NULL, NULL, NULL, &parts, NULL,
                                    NULL, options, &cut, part);
    if (found != METIS_OK)
        rc = htmt_fault_set(fault, found == METIS_ERROR_MEMORY ? HTMT_ENOMEM : HTMT_EINVAL,
                            "--place metis: METIS ends with error %d", found);
    for (uint32_t v = 0; !rc && v < g->vertices; v++)
        cell[v] = (uint32_t)part[v];
done:
    free(first);
    free(to);
    free(part);
    return rc;
}

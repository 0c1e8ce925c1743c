/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A graph out of Matrix Market: entry (i, j) is an edge from vertex i to vertex j, its value the
 * weight. An array file has no edges to tell apart from zeros, and a skew-symmetric one has
 * negative weights: both are refused.
 */
#include "apps/formats/graph_parts.h"
#include "apps/formats/matrix_market.h"

int htmt__graph_read_market(const char *path, FILE *in, struct htmt__graph_list *list,
                            struct htmt_fault *fault)
{
    struct htmt__matrix_market m;
    struct htmt__market_entry e;
    int rc = htmt__matrix_market_head(&m, path, in, fault);
    if (!rc && (m.array || m.symmetry == HTMT__MARKET_SKEW))
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found %s matrix, expected a graph: coordinate, general or "
                            "symmetric",
                            path, m.array ? "an array" : "a skew-symmetric");
    if (!rc && m.rows != m.cols)
        rc = htmt__lines_refuse(&m.lines, HTMT_EFORMAT, m.lines.line,
                                "as many rows as columns in a graph");
    rc = rc ? rc : htmt__graph_take_vertices(&m.lines, m.rows, list);
    list->both = m.symmetry == HTMT__MARKET_SYMMETRIC;
    list->weighted = m.field != HTMT__MARKET_PATTERN;
    while (!rc && (rc = htmt__matrix_market_next(&m, &e)) == 0) {
        float weight = 1;
        rc = htmt__graph_weigh(&m.lines, e.value, m.field == HTMT__MARKET_INTEGER, &weight);
        if (!rc && !htmt__graph_list_add(list, (uint32_t)e.i, (uint32_t)e.j, weight))
            rc = htmt__graph_no_memory(path, fault);
    }
    htmt__matrix_market_clear(&m);
    return rc < 0 ? rc : 0;
}

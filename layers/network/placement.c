/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places of slices: in rows, along a Hilbert curve, or as a file says.
 */
#include "layers/network/placement.h"

#include "layers/file/schema.h"
#include "layers/file/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct htmt_search search_places = {"placement", "machines/graphs", "HTMT_GRAPH_PATH"};

/* Hilbert's curve through a square whose side is a power of two passes a quarter after another, the
 * first and the last one turned over. So the digits of a place's number to the base 4, the lowest
 * first, say which quarter of ever larger squares it is in: with side 2, places 0 1 2 3 are 0,0 0,1
 * 1,1 1,0. Neighbours on the curve are neighbours in the grid, and slices with near numbers are
 * near, which rows give in one dimension only. */
static int place_hilbert(const struct htmt__inside *inside, uint32_t slices, uint32_t *end,
                         struct htmt_fault *fault)
{
    uint32_t side = inside->shape[0];
    bool square = (inside->topology == HTMT__MESH || inside->topology == HTMT__TORUS) &&
                  inside->dimensions == 2 && inside->shape[1] == side && !(side & (side - 1));
    if (!square)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "found 'hilbert', expected a mesh or torus whose two extents are the "
                              "same power of two");
    for (uint32_t i = 0; i < slices; i++) {
        uint32_t x = 0, y = 0;
        for (uint32_t s = 1, rest = i; s < side; s *= 2, rest /= 4) {
            uint32_t right = rest / 2 & 1, below = (rest ^ right) & 1, old = x;
            if (!below) {
                x = right ? s - 1 - y : y;
                y = right ? s - 1 - old : old;
            }
            x += right * s;
            y += below * s;
        }
        end[i] = y * side + x;
    }
    return 0;
}

/* ---- a file ---------------------------------------------------------------------------------- */

static const struct htmt_schema_row rows[] = {
    {.key = "htmt-place", .kind = HTMT_SCHEMA_NODE},
    {.key = "about", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = "ends", .kind = HTMT_SCHEMA_NODE},
    {.key = NULL}};

/* The end of each slice: a name of the graph, else a number. No two slices share one. */
static int take_ends(const struct htmt_yaml *list, const struct htmt__switch_graph *graph,
                     uint32_t ends, uint32_t slices, uint32_t *end, struct htmt_fault *fault)
{
    bool *taken = calloc(ends ? ends : 1, sizeof *taken);
    uint32_t i = 0;
    int rc = taken ? htmt_yaml_expect(list, HTMT_YAML_SEQUENCE, "ends", fault) : HTMT_ENOMEM;
    for (const struct htmt_yaml *c = list->first; c && !rc; c = c->next, i++) {
        uint32_t found = UINT32_MAX;
        char *rest;
        const unsigned long number = c->text ? strtoul(c->text, &rest, 10) : 0;
        if (c->text && graph)
            found = htmt__topology_graph_end(graph, c->text);
        else if (c->text && *c->text && !*rest && number < ends)
            found = (uint32_t)number;
        if (found == UINT32_MAX || taken[found]) {
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: ends: found '%.60s', %s", c->file,
                                c->line, c->text ? c->text : "no word",
                                found == UINT32_MAX ? "expected an end of the network"
                                                    : "which has a slice already");
            break;
        }
        taken[found] = true;
        if (i < slices)
            end[i] = found;
    }
    if (!rc && i < slices)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s:%d: ends: found %u, expected one for each of %u slices", list->file,
                            list->line, i, slices);
    free(taken);
    return rc;
}

static int place_by_file(const char *how, const char *beside,
                         const struct htmt__switch_graph *graph, uint32_t ends, uint32_t slices,
                         uint32_t *end, struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt_yaml *root = NULL;
    const struct htmt_yaml *part[3];
    if (!strchr(how, '/') && !strstr(how, ".yaml"))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "found '%.60s', expected 'rows', 'hilbert' or a file", how);
    int rc = htmt_search_path(&search_places, how, beside, path, fault);
    if (!rc)
        rc = htmt_schema_open(path, &root, fault);
    if (!rc)
        rc = htmt_schema_nodes(root, "a placement", rows, part, fault);
    if (!rc)
        rc = htmt__schema_version(root, "htmt-place", "a placement", fault);
    if (!rc)
        rc = take_ends(part[2], graph, ends, slices, end, fault);
    htmt_yaml_destroy(&root);
    return rc;
}

int htmt__place(const char *how, const char *beside, const struct htmt__inside *inside,
                const struct htmt__switch_graph *graph, uint32_t ends, uint32_t slices,
                uint32_t *end, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < slices; i++)
        end[i] = i;
    if (strcmp(how, "rows") == 0)
        return 0;
    if (strcmp(how, "hilbert") == 0)
        return place_hilbert(inside, slices, end, fault);
    return place_by_file(how, beside, graph, ends, slices, end, fault);
}

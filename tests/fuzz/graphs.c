/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each input is given to the reader of every format: what is one format's graph is another's
 * mistake.
 */
#include "apps/formats/graph.h"
#include "tests/fuzz/input.h"

#include <assert.h>
#include <ctype.h>

/* A header may promise so many vertices that memory for them takes the time of a thousand inputs;
 * numbers that are out of range for all readers stay. */
static int promises_much(const uint8_t *bytes, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && isdigit(bytes[i])) {
            digits++;
            continue;
        }
        if (digits > 6 && digits < 11)
            return 1;
        digits = 0;
    }
    return 0;
}

/* Packed edges, whose largest number is that of the vertices. */
static int packs_much(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 12 <= size; i += 12)
        if (bytes[i + 3] || bytes[i + 7])
            return 1;
    return 0;
}

static void look(const struct htmt__graph *g)
{
    assert(g->first[0] == 0 && g->first[g->vertices] == g->edges);
    for (uint32_t v = 0; v < g->vertices; v++)
        assert(g->first[v] <= g->first[v + 1]);
    for (uint64_t i = 0; i < g->edges; i++)
        assert(g->edge[i].to < g->vertices && g->edge[i].weight >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (promises_much(bytes, size))
        return 0;
    const char *path = fuzz_file(".graphs", bytes, size);
    for (int i = 0; i <= HTMT__GRAPH_FORMATS; i++) {
        struct htmt_fault fault = {0};
        struct htmt__graph g = {0};
        if (i == HTMT__GRAPH_GRAPH500 && packs_much(bytes, size))
            continue;
        int rc = htmt__graph_read(path, htmt__graph_format_words[i], &g, &fault);
        fuzz_judge(rc, &fault);
        if (!rc)
            look(&g);
        htmt__graph_destroy(&g);
    }
    return 0;
}

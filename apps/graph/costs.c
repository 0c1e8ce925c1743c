/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instructions of actions and diffusions, out of a cost file.
 */
#include "layers/file/costs.h"
#include "apps/graph/plan.h"
#include "apps/lib/request.h"

#define MOST 1000000
#define COUNT(key_)                                                                                \
    {                                                                                              \
        .key = (key_), .kind = HTMT_UNIT_COUNT, .least = 0, .most = MOST                           \
    }
#define PARTS(program)                                                                             \
    COUNT(program ".predicate"), COUNT(program ".work"), COUNT(program ".diffuse")

static const struct htmt_schema_row keys[] = {PARTS("bfs"),
                                              PARTS("bfs-ghost"),
                                              PARTS("sssp"),
                                              PARTS("sssp-ghost"),
                                              PARTS("pagerank"),
                                              PARTS("pagerank-ghost"),
                                              COUNT("pagerank.begin"),
                                              COUNT("pagerank.score"),
                                              COUNT("pagerank.reset"),
                                              PARTS("triangles"),
                                              COUNT("triangles.search"),
                                              {.key = NULL}};

static uint32_t figure(const struct htmt_costs *c, const char *name, const char *part)
{
    char key[64];
    snprintf(key, sizeof key, "%s.%s", name, part);
    return (uint32_t)htmt_costs_whole(c, key);
}

static struct htmt__vertex_cost parts(const struct htmt_costs *c, const char *name)
{
    return (struct htmt__vertex_cost){figure(c, name, "predicate"), figure(c, name, "work"),
                                      figure(c, name, "diffuse")};
}

int htmt__graph_costs(const struct htmt_request *r, struct htmt__vertex_costs *costs,
                      struct htmt_fault *fault)
{
    const char *name = htmt_request_costs(r);
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(name ? name : HTMT__GRAPH_COSTS, "graph", keys, set, count, &c, fault);
    if (rc)
        return rc;
    for (int i = 0; i < HTMT__GRAPH_PROGRAMS; i++) {
        char ghost[32];
        snprintf(ghost, sizeof ghost, "%s-ghost", htmt__graph_program_words[i]);
        costs->of[i] = parts(c, htmt__graph_program_words[i]);
        if (i != HTMT__GRAPH_TRIANGLES) /* whose vertices have no ghosts */
            costs->ghost[i] = parts(c, ghost);
    }
    costs->begin = figure(c, "pagerank", "begin");
    costs->score = figure(c, "pagerank", "score");
    costs->reset = figure(c, "pagerank", "reset");
    costs->search = figure(c, "triangles", "search");
    htmt_costs_destroy(&c);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/graph/plan.h"
#include "apps/lib/request.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct htmt_app_option htmt__graph_options[] = {
    {"program", "NAME", NULL, "bfs, sssp, pagerank or triangles; also as the word behind graph"},
    {"graph", "FILE", NULL,
     "the graph: Matrix Market, SNAP, list with a header, Graph500 or METIS, also packed by gzip"},
    {"format", "NAME", NULL,
     "of the file, where its name does not tell: matrix-market, snap, list, graph500 or metis"},
    {"graph500", "SCALE", NULL, "make a Graph500 graph of 2^SCALE vertices instead"},
    {"rmat", "SCALE", NULL, "make an R-MAT graph, directed"},
    {"er", "SCALE", NULL, "make a graph of evenly drawn edges, directed"},
    {"factor", "N", "16", "edges of a graph that is made, for each vertex"},
    {"weights", "N", "9", "weights of a graph that is made: whole numbers from 1 to N"},
    {"root", "V", "0", "vertex where bfs, sssp and pagerank begin; the first one is 0"},
    {"iterations", "N", "5", "of pagerank"},
    {"algorithm", "NAME", "async",
     "async: a vertex tells its neighbours at once; levels: when all is quiet (of triangles "
     "alike)"},
    {"begin", "NAME", "all",
     "who begins an iteration of pagerank: all that nobody else tells; or cca, as CCA-Simulator "
     "has it: the root, and all that no edge leads to, the root once more"},
    {"place", "KIND", "cca",
     "of vertices: cca, with ghosts; cyclic; random, by --seed; metis, by partition"},
    {"min-edges", "N", "10", "of cca: edges that a vertex holds itself, and its first ghosts"},
    {"max-edges", "N", "15", "of cca: edges of other ghosts"},
    {"ghosts", "N", "3", "of cca: ghosts of a vertex or ghost"},
    {"vicinity", "N", "2", "of cca: how far from each other ghosts lie"},
    {"out", "FILE", NULL,
     "write a line for each vertex: level or distance and parent, rank, or triangles found there"},
    {"plot-cells", "FILE", NULL,
     "plot how many cells are active over time, of them computing and throttled, .svg, .png or "
     ".pdf; on machines that have cells"},
    {"check", "KIND", "exact", "exact: compare with a serial program; or none"},
    {NULL, NULL, NULL, NULL}};

/* ---- the graph ------------------------------------------------------------------------------- */

static int make_graph(const struct htmt_request *r, const char *option, enum htmt__graph_kind kind,
                      struct htmt__graph *g, char from[200], struct htmt_fault *fault)
{
    struct htmt__graph_recipe recipe = {.kind = kind, .seed = htmt_request_seed(r)};
    struct htmt__graph_list list;
    uint64_t scale = 0, factor = 0, weights = 0;
    int rc = htmt_request_whole(r, option, 1, 30, &scale, fault);
    rc = rc ? rc : htmt_request_whole(r, "factor", 0, 1 << 16, &factor, fault);
    rc = rc ? rc : htmt_request_whole(r, "weights", 1, 1 << 24, &weights, fault);
    recipe.scale = (unsigned)scale;
    recipe.factor = factor;
    recipe.weights = (uint32_t)weights;
    rc = rc ? rc : htmt__graph_generate(&recipe, &list, fault);
    snprintf(from, 200, "%s of scale %" PRIu64 ", factor %" PRIu64 ", seed %" PRIu64,
             htmt__graph_kind_words[kind], scale, factor, recipe.seed);
    return rc ? rc : htmt__graph_build(&list, g, fault);
}

int htmt__graph_wanted(const struct htmt_request *r, struct htmt__graph *g, char from[200],
                       struct htmt_fault *fault)
{
    const char *file = htmt_request_value(r, "graph"), *format = htmt_request_value(r, "format");
    int kind = -1, given = file != NULL;
    for (int k = 0; k < HTMT__GRAPH_KINDS; k++)
        if (htmt_request_value(r, htmt__graph_kind_words[k])) {
            kind = k;
            given++;
        }
    if (given != 1)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "found %s, expected one of --graph FILE, --graph500, --rmat and "
                              "--er SCALE",
                              given ? "more than one graph" : "no graph");
    if (!file && format)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--format: found no --graph FILE to have it");
    if (!file)
        return make_graph(r, htmt__graph_kind_words[kind], (enum htmt__graph_kind)kind, g, from,
                          fault);
    snprintf(from, 200, "%s", file);
    return htmt__graph_read(file, format, g, fault);
}

/* ---- options --------------------------------------------------------------------------------- */

static int read_rules(struct htmt_task *task, struct htmt__graph_plan *p)
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt__place_rules *s = &p->rules;
    struct htmt_fault *fault = htmt_task_fault(task);
    unsigned kind = 0;
    int rc = htmt_request_choice(r, "place", htmt__place_words, &kind, fault);
    rc = rc ? rc : htmt_request_whole32(r, "min-edges", 1, 1 << 20, &s->least, fault);
    rc = rc ? rc : htmt_request_whole32(r, "max-edges", 1, 1 << 20, &s->most, fault);
    rc = rc ? rc : htmt_request_whole32(r, "ghosts", 1, HTMT__PLACE_CHILDREN, &s->ghosts, fault);
    rc = rc ? rc : htmt_request_whole32(r, "vicinity", 1, 1 << 10, &s->vicinity, fault);
    if (rc)
        return rc;
    s->kind = (enum htmt__place_kind)kind;
    s->slices = p->slices;
    s->root = p->root;
    s->seed = htmt_request_seed(r);
    while ((uint64_t)(s->side + 1) * (s->side + 1) <= p->slices)
        s->side++;
    if (s->kind == HTMT__PLACE_CCA && s->side * s->side != p->slices)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--place cca: found %u slices, expected a square of them as %u; or "
                                "--place cyclic",
                                p->slices, s->side * s->side);
    return 0;
}

/* An option that this program, placement or graph does not look at; unless its value is the one
 * that it has by itself. */
static int refuse_unused(struct htmt_task *task, const struct htmt__graph_plan *p)
{
    static const char *const ghosts = "--place cca and bfs, sssp or pagerank",
                             *const made = "--graph500, --rmat or --er";
    const struct htmt_request *r = htmt_task_request(task);
    const bool rank = p->program == HTMT__GRAPH_PAGERANK, cca = p->rules.kind == HTMT__PLACE_CCA,
               splits = cca && p->program != HTMT__GRAPH_TRIANGLES,
               makes = !htmt_request_value(r, "graph");
    const char *program = htmt__graph_program_words[p->program],
               *placed = cca ? program : htmt__place_words[p->rules.kind];
    const struct {
        const char *name, *beside, *wanted;
        bool used;
    } row[] = {{"root", program, "bfs, sssp or pagerank", p->program != HTMT__GRAPH_TRIANGLES},
               {"iterations", program, "pagerank", rank},
               {"begin", rank ? "levels" : program, "pagerank by async", rank && !p->by_levels},
               {"min-edges", placed, ghosts, splits},
               {"max-edges", placed, ghosts, splits},
               {"ghosts", placed, ghosts, splits},
               {"vicinity", placed, ghosts, splits},
               {"factor", "--graph", made, makes},
               {"weights", "--graph", made, makes}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct htmt_app_option *o = htmt__graph_options;
        while (strcmp(o->name, row[i].name) != 0)
            o++;
        const char *value = htmt_request_value(r, o->name);
        if (!row[i].used && value && strcmp(value, o->fallback) != 0)
            return htmt_task_refuse(task, HTMT_EUSAGE, "--%s: found it beside %s, expected %s",
                                    o->name, row[i].beside, row[i].wanted);
    }
    return 0;
}

static int read_options(struct htmt_task *task, struct htmt__graph_plan *p)
{
    static const char *const algorithms[] = {"async", "levels", NULL}, *const begins[] = {
                                                                           "all", "cca", NULL};
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    const struct htmt_machine *m = htmt_task_machine(task);
    unsigned program = HTMT__GRAPH_PROGRAMS, algorithm = 0, as_cca = 0;
    uint64_t iterations = 0;
    int rc = htmt_request_choice(r, "program", htmt__graph_program_words, &program, fault);
    if (!rc && program == HTMT__GRAPH_PROGRAMS)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "found no program, expected bfs, sssp, pagerank or triangles");
    rc = rc ? rc : htmt_request_choice(r, "algorithm", algorithms, &algorithm, fault);
    rc = rc ? rc : htmt_request_choice(r, "begin", begins, &as_cca, fault);
    rc = rc ? rc : htmt_request_whole(r, "iterations", 1, 1000000, &iterations, fault);
    rc = rc ? rc : htmt_request_whole32(r, "root", 0, UINT32_MAX - 1, &p->root, fault);
    if (rc)
        return rc;
    p->program = (enum htmt__graph_program)program;
    p->by_levels = algorithm == 1 && p->program != HTMT__GRAPH_TRIANGLES; /* which are one level */
    p->as_cca = as_cca == 1;
    p->iterations = (unsigned)iterations;
    p->slices = htmt_request_slices(r);
    p->layer = m->layer_count;
    while (p->layer > 0 && !m->layer[p->layer - 1].processor.name[0])
        p->layer--;
    if (!p->layer--)
        return htmt_task_refuse(task, HTMT_EUSAGE, "machine %s has no processor", m->name);
    rc = read_rules(task, p);
    rc = rc ? rc : refuse_unused(task, p);
    return rc ? rc : htmt__graph_costs(r, &p->all.costs, fault);
}

/* ---- who begins ------------------------------------------------------------------------------ */

/* What can be reached from a vertex; a vertex is on the stack once. */
static void reach(const struct htmt__graph *g, uint32_t from, unsigned char *reached,
                  uint32_t *stack)
{
    uint32_t top = 0;
    if (reached[from])
        return;
    reached[from] = 1;
    stack[top++] = from;
    while (top) {
        const uint32_t v = stack[--top];
        for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++)
            if (!reached[g->edge[i].to]) {
                reached[g->edge[i].to] = 1;
                stack[top++] = g->edge[i].to;
            }
    }
}

/* A vertex sends its score when it begins or when it is first told one. So the root begins, then
 * those that no edge leads to, then one of each circle that nobody else reaches. */
static uint32_t list_begins(const struct htmt__graph_plan *p, uint32_t *list, uint32_t *stack,
                            unsigned char *reached)
{
    const struct htmt__graph *g = &p->graph;
    uint32_t count = 0;
    list[count++] = p->root;
    reach(g, p->root, reached, stack);
    for (uint32_t v = 0; v < g->vertices; v++)
        if (!p->in[v] && (v != p->root || p->as_cca)) {
            list[count++] = v;
            reach(g, v, reached, stack);
        }
    for (uint32_t v = 0; v < g->vertices; v++)
        if (!reached[v] && !p->as_cca) {
            list[count++] = v;
            reach(g, v, reached, stack);
        }
    return count;
}

/* Each vertex once. */
static bool begins_once(const struct htmt__graph_plan *p, const unsigned char *reached)
{
    bool once = !p->as_cca || p->in[p->root];
    for (uint32_t v = 0; once && v < p->graph.vertices; v++)
        once = reached[v];
    return once;
}

static int find_begins(struct htmt__graph_plan *p)
{
    const size_t n = p->graph.vertices;
    uint32_t *list = malloc((n + 1) * sizeof *list), *stack = malloc(n * sizeof *stack);
    unsigned char *reached = calloc(n, 1);
    p->begin = malloc((n + 1) * sizeof *p->begin);
    p->first_begin = calloc(p->slices + (size_t)2, sizeof *p->first_begin);
    const bool there = list && stack && reached && p->begin && p->first_begin;
    if (there) {
        const uint32_t count = list_begins(p, list, stack, reached);
        uint32_t *next = p->first_begin + 1;
        p->begins_once = begins_once(p, reached);
        for (uint32_t i = 0; i < count; i++)
            next[p->place.cell[list[i]] + 1]++;
        for (uint32_t s = 1; s <= p->slices; s++)
            next[s] += next[s - 1];
        for (uint32_t i = 0; i < count; i++)
            p->begin[next[p->place.cell[list[i]]]++] = list[i];
    }
    free(list);
    free(stack);
    free(reached);
    return there ? 0 : HTMT_ENOMEM;
}

static int count_edges(struct htmt__graph_plan *p)
{
    const struct htmt__graph *g = &p->graph;
    p->in = calloc(g->vertices, sizeof *p->in);
    p->out = calloc(g->vertices, sizeof *p->out);
    if (!p->in || !p->out)
        return HTMT_ENOMEM;
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++) {
            p->out[v]++;
            p->in[g->edge[i].to]++;
        }
    return find_begins(p);
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* What was read fits. */
static int check_graph(struct htmt_task *task, const struct htmt__graph_plan *p)
{
    const struct htmt__graph *g = &p->graph;
    if (p->root >= g->vertices)
        return htmt_task_refuse(task, HTMT_ERANGE,
                                "--root: found %u, expected 0 to %u: %s has %u vertices", p->root,
                                g->vertices - 1, p->from, g->vertices);
    if (p->program == HTMT__GRAPH_SSSP && !g->weighted && g->edges)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "%s: found edges without weights, expected weights for sssp",
                                p->from);
    if (p->place.vertices / p->slices >= 1u << 29)
        return htmt_task_refuse(task, HTMT_ERANGE, "more than 2^29 vertices in a slice");
    return 0;
}

int htmt__graph_plan(struct htmt_task *task, struct htmt__graph_plan *p)
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = read_options(task, p);
    rc = rc ? rc : htmt__graph_wanted(r, &p->graph, p->from, fault);
    rc = rc ? rc : check_graph(task, p);
    if (!rc && p->program == HTMT__GRAPH_TRIANGLES) {
        p->rules.least = UINT32_MAX; /* all edges of a vertex are compared where it lives */
        rc = htmt__graph_orient(&p->graph, &p->oriented, fault);
    }
    if (!rc)
        rc = htmt__graph_place(p->oriented.first ? &p->oriented : &p->graph, &p->rules, &p->place,
                               fault);
    if (!rc && p->program == HTMT__GRAPH_PAGERANK && count_edges(p))
        rc = htmt_task_refuse(task, HTMT_ENOMEM, "no memory for the vertices that begin");
    /* Without an edge nothing is sent, and the first iteration is as good as all. */
    if (!p->graph.edges)
        p->iterations = 1;
    p->all.program = p->program;
    p->all.by_levels = p->by_levels;
    p->all.place = &p->place;
    p->all.in = p->in;
    p->all.out = p->out;
    p->bytes = 16.0 * (double)p->graph.edges + 60.0 * (double)p->place.objects;
    htmt_task_held(task, p->bytes);
    return rc;
}

void htmt__graph_plan_clear(struct htmt__graph_plan *p)
{
    htmt__graph_destroy(&p->graph);
    htmt__graph_destroy(&p->oriented);
    htmt__placed_clear(&p->place);
    free(p->in);
    free(p->out);
    free(p->begin);
    free(p->first_begin);
    p->in = p->out = p->begin = p->first_begin = NULL;
}

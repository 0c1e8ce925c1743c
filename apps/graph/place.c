/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AM-CCA's placement as its simulator has it, beside three simple ones without ghosts.
 *
 * Vertices go to cells in turn, the root to the cell in the middle. Then edges are inserted, vertex
 * by vertex. An object that is full gives an edge to one of its ghosts, which it makes when it is
 * needed; after so many edges it goes on to its next ghost. Ghosts are near their parents: an
 * object draws a cell for its next one when it is made, and again whenever that one is taken.
 *
 * The draws come from the rand() of glibc, which other C libraries do not have; so it is written
 * out (additive feedback, r[i] = r[i - 3] + r[i - 31], whose first 31 numbers are those of a linear
 * congruence). The order of draws decides where every later ghost lies: x before y, vertices before
 * edges, and an object's first draw behind that of its parent's next one.
 *
 * While edges are inserted only their owners are kept, 4 bytes an edge. Then a counting sort brings
 * the edges of an object together, in the order in which they came.
 */
#include "apps/graph/place.h"
#include "apps/lib/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const htmt__place_words[] = {"cca", "cyclic", "random", "metis", NULL};

/* ---- rand() of glibc ------------------------------------------------------------------------- */

struct rand {
    uint32_t r[34];
    unsigned at; /* of the oldest of 31 numbers */
};

static uint32_t rand_next(struct rand *s)
{
    uint32_t *oldest = &s->r[s->at % 31];
    *oldest += s->r[(s->at + 28) % 31];
    s->at++;
    return *oldest >> 1;
}

/* r[0..33], of which r[3..33] are the 31 numbers that r[34] follows; then 310 are not used. */
static void rand_seed(struct rand *s, uint32_t seed)
{
    uint32_t r[34];
    r[0] = seed;
    for (int i = 1; i < 31; i++)
        r[i] = (uint32_t)(UINT64_C(16807) * r[i - 1] % 2147483647);
    for (int i = 31; i < 34; i++)
        r[i] = r[i - 31];
    memcpy(s->r, r + 3, 31 * sizeof *r);
    s->at = 0;
    for (int i = 0; i < 310; i++)
        rand_next(s);
}

/* ---- objects --------------------------------------------------------------------------------- */

struct object {
    uint32_t cell, next; /* its own; where its next ghost goes */
    uint32_t held, out;  /* edges of its own; these and those of its ghosts */
    uint32_t child[HTMT__PLACE_CHILDREN];
    uint8_t depth, turn, children; /* depth: of a vertex 0 */
};

struct builder {
    const struct htmt__place_rules *rules;
    struct rand rand;
    struct object *object;
    uint64_t count, room;
};

/* A cell at most `reach` away in x and y. */
static uint32_t draw(struct builder *b, uint32_t cell, uint32_t reach)
{
    const uint32_t side = b->rules->side, at[2] = {cell % side, cell / side};
    uint32_t drawn[2];
    for (int i = 0; i < 2; i++) {
        uint32_t low = at[i] > reach ? at[i] - reach : 0;
        uint32_t high = at[i] + reach < side ? at[i] + reach : side - 1;
        drawn[i] = low + rand_next(&b->rand) % (high - low + 1);
    }
    return drawn[0] + side * drawn[1];
}

static uint32_t reach_of(const struct builder *b, const struct object *o)
{
    return o->depth > 1 ? b->rules->vicinity : 1;
}

static struct object *make(struct builder *b, uint32_t cell, uint8_t depth)
{
    if (b->count == b->room) {
        uint64_t room = b->room + b->room / 2 + 16;
        struct object *object = realloc(b->object, room * sizeof *object);
        if (!object)
            return NULL;
        b->object = object;
        b->room = room;
    }
    struct object *o = &b->object[b->count++];
    *o = (struct object){.cell = cell, .depth = depth};
    if (b->rules->kind == HTMT__PLACE_CCA)
        o->next = draw(b, cell, reach_of(b, o));
    return o;
}

/* Making one may move all objects. A chip of one cell has no other one. */
static bool make_child(struct builder *b, uint64_t parent)
{
    struct object *o = &b->object[parent];
    while (o->next == o->cell && b->rules->side > 1)
        o->next = draw(b, o->cell, reach_of(b, o));
    uint32_t cell = o->next;
    o->next = draw(b, o->cell, reach_of(b, o));
    uint8_t depth = o->depth < UINT8_MAX ? o->depth + 1 : UINT8_MAX;
    if (!make(b, cell, depth))
        return false;
    o = &b->object[parent];
    o->child[o->children++] = (uint32_t)(b->count - 1);
    return true;
}

/* Who holds one edge more of this vertex; UINT64_MAX: no memory. */
static uint64_t insert(struct builder *b, uint64_t at)
{
    const struct htmt__place_rules *r = b->rules;
    for (;;) {
        struct object *o = &b->object[at];
        if (r->kind != HTMT__PLACE_CCA || o->held < (o->depth > 1 ? r->most : r->least)) {
            o->held++;
            o->out++;
            return at;
        }
        const unsigned turn = o->turn;
        if (turn >= o->children && !make_child(b, at))
            return UINT64_MAX;
        o = &b->object[at];
        const uint32_t out = ++o->out;
        if (out % r->most == 0 ||
            (o->depth == 0 && (out == 2 * r->least || (r->ghosts == 3 && out == 3 * r->least))))
            o->turn = (uint8_t)((turn + 1) % r->ghosts);
        at = o->child[turn];
    }
}

/* ---- placing --------------------------------------------------------------------------------- */

static bool make_vertices(struct builder *b, const struct htmt__graph *g, const uint32_t *cell)
{
    const struct htmt__place_rules *r = b->rules;
    const uint32_t n = g->vertices;
    b->room = n;
    b->object = malloc((size_t)n * sizeof *b->object);
    if (!b->object)
        return false;
    for (uint32_t v = 0; r->kind != HTMT__PLACE_CCA && v < n; v++)
        make(b,
             r->kind == HTMT__PLACE_CYCLIC ? v % r->slices
             : r->kind == HTMT__PLACE_RANDOM
                 ? (uint32_t)htmt__random_below(htmt__random_at(r->seed, v, 0, 0), r->slices)
                 : cell[v],
             0);
    if (r->kind != HTMT__PLACE_CCA)
        return true;
    /* In the order of placement, each where its number says. */
    const uint32_t middle = r->side * (r->side / 2) + r->side / 2;
    b->count = n;
    for (uint32_t i = 0; i < n; i++) {
        struct object *o = &b->object[((uint64_t)r->root + i) % n];
        *o = (struct object){.cell = (uint32_t)(((uint64_t)middle + i) % r->slices)};
        o->next = draw(b, o->cell, 1);
    }
    return true;
}

static bool fill(struct htmt__placed *p, const struct builder *b, const struct htmt__graph *g,
                 const uint32_t *owner)
{
    const uint64_t n = b->count;
    p->vertices = g->vertices;
    p->objects = (uint32_t)n;
    p->cell = malloc(n * sizeof *p->cell);
    p->local = malloc(g->vertices * sizeof *p->local);
    p->member = malloc(g->vertices * sizeof *p->member);
    p->first_member = calloc(b->rules->slices + (size_t)1, sizeof *p->first_member);
    p->first = malloc((n + 1) * sizeof *p->first);
    p->first_child = malloc((n + 1) * sizeof *p->first_child);
    p->child = malloc((n + 1) * sizeof *p->child);
    p->edge = malloc((g->edges + 1) * sizeof *p->edge);
    uint64_t *next = malloc((n + 1) * sizeof *next);
    if (!p->cell || !p->local || !p->member || !p->first_member || !p->first || !p->first_child ||
        !p->child || !p->edge || !next) {
        free(next);
        return false;
    }
    p->first[0] = p->first_child[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        const struct object *o = &b->object[i];
        p->cell[i] = o->cell;
        if (i < g->vertices)
            p->local[i] = p->first_member[o->cell + 1]++;
        next[i] = p->first[i];
        p->first[i + 1] = p->first[i] + o->held;
        p->first_child[i + 1] = p->first_child[i] + o->children;
        memcpy(p->child + p->first_child[i], o->child, o->children * sizeof *p->child);
    }
    for (uint32_t cell = 0; cell < b->rules->slices; cell++)
        p->first_member[cell + 1] += p->first_member[cell];
    for (uint32_t v = 0; v < g->vertices; v++)
        p->member[p->first_member[p->cell[v]] + p->local[v]] = v;
    for (uint64_t i = 0; i < g->edges; i++)
        p->edge[next[owner[i]]++] = g->edge[i];
    free(next);
    return true;
}

int htmt__graph_place(const struct htmt__graph *g, const struct htmt__place_rules *rules,
                      struct htmt__placed *p, struct htmt_fault *fault)
{
    struct builder b = {.rules = rules};
    struct htmt__placed found = {.vertices = 0};
    uint32_t *cell = NULL, *owner = malloc((g->edges + 1) * sizeof *owner);
    int rc = HTMT_ENOMEM;
    if (!owner)
        goto done;
    if (rules->kind == HTMT__PLACE_METIS) {
        cell = malloc((g->vertices + (size_t)1) * sizeof *cell);
        rc = cell ? htmt__place_by_metis(g, rules->slices, cell, fault) : HTMT_ENOMEM;
        if (rc)
            goto done;
        rc = HTMT_ENOMEM;
    }
    rand_seed(&b.rand, 1989);
    if (!make_vertices(&b, g, cell))
        goto done;
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
            uint64_t who = insert(&b, v);
            if (who == UINT64_MAX)
                goto done;
            if (b.count > UINT32_MAX) {
                rc = HTMT_ERANGE;
                goto done;
            }
            owner[i] = (uint32_t)who;
        }
    rc = fill(&found, &b, g, owner) ? 0 : HTMT_ENOMEM;
done:
    free(cell);
    free(owner);
    free(b.object);
    if (rc) {
        htmt__placed_clear(&found);
        return rc == HTMT_ENOMEM   ? htmt_fault_set(fault, rc, "no memory to place the graph")
               : rc == HTMT_ERANGE ? htmt_fault_set(fault, rc, "more than 2^32 - 1 objects")
                                   : rc;
    }
    *p = found;
    return 0;
}

void htmt__placed_clear(struct htmt__placed *p)
{
    free(p->cell);
    free(p->local);
    free(p->member);
    free(p->first_member);
    free(p->first);
    free(p->edge);
    free(p->first_child);
    free(p->child);
    *p = (struct htmt__placed){.vertices = 0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/network/cell_graph.h"

#include "runtime/base/random.h"
#include "tests/network/plain_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNDEFINED 999999u
#define NONE      UINT32_MAX

/* A vertex or a ghost, with some of the edges. */
struct object {
    uint32_t vertex; /* of a ghost NONE */
    uint32_t cell, depth, room;
    uint32_t out; /* edges of the whole vertex, as inserted */
    uint32_t in;  /* of a vertex */
    uint32_t child[8], it;
    uint32_t next; /* cell of the next ghost */
    uint32_t *edge, edges;
    uint32_t *weight;
    uint32_t level;
    double rank, sum;
    uint32_t count;
    bool marked;
};

struct letter {
    uint32_t object;
    bool germinate;
    double value;
};

struct world {
    const struct edges *g;
    const struct cell_case *c;
    struct cell_random random;
    struct object *object;
    uint32_t objects, room;
    uint32_t *part_of; /* of each cell */
    uint32_t parts;
    struct part *part;
    int failed;
    uint32_t stuck;
};

/* A diffusion that is sent message by message. */
struct sending {
    uint32_t object;
    double value;
};

struct part {
    struct htmt__cells_series series;
    struct world *w;
    struct htmt__cells *cells;
    struct plain_cells *plain; /* in their place */
    struct letter *letter;
    uint32_t letters, letter_room;
    uint32_t *spare, spares, spare_room;
    struct sending *sending;
    uint32_t sendings, sending_room;
    uint32_t *idle, idles, idle_room;
    struct htmt__cells_tell *told; /* to this part, letters by value */
    struct letter *said;
    uint32_t tells, tell_room, said_room;
    int64_t next;
};

static void *more(void *at, uint32_t *room, uint32_t wanted, size_t size)
{
    if (wanted <= *room)
        return at;
    *room = wanted > 2 * *room ? wanted : 2 * *room;
    at = realloc(at, *room * size);
    if (!at)
        abort();
    return at;
}

/* ---- glibc's rand() -------------------------------------------------------------------------- */

void cell_random_begin(struct cell_random *s, uint32_t seed)
{
    s->r[0] = seed;
    for (uint32_t i = 1; i < 31; i++)
        s->r[i] = (uint32_t)(UINT64_C(16807) * s->r[i - 1] % 2147483647u);
    for (uint32_t i = 31; i < 34; i++)
        s->r[i] = s->r[i - 31];
    for (uint32_t i = 34; i < 344; i++)
        s->r[i] = s->r[i - 3] + s->r[i - 31];
    memmove(s->r, s->r + 313, 31 * sizeof *s->r);
    s->n = 0; /* r[n] is the oldest of the last 31 */
}

uint32_t cell_random_next(struct cell_random *s)
{
    const uint32_t r = s->r[(s->n + 28) % 31] + s->r[s->n];
    s->r[s->n] = r;
    s->n = (s->n + 1) % 31;
    return r >> 1;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

bool edges_read(struct edges *g, const char *path)
{
    FILE *f = fopen(path, "r");
    uint32_t again;
    bool good = f && fscanf(f, "%u %u %u", &g->vertices, &again, &g->count) == 3;
    g->at = good ? malloc((g->count + 1) * sizeof *g->at) : NULL;
    for (uint32_t i = 0; good && i < g->count; i++)
        good = fscanf(f, "%u %u %u", &g->at[i].from, &g->at[i].to, &g->at[i].weight) == 3;
    if (f)
        fclose(f);
    return good;
}

void edges_destroy(struct edges *g)
{
    free(g->at);
    g->at = NULL;
}

/* ---- placement ------------------------------------------------------------------------------- */

static uint32_t between(struct world *w, uint32_t at, uint32_t r, uint32_t extent)
{
    const uint32_t lo = at > r ? at - r : 0, hi = at + r < extent ? at + r : extent - 1;
    return lo + cell_random_next(&w->random) % (hi - lo + 1);
}

static uint32_t draw(struct world *w, uint32_t cell, uint32_t depth)
{
    const uint32_t side = w->c->grid.width, r = depth < 2 ? 1 : w->c->vicinity;
    const uint32_t x = between(w, cell % side, r, side), y = between(w, cell / side, r, side);
    return y * side + x;
}

static uint32_t object_make(struct world *w, uint32_t vertex, uint32_t cell, uint32_t depth)
{
    w->object = more(w->object, &w->room, w->objects + 1, sizeof *w->object);
    struct object *o = &w->object[w->objects];
    *o = (struct object){.vertex = vertex,
                         .cell = cell,
                         .depth = depth,
                         .room = depth < 2 ? w->c->least : w->c->most,
                         .level = UNDEFINED,
                         .rank = 1.0 / w->g->vertices};
    memset(o->child, 0xff, sizeof o->child);
    const uint32_t next = draw(w, cell, depth);
    w->object[w->objects].next = next;
    return w->objects++;
}

static void insert(struct world *w, uint32_t at, const struct edge *e)
{
    struct object *o = &w->object[at];
    if (o->edges < o->room) {
        o->edge = o->edge ? o->edge : malloc(o->room * sizeof *o->edge);
        o->weight = o->weight ? o->weight : malloc(o->room * sizeof *o->weight);
        o->edge[o->edges] = e->to;
        o->weight[o->edges++] = e->weight;
        o->out++;
        return;
    }
    if (o->child[o->it] == NONE) {
        uint32_t cell = o->next;
        while (cell == o->cell)
            cell = draw(w, o->cell, o->depth);
        w->object[at].next = draw(w, o->cell, o->depth);
        const uint32_t child = object_make(w, NONE, cell, o->depth + 1);
        o = &w->object[at];
        o->child[o->it] = child;
    }
    insert(w, o->child[o->it], e);
    o = &w->object[at];
    o->out++;
    const bool early = o->depth == 0 && (o->out == 2 * w->c->least ||
                                         (w->c->ghosts == 3 && o->out == 3 * w->c->least));
    if (o->out % w->c->most == 0 || early)
        o->it = (o->it + 1) % w->c->ghosts;
}

/* Vertices in the order of placement: object i is vertex (root + i) mod n. */
static uint32_t object_of(const struct world *w, uint32_t vertex)
{
    const uint32_t n = w->g->vertices;
    return (vertex + n - w->c->root) % n;
}

static void place(struct world *w)
{
    const uint32_t side = w->c->grid.width, n = w->g->vertices;
    const uint32_t first = side * (side / 2) + side / 2;
    uint32_t *begin = calloc(n + 2, sizeof *begin),
             *order = malloc((w->g->count + 1) * sizeof *order);
    cell_random_begin(&w->random, 1989);
    for (uint32_t i = 0; i < n; i++)
        object_make(w, (w->c->root + i) % n, (first + i) % (side * side), 0);
    for (uint32_t i = 0; i < w->g->count; i++)
        begin[w->g->at[i].from + 2]++;
    for (uint32_t i = 2; i < n + 2; i++)
        begin[i] += begin[i - 1];
    for (uint32_t i = 0; i < w->g->count; i++)
        order[begin[w->g->at[i].from + 1]++] = i;
    for (uint32_t i = 0; i < w->g->count; i++) {
        const struct edge *e = &w->g->at[order[i]];
        insert(w, object_of(w, e->from), e);
        w->object[object_of(w, e->to)].in++;
    }
    free(begin);
    free(order);
}

/* ---- what messages do ------------------------------------------------------------------------ */

static uint32_t letter_make(struct part *p, struct letter l)
{
    if (p->spares) {
        const uint32_t at = p->spare[--p->spares];
        p->letter[at] = l;
        return at;
    }
    p->letter = more(p->letter, &p->letter_room, p->letters + 1, sizeof *p->letter);
    p->letter[p->letters] = l;
    return p->letters++;
}

static void letter_end(struct part *p, uint32_t at)
{
    p->spare = more(p->spare, &p->spare_room, p->spares + 1, sizeof *p->spare);
    p->spare[p->spares++] = at;
}

static bool wanted(void *user, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                   uint64_t *cycles)
{
    struct part *p = user;
    const struct letter *l = &p->letter[message];
    const struct object *o = &p->w->object[l->object];
    const bool ghost = o->vertex == NONE, bfs = p->w->c->app == CELL_BFS;
    bool is = true;
    (void)cell;
    if (p->w->c->app != CELL_PAGERANK) {
        *cycles += bfs || !ghost;
        is = ghost ||
             (queue == HTMT__CELLS_ACTION ? o->level > l->value : o->level == (uint32_t)l->value);
    }
    if (!is)
        letter_end(p, message);
    return is;
}

static void reset(struct object *o, double rank)
{
    o->rank = rank;
    o->sum = 0;
    o->count = 0;
    o->marked = false;
}

/* Whether it diffuses, and with which value. */
static bool rank_work(struct world *w, struct object *o, struct letter *l, uint64_t *cycles)
{
    const double base = 0.15 / w->g->vertices, got = l->value;
    bool goes = false;
    if (o->vertex == NONE)
        return true;
    if (l->germinate) {
        *cycles += 31;
        l->value = o->rank / o->out;
        o->marked = goes = true;
        if (o->in == 0) {
            *cycles += 35;
            reset(o, base);
        }
        l->germinate = false;
        return goes;
    }
    *cycles += 3;
    o->sum += got;
    o->count++;
    if (!o->marked) {
        *cycles += 32;
        l->value = o->rank / o->out;
        o->marked = goes = true;
    }
    if (o->count == o->in) {
        *cycles += 35;
        reset(o, base + 0.85 * o->sum);
    }
    return goes;
}

static void work(void *user, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                 uint64_t *cycles)
{
    struct part *p = user;
    struct letter *l = &p->letter[message];
    struct object *o = &p->w->object[l->object];
    const bool ghost = o->vertex == NONE, bfs = p->w->c->app == CELL_BFS;
    if (queue == HTMT__CELLS_DIFFUSE) {
        uint32_t count = o->edges, at;
        for (uint32_t i = 0; i < 8; i++)
            count += o->child[i] != NONE;
        if (count && p->idles) {
            at = p->idle[--p->idles];
        } else {
            p->sending = more(p->sending, &p->sending_room, p->sendings + 1, sizeof *p->sending);
            at = p->sendings++;
        }
        p->sending[at] = (struct sending){.object = l->object, .value = l->value};
        if (p->plain)
            plain_cells_generate(p->plain, cell, at, count);
        else
            htmt__cells_generate(p->cells, cell, at, count);
        letter_end(p, message);
        return;
    }
    if (p->w->c->app == CELL_PAGERANK) {
        if (!rank_work(p->w, o, l, cycles)) {
            letter_end(p, message);
            return;
        }
    } else {
        *cycles += bfs || !ghost;
        if (!ghost)
            o->level = (uint32_t)l->value;
    }
    if (p->plain)
        plain_cells_diffuse(p->plain, cell, message);
    else
        htmt__cells_diffuse(p->cells, cell, message);
}

static uint32_t next(void *user, uint32_t cell, uint32_t generator, uint64_t i, bool last,
                     uint32_t *message, uint64_t *cycles)
{
    struct part *p = user;
    const struct sending s = p->sending[generator];
    const struct object *o = &p->w->object[s.object];
    struct letter l = {.value = s.value};
    (void)cell, (void)cycles;
    if (last) {
        p->idle = more(p->idle, &p->idle_room, p->idles + 1, sizeof *p->idle);
        p->idle[p->idles++] = generator;
    }
    for (uint32_t k = 0; k < 8; k++)
        if (o->child[k] != NONE && i-- == 0) {
            l.object = o->child[k];
            *message = letter_make(p, l);
            return p->w->object[l.object].cell;
        }
    l.object = object_of(p->w, o->edge[i]);
    l.value += p->w->c->app == CELL_BFS ? 1 : p->w->c->app == CELL_SSSP ? o->weight[i] : 0;
    *message = letter_make(p, l);
    return p->w->object[l.object].cell;
}

static void tell(void *user, const struct htmt__cells_tell *t)
{
    struct part *from = user, *to = &from->w->part[from->w->part_of[t->cell]];
    to->told = more(to->told, &to->tell_room, to->tells + 1, sizeof *to->told);
    to->said = more(to->said, &to->said_room, to->tells + 1, sizeof *to->said);
    to->told[to->tells] = *t;
    if (t->offers) {
        to->said[to->tells] = from->letter[t->message];
        letter_end(from, t->message);
    }
    to->tells++;
}

static void failed(void *user, int code, uint32_t cell)
{
    struct part *p = user;
    (void)cell;
    p->w->failed = code;
}

/* ---- playing --------------------------------------------------------------------------------- */

static void germinate(struct world *w, uint32_t object, uint64_t cycle)
{
    struct part *p = &w->part[w->part_of[w->object[object].cell]];
    const uint32_t l = letter_make(p, (struct letter){object, true, 0});
    if (!p->plain)
        htmt__cells_wake(p->cells, w->object[object].cell, (int64_t)cycle);
    if (!(p->plain ? plain_cells_put(p->plain, w->object[object].cell, l)
                   : htmt__cells_put(p->cells, w->object[object].cell, l)))
        w->failed = -1;
    p->next = 0; /* now */
}

static void hear(struct part *p, int64_t cycle)
{
    for (uint32_t t = 0; t < p->tells; t++) {
        if (p->told[t].offers)
            p->told[t].message = letter_make(p, p->said[t]);
        htmt__cells_hear(p->cells, &p->told[t]);
        p->next = cycle;
    }
    p->tells = 0;
}

/* A span of each cycle, which twice as many cycles join when there is no room for more. */
static void watch_plainly(struct htmt__cells_series *s, uint64_t cycle,
                          const struct htmt__cells_span *grew)
{
    s->width = s->width ? s->width : 1;
    while (cycle / s->width >= HTMT__CELLS_SPANS) {
        struct htmt__cells_series joined = {.width = 2 * s->width, .count = (s->count + 1) / 2};
        for (uint32_t i = 0; i < s->count; i++) {
            joined.span[i / 2].active += s->span[i].active;
            joined.span[i / 2].throttled += s->span[i].throttled;
            joined.span[i / 2].standing += s->span[i].standing;
        }
        *s = joined;
    }
    struct htmt__cells_span *span = &s->span[cycle / s->width];
    span->active += grew->active;
    span->throttled += grew->throttled;
    span->standing += grew->standing;
    s->count = (uint32_t)(cycle / s->width) + 1;
}

/* Gives up when nothing moves for as long as a full diffuse queue takes, three times. */
static int64_t play_plainly(struct world *w, int64_t cycle)
{
    struct plain_cells *p = w->part->plain;
    const int64_t patience = 500 + w->c->grid.cool + 3 * (int64_t)w->c->grid.diffuse;
    bool any = true;
    while (any && !w->failed && !w->stuck) {
        struct htmt__cells_account before, after;
        plain_cells_count(p, &before);
        any = plain_cells_play(p);
        plain_cells_count(p, &after);
        const struct htmt__cells_span grew = {after.active - before.active,
                                              after.throttled - before.throttled,
                                              after.standing - before.standing};
        if (w->c->watched && grew.active)
            watch_plainly(&w->part->series, (uint64_t)cycle, &grew);
        cycle++;
        w->stuck = cycle - plain_cells_moved(p) > patience;
    }
    return cycle;
}

/* From that cycle on. Returns the one behind the last active one. */
static int64_t play_until_quiet(struct world *w, int64_t cycle)
{
    if (w->c->plain)
        return play_plainly(w, cycle);
    while (!w->failed) {
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < w->parts; i++) {
            hear(&w->part[i], cycle);
            w->part[i].next = w->part[i].next < cycle ? cycle : w->part[i].next;
            next = w->part[i].next < next ? w->part[i].next : next;
        }
        if (next == INT64_MAX)
            break;
        cycle = next;
        for (uint32_t i = 0; i < w->parts; i++)
            if (w->part[i].next == cycle)
                w->part[i].next = htmt__cells_play(w->part[i].cells, cycle);
        cycle++;
    }
    for (uint32_t i = 0; i < w->parts; i++) {
        struct htmt__cells_account a;
        uint32_t cell;
        htmt__cells_count(w->part[i].cells, &a);
        w->stuck += htmt__cells_stuck(w->part[i].cells, &cell);
        cycle = i && a.cycles < cycle ? cycle : a.cycles;
    }
    return cycle;
}

static void add(struct htmt__cells_account *a, const struct htmt__cells_account *b)
{
    a->created += b->created;
    a->work += b->work;
    a->unwanted += b->unwanted;
    a->diffusions += b->diffusions;
    a->done += b->done;
    a->outdated += b->outdated;
    a->filtered += b->filtered;
    a->overlapped += b->overlapped;
    a->hops += b->hops;
    a->active += b->active;
    a->throttled += b->throttled;
    a->standing += b->standing;
}

static void parts_create(struct world *w)
{
    const uint32_t cells = w->c->grid.width * w->c->grid.height;
    uint64_t seed = w->c->dealt;
    bool *mine = malloc(cells * sizeof *mine);
    w->parts = w->c->partitions && !w->c->plain ? w->c->partitions : 1;
    w->part = calloc(w->parts, sizeof *w->part);
    w->part_of = calloc(cells, sizeof *w->part_of);
    for (uint32_t i = 0; i < cells; i++)
        w->part_of[i] = w->c->dealt
                            ? (uint32_t)htmt__random_below(htmt__random_next(&seed), w->parts)
                            : i * w->parts / cells;
    for (uint32_t i = 0; i < w->parts; i++) {
        const struct htmt__cells_calls calls = {.user = &w->part[i],
                                                .wanted = wanted,
                                                .work = work,
                                                .next = next,
                                                .tell = tell,
                                                .fail = failed};
        w->part[i].w = w;
        w->part[i].next = INT64_MAX;
        for (uint32_t k = 0; k < cells; k++)
            mine[k] = w->part_of[k] == i;
        if (w->c->plain)
            w->part[i].plain = plain_cells_create(&w->c->grid, &calls);
        else if (htmt__cells_create(&w->c->grid, w->parts > 1 ? mine : NULL, &calls,
                                    &w->part[i].cells))
            abort();
        if (w->c->watched && !w->c->plain)
            htmt__cells_watch(w->part[i].cells, &w->part[i].series);
    }
    free(mine);
}

static void parts_destroy(struct world *w)
{
    for (uint32_t i = 0; i < w->parts; i++) {
        struct part *p = &w->part[i];
        if (p->plain)
            plain_cells_destroy(p->plain);
        htmt__cells_destroy(&p->cells);
        free(p->letter);
        free(p->spare);
        free(p->sending);
        free(p->idle);
        free(p->told);
        free(p->said);
    }
    for (uint32_t i = 0; i < w->objects; i++) {
        free(w->object[i].edge);
        free(w->object[i].weight);
    }
    free(w->object);
    free(w->part);
    free(w->part_of);
}

struct cell_case cell_case_of(uint32_t side)
{
    return (struct cell_case){.grid = {.width = side,
                                       .height = side,
                                       .torus = true,
                                       .channels = 4,
                                       .buffer = 4,
                                       .action = 2048,
                                       .own = 22,
                                       .diffuse = 4096,
                                       .throttle = true,
                                       .cool = 22},
                              .vicinity = 2,
                              .least = 10,
                              .most = 15,
                              .ghosts = 3};
}

struct cell_result cell_play(const struct edges *g, const struct cell_case *c)
{
    struct world w = {.g = g, .c = c};
    struct cell_result r = {0};
    const bool rank = c->app == CELL_PAGERANK;
    place(&w);
    parts_create(&w);
    for (uint32_t i = 0; i < (rank ? c->iterations : 1); i++) {
        const uint32_t root = object_of(&w, c->root);
        germinate(&w, root, r.cycles);
        for (uint32_t v = 0; rank && v < g->vertices; v++)
            if (w.object[object_of(&w, v)].in == 0)
                germinate(&w, object_of(&w, v), r.cycles);
        r.cycles = (uint64_t)play_until_quiet(&w, (int64_t)r.cycles);
    }
    r.objects = w.objects;
    r.failed = w.failed;
    r.stuck = w.stuck;
    for (uint32_t i = 0; i < w.parts; i++) {
        struct htmt__cells_account a;
        if (c->plain)
            plain_cells_count(w.part[i].plain, &a);
        else
            htmt__cells_count(w.part[i].cells, &a);
        add(&r.counts, &a);
        htmt__cells_series_add(&r.series, &w.part[i].series);
    }
    r.value = malloc((g->vertices + 1) * sizeof *r.value);
    for (uint32_t v = 0; v < g->vertices; v++) {
        const struct object *o = &w.object[object_of(&w, v)];
        r.value[v] = rank ? o->rank : o->level;
    }
    parts_destroy(&w);
    return r;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/graph/cell_player.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT, UP, RIGHT, DOWN, SIDES, LANES = 4, BUFFER_MOST = 64 };

struct packet {
    struct htmt__operon m;
    uint32_t target;
};

/* A queue that grows; taken from its head. */
struct queue {
    struct packet *at;
    size_t head, count, room;
};

struct cell {
    struct packet recv[SIDES][LANES][BUFFER_MOST], send[SIDES][LANES], staging;
    unsigned held[SIDES][LANES];
    bool sends[SIDES][LANES], staged;
    struct queue task, action, diffuse;
    uint64_t pending, cont[SIDES];
    int64_t last; /* congested cycle; -1: never */
    unsigned rr;
};

struct cell_player {
    struct cell_player_chip chip;
    const struct htmt__vertices *all;
    struct htmt__vertex *state;
    struct cell *cell;
    uint32_t cells;
    int64_t cycle, moved; /* moved: the last cycle in which something did */
    struct cell_player_counts n;
};

static void push(struct queue *q, struct packet p)
{
    if (q->head + q->count == q->room) {
        if (q->head > q->count) {
            memmove(q->at, q->at + q->head, q->count * sizeof *q->at);
            q->head = 0;
        } else {
            q->room = 2 * q->room + 8;
            q->at = realloc(q->at, q->room * sizeof *q->at);
            cr_assert_not_null(q->at);
        }
    }
    q->at[q->head + q->count++] = p;
}

static struct packet pop(struct queue *q)
{
    q->count--;
    return q->at[q->head++];
}

struct cell_player *cell_player_create(const struct cell_player_chip *chip,
                                       const struct htmt__vertices *all, struct htmt__vertex *state)
{
    struct cell_player *p = calloc(1, sizeof *p);
    cr_assert_not_null(p);
    p->chip = *chip;
    p->all = all;
    p->state = state;
    p->cells = chip->side * chip->side;
    p->cell = calloc(p->cells, sizeof *p->cell);
    cr_assert(p->cell && chip->buffer <= BUFFER_MOST);
    for (uint32_t i = 0; i < p->cells; i++)
        p->cell[i].last = -1;
    for (uint32_t v = 0; v < all->place->vertices; v++)
        htmt__vertex_begin(all, &state[v]);
    return p;
}

void cell_player_destroy(struct cell_player *p)
{
    for (uint32_t i = 0; i < p->cells; i++) {
        free(p->cell[i].task.at);
        free(p->cell[i].action.at);
        free(p->cell[i].diffuse.at);
    }
    free(p->cell);
    free(p);
}

const struct cell_player_counts *cell_player_count(const struct cell_player *p)
{
    return &p->n;
}

static struct packet packet_of(struct cell_player *p, struct htmt__operon m)
{
    p->n.created++;
    return (struct packet){m, p->all->place->cell[m.object]};
}

void cell_player_post(struct cell_player *p, struct htmt__operon m)
{
    struct packet k = packet_of(p, m);
    cr_assert_lt(p->cell[k.target].action.count, p->chip.action);
    push(&p->cell[k.target].action, k);
}

static struct htmt__vertex *state_of(struct cell_player *p, uint32_t object)
{
    return object < p->all->place->vertices ? &p->state[object] : NULL;
}

static bool active(const struct cell *c)
{
    bool some = c->action.count || c->diffuse.count || c->task.count || c->staged;
    for (int d = 0; d < SIDES; d++)
        for (int v = 0; v < LANES; v++)
            some |= c->held[d][v] || c->sends[d][v];
    return some;
}

/* The direction of the next step, and whether it leaves over the border. */
static int route(const struct cell_player *p, uint32_t from, uint32_t to, bool *wraps)
{
    const int side = (int)p->chip.side;
    const int x = (int)from % side, y = (int)from / side;
    const int dx = (int)to % side - x, dy = (int)to / side - y, way = dy ? dy : dx;
    bool forth = way > 0;
    if (p->chip.torus && 2 * abs(way) > side)
        forth = !forth;
    const int at = dy ? y : x;
    *wraps = forth ? at == side - 1 : at == 0;
    return dy ? (forth ? DOWN : UP) : (forth ? RIGHT : LEFT);
}

static uint32_t neighbour(const struct cell_player *p, uint32_t cell, int d)
{
    const uint32_t side = p->chip.side, x = cell % side, y = cell / side;
    switch (d) {
    case LEFT:
        return y * side + (x + side - 1) % side;
    case RIGHT:
        return y * side + (x + 1) % side;
    case UP:
        return (y + side - 1) % side * side + x;
    default:
        return (y + 1) % side * side + x;
    }
}

/* ---- compute --------------------------------------------------------------------------------- */

static void stage_out(struct cell_player *p, uint32_t i)
{
    struct cell *c = &p->cell[i];
    bool wraps;
    if (!c->staged)
        return;
    if (c->staging.target == i) {
        if (c->action.count > p->chip.action + p->chip.own)
            return;
        push(&c->action, c->staging);
    } else {
        const int d = route(p, i, c->staging.target, &wraps);
        if (c->sends[d][0])
            return;
        c->send[d][0] = c->staging;
        c->sends[d][0] = true;
    }
    c->staged = false;
    p->moved = p->cycle;
}

static bool moves_on(struct cell_player *p, uint32_t i, int d, int v, const struct packet *k)
{
    struct cell *c = &p->cell[i];
    bool wraps;
    if (k->target == i) {
        if (c->action.count >= p->chip.action)
            return false;
        push(&c->action, *k);
        return true;
    }
    const int r = route(p, i, k->target, &wraps);
    const int lane = d % 2 == r % 2 && !wraps ? v : (v + 1) % LANES;
    if (c->sends[r][lane])
        return false;
    c->send[r][lane] = *k;
    c->sends[r][lane] = true;
    return true;
}

static void receive(struct cell_player *p, uint32_t i)
{
    struct cell *c = &p->cell[i];
    for (unsigned k = 0; k < SIDES; k++)
        for (int v = LANES - 1; v >= 0; v--) {
            const int d = (int)((c->rr + k) % SIDES);
            for (unsigned n = 0; n < c->held[d][v]; n++)
                if (moves_on(p, i, d, v, &c->recv[d][v][n])) {
                    p->moved = p->cycle;
                    memmove(&c->recv[d][v][n], &c->recv[d][v][n + 1],
                            (--c->held[d][v] - n) * sizeof c->recv[d][v][n]);
                    break;
                }
        }
    c->rr = (c->rr + 1) % SIDES;
}

static void act(struct cell_player *p, struct cell *c, bool overlapped)
{
    struct packet k = pop(&c->action);
    struct htmt__vertex *v = state_of(p, k.m.object);
    p->moved = p->cycle;
    p->n.overlapped += overlapped;
    if (!htmt__action_wanted(p->all, v, &k.m, &c->pending)) {
        p->n.refused++;
        return;
    }
    p->n.work++;
    struct htmt__operon out;
    if (htmt__action_work(p->all, v, &k.m, &out, &c->pending) == HTMT__THEN_DIFFUSE) {
        cr_assert_lt(c->diffuse.count, p->chip.diffuse);
        p->n.diffusions++;
        push(&c->diffuse, (struct packet){out, k.target});
    }
}

static void diffuse(struct cell_player *p, struct cell *c)
{
    struct packet k = pop(&c->diffuse);
    p->moved = p->cycle;
    if (!htmt__diffusion_wanted(p->all, state_of(p, k.m.object), &k.m, &c->pending)) {
        p->n.outdated++;
        return;
    }
    p->n.done++;
    const uint64_t count = htmt__diffusion_count(p->all, k.m.object);
    for (uint64_t i = 0; i < count; i++)
        push(&c->task, packet_of(p, htmt__diffusion_next(p->all, &k.m, i)));
}

static void filter(struct cell_player *p, struct cell *c)
{
    struct packet k = pop(&c->diffuse);
    if (htmt__diffusion_wanted(p->all, state_of(p, k.m.object), &k.m, &c->pending)) {
        push(&c->diffuse, k);
        return;
    }
    p->n.filtered++;
    p->moved = p->cycle;
}

static void compute(struct cell_player *p, uint32_t i)
{
    struct cell *c = &p->cell[i];
    if (!active(c))
        return;
    p->n.active++;
    if (c->pending) {
        p->n.standing++;
        c->pending--;
        return;
    }
    stage_out(p, i);
    receive(p, i);
    const bool hot =
        p->chip.throttle && c->last >= 0 && p->cycle - c->last <= (int64_t)p->chip.cool;
    p->n.throttled += c->task.count && hot;
    if (c->task.count && !c->staged && !hot) {
        p->moved = p->cycle;
        c->staging = pop(&c->task);
        c->staged = true;
    } else if (c->task.count) {
        const uint64_t most = p->chip.action + p->chip.own;
        const bool eager = c->action.count > (uint64_t)((double)most / (100.0 / 95.0)) &&
                           c->diffuse.count < p->chip.diffuse;
        const bool long_queue =
            c->diffuse.count > (uint64_t)((double)p->chip.diffuse / (100.0 / 90.0));
        if (c->action.count && c->diffuse.count && !eager && long_queue)
            filter(p, c);
        else if (c->action.count)
            act(p, c, true);
        else if (c->diffuse.count)
            filter(p, c);
    } else if (c->action.count && (!c->diffuse.count || c->diffuse.count != p->chip.diffuse)) {
        act(p, c, false);
    } else if (c->diffuse.count) {
        diffuse(p, c);
    }
}

/* ---- the other phases ------------------------------------------------------------------------ */

static void communicate(struct cell_player *p, uint32_t i)
{
    struct cell *c = &p->cell[i];
    for (int d = 0; d < SIDES; d++)
        for (int v = 0; v < LANES; v++) {
            if (!c->sends[d][v])
                continue;
            struct cell *to = &p->cell[neighbour(p, i, d)];
            const int from = (d + 2) % SIDES;
            if (to->held[from][v] == p->chip.buffer) {
                c->cont[d]++;
                continue;
            }
            to->recv[from][v][to->held[from][v]++] = c->send[d][v];
            c->sends[d][v] = false;
            c->cont[d] = 0;
            p->n.hops++;
            p->moved = p->cycle;
        }
}

/* Nothing for as long as a full diffuse queue is looked through, three times. */
static bool is_stuck(const struct cell_player *p)
{
    uint64_t patience = 500 + p->chip.cool + UINT64_C(3) * p->chip.diffuse, most = 0;
    for (uint32_t i = 0; i < p->cells; i++)
        most = p->cell[i].pending > most ? p->cell[i].pending : most;
    return (uint64_t)(p->cycle - p->moved) > patience + most;
}

void cell_player_run(struct cell_player *p)
{
    bool some = false;
    for (uint32_t i = 0; i < p->cells; i++)
        some |= active(&p->cell[i]);
    while (some) {
        some = false;
        for (uint32_t i = 0; i < p->cells; i++)
            compute(p, i);
        for (uint32_t i = 0; i < p->cells; i++)
            stage_out(p, i);
        for (uint32_t i = 0; i < p->cells; i++)
            communicate(p, i);
        for (uint32_t i = 0; i < p->cells; i++) {
            struct cell *c = &p->cell[i];
            for (int d = 0; d < SIDES; d++)
                if (c->cont[d] > 1)
                    c->last = p->cycle;
            some |= active(c);
        }
        p->cycle++;
        p->n.cycles++;
        if (is_stuck(p)) {
            p->n.cycles = (uint64_t)p->moved + 1;
            for (uint32_t i = 0; i < p->cells; i++)
                p->n.stuck += active(&p->cell[i]);
            return;
        }
    }
}

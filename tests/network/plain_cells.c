/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules of docs/networks.md ("Cells") read a second time: every cell in every cycle, phase by
 * phase, nobody sleeps, and routes are computed when they are asked for.
 */
#include "tests/network/plain_cells.h"

#include <stdlib.h>

#define V 8 /* channels, at most */

struct entry {
    uint32_t target, message;
};

struct queue {
    struct entry *at;
    uint32_t count;
};

struct plain_cell {
    struct queue recv[4][V], action, diffuse, task;
    struct entry send[4][V], staging;
    bool sends[4][V], staged;
    uint64_t next; /* of the first task: message is the generator, target the count */
    uint64_t pending;
    uint32_t cont[4];
    int64_t last;
    unsigned rr;
};

struct plain_cells {
    struct htmt__cells_grid g;
    struct htmt__cells_calls call;
    struct htmt__cells_account account;
    struct plain_cell *cell;
    int64_t cycle, moved;
};

static void push(struct queue *q, uint32_t target, uint32_t message)
{
    q->at = realloc(q->at, (q->count + 1) * sizeof *q->at);
    q->at[q->count++] = (struct entry){target, message};
}

static struct entry take(struct queue *q, uint32_t i)
{
    const struct entry found = q->at[i];
    q->count--;
    for (; i < q->count; i++)
        q->at[i] = q->at[i + 1];
    return found;
}

static unsigned step_of(int from, int to, int extent, bool torus, unsigned less, unsigned more)
{
    const int way = abs(to - from);
    const bool wrap = torus && 2 * way > extent;
    return (to < from) != wrap ? less : more;
}

/* 4: it is there. */
static unsigned route(const struct plain_cells *p, uint32_t at, uint32_t to)
{
    const int w = (int)p->g.width, h = (int)p->g.height, x = (int)at % w, y = (int)at / w;
    if ((int)to / w != y)
        return step_of(y, (int)to / w, h, p->g.torus, 1, 3);
    return (int)to % w != x ? step_of(x, (int)to % w, w, p->g.torus, 0, 2) : 4;
}

static bool wraps(const struct plain_cells *p, uint32_t at, unsigned d)
{
    const uint32_t x = at % p->g.width, y = at / p->g.width;
    return d == 0 ? x == 0 : d == 1 ? y == 0 : d == 2 ? x == p->g.width - 1 : y == p->g.height - 1;
}

static uint32_t beside(const struct plain_cells *p, uint32_t at, unsigned d)
{
    const uint32_t w = p->g.width, h = p->g.height, x = at % w, y = at / w;
    return d == 0   ? y * w + (x + w - 1) % w
           : d == 1 ? (y + h - 1) % h * w + x
           : d == 2 ? y * w + (x + 1) % w
                    : (y + 1) % h * w + x;
}

static bool active(const struct plain_cell *c)
{
    bool is = c->action.count || c->diffuse.count || c->task.count || c->staged;
    for (unsigned d = 0; d < 4; d++)
        for (unsigned v = 0; v < V; v++)
            is |= c->sends[d][v] || c->recv[d][v].count;
    return is;
}

static void stage_out(struct plain_cells *p, uint32_t at)
{
    struct plain_cell *c = &p->cell[at];
    const unsigned r = c->staged ? route(p, at, c->staging.target) : 0;
    if (!c->staged || (r == 4 ? c->action.count > p->g.action + p->g.own : c->sends[r][0]))
        return;
    if (r == 4) {
        push(&c->action, at, c->staging.message);
    } else {
        c->send[r][0] = c->staging;
        c->sends[r][0] = true;
    }
    c->staged = false;
    p->moved = p->cycle;
}

static bool goes(struct plain_cells *p, uint32_t at, unsigned d, unsigned v, struct entry o)
{
    struct plain_cell *c = &p->cell[at];
    const unsigned r = route(p, at, o.target);
    if (r == 4) {
        if (c->action.count >= p->g.action)
            return false;
        push(&c->action, at, o.message);
        return true;
    }
    const bool straight = d % 2 == r % 2 && !(p->g.torus && wraps(p, at, r));
    const unsigned out = straight ? v : (v + 1) % p->g.channels;
    if (c->sends[r][out])
        return false;
    c->send[r][out] = o;
    return c->sends[r][out] = true;
}

static void run(struct plain_cells *p, uint32_t at, struct queue *q, enum htmt__cells_queue which)
{
    struct plain_cell *c = &p->cell[at];
    const uint32_t m = take(q, 0).message;
    const bool is = p->call.wanted(p->call.user, at, which, m, &c->pending);
    if (which == HTMT__CELLS_ACTION)
        *(is ? &p->account.work : &p->account.unwanted) += 1;
    else
        *(is ? &p->account.done : &p->account.outdated) += 1;
    if (is)
        p->call.work(p->call.user, at, which, m, &c->pending);
    p->moved = p->cycle;
}

static void filter(struct plain_cells *p, uint32_t at)
{
    struct plain_cell *c = &p->cell[at];
    const uint32_t m = take(&c->diffuse, 0).message;
    if (p->call.wanted(p->call.user, at, HTMT__CELLS_DIFFUSE, m, &c->pending)) {
        push(&c->diffuse, at, m);
    } else {
        p->account.filtered++;
        p->moved = p->cycle;
    }
}

static void overlap(struct plain_cells *p, uint32_t at)
{
    struct plain_cell *c = &p->cell[at];
    const uint32_t a = c->action.count, f = c->diffuse.count, most = p->g.action + p->g.own;
    bool acts = a > 0;
    if (a && f && !(a > (uint32_t)(most / (100.0 / 95.0)) && f < p->g.diffuse))
        acts = f <= (uint32_t)(p->g.diffuse / (100.0 / 90.0));
    if (acts) {
        run(p, at, &c->action, HTMT__CELLS_ACTION);
        p->account.overlapped++;
    } else if (f) {
        filter(p, at);
    }
}

static void compute(struct plain_cells *p, uint32_t at)
{
    struct plain_cell *c = &p->cell[at];
    if (!active(c))
        return;
    p->account.active++;
    p->account.cycles = p->cycle + 1;
    if (c->pending) {
        c->pending--;
        p->account.standing++;
        return;
    }
    stage_out(p, at);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned v = p->g.channels, d = (c->rr + k) % 4; v-- > 0;)
            for (uint32_t i = 0; i < c->recv[d][v].count; i++)
                if (goes(p, at, d, v, c->recv[d][v].at[i])) {
                    take(&c->recv[d][v], i);
                    p->moved = p->cycle;
                    break;
                }
    c->rr = (c->rr + 1) % 4;
    const bool hot = p->g.throttle && c->last >= 0 && p->cycle - c->last <= p->g.cool;
    if (c->task.count && (c->staged || hot)) {
        p->account.throttled += hot;
        overlap(p, at);
    } else if (c->task.count) {
        const struct entry t = c->task.at[0];
        const uint64_t i = c->next++;
        const bool last = c->next == t.target;
        c->staging.target =
            p->call.next(p->call.user, at, t.message, i, last, &c->staging.message, &c->pending);
        c->staged = c->staging.target != HTMT__CELLS_NOBODY;
        c->next = last ? 0 : c->next;
        if (last)
            take(&c->task, 0);
        p->moved = p->cycle;
    } else if (c->diffuse.count && (!c->action.count || c->diffuse.count == p->g.diffuse)) {
        run(p, at, &c->diffuse, HTMT__CELLS_DIFFUSE);
    } else if (c->action.count) {
        run(p, at, &c->action, HTMT__CELLS_ACTION);
    }
}

static void communicate(struct plain_cells *p, uint32_t at)
{
    struct plain_cell *c = &p->cell[at];
    for (unsigned d = 0; d < 4; d++)
        for (unsigned v = 0; v < p->g.channels; v++) {
            struct queue *q = &p->cell[beside(p, at, d)].recv[d ^ 2][v];
            if (!c->sends[d][v])
                continue;
            if (q->count < p->g.buffer) {
                push(q, c->send[d][v].target, c->send[d][v].message);
                c->sends[d][v] = false;
                c->cont[d] = 0;
                p->account.hops++;
                p->moved = p->cycle;
            } else {
                c->cont[d]++;
            }
        }
}

bool plain_cells_play(struct plain_cells *p)
{
    const uint32_t cells = p->g.width * p->g.height;
    bool any = false;
    for (uint32_t i = 0; i < cells; i++)
        compute(p, i);
    for (uint32_t i = 0; i < cells; i++)
        stage_out(p, i);
    for (uint32_t i = 0; i < cells; i++)
        communicate(p, i);
    for (uint32_t i = 0; i < cells; i++) {
        struct plain_cell *c = &p->cell[i];
        for (unsigned d = 0; d < 4; d++)
            if (c->cont[d] > 1)
                c->last = p->cycle;
        any |= active(c);
    }
    p->cycle++;
    return any;
}

int64_t plain_cells_moved(const struct plain_cells *p)
{
    return p->moved;
}

bool plain_cells_put(struct plain_cells *p, uint32_t cell, uint32_t message)
{
    if (p->cell[cell].action.count >= p->g.action)
        return false;
    push(&p->cell[cell].action, cell, message);
    p->account.created++;
    return true;
}

void plain_cells_diffuse(struct plain_cells *p, uint32_t cell, uint32_t message)
{
    if (p->cell[cell].diffuse.count >= p->g.diffuse)
        p->call.fail(p->call.user, 1, cell);
    push(&p->cell[cell].diffuse, cell, message);
    p->account.diffusions++;
}

void plain_cells_generate(struct plain_cells *p, uint32_t cell, uint32_t generator, uint64_t count)
{
    if (count)
        push(&p->cell[cell].task, (uint32_t)count, generator);
    p->account.created += count;
}

void plain_cells_count(const struct plain_cells *p, struct htmt__cells_account *account)
{
    *account = p->account;
}

struct plain_cells *plain_cells_create(const struct htmt__cells_grid *grid,
                                       const struct htmt__cells_calls *calls)
{
    struct plain_cells *p = calloc(1, sizeof *p);
    *p = (struct plain_cells){.g = *grid, .call = *calls, .moved = -1};
    p->cell = calloc(grid->width * grid->height, sizeof *p->cell);
    for (uint32_t i = 0; i < grid->width * grid->height; i++)
        p->cell[i].last = -1;
    return p;
}

void plain_cells_destroy(struct plain_cells *p)
{
    for (uint32_t i = 0; i < p->g.width * p->g.height; i++) {
        struct plain_cell *c = &p->cell[i];
        for (unsigned k = 0; k < 4 * V; k++)
            free(c->recv[k / V][k % V].at);
        free(c->action.at);
        free(c->diffuse.at);
        free(c->task.at);
    }
    free(p->cell);
    free(p);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Three programs as a user writes them with the helpers: a dot product, Jacobi's method with an
 * exchange of halos, and N bodies on a ring. Their results are those of plain loops, their times
 * those of closed forms by hand, for any number of threads, as models, and folded.
 */
#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"

#include <math.h>

/* Each program in each way in which it can be played; `time` in ns. */
static void same_in_all_ways(htmt_time (*play)(struct htmt_options o), htmt_time time, bool folds)
{
    static const struct htmt_options ways[] = {
        {.threads = 1}, {.threads = 3}, {.threads = 2, .checked = true}, {.mode = HTMT_MODEL}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        cr_assert_eq(play(ways[i]), time * NS, "way %zu", i);
    if (folds)
        cr_assert_eq(play((struct htmt_options){.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED}),
                     time * NS, "folded");
}

/* ---- dot product ----------------------------------------------------------------------------- */

enum { DOT_SLICES = 4, DOT_BLOCK = 16, DOT_BLOCKS = 5, DOT_N = DOT_BLOCK * DOT_BLOCKS - 6 };

struct dot {
    struct htmt_frame *x, *y, *partial, *sum;
    struct htmt_type *block;
    struct htmt_allreduce *total;
};
struct dot_args {
    struct dot *dot;
};

static void dot_block(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0), *y = htmt_bytes(k, 1);
    double *sum = htmt_bytes(k, 2);
    for (uint64_t i = 0; i < htmt_size(k, 0) / 8; i++)
        *sum += x[i] * y[i];
    htmt_count(k, HTMT_FLOP, htmt_size(k, 0) / 4);
}
COST(dot_block_cost, ops->n[HTMT_FLOP] = 2 * *(const uint64_t *)args)
static void dot_block_args(void *args, uint32_t block, const void *user)
{
    (void)user;
    *(uint64_t *)args = block == DOT_BLOCKS - 1 ? DOT_N % DOT_BLOCK : DOT_BLOCK;
}
static void dot_sum(struct htmt_kernel *k)
{
    const double *partial = htmt_used(k, 0);
    for (int i = 0; i < DOT_BLOCKS; i++)
        *(double *)htmt_used(k, 1) += partial[i];
}
COST(dot_sum_cost, ops->n[HTMT_FLOP] = DOT_BLOCKS)
static void dot_add(void *into, const void *from, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)from;
}

static void dot_begin(struct htmt_context *c)
{
    const struct dot *d = ((const struct dot_args *)htmt_args(c))->dot;
    uint32_t me = htmt_slice(c), blocks = 0;
    const struct htmt_blocked b[] = {
        {.at = htmt_at(d->x, me, 0), .block = 8 * DOT_BLOCK, .use = HTMT_READ},
        {.at = htmt_at(d->y, me, 0), .block = 8 * DOT_BLOCK, .use = HTMT_READ},
        {.at = htmt_at(d->partial, me, 0), .block = 8, .use = HTMT_WRITE}};
    struct htmt_blocks_desc blocked = htmt_blocks_desc_init();
    blocked.type = d->block;
    blocked.blocked = b;
    blocked.blocked_count = 3;
    blocked.each = dot_block_args;
    blocked.on_done = htmt_slot(c, 1);
    htmt_blocks(c, &blocked, &blocks);
    htmt_slot_set(c, 1, blocks, 0);
}
static void dot_end(struct htmt_context *c)
{
    const struct dot *d = ((const struct dot_args *)htmt_args(c))->dot;
    htmt_use(c, htmt_at(d->partial, htmt_slice(c), 0), 8 * DOT_BLOCKS, HTMT_READ);
    htmt_use(c, htmt_at(d->sum, htmt_slice(c), 0), 8, HTMT_UPDATE);
    htmt_work(c);
    htmt_allreduce(c, d->total, htmt_slot(c, 2));
}
CONTROL(retire, htmt_retire(c, htmt_self(c)))

static struct world dot_open(struct dot *d, struct htmt_options o)
{
    struct world_spec s = world_plain(DOT_SLICES);
    struct world w = world_open(&s, o);
    static const struct htmt_stage fibers[] = {
        {.kernel = dot_sum, .cost = dot_sum_cost, .control = dot_end},
        {.control = retire, .count = 1}};
    cr_assert_eq(htmt_frame_create(w.e, DRAM, 8 * DOT_N, "x", &d->x), 0);
    cr_assert_eq(htmt_frame_create(w.e, DRAM, 8 * DOT_N, "y", &d->y), 0);
    cr_assert_eq(htmt_frame_create(w.e, DRAM, 8 * DOT_BLOCKS, "partial", &d->partial), 0);
    cr_assert_eq(htmt_frame_create(w.e, DRAM, 8, "sum", &d->sum), 0);
    const struct htmt_allreduce_desc a = {
        .frame = d->sum, .bytes = 8, .combine = dot_add, .ops = {{[HTMT_FLOP] = 1}}};
    cr_assert_eq(htmt_allreduce_create(w.e, &a, &d->total), 0);
    d->block = TYPE(&w, .name = "block", .home = "dram", .exec = "cram",
                    .execute = {.kernel = dot_block, .cost = dot_block_cost}, .args_bytes = 8);
    struct htmt_type *main =
        TYPE(&w, .name = "main", .home = "dram", .exec = "dram", .execute = {.control = dot_begin},
             .fibers = fibers, .fiber_count = 2, .footprint = HTMT_RESIDENT, .args_bytes = 8);
    for (uint32_t i = 0; i < DOT_SLICES; i++)
        START(&w, .type = main, .slice = i, .args = &(struct dot_args){d});
    return w;
}

static htmt_time dot_play(struct htmt_options o)
{
    double x[DOT_SLICES * DOT_N], y[DOT_SLICES * DOT_N], found[DOT_SLICES], sum = 0;
    for (int i = 0; i < DOT_SLICES * DOT_N; i++) {
        x[i] = i % 17;
        y[i] = i % 5 - 2;
        sum += x[i] * y[i];
    }
    struct dot d;
    struct world w = dot_open(&d, o);
    cr_assert_eq(htmt_frame_load(d.x, x, 8 * DOT_N), 0);
    cr_assert_eq(htmt_frame_load(d.y, y, 8 * DOT_N), 0);
    htmt_time time = world_run(&w);
    cr_assert_eq(htmt_frame_gather(d.sum, found, 8), 0);
    for (int i = 0; i < DOT_SLICES && o.mode == HTMT_RUN; i++)
        cr_assert_eq(found[i], sum, "slice %d: %g, expected %g", i, found[i], sum);
    world_close(&w);
    return time;
}

/* Gathers of x and y one after another; then the last block, which is shorter, goes in and is
 * computed while the one before it is; its sum goes back over two networks. The sum of sums, and
 * two rounds of a word and a flop. */
Test(helpers, a_dot_product_of_blocks_takes_its_time_by_hand)
{
    const htmt_time words = 2 * DOT_BLOCK, last = 2 * (DOT_N % DOT_BLOCK);
    const htmt_time gathered = (DOT_BLOCKS - 1) * words + last;
    /* the last but one begins to execute when it was gathered and injected */
    const htmt_time before = (DOT_BLOCKS - 1) * words + words + words;
    const htmt_time alone = gathered + last;
    const htmt_time done = (before > alone ? before : alone) + last + 1 + 1;
    same_in_all_ways(dot_play, done + DOT_BLOCKS + 2 * (1 + 1), true);
}

/* ---- Jacobi ---------------------------------------------------------------------------------- */

enum { JACOBI_X = 6, JACOBI_Y = 4, JACOBI_STEPS = 5 };
enum { ROW = JACOBI_X + 2, CELLS = ROW * (JACOBI_Y + 2), FIRST = ROW + 1 };

struct jacobi {
    struct htmt_grid grid;
    struct htmt_frame *u[2];
};
struct jacobi_args {
    const struct jacobi *jacobi;
    uint32_t step;
};

static void jacobi_sweep(struct htmt_kernel *k)
{
    const double *from = htmt_used(k, 0);
    double *to = htmt_used(k, 1); /* from its first own cell on */
    for (int i = ROW; i < CELLS - ROW; i++)
        if (i % ROW > 0 && i % ROW <= JACOBI_X)
            to[i - FIRST] = (from[i - 1] + from[i + 1] + from[i - ROW] + from[i + ROW]) / 4;
}
COST(jacobi_cost, ops->n[HTMT_FLOP] = 4 * JACOBI_X * JACOBI_Y)
/* The edge of own cells on the side of `step` goes to the neighbour's margin on its other side. */
static void jacobi_send(struct htmt_context *c, const struct jacobi *j, struct htmt_frame *u, int x,
                        int y, uint32_t fiber)
{
    uint64_t from = x ? ROW + (x < 0 ? 1 : JACOBI_X) : ROW * (y < 0 ? 1 : JACOBI_Y) + 1;
    uint64_t to = x ? ROW + (x < 0 ? JACOBI_X + 1 : 0) : ROW * (y < 0 ? JACOBI_Y + 1 : 0) + 1;
    struct htmt_pieces column = {.bytes = 8, .count = JACOBI_Y, .stride = 8 * ROW}, row = {0};
    htmt_put_neighbour(c, &j->grid, (int[3]){x, y, 0},
                       &(struct htmt_put){.src = htmt_at(u, htmt_slice(c), 8 * from),
                                          .dst = htmt_at(u, htmt_slice(c), 8 * to),
                                          .bytes = 8 * (x ? JACOBI_Y : JACOBI_X),
                                          .src_pieces = x ? column : row,
                                          .dst_pieces = x ? column : row,
                                          .on_arrived = htmt_slot(c, fiber)});
}
static void jacobi_exchange(struct htmt_context *c)
{
    const struct jacobi_args *a = htmt_args(c);
    for (int side = -1; side <= 1; side += 2) {
        jacobi_send(c, a->jacobi, a->jacobi->u[a->step % 2], side, 0, 1 + a->step % 2);
        jacobi_send(c, a->jacobi, a->jacobi->u[a->step % 2], 0, side, 1 + a->step % 2);
    }
    htmt_signal(c, htmt_slot(c, 1 + a->step % 2)); /* own cells are there, too */
}
static void jacobi_step(struct htmt_context *c)
{
    struct jacobi_args *a = htmt_args(c);
    htmt_use(c, htmt_at(a->jacobi->u[a->step % 2], htmt_slice(c), 0), 8 * CELLS, HTMT_READ);
    /* not the margin, where edges of neighbours that are ahead may arrive */
    htmt_use_pieces(
        c, htmt_at(a->jacobi->u[(a->step + 1) % 2], htmt_slice(c), 8 * FIRST),
        8 * JACOBI_X * JACOBI_Y,
        (struct htmt_pieces){.bytes = 8 * JACOBI_X, .count = JACOBI_Y, .stride = 8 * ROW},
        HTMT_UPDATE);
    htmt_work(c);
    if (++a->step < JACOBI_STEPS)
        jacobi_exchange(c);
    else
        htmt_retire(c, htmt_self(c));
}

static struct world jacobi_open(struct jacobi *j, struct htmt_options o)
{
    struct world_spec s = world_plain(htmt_grid_slices(&j->grid));
    struct world w = world_open(&s, o);
    const struct htmt_stage step = {.kernel = jacobi_sweep,
                                    .cost = jacobi_cost,
                                    .control = jacobi_step,
                                    .count = 5,
                                    .reset = 5},
                            fibers[] = {step, step};
    for (int i = 0; i < 2; i++)
        cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * CELLS, "u", &j->u[i]), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "jacobi", .home = "cram", .exec = "cram",
             .execute = {.control = jacobi_exchange}, .fibers = fibers, .fiber_count = 2,
             .footprint = HTMT_RESIDENT, .args_bytes = sizeof(struct jacobi_args));
    for (uint32_t i = 0; i < s.slices; i++)
        START(&w, .type = t, .slice = i, .args = &(struct jacobi_args){.jacobi = j});
    return w;
}

/* A cell of an array with or without wrap; beyond the edge lies 0. */
static double jacobi_cell(const double *u, const struct htmt_grid *g, int x, int y)
{
    int wide = JACOBI_X * (int)g->extent[0], high = JACOBI_Y * (int)g->extent[1];
    if (!g->wrap[0] && (x < 0 || x >= wide || y < 0 || y >= high))
        return 0;
    return u[(y + high) % high * wide + (x + wide) % wide];
}
static void jacobi_plain(double *u, double *v, const struct htmt_grid *g)
{
    int wide = JACOBI_X * (int)g->extent[0], high = JACOBI_Y * (int)g->extent[1];
    for (int i = 0; i < wide * high; i++) {
        int x = i % wide, y = i / wide;
        v[i] = (jacobi_cell(u, g, x - 1, y) + jacobi_cell(u, g, x + 1, y) +
                jacobi_cell(u, g, x, y - 1) + jacobi_cell(u, g, x, y + 1)) /
               4;
    }
    memcpy(u, v, sizeof *u * (size_t)(wide * high));
}

static htmt_time jacobi_solve(struct htmt_grid grid, struct htmt_options o)
{
    enum { MOST = JACOBI_X * JACOBI_Y * 16 };
    const struct htmt_tile tile = {8, {JACOBI_X, JACOBI_Y, 0}, {1, 1, 0}};
    double u[MOST], v[MOST], found[MOST] = {0};
    int cells = JACOBI_X * JACOBI_Y * (int)htmt_grid_slices(&grid);
    for (int i = 0; i < cells; i++)
        u[i] = i * 7 % 31;
    struct jacobi j = {.grid = grid};
    struct world w = jacobi_open(&j, o);
    cr_assert_eq(htmt_frame_load_tiles(j.u[0], &grid, &tile, u), 0);
    htmt_time time = world_run(&w);
    cr_assert_eq(htmt_frame_gather_tiles(j.u[JACOBI_STEPS % 2], &grid, &tile, found), 0);
    for (int i = 0; i < JACOBI_STEPS; i++)
        jacobi_plain(u, v, &grid);
    for (int i = 0; i < cells && o.mode == HTMT_RUN; i++)
        cr_assert_eq(found[i], u[i], "cell %d: %g, expected %g", i, found[i], u[i]);
    world_close(&w);
    return time;
}

static htmt_time jacobi_wraps(struct htmt_options o)
{
    return jacobi_solve((struct htmt_grid){{3, 4, 0}, {true, true, false}}, o);
}
static htmt_time jacobi_edges(struct htmt_options o)
{
    return jacobi_solve((struct htmt_grid){{4, 3, 1}, {false, false, false}}, o);
}
static htmt_time jacobi_alone(struct htmt_options o)
{
    return jacobi_solve((struct htmt_grid){{1, 1, 1}, {false, false, false}}, o);
}

/* Four edges leave one after another by one channel, then the sweep. */
Test(helpers, jacobi_with_halos_takes_its_time_by_hand)
{
    const htmt_time step = 2 * (JACOBI_X + JACOBI_Y) + 4 * JACOBI_X * JACOBI_Y;
    same_in_all_ways(jacobi_wraps, JACOBI_STEPS * step, true);
}

/* When a slice begins its next sweep, from when all slices end the last one: its neighbours' edges
 * leave one after another, -x, -y, +x, +y, those that there are. */
static htmt_time jacobi_begins(const htmt_time *ended, int slice)
{
    static const int steps[4][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}};
    int x = slice % 4, y = slice / 4;
    htmt_time begins = ended[slice];
    for (int n = 0; n < 12; n++) {
        htmt_time leaves = ended[n];
        for (int i = 0; i < 4; i++) {
            int to_x = n % 4 + steps[i][0], to_y = n / 4 + steps[i][1];
            if (to_x < 0 || to_x > 3 || to_y < 0 || to_y > 2)
                continue;
            leaves += i % 2 ? JACOBI_X : JACOBI_Y;
            if (to_x == x && to_y == y && leaves > begins)
                begins = leaves;
        }
    }
    return begins;
}

Test(helpers, jacobi_with_edges_finds_what_a_plain_loop_finds_in_its_time)
{
    htmt_time ended[12] = {0}, next[12], last = 0;
    for (int step = 0; step < JACOBI_STEPS; step++) {
        for (int i = 0; i < 12; i++)
            next[i] = jacobi_begins(ended, i) + 4 * JACOBI_X * JACOBI_Y;
        memcpy(ended, next, sizeof ended);
    }
    for (int i = 0; i < 12; i++)
        last = ended[i] > last ? ended[i] : last;
    same_in_all_ways(jacobi_edges, last, false);
    same_in_all_ways(jacobi_alone, JACOBI_STEPS * 4 * JACOBI_X * JACOBI_Y, true);
}

/* ---- N bodies -------------------------------------------------------------------------------- */

enum { BODIES = 6, RING = 5, BLOCK = 8 * 2 * BODIES }; /* position and mass */

struct bodies {
    struct htmt_grid ring;
    struct htmt_frame *visit, *force; /* hop k lies k blocks on */
    uint64_t flops;
};
struct bodies_args {
    const struct bodies *bodies;
    uint32_t sent, seen;
};

static double pull(const double *on, const double *by)
{
    double d = by[0] - on[0];
    return by[1] * d / (d * d * fabs(d) + 0.5);
}
static void bodies_pull(struct htmt_kernel *k)
{
    const double *own = htmt_used(k, 0), *other = htmt_used(k, 1);
    double *force = htmt_used(k, 2);
    for (int i = 0; i < BODIES; i++)
        for (int n = 0; n < BODIES; n++)
            force[i] += pull(&own[2 * i], &other[2 * n]);
}
COST(bodies_cost, ops->n[HTMT_FLOP] = ((const struct bodies_args *)args)->bodies->flops)
static void bodies_forward(struct htmt_context *c)
{
    struct bodies_args *a = htmt_args(c);
    const struct bodies *b = a->bodies;
    uint32_t hop = a->sent++, me = htmt_slice(c);
    if (hop + 1 < RING)
        htmt_put_neighbour(c, &b->ring, (int[3]){1, 0, 0},
                           &(struct htmt_put){.src = htmt_at(b->visit, me, hop * BLOCK),
                                              .dst = htmt_at(b->visit, me, (hop + 1) * BLOCK),
                                              .bytes = BLOCK,
                                              .on_arrived = htmt_slot(c, 1),
                                              .on_arrived_too = 2});
}
static void bodies_meet(struct htmt_context *c)
{
    struct bodies_args *a = htmt_args(c);
    uint32_t hop = a->seen++, me = htmt_slice(c);
    htmt_use(c, htmt_at(a->bodies->visit, me, 0), BLOCK, HTMT_READ);
    htmt_use(c, htmt_at(a->bodies->visit, me, hop * BLOCK), BLOCK, HTMT_READ);
    htmt_use(c, htmt_at(a->bodies->force, me, 0), 8 * BODIES, HTMT_COMMUTE);
    htmt_work(c);
    if (hop + 1 == RING)
        htmt_retire(c, htmt_self(c));
}
CONTROL(bodies_begin, htmt_signal(c, htmt_slot(c, 1)); htmt_signal(c, htmt_slot(c, 2)))

static struct world bodies_open(struct bodies *b, struct htmt_options o)
{
    struct world_spec s = world_plain(RING);
    struct world w = world_open(&s, o);
    static const struct htmt_stage fibers[] = {{.control = bodies_forward, .count = 1, .reset = 1},
                                               {.kernel = bodies_pull,
                                                .cost = bodies_cost,
                                                .control = bodies_meet,
                                                .count = 1,
                                                .reset = 1}};
    b->ring = (struct htmt_grid){{RING, 0, 0}, {true, false, false}};
    cr_assert_eq(htmt_frame_create(w.e, CRAM, RING * BLOCK, "visit", &b->visit), 0);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * BODIES, "force", &b->force), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "bodies", .home = "cram", .exec = "cram",
             .execute = {.control = bodies_begin}, .fibers = fibers, .fiber_count = 2,
             .footprint = HTMT_RESIDENT, .args_bytes = sizeof(struct bodies_args));
    for (uint32_t i = 0; i < RING; i++)
        START(&w, .type = t, .slice = i, .args = &(struct bodies_args){.bodies = b});
    return w;
}

static htmt_time bodies_play(uint64_t flops, struct htmt_options o)
{
    double body[RING * 2 * BODIES], force[RING * BODIES];
    for (int i = 0; i < RING * BODIES; i++) {
        body[2 * i] = i * 11 % 37 / 3.0;
        body[2 * i + 1] = 1 + i % 4;
    }
    struct bodies b = {.flops = flops};
    struct world w = bodies_open(&b, o);
    cr_assert_eq(htmt_frame_load(b.visit, body, BLOCK), 0);
    htmt_time time = world_run(&w);
    cr_assert_eq(htmt_frame_gather(b.force, force, 8 * BODIES), 0);
    for (int i = 0; i < RING * BODIES && o.mode == HTMT_RUN; i++) {
        double sum = 0;
        for (int n = 0; n < RING * BODIES; n++)
            sum += pull(&body[2 * i], &body[2 * n]);
        cr_assert(fabs(sum - force[i]) < 1e-12, "body %d: %g, expected %g", i, force[i], sum);
    }
    world_close(&w);
    return time;
}

enum { MUCH = 100, LITTLE = 5 };
static htmt_time bodies_busy(struct htmt_options o)
{
    return bodies_play(MUCH, o);
}
static htmt_time bodies_idle(struct htmt_options o)
{
    return bodies_play(LITTLE, o);
}

/* A block is forwarded while the next one is met: the longer of both counts. */
Test(helpers, bodies_on_a_ring_take_their_time_by_hand)
{
    same_in_all_ways(bodies_busy, RING * MUCH, true);
    same_in_all_ways(bodies_idle, (RING - 1) * 2 * BODIES + LITTLE, true);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cycles of a few messages, which a person can compute; then whole graphs.
 *
 * In all cases a cell that is asked at cycle 0 runs the first control at cycle 0 and stages its
 * first message in cycle 1, the next one in cycle 2.
 */
#include "tests/network/cell_graph.h"

#include "runtime/base/error.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages by number: when each was executed; what its work costs; what it sends on. */
struct table {
    struct htmt__cells *cells;
    int64_t now, at[64];
    uint64_t cost[64];
    uint32_t target[64];
    uint32_t first[64], count[64]; /* messages that its control sends */
    bool diffuses[64], stale[64];
    int failed;
    uint32_t stuck, first_stuck; /* cells, at the end */
    uint64_t asked;              /* whether a diffusion is wanted */
};

static bool wanted(void *user, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                   uint64_t *cycles)
{
    struct table *t = user;
    (void)cell, (void)cycles;
    t->asked += queue == HTMT__CELLS_DIFFUSE;
    return queue == HTMT__CELLS_ACTION || !t->stale[message];
}

static void work(void *user, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                 uint64_t *cycles)
{
    struct table *t = user;
    if (queue == HTMT__CELLS_ACTION)
        t->at[message] = t->now;
    *cycles += t->cost[message];
    if (queue == HTMT__CELLS_ACTION && t->diffuses[message])
        htmt__cells_diffuse(t->cells, cell, message);
    else
        htmt__cells_generate(t->cells, cell, t->first[message], t->count[message]);
}

static uint32_t next(void *user, uint32_t cell, uint32_t generator, uint64_t i, bool last,
                     uint32_t *message, uint64_t *cycles)
{
    const struct table *t = user;
    (void)cell, (void)last, (void)cycles;
    *message = generator + (uint32_t)i;
    return t->target[*message];
}

static void failed(void *user, int code, uint32_t cell)
{
    struct table *t = user;
    (void)cell;
    t->failed = code;
}

static const struct htmt__cells_grid row_of_three = {
    .width = 3, .height = 1, .channels = 4, .buffer = 4, .action = 64, .own = 8, .diffuse = 64};

static void begin(struct table *t, const struct htmt__cells_grid *grid)
{
    const struct htmt__cells_calls calls = {
        .user = t, .wanted = wanted, .work = work, .next = next, .fail = failed};
    cr_assert_eq(htmt__cells_create(grid, NULL, &calls, &t->cells), 0);
}

/* Before cycle 0. */
static bool put(struct table *t, uint32_t cell, uint32_t message)
{
    htmt__cells_wake(t->cells, cell, 0);
    return htmt__cells_put(t->cells, cell, message);
}

/* Returns the number of cycles. */
static int64_t end(struct table *t)
{
    struct htmt__cells_account a;
    for (int64_t next = 0; next < INT64_MAX && next < 10000;) {
        t->now = next;
        next = htmt__cells_play(t->cells, next);
    }
    htmt__cells_count(t->cells, &a);
    t->stuck = htmt__cells_stuck(t->cells, &t->first_stuck);
    htmt__cells_destroy(&t->cells);
    return a.cycles;
}

/* A message from cell to cell of a grid, sent in cycle 1: when it was executed. */
static int64_t alone(const struct htmt__cells_grid *grid, uint32_t from, uint32_t to)
{
    struct table t = {.first = {1}, .count = {1}, .target = {from, to}};
    begin(&t, grid);
    cr_assert(put(&t, from, 0));
    const int64_t cycles = end(&t);
    cr_expect_eq(t.at[0], 0);
    cr_expect_eq(cycles, t.at[1] + 1, "the run ends with the last active cell");
    return t.at[1];
}

Test(cells, a_message_takes_a_cycle_a_hop_and_one_to_its_own_cell)
{
    struct htmt__cells_grid mesh = cell_case_of(8).grid, torus = mesh;
    mesh.torus = false;
    for (uint32_t from = 0; from < 64; from += 9)
        for (uint32_t to = 0; to < 64; to++) {
            const int x = abs((int)(to % 8) - (int)(from % 8)),
                      y = abs((int)to / 8 - (int)from / 8);
            const int round = (x < 8 - x ? x : 8 - x) + (y < 8 - y ? y : 8 - y);
            cr_expect_eq(alone(&mesh, from, to), 1 + (x + y ? x + y : 1));
            cr_expect_eq(alone(&torus, from, to), 1 + (round ? round : 1));
        }
}

Test(cells, two_cells_are_a_ring_whose_both_ways_are_one_hop)
{
    const struct htmt__cells_grid ring = {.width = 2,
                                          .height = 1,
                                          .torus = true,
                                          .channels = 1,
                                          .buffer = 1,
                                          .action = 1,
                                          .own = 1,
                                          .diffuse = 1};
    cr_expect_eq(alone(&ring, 0, 1), 2);
    cr_expect_eq(alone(&ring, 1, 0), 2);
    cr_expect_eq(alone(&ring, 1, 1), 2);
}

/* 3 x 3: messages from the top and from the bottom go to the cell at the right. Both come to the
 * middle in cycle 1 and turn in cycle 2 into channel 1 to the right. The middle is active for the
 * first time and asks left, up, right, down: the one from the top goes. */
Test(cells, of_two_that_turn_into_one_output_the_second_waits_a_cycle)
{
    struct htmt__cells_grid grid = row_of_three;
    struct table t = {.first = {2, 3}, .count = {1, 1}, .target = {1, 7, 5, 5}};
    grid.height = 3;
    begin(&t, &grid);
    cr_assert(put(&t, 1, 0) && put(&t, 7, 1));
    end(&t);
    cr_expect_eq(t.at[2], 3);
    cr_expect_eq(t.at[3], 4);
}

/* A row: cell 1 computes 10 cycles from cycle 0 on. Nothing makes it active in cycle 1; message 2
 * comes at its end, so the core goes on in cycles 2 to 11, and the router stands. In cycle 12 the
 * message passes. Its input has room for one, so message 3 waits before it in cycles 2 to 11; phase
 * 3 of cycle 12 finds room. */
Test(cells, an_operon_waits_before_a_full_input_until_the_one_in_it_has_gone)
{
    struct htmt__cells_grid grid = row_of_three;
    struct table t = {.first = {2}, .count = {2}, .cost = {0, 10}, .target = {0, 1, 2, 2}};
    grid.buffer = 1;
    begin(&t, &grid);
    cr_assert(put(&t, 0, 0) && put(&t, 1, 1));
    end(&t);
    cr_expect_eq(t.at[2], 13);
    cr_expect_eq(t.at[3], 14);
}

/* The same with the 66 instructions of a vertex of PageRank that begins and ends: the core computes
 * in cycles 2 to 67, the message passes in cycle 68. What cell 1 had staged itself before goes on:
 * in cycle 1, when it makes message 3 for cell 0, nothing is pending. */
Test(cells, a_router_stands_while_its_core_computes_66_instructions)
{
    struct table t = {.first = {2, 3}, .count = {1, 0}, .cost = {0, 66}, .target = {0, 1, 2, 0}};
    begin(&t, &row_of_three);
    cr_assert(put(&t, 0, 0) && put(&t, 1, 1));
    const int64_t cycles = end(&t);
    cr_expect_eq(t.at[2], 69);
    cr_expect_eq(cycles, 70);
}

/* Cell 1 computes until cycle 11, as above, while a message from either side waits in an input.
 * It was active in cycle 0, so in cycle 12 it asks up, right, down, left. The action queue takes
 * one, which is executed in that cycle; the other one waits a cycle. */
Test(cells, a_full_action_queue_keeps_what_comes_in_its_input)
{
    struct htmt__cells_grid grid = row_of_three;
    struct table t = {
        .first = {3, 0, 4}, .count = {1, 0, 1}, .cost = {0, 10}, .target = {0, 1, 2, 1, 1}};
    grid.action = 1;
    begin(&t, &grid);
    cr_assert(put(&t, 0, 0) && put(&t, 1, 1) && put(&t, 2, 2));
    cr_expect_not(put(&t, 2, 2), "from outside it takes one");
    end(&t);
    cr_expect_eq(t.at[4], 12, "from the right");
    cr_expect_eq(t.at[3], 13, "from the left");
}

/* The row again, an input for one. Cell 0 sends messages 2 to 5 to cell 2. Message 3 waits at the
 * output in cycles 2 to 11: twice in a row from cycle 3 on, so cycles 3 to 11 are congested. It
 * goes in cycle 12, message 4 leaves staging in cycle 13. Without throttle message 5 is staged in
 * 13, leaves staging in 14 and is executed in 16. With 3 cycles to cool cell 0 is hot while the
 * cycle is at most 11 + 3: it stages in 15, and the message leaves at once. */
Test(cells, a_congested_cell_stages_again_when_it_has_cooled)
{
    struct htmt__cells_grid grid = row_of_three;
    const struct table sent = {
        .first = {2}, .count = {4}, .cost = {0, 10}, .target = {0, 1, 2, 2, 2, 2}};
    grid.buffer = 1;
    grid.cool = 3;
    for (unsigned throttle = 0; throttle < 2; throttle++) {
        struct table t = sent;
        grid.throttle = throttle;
        begin(&t, &grid);
        cr_assert(put(&t, 0, 0) && put(&t, 1, 1));
        end(&t);
        cr_expect_eq(t.at[3], 14);
        cr_expect_eq(t.at[4], 15);
        cr_expect_eq(t.at[5], throttle ? 17 : 16);
    }
}

/* Two actions put something into a queue for one before the first is diffused: it is served when
 * it is full, so a third action would not come to that; but one action can put two. */
Test(cells, a_diffuse_queue_that_overflows_is_told_with_its_cell)
{
    struct htmt__cells_grid grid = row_of_three;
    struct table t = {.diffuses = {true, true}, .target = {0, 0}};
    grid.diffuse = 1;
    begin(&t, &grid);
    cr_assert(put(&t, 0, 0) && put(&t, 0, 1));
    end(&t);
    cr_expect_eq(t.failed, 0);
    cr_expect_eq(t.at[1], 2, "cycle 1 diffuses");
    t = (struct table){.diffuses = {true, true}};
    grid.diffuse = 0;
    begin(&t, &grid);
    cr_assert(put(&t, 0, 0));
    end(&t);
    cr_expect_eq(t.failed, HTMT_ECAPACITY);
}

/* A ring of 8 with one channel, inputs for one. Each cell sends three messages three cells on. All
 * first ones pass a cell in cycle 2, with one hop left. In cycle 3 the second ones leave staging
 * into the outputs that the first ones want, and find them in the inputs that they want: nothing
 * moves any more. Each core has put something into its diffuse queue meanwhile, looks at it in each
 * cycle, and finds it wanted; once it has seen that nothing changes it stops. */
Test(cells, a_ring_of_full_inputs_is_stuck_and_costs_nothing)
{
    struct table t = {.now = 0};
    const struct htmt__cells_grid ring = {.width = 8,
                                          .height = 1,
                                          .torus = true,
                                          .channels = 1,
                                          .buffer = 1,
                                          .action = 8,
                                          .own = 8,
                                          .diffuse = 8,
                                          .throttle = true,
                                          .cool = 22};
    begin(&t, &ring);
    for (uint32_t i = 0; i < 8; i++) {
        t.first[i] = 16 + 3 * i;
        t.count[i] = 3;
        t.diffuses[8 + i] = true;
        for (uint32_t k = 0; k < 3; k++)
            t.target[16 + 3 * i + k] = (i + 3) % 8;
        cr_assert(put(&t, i, i) && put(&t, i, 8 + i));
    }
    end(&t);
    cr_expect_eq(t.stuck, 8);
    cr_expect_eq(t.first_stuck, 0);
    cr_expect_lt(t.asked, 8 * 8);
    cr_expect_lt(t.now, 20);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

Test(cells, rand_is_that_of_glibc)
{
    struct cell_random s;
    cell_random_begin(&s, 1989);
    srand(1989);
    const uint32_t first[] = {1712774295, 1258263898, 951877235, 368450921};
    for (int i = 0; i < 2000; i++) {
        const uint32_t r = cell_random_next(&s);
        cr_assert_eq(r, (uint32_t)rand());
        cr_assert(i >= 4 || r == first[i]);
    }
}

static struct edges random_graph(uint32_t vertices, uint32_t count, uint32_t seed)
{
    struct edges g = {
        .vertices = vertices, .count = count, .at = malloc((count + 1) * sizeof *g.at)};
    struct cell_random s;
    cell_random_begin(&s, seed);
    for (uint32_t i = 0; i < count; i++)
        g.at[i] = (struct edge){.from = cell_random_next(&s) % vertices,
                                .to = cell_random_next(&s) % vertices,
                                .weight = 1 + cell_random_next(&s) % 30};
    return g;
}

/* Levels or distances by relaxing all edges until nothing changes. */
static void relax(const struct edges *g, uint32_t root, bool weighted, double *value)
{
    bool again = true;
    for (uint32_t v = 0; v < g->vertices; v++)
        value[v] = v == root ? 0 : 999999;
    while (again) {
        again = false;
        for (uint32_t i = 0; i < g->count; i++) {
            const struct edge *e = &g->at[i];
            const double to = value[e->from] + (weighted ? e->weight : 1);
            if (value[e->from] < 999999 && to < value[e->to]) {
                value[e->to] = to;
                again = true;
            }
        }
    }
}

static void expect_same(const struct cell_result *a, const struct cell_result *b, uint32_t vertices,
                        uint32_t seed)
{
    const struct htmt__cells_account *x = &a->counts, *y = &b->counts;
    cr_expect_eq(a->stuck > 0, b->stuck > 0, "case %u", seed);
    cr_expect_eq(a->failed != 0, b->failed != 0, "case %u", seed);
    cr_expect_eq(x->created, y->created, "case %u", seed);
    cr_expect_eq(x->work, y->work, "case %u", seed);
    cr_expect_eq(x->unwanted, y->unwanted, "case %u", seed);
    cr_expect_eq(x->filtered, y->filtered, "case %u", seed);
    cr_expect_eq(x->overlapped, y->overlapped, "case %u", seed);
    cr_expect_eq(x->hops, y->hops, "case %u", seed);
    cr_expect_arr_eq(a->value, b->value, vertices * sizeof *a->value, "case %u", seed);
    if (a->stuck || a->failed)
        return; /* where a deadlock ends, how long it was looked at differs */
    cr_expect_eq(a->cycles, b->cycles, "case %u", seed);
    cr_expect_eq(x->active, y->active, "case %u", seed);
    cr_expect_eq(x->standing, y->standing, "case %u", seed);
    cr_expect_eq(x->throttled, y->throttled, "case %u", seed);
    if (a->series.width && b->series.width)
        cr_expect_eq(memcmp(&a->series, &b->series, sizeof a->series), 0, "case %u", seed);
}

/* Spans say the same as the account; the last one has the last active cycle. */
static void expect_sums(const struct cell_result *r, uint32_t seed)
{
    const struct htmt__cells_series *s = &r->series;
    struct htmt__cells_span sum = {0};
    for (uint32_t i = 0; i < HTMT__CELLS_SPANS; i++) {
        sum.active += s->span[i].active;
        sum.throttled += s->span[i].throttled;
        sum.standing += s->span[i].standing;
    }
    cr_expect_eq(sum.active, r->counts.active, "case %u", seed);
    cr_expect_eq(sum.throttled, r->counts.throttled, "case %u", seed);
    cr_expect_eq(sum.standing, r->counts.standing, "case %u", seed);
    if (!r->stuck && !r->failed)
        cr_expect_eq(s->count, (r->cycles + s->width - 1) / s->width, "case %u", seed);
}

/* Counts that must agree whatever the cycles: each message is executed once, each diffusion taken
 * out once. */
static void expect_kept(const struct htmt__cells_account *a)
{
    cr_expect_eq(a->created, a->work + a->unwanted);
    cr_expect_eq(a->diffusions, a->done + a->outdated + a->filtered);
}

Test(cells, graphs_are_right_and_their_cycles_those_of_any_partitions)
{
    for (uint32_t seed = 1; seed <= 24; seed++) {
        struct edges g = random_graph(seed * 7, seed * 50, seed);
        struct cell_case c = cell_case_of(2 + seed % 7);
        double *value = malloc(g.vertices * sizeof *value);
        c.app = seed % 3;
        c.grid.torus = seed & 1;
        c.grid.buffer = 1 + seed % 4;
        c.root = seed % g.vertices;
        c.iterations = 2;
        struct cell_result one = cell_play(&g, &c);
        cr_expect_eq(one.failed, 0);
        expect_kept(&one.counts);
        relax(&g, c.root, c.app == CELL_SSSP, value);
        if (c.app != CELL_PAGERANK)
            cr_expect_arr_eq(one.value, value, g.vertices * sizeof *value);
        for (c.partitions = 2; c.partitions <= 5; c.partitions += 3) {
            c.dealt = c.partitions == 5 ? seed : 0;
            struct cell_result cut = cell_play(&g, &c);
            expect_same(&one, &cut, g.vertices, seed);
            free(cut.value);
        }
        free(one.value);
        free(value);
        edges_destroy(&g);
    }
}

static uint32_t pick(struct cell_random *s, uint32_t least, uint32_t most)
{
    return least + cell_random_next(s) % (most - least + 1);
}

/* Scarce room of every kind. */
static struct cell_case random_case(struct cell_random *s)
{
    struct cell_case c = cell_case_of(pick(s, 2, 6));
    c.grid.torus = pick(s, 0, 1);
    c.grid.channels = pick(s, 0, 1) ? 1 : pick(s, 2, 5);
    c.grid.buffer = pick(s, 1, 4);
    c.grid.action = pick(s, 0, 2) ? 200 : pick(s, 2, 20);
    c.grid.own = pick(s, 1, 22);
    c.grid.diffuse = pick(s, 0, 3) ? 300 : pick(s, 8, 40);
    c.grid.throttle = pick(s, 0, 3) > 0;
    c.grid.cool = pick(s, 0, 30);
    c.app = pick(s, 0, 2);
    c.iterations = 2;
    c.least = pick(s, 1, 10);
    c.most = pick(s, 1, 15);
    c.ghosts = pick(s, 1, 3);
    return c;
}

/* Many of these cases have more cycles than spans, and cells that sleep over several spans. */
Test(cells, spans_over_time_are_those_of_the_plain_grid_and_of_any_partitions)
{
    uint32_t coarse = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct cell_random s;
        cell_random_begin(&s, seed);
        struct cell_case c = random_case(&s);
        struct edges g = random_graph(pick(&s, 1, 60), pick(&s, 0, 400), seed);
        c.root = pick(&s, 0, g.vertices - 1);
        struct cell_result unwatched = cell_play(&g, &c);
        c.watched = true;
        struct cell_result one = cell_play(&g, &c);
        c.partitions = 2 + seed % 3;
        c.dealt = seed;
        struct cell_result cut = cell_play(&g, &c);
        c.plain = true;
        struct cell_result plain = cell_play(&g, &c);
        expect_same(&unwatched, &one, g.vertices, seed);
        expect_same(&one, &cut, g.vertices, seed);
        expect_same(&one, &plain, g.vertices, seed);
        expect_sums(&one, seed);
        expect_sums(&cut, seed);
        coarse += one.series.width > 1;
        free(unwatched.value);
        free(one.value);
        free(cut.value);
        free(plain.value);
        edges_destroy(&g);
    }
    cr_expect_gt(coarse, 5u, "%u", coarse);
}

Test(cells, nobody_who_sleeps_misses_anything)
{
    for (uint32_t seed = 1; seed <= 150; seed++) {
        struct cell_random s;
        cell_random_begin(&s, seed);
        struct cell_case c = random_case(&s);
        struct edges g = random_graph(pick(&s, 1, 60), pick(&s, 0, 400), seed);
        c.root = pick(&s, 0, g.vertices - 1);
        struct cell_result asleep = cell_play(&g, &c);
        c.plain = true;
        struct cell_result plain = cell_play(&g, &c);
        expect_same(&asleep, &plain, g.vertices, seed);
        free(asleep.value);
        free(plain.value);
        edges_destroy(&g);
    }
}

/* ---- rows of CCA-Simulator ------------------------------------------------------------------- */

static struct cell_case case_of_row(char *const column[static 8], struct edges *g, const char *dir)
{
    char path[1024], throttle[8];
    unsigned action, vicinity, least, most, ghosts, cool, buffer, diffuse;
    snprintf(path, sizeof path, "%s/%s.edgelist", dir, column[2]);
    cr_assert(edges_read(g, path), "%s", path);
    struct cell_case c = cell_case_of((uint32_t)atoi(column[6]));
    c.app = strcmp(column[1], "bfs") == 0    ? CELL_BFS
            : strcmp(column[1], "sssp") == 0 ? CELL_SSSP
                                             : CELL_PAGERANK;
    c.root = (uint32_t)atoi(column[3]);
    c.iterations = (uint32_t)atoi(column[4]);
    c.grid.torus = strcmp(column[5], "torus") == 0;
    cr_assert_eq(sscanf(column[7],
                        "throttle=%7s recv=%u action=%u diffuse=%u vicinity=%u min=%u max=%u "
                        "ghosts=%u cool=%u",
                        throttle, &buffer, &action, &diffuse, &vicinity, &least, &most, &ghosts,
                        &cool),
                 9);
    c.grid.throttle = strcmp(throttle, "true") == 0;
    c.grid.buffer = buffer;
    c.grid.action = action;
    c.grid.own = most + 7;
    c.grid.diffuse = diffuse;
    c.grid.cool = cool;
    c.vicinity = vicinity;
    c.least = least;
    c.most = most;
    c.ghosts = ghosts;
    return c;
}

/* HTMT_GRAPH_DATA names a folder with golden_cca.csv and, below inputs, its graphs; without it
 * there is nothing to compare with. */
Test(cells, every_row_of_the_simulator_whose_graph_is_at_hand_is_met)
{
    const char *data = getenv("HTMT_GRAPH_DATA");
    char path[512], line[2048], *column[24];
    if (!data)
        return;
    snprintf(path, sizeof path, "%s/golden_cca.csv", data);
    FILE *f = fopen(path, "r");
    cr_assert(f && fgets(line, sizeof line, f));
    snprintf(path, sizeof path, "%s/inputs", data);
    while (fgets(line, sizeof line, f)) {
        char *rest = line;
        unsigned n = 0;
        struct edges g;
        while (n < 24 && (column[n] = strsep(&rest, ",")))
            n++;
        struct cell_case c = case_of_row(column, &g, path);
        struct cell_result r = cell_play(&g, &c);
        const struct htmt__cells_account *a = &r.counts;
        const uint64_t got[] = {r.cycles,
                                r.objects,
                                a->created,
                                a->work,
                                a->unwanted,
                                a->diffusions,
                                a->done,
                                a->outdated,
                                a->filtered,
                                a->overlapped,
                                a->outdated + a->filtered,
                                a->hops};
        for (unsigned i = 0; i < 12; i++)
            cr_expect_eq(got[i], strtoull(column[8 + i], NULL, 10), "%s: column %u", column[0],
                         8 + i);
        free(r.value);
        edges_destroy(&g);
    }
    fclose(f);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processors with `order: window`. Without limits a service takes the critical path of its tape,
 * which graph() below finds in another way; with room for one step it takes the sum of latencies;
 * what each limit costs is worked out in comments.
 */
#include "runtime/base/error.h"
#include "tests/node/example.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 4
#define STEPS  64
#define WORDS  6 /* of memory, 8 bytes each, that random tapes touch */
#define NONE   HTMT__TAPE_NO_STEP

/* A program of one function; its blocks have no code to fetch. */
struct steps {
    struct htmt__tape_block block[BLOCKS];
    struct htmt__tape_step step[STEPS];
    uint32_t source[8 * STEPS];
    uint32_t blocks, n, sources;
    struct htmt__tape_program program;
};

static void begin(struct steps *s)
{
    s->block[s->blocks++] = (struct htmt__tape_block){.step = s->n, .end = HTMT__END_JUMP};
}

static uint32_t add(struct steps *s, unsigned operation, unsigned type, uint16_t lanes, uint32_t n,
                    const uint32_t *sources)
{
    struct htmt__tape_block *b = &s->block[s->blocks - 1];
    s->step[s->n] =
        (struct htmt__tape_step){(uint8_t)operation, (uint8_t)type, lanes, s->sources, n};
    for (uint32_t i = 0; i < n; i++)
        s->source[s->sources++] = sources[i];
    b->steps++;
    b->accesses =
        (uint16_t)(b->accesses + (operation == HTMT__STEP_LOAD || operation == HTMT__STEP_STORE));
    return s->n++;
}

#define SOURCES(...)                                                                               \
    sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[])                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void end(struct steps *s)
{
    static const struct htmt__tape_function function = {"f", "f.c", 1};
    s->program = (struct htmt__tape_program){.blocks = s->block,
                                             .steps = s->step,
                                             .sources = s->source,
                                             .functions = &function,
                                             .block_count = s->blocks,
                                             .step_count = s->n,
                                             .source_count = s->sources,
                                             .function_count = 1};
}

/* Loads take 5 cycles, multiplications 4, additions 3; nothing is limited, no line ever comes from
 * far. */
static struct htmt__node_figures endless(void)
{
    struct htmt__node_figures f = example(2, 1);
    memset(&f.bus, 0, sizeof f.bus);
    memset(&f.dram, 0, sizeof f.dram);
    f.l1.hit = cycles(5);
    f.l1.every = f.l1.store_every = (struct htmt_ratio){0, 1};
    f.order = HTMT__NODE_WINDOW;
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 0);
    set_unit(&f, HTMT_ADD, HTMT_F64, 3, 0);
    set_unit(&f, HTMT_ADD, HTMT_I64, 1, 0);
    return f;
}

static int64_t latency(const struct htmt__tape_step *s)
{
    return s->operation == HTMT__STEP_LOAD ? 5
           : s->operation == HTMT_MUL      ? 4
           : s->operation == HTMT_ADD      ? s->type == HTMT_F64 ? 3 : 1
                                           : 0;
}

/* ---- random tapes ---------------------------------------------------------------------------- */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

/* A step that has a value: neither a store nor a jump; of all blocks, also those that follow. */
static void random_program(struct steps *s)
{
    static const uint8_t kinds[][2] = {{HTMT_MUL, HTMT_F64}, {HTMT_ADD, HTMT_F64},
                                       {HTMT_ADD, HTMT_I64}, {HTMT__STEP_LOAD, 0},
                                       {HTMT__STEP_LOAD, 0}, {HTMT__STEP_STORE, 0}};
    *s = (struct steps){.n = 0};
    for (int b = 0; b < BLOCKS; b++) {
        begin(s);
        for (uint32_t n = draw(3); n > 0; n--)
            add(s, HTMT__STEP_CHOICE, 0, 1, 0, NULL);
        for (uint32_t n = 1 + draw(10); n > 0; n--) {
            const uint8_t *k = kinds[draw(6)];
            add(s, k[0], k[1], (uint16_t)(k[0] < HTMT_OPERATIONS ? 1 + draw(3) : 1), 0, NULL);
        }
        add(s, HTMT__STEP_BRANCH, 0, 1, 0, NULL);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const bool choice = s->step[i].operation == HTMT__STEP_CHOICE;
        s->step[i].source = s->sources;
        s->step[i].sources = choice ? 2 * BLOCKS : draw(4);
        for (uint32_t k = 0; k < s->step[i].sources; k++) {
            uint32_t of = draw(s->n);
            while (s->step[of].operation == HTMT__STEP_STORE ||
                   s->step[of].operation == HTMT__STEP_BRANCH)
                of = draw(s->n);
            s->source[s->sources++] = !choice ? of : k % 2 == 0 ? k / 2 : draw(4) ? of : NONE;
        }
    }
    end(s);
}

/* Words, and halves of them: stores write whole words. */
static void random_tape(const struct steps *s, struct entries *e)
{
    e->n = 0;
    for (uint32_t turn = 1 + draw(40); turn > 0; turn--) {
        const uint32_t number = draw(BLOCKS);
        const struct htmt__tape_block *b = &s->block[number];
        put(e, HTMT__TAPE_BLOCK, 0, number);
        for (uint32_t i = b->step; i < b->step + b->steps; i++) {
            const uint64_t at = 8 * draw(WORDS), half = 4 * draw(2);
            if (s->step[i].operation == HTMT__STEP_STORE)
                put(e, HTMT__TAPE_STORE, 8, at);
            else if (s->step[i].operation == HTMT__STEP_LOAD)
                put(e, HTMT__TAPE_LOAD, 4, at + half);
        }
    }
}

/* ---- the critical path, in another way --------------------------------------------------------
 */

#define NODES 4096

/* Steps as they ran, each with edges from those that it needs; longest paths by relaxing all edges
 * until none changes anything. */
struct graph {
    int64_t weight[NODES], until[NODES];
    uint32_t from[16 * NODES], to[16 * NODES], nodes, edges;
    uint32_t last[STEPS + 1], stored[WORDS]; /* the nodes that have values now; 0: none */
};

static void edge(struct graph *g, uint32_t from, uint32_t to)
{
    cr_assert_lt(g->edges, 16 * NODES);
    g->from[g->edges] = from;
    g->to[g->edges++] = to;
}

/* The nodes of one block; choices name the nodes of the block before. */
static const uint64_t *unroll(struct graph *g, const struct steps *s, const uint64_t *entry,
                              uint32_t before)
{
    const struct htmt__tape_block *b = &s->block[htmt__tape_address(*entry++)];
    uint32_t old[STEPS + 1];
    memcpy(old, g->last, sizeof old);
    for (uint32_t i = b->step; i < b->step + b->steps; i++) {
        const struct htmt__tape_step *p = &s->step[i];
        const uint32_t node = ++g->nodes, *source = s->source + p->source;
        cr_assert_lt(node, NODES);
        g->weight[node] = latency(p);
        for (uint32_t k = 0; p->operation == HTMT__STEP_CHOICE && k < p->sources; k += 2)
            if (source[k] == before && source[k + 1] != NONE)
                edge(g, old[source[k + 1]], node);
        for (uint32_t k = 0; p->operation != HTMT__STEP_CHOICE && k < p->sources; k++)
            edge(g, g->last[source[k]], node);
        if (p->operation == HTMT__STEP_LOAD)
            edge(g, g->stored[htmt__tape_address(*entry++) / 8], node);
        if (p->operation == HTMT__STEP_STORE)
            g->stored[htmt__tape_address(*entry++) / 8] = node;
        g->last[i] = node;
    }
    return entry;
}

static int64_t critical_path(const struct steps *s, const struct entries *e)
{
    static struct graph g;
    uint32_t before = NONE;
    int64_t longest = 0;
    memset(&g, 0, sizeof g);
    for (const uint64_t *at = e->at; at < e->at + e->n;) {
        const uint32_t number = (uint32_t)htmt__tape_address(*at);
        at = unroll(&g, s, at, before);
        before = number;
    }
    for (uint32_t i = 1; i <= g.nodes; i++)
        g.until[i] = g.weight[i];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g.edges; i-- > 0;)
            if (g.until[g.from[i]] + g.weight[g.to[i]] > g.until[g.to[i]]) {
                g.until[g.to[i]] = g.until[g.from[i]] + g.weight[g.to[i]];
                changed = true;
            }
    }
    for (uint32_t i = 1; i <= g.nodes; i++)
        longest = g.until[i] > longest ? g.until[i] : longest;
    return longest;
}

static int64_t sum_of_latencies(const struct steps *s, const struct entries *e)
{
    int64_t sum = 0;
    for (size_t i = 0; i < e->n; i++) {
        if (htmt__tape_kind(e->at[i]) != HTMT__TAPE_BLOCK)
            continue;
        const struct htmt__tape_block *b = &s->block[htmt__tape_address(e->at[i])];
        for (uint32_t k = b->step; k < b->step + b->steps; k++)
            sum += latency(&s->step[k]) * s->step[k].n;
    }
    return sum;
}

static int64_t sum_of_parts(const struct htmt__node_account *a)
{
    int64_t sum = 0;
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        sum += a->part[i];
    return sum / CYCLE;
}

Test(window, without_limits_a_thousand_random_tapes_take_their_critical_path)
{
    const struct htmt__node_figures f = endless();
    struct steps s;
    static struct entries e;
    state = 1;
    for (int i = 0; i < 1000; i++) {
        struct htmt__node_account a;
        random_program(&s);
        random_tape(&s, &e);
        const int64_t expected = critical_path(&s, &e);
        cr_assert_eq(cycles_of(&f, &s.program, &e, &a), expected, "tape %d", i);
        cr_assert_eq(sum_of_parts(&a), expected);
    }
}

Test(window, with_room_for_one_step_random_tapes_take_the_sum_of_latencies)
{
    struct htmt__node_figures f = endless();
    struct steps s;
    static struct entries e;
    state = 2;
    f.reorder = 1;
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 4);
    for (int i = 0; i < 1000; i++) {
        random_program(&s);
        random_tape(&s, &e);
        cr_assert_eq(cycles_of(&f, &s.program, &e, NULL), sum_of_latencies(&s, &e), "tape %d", i);
    }
}

/* Any limit costs time or none: between both ends, and a smaller window never gains. The time does
 * not depend on where the tape was cut, and its parts add up to it. */
Test(window, with_limits_time_lies_between_and_neither_chunks_nor_parts_lose_any)
{
    static const uint32_t reorder[] = {0, 64, 16, 4, 1};
    struct steps s;
    static struct entries e;
    state = 3;
    for (int i = 0; i < 200; i++) {
        int64_t last = 0;
        random_program(&s);
        random_tape(&s, &e);
        for (int k = 0; k < 5; k++) {
            struct htmt__node_figures f = endless();
            struct htmt__node *node;
            struct htmt__node_account a;
            f.reorder = reorder[k];
            const int64_t time = cycles_of(&f, &s.program, &e, NULL);
            cr_assert_geq(time, last);
            last = time;
            f.issue = cycles(1);
            f.waiting = 1 + draw(8);
            f.loads = 1 + draw(4);
            f.stores = 1 + draw(4);
            f.l1.every = f.l1.store_every = cycles(2);
            set_unit(&f, HTMT_MUL, HTMT_F64, 4, 3);
            cr_assert_eq(htmt__node_new(&node, &f, &s.program), 0);
            const int64_t whole = service(node, &e, e.n, false, &a);
            cr_assert_eq(service(node, &e, 1 + draw(7), false, NULL), whole);
            cr_assert_eq(sum_of_parts(&a), whole);
            cr_assert_geq(whole, time);
            htmt__node_free(node);
        }
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* A tape of `turns` times its only block, whose steps have no accesses. */
static int64_t repeated(const struct htmt__node_figures *f, struct steps *s, uint64_t turns)
{
    static struct entries e;
    end(s);
    e.n = 0;
    for (uint64_t i = 0; i < turns; i++)
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
    return cycles_of(f, &s->program, &e, NULL);
}

/* A product and an addition a turn, neither of which waits. On units of their own that begin one a
 * cycle, 100 turns take 100 cycles but for the last one's latency of 4; on shared ones the last
 * addition begins in cycle 199 and takes 3. A product keeps the shared unit for 3 cycles: the last
 * addition begins in cycle 399. */
Test(window, operations_of_one_number_share_their_units)
{
    struct htmt__node_figures f = endless();
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    set_unit(&f, HTMT_ADD, HTMT_F64, 3, 1);
    struct steps s = {.n = 0};
    begin(&s);
    add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    add(&s, HTMT_ADD, HTMT_F64, 1, 0, NULL);
    cr_expect_eq(repeated(&f, &s, 100), 103);
    f.unit[HTMT_MUL][HTMT_F64].units = f.unit[HTMT_ADD][HTMT_F64].units = 7;
    cr_expect_eq(repeated(&f, &s, 100), 202);
    f.unit[HTMT_MUL][HTMT_F64].every = cycles(3);
    cr_expect_eq(repeated(&f, &s, 100), 402);
}

/* A chain of additions of 2 cycles, one every cycle, each with another one beside it that comes
 * first in the program. One unit begins the other one first: 3 cycles a step. Two units that take
 * an operation every 2 cycles begin both at once. */
Test(window, units_of_one_kind_begin_operations_side_by_side)
{
    struct htmt__node_figures f = endless();
    set_unit(&f, HTMT_ADD, HTMT_I64, 2, 1);
    struct steps s = {.n = 0};
    begin(&s);
    uint32_t chain = add(&s, HTMT_ADD, HTMT_I64, 1, 0, NULL);
    for (int i = 0; i < 10; i++) {
        add(&s, HTMT_ADD, HTMT_I64, 1, SOURCES(chain));
        chain = add(&s, HTMT_ADD, HTMT_I64, 1, SOURCES(chain));
    }
    cr_expect_eq(repeated(&f, &s, 1), 2 + 10 * 3);
    f.cycle = cycles(2);
    cr_expect_eq(repeated(&f, &s, 1), 2 + 10 * 2);
}

/* Two blocks in turns, the first with a comparison of reals, and both with a branch: three slots of
 * a cycle a turn, the last of a hundred begins at 299. Where dispatch goes on 4 cycles after a jump
 * the last turn begins at 396, and its slots are 396 to 398. The second block follows the first in
 * the code; where another one does, each branch is a jump. */
Test(window, branches_take_slots_and_jumps_follow_each_other)
{
    struct htmt__node_figures f = endless();
    static struct entries e;
    f.branch = (struct htmt_ratio){0, 1};
    f.jump.every = cycles(1);
    f.jump.units = 9;
    set_unit(&f, HTMT_CMP, HTMT_F64, 1, 1);
    f.unit[HTMT_CMP][HTMT_F64].within = 9;
    struct steps s = {.n = 0};
    for (int b = 0; b < 2; b++) {
        begin(&s);
        s.block[b].end = HTMT__END_CONDITION;
        if (b == 0)
            add(&s, HTMT_CMP, HTMT_F64, 1, 0, NULL);
        add(&s, HTMT__STEP_BRANCH, 0, 1, 0, NULL);
    }
    end(&s);
    e.n = 0;
    for (int i = 0; i < 200; i++)
        put(&e, HTMT__TAPE_BLOCK, 0, (uint64_t)i % 2);
    s.block[0].follows = 1;
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 299);
    /* Two jumps for one comparison; and a shift in place of the comparison. */
    s.step[2].n = 2;
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 399);
    s.step[2].n = 1;
    set_unit(&f, HTMT_SHIFT, HTMT_I64, 1, 1);
    f.unit[HTMT_SHIFT][HTMT_I64].units = 9;
    const struct htmt__tape_step comparison = s.step[0];
    s.step[0].operation = HTMT_SHIFT;
    s.step[0].type = HTMT_I64;
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 299);
    s.step[0] = comparison;
    f.jump.taken = cycles(4);
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 398);
    s.block[0].follows = 2;
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 199 * 4);
}

/* Each begins one a cycle on its own units, both a part of those of logic. Where logic begins one a
 * cycle, too, there is but one such unit: two cycles a turn. Two a cycle are enough for both. */
Test(window, operations_take_slots_of_the_units_that_theirs_are_a_part_of)
{
    struct htmt__node_figures f = endless();
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    set_unit(&f, HTMT_ADD, HTMT_F64, 3, 1);
    set_unit(&f, HTMT_LOGIC, HTMT_F64, 1, 1);
    struct steps s = {.n = 0};
    begin(&s);
    add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    add(&s, HTMT_ADD, HTMT_F64, 1, 0, NULL);
    f.unit[HTMT_LOGIC][HTMT_F64].units = 5;
    cr_expect_eq(repeated(&f, &s, 100), 103);
    f.unit[HTMT_MUL][HTMT_F64].within = f.unit[HTMT_ADD][HTMT_F64].within = 5;
    cr_expect_eq(repeated(&f, &s, 100), 202);
    f.unit[HTMT_LOGIC][HTMT_F64].every.den *= 2;
    cr_expect_eq(repeated(&f, &s, 100), 103);
    /* A third operation, of logic itself: three slots a turn. The last product begins at 297. */
    f.unit[HTMT_LOGIC][HTMT_F64].every = cycles(1);
    add(&s, HTMT_LOGIC, HTMT_F64, 1, 0, NULL);
    cr_expect_eq(repeated(&f, &s, 100), 301);
}

/* Of three units one multiplies, a part of those that add, which are a part of all. Where all of
 * them begin one a cycle, a product and a logic operation take two: the last product begins at 198.
 */
Test(window, units_are_a_part_of_those_around_the_ones_that_they_are_a_part_of)
{
    struct htmt__node_figures f = endless();
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    set_unit(&f, HTMT_ADD, HTMT_F64, 3, 1);
    set_unit(&f, HTMT_LOGIC, HTMT_F64, 1, 1);
    struct steps s = {.n = 0};
    begin(&s);
    add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    add(&s, HTMT_LOGIC, HTMT_F64, 1, 0, NULL);
    f.unit[HTMT_LOGIC][HTMT_F64].units = 5;
    f.unit[HTMT_ADD][HTMT_F64].units = 7;
    f.unit[HTMT_MUL][HTMT_F64].within = 7;
    cr_expect_eq(repeated(&f, &s, 100), 103);
    f.unit[HTMT_ADD][HTMT_F64].within = 5;
    cr_expect_eq(repeated(&f, &s, 100), 202);
}

/* What the compiler made no operation of: the addition waits for the product alone. */
Test(window, a_step_without_operations_is_passed)
{
    struct htmt__node_figures f = endless();
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    set_unit(&f, HTMT_ADD, HTMT_F64, 3, 1);
    set_unit(&f, HTMT_LOGIC, HTMT_F64, 9, 1);
    struct steps s = {.n = 0};
    begin(&s);
    const uint32_t product = add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    const uint32_t none = add(&s, HTMT_LOGIC, HTMT_F64, 0, SOURCES(product));
    add(&s, HTMT_ADD, HTMT_F64, 1, SOURCES(none));
    cr_expect_eq(repeated(&f, &s, 1), 7);
}

/* A product of 20 cycles, its sine and cosine, and an addition of 5 that needs nothing; calls of 9
 * cycles, every 4, of 6 instructions, of which 3 wait. One is dispatched a cycle: the sine from 1
 * to 7, the cosine to 13. Both start at 20, as two calls of 9 are under way when one comes each 4,
 * and a second cosine at 23. The sine's places are free at 23, 26 and 29. Of 4, the cosine gets one
 * at once and two at 23, so the addition is dispatched at 26. With room for 8 instructions the
 * cosine begins when the product leaves, at 20, and has its last places when five of the sine's six
 * instructions have left, at 27.5. The sixth leaves at 29, which the addition waits for. */
Test(window, calls_are_instructions_of_which_some_wait)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    f.issue = cycles(1);
    set_unit(&f, HTMT_MUL, HTMT_F64, 20, 0);
    set_unit(&f, HTMT_ADD, HTMT_F64, 5, 0);
    for (unsigned o = HTMT_SIN; o <= HTMT_COS; o += HTMT_COS - HTMT_SIN) {
        set_unit(&f, o, HTMT_F64, 9, 4);
        f.unit[o][HTMT_F64].instructions = 6;
        f.unit[o][HTMT_F64].places = 3;
    }
    begin(&s);
    const uint32_t product = add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    add(&s, HTMT_SIN, HTMT_F64, 1, SOURCES(product));
    add(&s, HTMT_COS, HTMT_F64, 1, SOURCES(product));
    add(&s, HTMT_ADD, HTMT_F64, 1, 0, NULL);
    cr_expect_eq(repeated(&f, &s, 1), 29);
    f.waiting = 4;
    cr_expect_eq(repeated(&f, &s, 1), 31);
    f.waiting = 0;
    f.reorder = 8;
    cr_expect_eq(repeated(&f, &s, 1), 34);
    f.reorder = 0;
    add(&s, HTMT_COS, HTMT_F64, 1, SOURCES(product));
    cr_expect_eq(repeated(&f, &s, 1), 32);
}

/* A sine of a sine, 9 cycles each, or 20 where the argument is from 1 to 5/4, range 5. */
Test(window, calls_take_as_long_as_their_arguments_let_them)
{
    static const uint64_t ranges[] = {0xff, 0xf5, 0x5f, 0x55, 0x44};
    static const int64_t more[] = {0, 11, 11, 22, 0};
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    static struct entries e;
    f.issue = cycles(1);
    set_unit(&f, HTMT_SIN, HTMT_F64, 9, 4);
    f.unit[HTMT_SIN][HTMT_F64].instructions = 6;
    f.call[HTMT_SIN][1][5] = (struct htmt__node_call){cycles(20), cycles(4), 6, 0};
    begin(&s);
    const uint32_t first = add(&s, HTMT_SIN, HTMT_F64, 1, 0, NULL);
    add(&s, HTMT_SIN, HTMT_F64, 1, SOURCES(first));
    const int64_t without = repeated(&f, &s, 1);
    for (int i = 0; i < 5; i++) {
        e.n = 0;
        put(&e, HTMT__TAPE_RANGES, 0, (HTMT__TAPE_ADDRESS ^ 0xff) | ranges[i]);
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), without + more[i]);
    }
}

/* Turns of nine instructions, of which four come at once: three groups, each 2 cycles behind the
 * one before. The last of a hundred turns begins at 99 x 6, and its additions take 1. */
Test(window, instructions_come_in_groups_that_a_jump_ends)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    f.jump.taken = cycles(2);
    begin(&s);
    add(&s, HTMT_ADD, HTMT_I64, 9, 0, NULL);
    cr_expect_eq(repeated(&f, &s, 100), 99 * 2 + 1);
    f.jump.group = 4;
    cr_expect_eq(repeated(&f, &s, 100), 99 * 6 + 1);
    f.jump.group = 9;
    cr_expect_eq(repeated(&f, &s, 100), 99 * 2 + 1);
}

/* Two loads, three sums of reals and four of whole numbers, of which the loads and the reals begin
 * 2 cycles apart: the last sum at 8. */
Test(window, accesses_and_operations_of_reals_begin_beside_each_other)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    add(&s, HTMT_ADD, HTMT_F64, 3, 0, NULL);
    add(&s, HTMT_ADD, HTMT_I64, 4, 0, NULL);
    end(&s);
    e.n = 0;
    put(&e, HTMT__TAPE_BLOCK, 0, 0);
    put(&e, HTMT__TAPE_LOAD, 8, 0);
    put(&e, HTMT__TAPE_LOAD, 8, 8);
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 5);
    f.beside = cycles(2);
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 4 * 2 + 3);
}

/* Ten turns of an addition of a cycle, in a block that has an addition to memory, two with an index
 * and an index alone: 3 + 2 x 4 + 5 cycles of issue before each. */
Test(window, what_is_not_fused_takes_more_issue)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    begin(&s);
    s.block[0].adds = 1;
    s.block[0].adds_index = 2;
    s.block[0].index = 1;
    add(&s, HTMT_ADD, HTMT_I64, 1, 0, NULL);
    cr_expect_eq(repeated(&f, &s, 10), 1);
    f.unfused = (struct htmt__node_unfused){cycles(3), cycles(4), cycles(5)};
    cr_expect_eq(repeated(&f, &s, 10), 10 * 16 + 1);
}

/* The sum of a turn needs the product, the product needs the sum of the turn before: 3 + 4 cycles;
 * with a sum that others get after 5 cycles, 5 + 4, and the last one is there after 3. A sum that
 * needs the sum before it takes 3. */
Test(window, a_result_takes_longer_to_other_units)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0}, alike = {.n = 0};
    begin(&s);
    const uint32_t product = add(&s, HTMT_MUL, HTMT_F64, 1, SOURCES(1));
    add(&s, HTMT_ADD, HTMT_F64, 1, SOURCES(product));
    cr_expect_eq(repeated(&f, &s, 10), 70);
    f.unit[HTMT_ADD][HTMT_F64].onward = cycles(5);
    f.unit[HTMT_ADD][HTMT_F64].units = 1;
    cr_expect_eq(repeated(&f, &s, 10), 4 + 9 * (5 + 4) + 3);
    begin(&alike);
    add(&alike, HTMT_ADD, HTMT_F64, 1, SOURCES(0));
    cr_expect_eq(repeated(&f, &alike, 10), 30);
}

/* q += a[i]; s[i] = a[i], through memory: q is 8 bytes at 0, of which the store writes `stored`. */
static int64_t sum_through_memory(struct htmt__node_figures *f, uint64_t turns, unsigned stored)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    const uint32_t i = add(&s, HTMT_ADD, HTMT_I64, 1, SOURCES(0));
    const uint32_t q = add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    const uint32_t a = add(&s, HTMT__STEP_LOAD, 0, 1, SOURCES(i));
    const uint32_t sum = add(&s, HTMT_ADD, HTMT_F64, 1, SOURCES(q, a));
    add(&s, HTMT__STEP_STORE, 0, 1, SOURCES(sum));
    add(&s, HTMT__STEP_STORE, 0, 1, SOURCES(a, i));
    end(&s);
    e.n = 0;
    for (uint64_t k = 0; k < turns; k++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        put(&e, HTMT__TAPE_LOAD, 8, 0);
        put(&e, HTMT__TAPE_LOAD, 8, 4096 + 8 * k);
        put(&e, HTMT__TAPE_STORE, stored, 0);
        put(&e, HTMT__TAPE_STORE, 8, 65536 + 8 * k);
    }
    return cycles_of(f, &s.program, &e, NULL);
}

/* The first value is there after the count 1, a's load 5 and the addition 3. Each further turn
 * waits for the store before it: forward 7 and addition 3; where the store has half of the bytes,
 * 20 + 3. Without `forward` it takes a hit: 5 + 3. */
Test(window, a_sum_through_memory_waits_for_the_store_of_the_turn_before)
{
    struct htmt__node_figures f = endless();
    cr_expect_eq(sum_through_memory(&f, 100, 8), 9 + 99 * 8);
    f.forward = cycles(7);
    cr_expect_eq(sum_through_memory(&f, 100, 8), 9 + 99 * 10);
    cr_expect_eq(sum_through_memory(&f, 100, 4), 9 + 99 * 10);
    f.forward_part = cycles(20);
    cr_expect_eq(sum_through_memory(&f, 100, 4), 9 + 99 * 23);
    cr_expect_eq(sum_through_memory(&f, 100, 8), 9 + 99 * 10);
    f.reorder = 224;
    f.waiting = 97;
    f.loads = 72;
    f.stores = 56;
    f.issue = (struct htmt_ratio){(uint64_t)CYCLE, 4};
    cr_expect_leq(sum_through_memory(&f, 100, 8), 9 + 99 * 10 + 2);
    cr_expect_geq(sum_through_memory(&f, 100, 8), 9 + 99 * 10);
}

/* Block 0 is a multiplication of a chain, block 1 three that wait for nothing. */
static int64_t chain_and_others(struct htmt__node_figures *f, uint64_t turns)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    add(&s, HTMT_MUL, HTMT_F64, 1, SOURCES(0));
    begin(&s);
    for (int k = 0; k < 3; k++)
        add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    end(&s);
    e.n = 0;
    for (uint64_t k = 0; k < turns; k++)
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
    for (uint64_t k = 0; k < turns; k++)
        put(&e, HTMT__TAPE_BLOCK, 0, 1);
    return cycles_of(f, &s.program, &e, NULL);
}

/* A chain of 100 takes 400 cycles and leaves three of four slots of its unit to the 300 that follow
 * in the program: 1, 2, 3, then 5, .., up to 399, which is done at 403. With room for one step all
 * 400 follow each other. With room for ten, the 300 begin to run as the chain ends, so that most of
 * their slots come after it: more than 600. A unit that is never free twice in 4 cycles: 1600. */
Test(window, later_steps_take_the_slots_that_a_chain_leaves)
{
    struct htmt__node_figures f = endless();
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    cr_expect_eq(chain_and_others(&f, 100), 403);
    f.reorder = 1;
    cr_expect_eq(chain_and_others(&f, 100), 1600);
    f.reorder = 10;
    cr_expect_gt(chain_and_others(&f, 100), 600);
    f.reorder = 0;
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 4);
    cr_expect_eq(chain_and_others(&f, 100), 1600);
}

/* 60 independent multiplications of 4 cycles. One issued each cycle: the last one starts at 59.
 * With two in flight, two every 4 cycles. Where none may wait longer than one, nothing changes, as
 * none waits; but a unit that takes one in 4 cycles is the bound then. */
Test(window, issue_window_and_units_bound_independent_operations)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    struct entries *e = calloc(1, sizeof *e);
    cr_assert_not_null(e);
    begin(&s);
    add(&s, HTMT_MUL, HTMT_F64, 60, 0, NULL);
    end(&s);
    put(e, HTMT__TAPE_BLOCK, 0, 0);
    cr_expect_eq(cycles_of(&f, &s.program, e, NULL), 4);
    f.issue = cycles(1);
    cr_expect_eq(cycles_of(&f, &s.program, e, NULL), 63);
    f.issue = (struct htmt_ratio){0, 1};
    f.reorder = 2;
    cr_expect_eq(cycles_of(&f, &s.program, e, NULL), 120);
    f.reorder = 0;
    f.waiting = 1;
    cr_expect_eq(cycles_of(&f, &s.program, e, NULL), 4);
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 4);
    cr_expect_eq(cycles_of(&f, &s.program, e, NULL), 240);
    free(e);
}

/* A cold cache: 15 cycles a miss, as docs/nodes.md works out (arbitration 1, DRAM 10, line 4). One
 * at a time, the eight lines follow each other, each sent when the one before has come; the hit is
 * 5. With eight under way the bank is what they wait for: 10 each. */
Test(window, misses_wait_for_each_other_as_outstanding_says)
{
    struct htmt__node_figures f = endless();
    struct steps s = {.n = 0};
    static struct entries e;
    const struct htmt__node_figures slow = example(2, 1);
    begin(&s);
    for (int k = 0; k < 8; k++)
        add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    end(&s);
    f.bus = slow.bus;
    f.dram = slow.dram;
    f.dram.closed = true;
    put(&e, HTMT__TAPE_BLOCK, 0, 0);
    for (uint64_t k = 0; k < 8; k++)
        put(&e, HTMT__TAPE_LOAD, 8, 4096 * k);
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 8 * 15 + 5);
    f.outstanding = 8;
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), 1 + 8 * 10 + 4 + 5);
}

/* Twelve loads that wait for nothing, each in lines of its own; when the last one is done. */
static int64_t loads_of(struct htmt__node_figures *f, unsigned width, uint64_t first)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    for (int k = 0; k < 12; k++)
        add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    end(&s);
    e.n = 0;
    put(&e, HTMT__TAPE_BLOCK, 0, 0);
    for (uint64_t k = 0; k < 12; k++)
        put(&e, HTMT__TAPE_LOAD, width, first + 128 * k);
    return cycles_of(f, &s.program, &e, NULL);
}

/* Words: one each 2 cycles, the last at 22, done at 27. Of 64 bytes each 3, at 33; of 32 bytes as
 * words are. One that crosses a line takes two slots, the last at 46; or as many as fill 6 cycles.
 */
Test(window, wide_accesses_and_those_of_two_lines_take_more_slots)
{
    struct htmt__node_figures f = endless();
    f.l1.line = 64;
    f.l1.every = cycles(2);
    f.l1.wide[2] = cycles(3);
    cr_expect_eq(loads_of(&f, 8, 0), 22 + 5);
    cr_expect_eq(loads_of(&f, 32, 0), 22 + 5);
    cr_expect_eq(loads_of(&f, 64, 0), 33 + 5);
    cr_expect_eq(loads_of(&f, 8, 60), 46 + 5);
    f.l1.across = cycles(6);
    cr_expect_eq(loads_of(&f, 8, 60), 70 + 5);
}

/* Sixteen stores of words, in two lines in turns or in one after the other. */
static int64_t stores_of(const struct htmt__node_figures *f, bool in_turns)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    add(&s, HTMT__STEP_STORE, 0, 1, 0, NULL);
    end(&s);
    e.n = 0;
    for (uint64_t k = 0; k < 16; k++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        put(&e, HTMT__TAPE_STORE, 8,
            in_turns ? 64 * (k % 2) + 8 * (k / 2) : 64 * (k / 8) + 8 * (k % 8));
    }
    return cycles_of(f, &s.program, &e, NULL);
}

/* Slots of 2 cycles: the last of sixteen starts at 30, and where two leave at once that are in one
 * line, too. In turns each leaves the second slot of its line empty: the last starts at 60. */
Test(window, stores_of_another_line_leave_by_themselves)
{
    struct htmt__node_figures f = endless();
    f.l1.line = 64;
    f.l1.store_every = cycles(2);
    cr_expect_eq(stores_of(&f, true), 30);
    f.l1.store_apart = cycles(4);
    cr_expect_eq(stores_of(&f, false), 30);
    cr_expect_eq(stores_of(&f, true), 60);
}

/* So many loads or stores that wait for nothing, one of each page, `apart` pages from one to the
 * next, and all of them again. */
static int64_t of_rows(struct htmt__node_figures *f, unsigned step, uint64_t pages, uint64_t apart)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    add(&s, step, 0, 1, 0, NULL);
    end(&s);
    e.n = 0;
    for (uint64_t k = 0; k < 2 * pages; k++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        put(&e, step == HTMT__STEP_LOAD ? HTMT__TAPE_LOAD : HTMT__TAPE_STORE, 8,
            4096 * apart * (k % pages) + 64 * (k % 64));
    }
    return cycles_of(f, &s.program, &e, NULL);
}

static int64_t of_pages(struct htmt__node_figures *f, unsigned step, uint64_t pages)
{
    return of_rows(f, step, pages, 1);
}

/* Four pages that neither level holds: walks of 40 cycles begin 7 after the loads, one in each slot
 * of 10, so at 7, 10, 20 and 30, and the hits take 5. The second time all are there, or on their
 * way. Ten pages in a first level of eight in one set: each is pushed out before it comes again, so
 * the second time takes 7, which the walks cover. Where the second level holds all, nothing walks.
 */
Test(window, pages_that_the_tlb_does_not_hold_make_accesses_late)
{
    struct htmt__node_figures f = endless();
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 4), 5);
    f.tlb = (struct htmt__node_tlb){.page = 4096, .entries = 8, .late = cycles(7)};
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 4), 7 + 5);
    f.tlb.second = 64;
    f.tlb.walk = cycles(40);
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 4), 7 + 40 + 5);
    f.tlb.every = cycles(10);
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 4), 3 * 10 + 40 + 5);
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 10), 9 * 10 + 40 + 5);
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 128), 255 * 10 + 40 + 5);
    /* One at a time: each of 20 loads waits for its translation, ten of them for a walk. */
    f.reorder = 1;
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 10), 20 * (7 + 5) + 10 * 40);
    /* A store does not wait for its line, but the service ends with the last one sent. */
    f.reorder = 0;
    cr_expect_eq(of_pages(&f, HTMT__STEP_STORE, 4), 3 * 10 + 40);
}

/* Loads one after the other, 16 pages in four sets of 16, each set twice: four pages apart all of
 * them are in one set by their last bits, so the second level holds all of 16 and nothing of 32. By
 * more bits they are in four. */
Test(window, a_second_level_whose_index_is_hashed_holds_rows_of_a_power_of_two)
{
    struct htmt__node_figures f = endless();
    f.reorder = 1;
    f.tlb = (struct htmt__node_tlb){.page = 4096, .entries = 8, .late = cycles(7), .second = 64};
    f.tlb.walk = cycles(40);
    cr_expect_eq(of_rows(&f, HTMT__STEP_LOAD, 16, 4), 32 * (7 + 5) + 16 * 40);
    cr_expect_eq(of_rows(&f, HTMT__STEP_LOAD, 32, 4), 64 * (7 + 5) + 64 * 40);
    f.tlb.hashed = true;
    cr_expect_eq(of_rows(&f, HTMT__STEP_LOAD, 32, 4), 64 * (7 + 5) + 32 * 40);
    cr_expect_eq(of_rows(&f, HTMT__STEP_LOAD, 64, 1), 128 * (7 + 5) + 64 * 40);
}

/* What says nothing of operands goes in program order: 9 cycles a turn, as without a window. */
Test(window, annotated_operations_keep_the_time_of_program_order)
{
    struct htmt__node_figures f = example(2, 1);
    static struct entries e;
    struct steps s = {.n = 0};
    begin(&s);
    add(&s, HTMT_MUL, HTMT_F64, 1, 0, NULL);
    end(&s);
    put_ddot(&e, 64);
    const int64_t plain = cycles_of(&f, &s.program, &e, NULL);
    f.order = HTMT__NODE_WINDOW;
    cr_expect_eq(cycles_of(&f, &s.program, &e, NULL), plain);
    cr_expect_eq(plain, 1056);
}

/* ---- lines ----------------------------------------------------------------------------------- */

#define LINES 128 /* four times what the first cache holds */

/* Lines of 32 bytes, 10 cycles beyond the first cache. */
static struct htmt__node_figures with_l2(void)
{
    struct htmt__node_figures f = endless();
    f.outstanding = 64;
    f.l2 = (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = 65536, .line = 32, .ways = 4, .hit = cycles(10)};
    return f;
}

/* A word of each line is loaded, and stored where `write`; the second time, out of l2. */
static int64_t sweep_of(const struct htmt__node_figures *f, bool write,
                        struct htmt__node_account *a)
{
    struct steps s = {.n = 0};
    static struct entries e;
    struct htmt__node *node;
    begin(&s);
    const uint32_t word = add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    if (write)
        add(&s, HTMT__STEP_STORE, 0, 1, SOURCES(word));
    end(&s);
    e.n = 0;
    for (uint64_t i = 0; i < LINES; i++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        put(&e, HTMT__TAPE_LOAD, 8, 32 * i);
        if (write)
            put(&e, HTMT__TAPE_STORE, 8, 32 * i);
    }
    cr_assert_eq(htmt__node_new(&node, f, &s.program), 0);
    service(node, &e, e.n, false, NULL);
    const int64_t time = service(node, &e, e.n, true, a);
    htmt__node_free(node);
    return time;
}

static int64_t sweep(const struct htmt__node_figures *f, bool write)
{
    return sweep_of(f, write, NULL);
}

/* 64 lines are asked for at 0, the others when these have come, at 10. With `every` 3 the first one
 * leaves in the slot from 6 on, so the last one in that from 6 + 127 * 3 on, and its load takes 5
 * more. A dirty line goes for each one that comes: then every second slot is left, and with `back`
 * 6 every third. */
Test(window, lines_leave_a_level_and_come_back_to_it_one_after_the_other)
{
    struct htmt__node_figures f = with_l2();
    cr_expect_eq(sweep(&f, false), 10 + 10 + 5);
    f.l2.every = cycles(3);
    cr_expect_eq(sweep(&f, false), 6 + 127 * 3 + 3 + 5);
    cr_expect_eq(sweep(&f, true), 6 + 127 * 2 * 3 + 3 + 5);
    f.l2.back = cycles(6);
    cr_expect_eq(sweep(&f, true), 6 + 127 * 3 * 3 + 3 + 5);
}

/* Four lines for each set, of which some have four ways and others two or three, so that all of the
 * others come from memory. Those take the bus for 7 cycles each, those of l2 a slot of 3, one after
 * the other: not the longer of both. A slot that is not yet full is no time, and memory alone takes
 * what the bus takes. */
Test(window, lines_of_memory_keep_those_of_the_last_cache_waiting)
{
    struct htmt__node_figures f = with_l2();
    struct htmt__node_account a;
    f.l2.size = 4096;
    f.l2.fewest = 2;
    f.l2.every = cycles(3);
    f.bus = (struct htmt__node_bus){.width = 32, .at = HTMT__NODE_L2_DRAM, .cycle = cycles(7)};
    const int64_t both = sweep_of(&f, false, &a);
    const int64_t memory = (int64_t)a.l2_misses, cache = LINES - memory;
    cr_assert(memory > LINES / 4 && cache > LINES / 4, "%ld of memory", (long)memory);
    const int64_t known = 7 * memory + 3 * cache;
    cr_expect(both > known - 30 && both < known + 30, "%ld, known %ld", (long)both, (long)known);
    f.l2.size = 1024;
    f.l2.fewest = 0;
    const int64_t alone = sweep(&f, false);
    cr_expect(alone > 7 * LINES && alone < 7 * LINES + 30, "%ld", (long)alone);
}

/* A turn dispatches two instructions, and stands for `fill` and `spill` behind the load. The last
 * one takes 10 and 5 cycles. */
Test(window, a_line_that_comes_and_a_dirty_one_that_goes_stop_dispatch)
{
    struct htmt__node_figures f = with_l2();
    f.issue = cycles(1);
    cr_expect_eq(sweep(&f, true), 127 * 2 + 10 + 5);
    f.l1.fill = cycles(2);
    f.l1.spill = cycles(3);
    cr_expect_eq(sweep(&f, true), 127 * (2 + 2 + 3) + 10 + 5);
    cr_expect_eq(sweep(&f, false), 127 * (1 + 2) + 10 + 5);
}

/* Turns of a load, all words of each line. */
static int64_t words_of(const struct htmt__node_figures *f, unsigned turns)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    end(&s);
    e.n = 0;
    for (uint64_t i = 0; i < turns; i++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        put(&e, HTMT__TAPE_LOAD, 8, 8 * i);
    }
    return cycles_of(f, &s.program, &e, NULL);
}

/* Four loads of a line that comes at 10 begin 4 cycles apart, the last one at 12. Issued again, the
 * first two take the slots from 8 and 12 on, too, and the others those from 16 and 20 on. */
Test(window, loads_of_a_line_that_is_on_its_way_are_issued_again)
{
    struct htmt__node_figures f = with_l2();
    f.l1.every = cycles(4);
    cr_expect_eq(words_of(&f, 4), 12 + 5);
    f.l1.fill = cycles(1);
    cr_expect_eq(words_of(&f, 4), 20 + 5);
}

/* Turns that jump each 2 cycles and are dispatched in one. One of four stands for 5 cycles, in
 * which the jumps go on: 9 cycles a line, not 12. */
Test(window, jumps_go_on_while_dispatch_stands)
{
    struct htmt__node_figures f = with_l2();
    f.issue = cycles(1);
    f.jump.taken = cycles(2);
    f.l1.fill = cycles(5);
    const int64_t all = words_of(&f, 128);
    cr_expect(all > 32 * 9 - 9 && all < 32 * 9 + 20, "%ld", (long)all);
}

/* A load of a line, a product of it, and a load at that address: 15, 4 and 15 cycles. All turns run
 * at once, although the second load of the first one asks for its line long after the first load of
 * the last one. */
Test(window, a_miss_passes_one_that_waits_for_its_address)
{
    const struct htmt__node_figures f = with_l2();
    struct steps s = {.n = 0};
    struct htmt__node_account a;
    static struct entries e;
    begin(&s);
    const uint32_t index = add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    const uint32_t product = add(&s, HTMT_MUL, HTMT_F64, 1, SOURCES(index));
    add(&s, HTMT__STEP_LOAD, 0, 1, SOURCES(product));
    end(&s);
    e.n = 0;
    for (uint64_t i = 0; i < 20; i++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        put(&e, HTMT__TAPE_LOAD, 8, 32 * i);
        put(&e, HTMT__TAPE_LOAD, 8, 65536 + 32 * i);
    }
    cr_expect_eq(cycles_of(&f, &s.program, &e, &a), 15 + 4 + 15);
    cr_expect_eq(a.part[HTMT__NODE_L2] / CYCLE, 2 * 10, "both lines of the first turn");
    cr_expect_eq(sum_of_parts(&a), 15 + 4 + 15);
}

/* Two loads of lines of l3 take 45 cycles each. The tables of their page are two such lines, behind
 * a walk of 40 and 7 before it; the next three pages have the same lines, of 32 bytes. */
Test(window, a_walk_waits_for_lines_of_the_tables_that_l2_does_not_have)
{
    struct htmt__node_figures f = with_l2();
    f.l3 = (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = 1 << 20, .line = 32, .ways = 4, .hit = cycles(30)};
    f.reorder = 1;
    f.tlb = (struct htmt__node_tlb){.page = 4096, .entries = 8, .late = cycles(7), .second = 64};
    f.tlb.walk = cycles(40);
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 1), 7 + 40 + 45 + 45);
    f.tlb.tables = 2;
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 1), 7 + 40 + 2 * 30 + 45 + 45);
    const int64_t few = of_pages(&f, HTMT__STEP_LOAD, 4);
    f.tlb.tables = 0;
    cr_expect_eq(of_pages(&f, HTMT__STEP_LOAD, 4) + 2 * 30, few);
}

/* Loads of lines of l3 that nothing waits for: one each 6 cycles, or 12 where all are of one bank.
 */
Test(window, a_bank_gives_a_line_in_its_own_time)
{
    struct htmt__node_figures f = with_l2();
    struct steps s = {.n = 0};
    static struct entries e;
    f.l3 = (struct htmt__node_cache){.kind = HTMT__NODE_CACHE,
                                     .size = 1 << 20,
                                     .line = 32,
                                     .ways = 4,
                                     .hit = cycles(30),
                                     .every = cycles(6)};
    f.l2.size = 128;
    begin(&s);
    add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    end(&s);
    int64_t found[2][2];
    for (uint32_t banks = 1; banks <= 2; banks++)
        for (uint64_t apart = 1; apart <= 2; apart++) {
            e.n = 0;
            for (uint64_t i = 0; i < 2 * 200; i++) { /* l3 has them the second time */
                put(&e, HTMT__TAPE_BLOCK, 0, 0);
                put(&e, HTMT__TAPE_LOAD, 8, 32 * apart * (i % 200));
            }
            f.l3.banks = banks;
            f.l3.bank = cycles(12);
            found[banks - 1][apart - 1] = cycles_of(&f, &s.program, &e, NULL);
        }
    cr_expect_eq(found[0][0], found[0][1]);
    cr_expect_eq(found[1][0], found[0][0]);
    cr_expect_eq(found[1][1] - found[0][1], 198 * 6, "but for the first line of either");
}

/* 40 times, to lines that nobody had: a load, a store, or both in turns. */
static int64_t of_lines(struct htmt__node_figures *f, bool load, bool store)
{
    struct steps s = {.n = 0};
    static struct entries e;
    begin(&s);
    if (load)
        add(&s, HTMT__STEP_LOAD, 0, 1, 0, NULL);
    if (store)
        add(&s, HTMT__STEP_STORE, 0, 1, 0, NULL);
    end(&s);
    e.n = 0;
    for (uint64_t i = 0; i < 40; i++) {
        put(&e, HTMT__TAPE_BLOCK, 0, 0);
        if (load)
            put(&e, HTMT__TAPE_LOAD, 8, 32 * i);
        if (store)
            put(&e, HTMT__TAPE_STORE, 8, 65536 + 32 * i);
    }
    return cycles_of(f, &s.program, &e, NULL);
}

/* Lines of l3 come 40 cycles after they were asked for, eight of loads at once, two of stores: 5
 * cycles each, 20, and 25 for one of either. */
Test(window, lines_of_stores_keep_the_places_of_lines_for_longer)
{
    struct htmt__node_figures f = with_l2();
    f.l3 = (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = 1 << 20, .line = 32, .ways = 4, .hit = cycles(30)};
    f.outstanding = 8;
    f.outstanding_stores = 2;
    const double loads = (double)of_lines(&f, true, false),
                 stores = (double)of_lines(&f, false, true),
                 both = (double)of_lines(&f, true, true);
    cr_expect(fabs(loads - 40 * 5.0) < 45, "%.0f", loads);
    cr_expect(fabs(stores - 40 * 20.0) < 45, "%.0f", stores);
    cr_expect(fabs(both - 40 * 25.0) < 45, "%.0f", both);
}

/* A store each cycle. Of four one to a line that l1 has not leaves 7 cycles later; of stores that
 * all are to such lines the first. The last 16 retire before they leave. */
Test(window, a_store_to_another_line_waits_behind_stores_that_hit)
{
    struct htmt__node_figures f = with_l2();
    static struct entries e;
    f.stores = 16;
    f.l1.store_every = cycles(1);
    f.l2.behind = cycles(7);
    for (unsigned hits = 0; hits < 4; hits += 3) {
        struct steps s = {.n = 0};
        begin(&s);
        for (unsigned k = 0; k <= hits; k++)
            add(&s, HTMT__STEP_STORE, 0, 1, 0, NULL);
        end(&s);
        e.n = 0;
        for (uint64_t i = 0; i < 40; i++) {
            put(&e, HTMT__TAPE_BLOCK, 0, 0);
            put(&e, HTMT__TAPE_STORE, 8, 4096 + 32 * i);
            for (uint64_t k = 0; k < hits; k++)
                put(&e, HTMT__TAPE_STORE, 8, 32 * k);
        }
        const int64_t found = cycles_of(&f, &s.program, &e, NULL);
        cr_expect(hits ? llabs(found - 36 * 11) < 15 : found < 40 + 50, "%d", (int)found);
    }
}

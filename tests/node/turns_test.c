/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns that are like the last one are passed over. Entry by entry none is: each tape is played
 * both ways, in insides of all kinds.
 */
#include "tests/node/example.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <string.h>

/* Loops: block 1; blocks 2 and 3, which it may leave out; block 5 in blocks 4 to 6. */
static const struct htmt__tape_block blocks[] = {
    {.end = HTMT__END_JUMP, .instructions = 1},
    {.code = 4,
     .instructions = 6,
     .ops = 2,
     .waits = 2,
     .chains = 1,
     .loop_end = 1,
     .accesses = 2,
     .end = HTMT__END_CONDITION},
    {.code = 28, .instructions = 4, .loop_end = 3, .accesses = 2, .end = HTMT__END_CONDITION},
    {.code = 44, .instructions = 9, .op = 1, .ops = 1, .accesses = 1, .end = HTMT__END_CONDITION},
    {.code = 80, .instructions = 2, .loop_end = 6, .end = HTMT__END_JUMP},
    {.code = 88,
     .instructions = 5,
     .ops = 1,
     .chain = 1,
     .chains = 1,
     .loop_end = 5,
     .accesses = 3,
     .end = HTMT__END_CONDITION},
    {.code = 108, .instructions = 3, .accesses = 1, .end = HTMT__END_CONDITION},
    {.code = 120, .instructions = 1, .end = HTMT__END_RETURN},
    {.function = 1, .code = 400, .instructions = 3, .accesses = 1, .end = HTMT__END_RETURN}};
static const struct htmt__tape_op ops[] = {{HTMT_MUL, HTMT_F64, 1}, {HTMT_ADD, HTMT_F64, 2}};
static const struct htmt__tape_link links[] = {{HTMT_ADD, HTMT_F64, 0, 1},
                                               {HTMT_OPERATIONS, HTMT_F64, 1, 5}};
static const struct htmt__tape_chain chains[] = {{0, 1}, {1, 1}};
static const struct htmt__tape_function functions[] = {{"f", "f.c", 1}, {"g", "f.c", 9}};
static const struct htmt__tape_program program = {.blocks = blocks,
                                                  .ops = ops,
                                                  .chains = chains,
                                                  .links = links,
                                                  .functions = functions,
                                                  .block_count = 9,
                                                  .op_count = 2,
                                                  .chain_count = 2,
                                                  .link_count = 2,
                                                  .function_count = 2};

/* ---- tapes -------------------------------------------------------------------------------------
 */

/* Where the accesses of a block stand, and how far each turn moves them. */
struct walk {
    uint64_t at[3], stride[3];
};

static struct walk draw_walk(uint64_t *seed)
{
    static const uint64_t strides[] = {0, 4, 8, 8, 8, 12, 32, 64, 1024};
    struct walk w;
    for (int i = 0; i < 3; i++) {
        w.at[i] = (uint64_t)draw_below(seed, 3) * 0x10000 + draw_below(seed, 512) * UINT64_C(4);
        w.stride[i] = strides[draw_below(seed, 9)];
    }
    return w;
}

static void put_block(struct entries *e, uint32_t block, struct walk *w)
{
    put(e, HTMT__TAPE_BLOCK, 0, block);
    for (uint16_t i = 0; i < blocks[block].accesses; i++) {
        put(e, block + i == 3 || block == 6 ? HTMT__TAPE_STORE : HTMT__TAPE_LOAD, i == 2 ? 4 : 8,
            w->at[i]);
        w->at[i] += w->stride[i];
    }
}

static void put_one(struct entries *e, uint64_t *seed)
{
    struct walk w = draw_walk(seed);
    for (uint32_t n = draw_below(seed, 40); n > 0; n--)
        put_block(e, 1, &w);
}

static void put_two(struct entries *e, uint64_t *seed)
{
    struct walk w = draw_walk(seed);
    bool calls = draw_below(seed, 4) == 0, leaves_out = draw_below(seed, 2) == 0;
    for (uint32_t n = draw_below(seed, 40); n > 0; n--) {
        put_block(e, 2, &w);
        if (calls)
            put_block(e, 8, &w);
        if (!leaves_out || draw_below(seed, 8) == 0)
            put_block(e, 3, &w);
    }
}

static void put_nest(struct entries *e, uint64_t *seed)
{
    struct walk w = draw_walk(seed), inner = draw_walk(seed);
    uint32_t turns = draw_below(seed, 12);
    for (uint32_t n = draw_below(seed, 12); n > 0; n--) {
        put_block(e, 4, &w);
        for (uint32_t k = turns; k > 0; k--)
            put_block(e, 5, &inner);
        put_block(e, 6, &w);
    }
}

static void put_tape(struct entries *e, uint64_t *seed)
{
    static void (*const loop[])(struct entries *, uint64_t *) = {put_one, put_two, put_nest};
    struct walk none = {.at = {0}};
    e->n = 0;
    put_block(e, 0, &none);
    for (int i = 0; i < 60; i++)
        loop[draw_below(seed, 3)](e, seed);
    put_block(e, 7, &none);
}

/* ---- insides -----------------------------------------------------------------------------------
 */

static struct htmt__node_figures draw_inside(uint64_t *seed)
{
    struct htmt__node_figures f = example(1 << draw_below(seed, 4), 1 << draw_below(seed, 2));
    f.l1.replace = draw_below(seed, 3);
    f.l1.write = draw_below(seed, 3);
    f.l1.split = draw_below(seed, 2);
    f.l1.store_every = cycles(1 + draw_below(seed, 2));
    f.issue = cycles(draw_below(seed, 2));
    f.branch = cycles(draw_below(seed, 6));
    f.predictor = draw_below(seed, 4);
    f.window = draw_below(seed, 4);
    f.outstanding = draw_below(seed, 2) ? 4 : 1;
    f.prefetch_streams = draw_below(seed, 2) * 4;
    f.prefetch_lines = f.prefetch_streams ? 2 : 0;
    f.dram.refresh = cycles(draw_below(seed, 2) * 700);
    f.dram.busy = cycles(20);
    if (draw_below(seed, 2))
        f.l2 = (struct htmt__node_cache){
            .kind = HTMT__NODE_CACHE, .size = 4096, .line = 64, .ways = 4, .hit = cycles(2)};
    return f;
}

Test(turns, take_the_same_time_and_counts_when_they_are_passed_over)
{
    static struct entries e;
    uint64_t seed = 17;
    for (int i = 0; i < 300; i++) {
        struct htmt__node_figures f = draw_inside(&seed);
        struct htmt__node_account whole, single;
        struct htmt__node *node;
        char key[80], why[80];
        put_tape(&e, &seed);
        cr_assert(htmt__node_figures_good(&f, key, why, sizeof why), "%s: %s", key, why);
        cr_assert_eq(htmt__node_new(&node, &f, &program), 0);
        int64_t time = service(node, &e, HTMT__TAPE_CHUNK, false, &whole);
        cr_expect_eq(service(node, &e, 1, false, &single), time, "tape %d", i);
        cr_expect_eq(memcmp(&whole, &single, sizeof whole), 0, "tape %d", i);
        /* What the caches hold has come out the same, too. */
        time = service(node, &e, 1, true, &single);
        service(node, &e, HTMT__TAPE_CHUNK, false, NULL);
        cr_expect_eq(service(node, &e, HTMT__TAPE_CHUNK, true, &whole), time, "tape %d", i);
        cr_expect_eq(memcmp(&whole, &single, sizeof whole), 0, "tape %d", i);
        htmt__node_free(node);
    }
}

/* A node that takes caches and counters over goes on like the one that had them. */
Test(turns, go_on_alike_on_a_node_that_takes_over)
{
    static struct entries e;
    uint64_t seed = 19;
    for (int i = 0; i < 100; i++) {
        struct htmt__node_figures f = draw_inside(&seed);
        struct htmt__node_account same, other;
        struct htmt__node *first, *second;
        put_tape(&e, &seed);
        cr_assert_eq(htmt__node_new(&first, &f, &program), 0);
        cr_assert_eq(htmt__node_new(&second, &f, &program), 0);
        service(first, &e, HTMT__TAPE_CHUNK, false, NULL);
        htmt__node_take_over(second, first);
        int64_t time = service(second, &e, HTMT__TAPE_CHUNK, true, &other);
        service(first, &e, HTMT__TAPE_CHUNK, false, NULL);
        cr_expect_eq(service(first, &e, HTMT__TAPE_CHUNK, true, &same), time, "tape %d", i);
        cr_expect_eq(memcmp(&same, &other, sizeof same), 0, "tape %d", i);
        htmt__node_free(first);
        htmt__node_free(second);
    }
}

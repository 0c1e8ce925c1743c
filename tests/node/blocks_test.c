/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled blocks: chains, overlap, issue, branches, code, misses under way, fetching ahead. Each
 * service is worked out in a comment.
 */
#include "tests/node/example.h"

#include "runtime/base/error.h"

#include <criterion/criterion.h>
#include <string.h>

/* A program of one function: block 0 enters, block 1 is the loop, block 2 returns. */
struct loop {
    struct htmt__tape_block blocks[3];
    struct htmt__tape_op ops[4]; /* then those that are waited for */
    struct htmt__tape_chain chain;
    struct htmt__tape_link links[2];
    struct htmt__tape_function function;
    struct htmt__tape_program program;
};

static void make(struct loop *l, uint16_t accesses)
{
    *l = (struct loop){.blocks = {{.end = HTMT__END_JUMP, .instructions = 1},
                                  {.code = 4,
                                   .instructions = 4,
                                   .ops = 2,
                                   .loop_end = 1,
                                   .accesses = accesses,
                                   .end = HTMT__END_CONDITION},
                                  {.code = 20, .end = HTMT__END_RETURN, .instructions = 1}},
                       .ops = {{HTMT_MUL, HTMT_F64, 1},
                               {HTMT_ADD, HTMT_F64, 1},
                               {HTMT_OPERATIONS, 0, 2},
                               {HTMT_MUL, HTMT_F64, 1}},
                       .function = {"f", "f.c", 1}};
    l->program = (struct htmt__tape_program){.blocks = l->blocks,
                                             .ops = l->ops,
                                             .chains = &l->chain,
                                             .links = l->links,
                                             .functions = &l->function,
                                             .block_count = 3,
                                             .op_count = 4,
                                             .chain_count = 1,
                                             .link_count = 2,
                                             .function_count = 1};
}

/* The loop is bound by that chain. */
static void bind(struct loop *l, uint32_t links, const struct htmt__tape_link *link)
{
    memcpy(l->links, link, links * sizeof *link);
    l->chain = (struct htmt__tape_chain){0, links};
    l->blocks[1].chains = 1;
}

static void put_block(struct entries *e, uint32_t block)
{
    put(e, HTMT__TAPE_BLOCK, 0, block);
}

/* n turns, each loads one word at `stride` bytes from the last. */
static void put_turns(struct entries *e, uint64_t n, uint64_t stride)
{
    put_block(e, 0);
    for (uint64_t i = 0; i < n; i++) {
        put_block(e, 1);
        put(e, HTMT__TAPE_LOAD, 8, i * stride);
    }
    put_block(e, 2);
}

/* No fetches of code and one load in each turn: 1 + mul 4 + add 3 = 8 a turn. */
static struct htmt__node_figures flat(void)
{
    struct htmt__node_figures f = example(2, 1);
    memset(&f.l1, 0, sizeof f.l1);
    memset(&f.bus, 0, sizeof f.bus);
    memset(&f.dram, 0, sizeof f.dram);
    f.load = f.store = cycles(1);
    return f;
}

Test(blocks, a_block_takes_its_units_and_accesses)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    put_turns(&e, 10, 8);
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 80);
    cr_expect_eq(a.blocks, 12);
    cr_expect_eq(a.instructions, 42);
    cr_expect_eq(a.part[HTMT__NODE_UNITS], 70 * CYCLE);
    cr_expect_eq(a.part[HTMT__NODE_L1], 10 * CYCLE);
}

/* Half of what is not the longest hides: 4 + (3 + 1) / 2 = 6 a turn; all of it: 4. */
Test(blocks, overlap_hides_all_but_the_longest)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    put_turns(&e, 10, 8);
    f.overlap = (struct htmt_ratio){1, 2};
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 60);
    cr_expect_eq(a.part[HTMT__NODE_UNITS] + a.part[HTMT__NODE_L1], 60 * CYCLE);
    f.overlap = (struct htmt_ratio){1, 1};
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 40);
}

/* 4 instructions at one in 3 cycles are 12 a turn; the other two blocks are 3 each. */
Test(blocks, issue_bounds_a_block_from_below)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    put_turns(&e, 10, 8);
    f.issue = cycles(3);
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 126);
    cr_expect_eq(a.part[HTMT__NODE_ISSUE], (126 - 80) * CYCLE);
}

/* Turns without loads: units of 7. Code of 4, 16 and 4 bytes comes each time, by the bus (1), DRAM
 * (10, then 4 of the open page) and in transfers of 8 bytes: 12 before the first block, 1 + 4 + 2 =
 * 7 in each turn, 6 before the last block. */
Test(blocks, without_a_cache_code_comes_from_memory)
{
    struct htmt__node_figures f = example(2, 1);
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    memset(&f.l1, 0, sizeof f.l1);
    make(&l, 0);
    put_block(&e, 0);
    for (int i = 0; i < 10; i++)
        put_block(&e, 1);
    put_block(&e, 2);
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 70);
    f.fetched = true;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 12 + 10 * (7 + 7) + 6);
    cr_expect_eq(a.page_hits, 11);
    cr_expect_eq(a.page_misses, 1);
}

/* The multiplication waits 1 for its load, the addition 1 + 4 for load and multiplication: 6 in a
 * turn that takes 4. Where one of them waits at a time, a turn takes those 6; where two do, half
 * of that bounds nothing; without the key nor at all. */
Test(blocks, a_window_bounds_how_much_waits_at_once)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    l.blocks[1].wait = l.blocks[1].waits = 2;
    put_turns(&e, 10, 8);
    f.overlap = (struct htmt_ratio){1, 1};
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 40);
    f.window = 2;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 40);
    cr_expect_eq(a.part[HTMT__NODE_CHAIN], 0);
    f.window = 1;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 60);
    cr_expect_eq(a.part[HTMT__NODE_CHAIN], 20 * CYCLE);
    cr_expect_eq(a.part[HTMT__NODE_UNITS], 40 * CYCLE);
}

/* Units that take an operation a cycle: a turn takes 3; but the sum of the last turn is an operand
 * of the next one's add, whose latency is 7: ten turns have nine such steps, and the last one 3. */
Test(blocks, a_chain_bounds_the_turns_of_a_loop)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    set_unit(&f, HTMT_ADD, HTMT_F64, 7, 1);
    bind(&l, 1, &(struct htmt__tape_link){.operation = HTMT_ADD, .type = HTMT_F64, .block = 1});
    put_turns(&e, 10, 8);
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 9 * 7 + 3);
    cr_expect_eq(a.part[HTMT__NODE_CHAIN], 9 * 4 * CYCLE);
}

/* The same loop twice in a service: the first turn of the second round has no turn before it. */
Test(blocks, a_chain_ends_with_its_loop)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    make(&l, 1);
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 1);
    set_unit(&f, HTMT_ADD, HTMT_F64, 7, 1);
    bind(&l, 1, &(struct htmt__tape_link){.operation = HTMT_ADD, .type = HTMT_F64, .block = 1});
    put_turns(&e, 10, 8);
    put_turns(&e, 10, 8);
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 2 * (9 * 7 + 3));
}

/* An inside whose processor goes on while eight misses are under way. The arithmetic is nothing. */
static struct htmt__node_figures chasing(struct loop *l)
{
    struct htmt__node_figures f = example(2, 1);
    f.outstanding = 8;
    set_unit(&f, HTMT_MUL, HTMT_F64, 0, 0);
    set_unit(&f, HTMT_ADD, HTMT_F64, 0, 0);
    make(l, 1);
    for (int i = 0; i < 3; i++)
        l->blocks[i].instructions = 0;
    return f;
}

/* Each address comes from the load before, on another page of the one bank: hit 1, then arbitration
 * 1 + page 10 + line 4, and so the period is 16. */
Test(blocks, a_chain_of_misses_has_the_period_of_the_memory)
{
    struct loop l;
    struct htmt__node_figures f = chasing(&l);
    struct entries e = {.n = 0};
    bind(&l, 1, &(struct htmt__tape_link){.operation = HTMT_OPERATIONS, .block = 1});
    put_turns(&e, 100, 1024);
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 100 * 16);
}

/* Without the chain the bank sets the pace, 10 a line: the first is asked at 2, the last line comes
 * 4 after the bank: 2 + 100 * 10 + 4. */
Test(blocks, misses_that_do_not_depend_on_each_other_overlap)
{
    struct loop l;
    struct htmt__node_figures f = chasing(&l);
    struct entries e = {.n = 0};
    put_turns(&e, 100, 1024);
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 2 + 100 * 10 + 4);
}

/* With two under way the processor waits for the older one. Pages hit but the first: DRAM 2 to 12,
 * line 12 to 16; the second miss is sent at 2, DRAM 12 to 16, line 16 to 20; the third one can be
 * sent when the first is there: it is asked at 16 + 1 + 1, DRAM 18 to 22, line 22 to 26; the fourth
 * when the second is, 20 + 1 + 1, DRAM 22 to 26, line 26 to 30. */
Test(blocks, the_processor_waits_when_as_many_misses_are_under_way_as_may_be)
{
    struct loop l;
    struct htmt__node_figures f = chasing(&l);
    struct entries e = {.n = 0};
    f.outstanding = 2;
    put_turns(&e, 4, 32);
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 30);
}

/* Lines of one page, each turn 20 of arithmetic and 1 of the load. The first two misses take 15 and
 * 9 and set the stream; from the second on the next line is asked for 21 before its use. */
Test(blocks, a_stream_that_is_fetched_ahead_hides_its_misses)
{
    struct loop l;
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    for (int i = 0; i < 3; i++)
        l.blocks[i].instructions = 0;
    set_unit(&f, HTMT_MUL, HTMT_F64, 10, 10);
    set_unit(&f, HTMT_ADD, HTMT_F64, 10, 10);
    put_turns(&e, 20, 32);
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 20 * 21 + 15 + 19 * 9);
    f.prefetch_streams = 4;
    f.prefetch_lines = 2;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 20 * 21 + 15 + 9);
    cr_expect_eq(a.l1_misses, 2);
    f.prefetch_streams = 0;
    f.l2 = (struct htmt__node_cache){
        .kind = HTMT__NODE_STREAMS, .streams = 4, .depth = 2, .hit = cycles(2)};
    /* A miss sets a buffer at once; each later line is 2 away. */
    cr_expect_eq(cycles_of(&f, &l.program, &e, NULL), 20 * 21 + 15 + 19 * 2);
}

/* A line of 64 B at a second cache: l1 has 1 KiB of 32 B, two ways. Two passes over 2 KiB: the
 * first has 64 misses of l1, 32 of l2; the second 64 of l1, which l2 holds. A miss of l1 is
 * arbitration 1, l2 2, four words on the bus; of l2 also DRAM: one page of 1 KiB after the other, 2
 * * 10 + 30 * 4. */
Test(blocks, a_second_cache_holds_what_the_first_one_loses)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    f.l2 = (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = 4096, .line = 64, .ways = 4, .hit = cycles(2)};
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < 64; i++)
            put(&e, HTMT__TAPE_LOAD, 8, 32 * i);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 128 * (1 + 1 + 2 + 4) + 2 * 10 + 30 * 4);
    cr_expect_eq(a.l1_misses, 128);
    cr_expect_eq(a.l2_misses, 32);
    cr_expect_eq(a.part[HTMT__NODE_L2], 128 * 2 * CYCLE);
}

/* Ten turns end with a taken branch nine times. Without a predictor each costs 5; guessed by rule,
 * the branch of a loop is taken: one is missed; counters start as taken. */
Test(blocks, branches_cost_what_the_predictor_misses)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    put_turns(&e, 10, 8);
    f.branch = cycles(5);
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 80 + 50);
    cr_expect_eq(a.part[HTMT__NODE_BRANCHES], 50 * CYCLE);
    f.predictor = HTMT__NODE_STATIC;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 80 + 5);
    cr_expect_eq(a.branches_missed, 1);
    f.predictor = HTMT__NODE_COUNTERS;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 80 + 5);
}

/* Three loops of one turn: the counter starts as taken, misses the first branch and knows the other
 * two. Of a loop of ten turns it misses the first two branches, and the last one. */
Test(blocks, counters_follow_the_branches_of_a_loop)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    for (int i = 0; i < 3; i++)
        put_turns(&e, 1, 8);
    put_turns(&e, 10, 8);
    f.branch = cycles(5);
    f.predictor = HTMT__NODE_COUNTERS;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 13 * 8 + 4 * 5);
    cr_expect_eq(a.branches_missed, 4);
}

/* Four loops of ten turns: a counter misses the end of each. Who counts the turns knows two lengths
 * after the second loop, and then the ends of the third and fourth one; of a fifth loop of six
 * turns it misses the end, and then expects neither length. */
Test(blocks, loops_of_one_length_end_as_expected)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    for (int i = 0; i < 4; i++)
        put_turns(&e, 10, 8);
    put_turns(&e, 6, 8);
    f.branch = cycles(5);
    f.predictor = HTMT__NODE_COUNTERS;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 46 * 8 + 5 * 5);
    f.predictor = HTMT__NODE_LOOPS;
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 46 * 8 + 3 * 5);
    cr_expect_eq(a.branches_missed, 3);
}

/* Code of 6 instructions of 4 bytes is one line; block 1 runs in it without a further fetch. */
Test(blocks, code_is_fetched_once_while_it_stays)
{
    struct htmt__node_figures f = example(2, 1);
    struct loop l;
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    make(&l, 1);
    put_turns(&e, 4, 8);
    cr_expect_eq(cycles_of(&f, &l.program, &e, &a), 15 + 4 * 8 + 15);
    cr_expect_eq(a.l1_code_misses, 1);
    cr_expect_eq(a.l1_misses, 1);
}

Test(blocks, memory_on_the_chip_reaches_no_cache)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    f.sram.bytes = 4096;
    f.sram.at = 0x20000;
    f.sram.hit = cycles(2);
    put(&e, HTMT__TAPE_LOAD, 8, 0x20000);
    put(&e, HTMT__TAPE_STORE, 8, 0x20ff8);
    put(&e, HTMT__TAPE_LOAD, 8, 0x21000);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 2 + 2 + 16);
    cr_expect_eq(a.l1_misses, 1);
}

/* One set of two ways, lines a b a c a: lru keeps a, fifo drops it for c. */
Test(blocks, replacement_decides_which_line_goes)
{
    static const uint64_t line[] = {0, 1, 0, 2, 0};
    static const uint64_t misses[] = {[HTMT__NODE_LRU] = 3, [HTMT__NODE_FIFO] = 4};
    for (uint32_t replace = HTMT__NODE_LRU; replace <= HTMT__NODE_FIFO; replace++) {
        struct htmt__node_figures f = example(2, 1);
        struct entries e = {.n = 0};
        struct htmt__node_account a;
        f.l1.size = 64;
        f.l1.replace = replace;
        for (unsigned i = 0; i < sizeof line / sizeof *line; i++)
            put(&e, HTMT__TAPE_LOAD, 8, 32 * line[i]);
        cycles_of(&f, NULL, &e, &a);
        cr_expect_eq(a.l1_misses, misses[replace]);
    }
}

/* A cyclic walk over five lines in four ways: lru never hits, random replacement does, and alike in
 * each run of one seed. */
Test(blocks, random_replacement_is_that_of_its_seed)
{
    struct htmt__node_figures f = example(4, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account lru, one, again, other;
    f.l1.size = 128;
    for (uint64_t i = 0; i < 500; i++)
        put(&e, HTMT__TAPE_LOAD, 8, 32 * (i % 5));
    cycles_of(&f, NULL, &e, &lru);
    f.l1.replace = HTMT__NODE_RANDOM;
    cycles_of(&f, NULL, &e, &one);
    cycles_of(&f, NULL, &e, &again);
    f.l1.seed = 7;
    cycles_of(&f, NULL, &e, &other);
    cr_expect_eq(lru.l1_misses, 500);
    cr_expect_lt(one.l1_misses, 300);
    cr_expect_eq(one.l1_misses, again.l1_misses);
    cr_expect_neq(one.l1_misses, other.l1_misses);
}

/* Wherever chunks end, the service is the same. */
Test(blocks, chunks_leave_no_trace)
{
    struct loop l;
    struct htmt__node_figures f = chasing(&l);
    struct entries e = {.n = 0};
    struct htmt__node *node;
    bind(&l, 1, &(struct htmt__tape_link){.operation = HTMT_OPERATIONS, .block = 1});
    put_turns(&e, 100, 1024);
    cr_assert_eq(htmt__node_new(&node, &f, &l.program), 0);
    for (size_t chunk = 1; chunk < 8; chunk++)
        cr_expect_eq(service(node, &e, chunk, false, NULL), 1600);
    htmt__node_free(node);
}

Test(blocks, a_block_that_is_not_there_is_refused)
{
    struct htmt__node_figures f = flat();
    struct loop l;
    struct htmt__node *node;
    uint64_t entry = htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 3);
    make(&l, 1);
    cr_assert_eq(htmt__node_new(&node, &f, &l.program), 0);
    cr_expect_eq(htmt__node_play(node, &entry, 1), HTMT_EFORMAT);
    htmt__node_free(node);
}

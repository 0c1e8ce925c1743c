/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services worked out by hand, to the cycle.
 */
#include "tests/node/example.h"

#include "layers/node/parts.h"
#include "layers/node/team.h"

#include <criterion/criterion.h>
#include <math.h>

/* 64 times 2 loads, mul, add: 64 * (1 + 1 + 4 + 3) = 576, and a miss is 1 + 10 + 4 = 15, on an open
 * page 1 + 4 + 4 = 9. x and y have 16 lines each. */
Test(hand, ddot_with_one_bank_has_32_misses_on_closed_pages)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    put_ddot(&e, 64);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 576 + 32 * 15);
    cr_expect_eq(a.l1_misses, 32);
    cr_expect_eq(a.page_hits, 0);
    cr_expect_eq(a.part[HTMT__NODE_UNITS], 64 * 7 * CYCLE);
    cr_expect_eq(a.part[HTMT__NODE_L1], 128 * CYCLE);
    cr_expect_eq(a.part[HTMT__NODE_BUS], 32 * 5 * CYCLE);
    cr_expect_eq(a.part[HTMT__NODE_PAGES], 32 * 10 * CYCLE);
}

Test(hand, a_warm_cache_has_no_misses)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    struct htmt__node *node;
    put_ddot(&e, 64);
    cr_assert_eq(htmt__node_new(&node, &f, NULL), 0);
    cr_expect_eq(service(node, &e, 8192, false, NULL), 1056);
    cr_expect_eq(service(node, &e, 8192, true, NULL), 576);
    cr_expect_eq(service(node, &e, 8192, false, NULL), 1056);
    htmt__node_free(node);
}

/* The banks keep the pages of x and y open: 2 * 15 + 30 * 9. */
Test(hand, ddot_with_two_banks_has_30_page_hits)
{
    struct htmt__node_figures f = example(2, 2);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    put_ddot(&e, 64);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 876);
    cr_expect_eq(a.page_hits, 30);
    cr_expect_eq(a.page_misses, 2);
}

/* x and y meet in each set: 576 + 128 * 15. */
Test(hand, ddot_in_a_direct_mapped_cache_misses_each_time)
{
    struct htmt__node_figures f = example(1, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    put_ddot(&e, 64);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 2496);
    cr_expect_eq(a.l1_misses, 128);
}

/* Refresh every 50 cycles, for 6. Loads of the lines 0, 1, 2 ...:
 *
 *   load  at   DRAM asked  begins  page   line there
 *   0     0    2           2       miss   2 + 10 + 4 = 16
 *   1-3   16   18 28 38            hit    26, 36, 46
 *   4     46   48          48      hit    56: it has begun before the refresh at 50
 *   5     56   58          58      miss   72: the refresh has closed the page
 *   6-8   72   74 84 94            hit    82, 92, 102
 *   9     102  104         106     miss   120: it waits for the end of the refresh */
Test(hand, refresh_delays_and_closes_pages)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    f.dram.refresh = cycles(50);
    f.dram.busy = cycles(6);
    for (uint64_t i = 0; i < 10; i++)
        put(&e, HTMT__TAPE_LOAD, 8, 32 * i);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 120);
    cr_expect_eq(a.part[HTMT__NODE_REFRESH], 2 * CYCLE);
    cr_expect_eq(a.refreshes, 2);
    cr_expect_eq(a.page_hits, 7);
    cr_expect_eq(a.page_misses, 3);
}

/* Write-through with room for two stores, all on one page. A store takes 1, then request 1, DRAM,
 * one word on the bus:
 *
 *   store  sent  DRAM        done  goes on
 *   0      1     2 to 12     13    1
 *   1      2     12 to 16    17    2
 *   2      3     16 to 20    21    13: three are under way until store 0 is done
 *   3      14    20 to 24    25    17
 *   4      18    24 to 28    29    21
 *   5      22    28 to 32    33    25; the service ends with its last store, at 33 */
Test(hand, a_full_write_buffer_stops_the_processor)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries e = {.n = 0};
    f.l1.write = HTMT__NODE_THROUGH;
    f.l1.buffer = 2;
    for (uint64_t i = 0; i < 6; i++)
        put(&e, HTMT__TAPE_STORE, 8, 8 * i);
    cr_expect_eq(cycles_of(&f, NULL, &e, NULL), 33);
    f.l1.buffer = 0;
    /* Each waits for itself: 13, then five of 1 + 1 + 4 + 1. */
    cr_expect_eq(cycles_of(&f, NULL, &e, NULL), 13 + 5 * 7);
}

/* Four stores into a line, 1 + 15 and 3 hits, then a load of another line of the set: 1, then the
 * old line moves to its open page, 1 + 4 + 4, then the new one comes from a closed page, 15. */
Test(hand, a_dirty_line_is_written_back_before_its_place_is_filled)
{
    struct htmt__node_figures f = example(1, 1);
    struct entries e = {.n = 0};
    struct htmt__node_account a;
    for (uint64_t i = 0; i < 4; i++)
        put(&e, HTMT__TAPE_STORE, 8, 8 * i);
    put(&e, HTMT__TAPE_LOAD, 8, 0x10000);
    cr_expect_eq(cycles_of(&f, NULL, &e, &a), 16 + 3 + 1 + 9 + 15);
    cr_expect_eq(a.write_backs, 1);
}

/* ---- two processors ----------------------------------------------------------------------------
 */

struct tapes {
    const struct entries *e[2];
    size_t at[2], chunk;
};

static const uint64_t *next(void *user, uint32_t processor, size_t *n)
{
    struct tapes *t = user;
    const struct entries *e = t->e[processor];
    size_t left = e->n - t->at[processor];
    *n = left < t->chunk ? left : t->chunk;
    t->at[processor] += *n;
    return left ? e->at + t->at[processor] - *n : NULL;
}

static void play_two(const struct htmt__node_figures *f, const struct entries *a,
                     const struct entries *b, size_t chunk, int64_t length[2])
{
    struct htmt__node *node[2];
    struct tapes tapes = {.e = {a, b}, .chunk = chunk};
    for (int i = 0; i < 2; i++)
        cr_assert_eq(htmt__node_new(&node[i], f, NULL), 0);
    htmt__node_share(node[1], node[0]);
    for (int i = 0; i < 2; i++)
        htmt__node_start(node[i], false);
    cr_assert_eq(htmt__team_play(node, 2, next, &tapes, NULL), 0);
    for (int i = 0; i < 2; i++)
        length[i] = htmt__node_finish(node[i], NULL) / CYCLE;
    for (int i = 0; i < 2; i++)
        htmt__node_free(node[i]);
}

/* Two banks, one bus; processor 0 loads three lines of one, processor 1 three lines of the other.
 * A request passes while a bank works, lines follow one another:
 *
 *   request at   bus      DRAM       line
 *   p0  1        1 to 2   2 to 12    12 to 16
 *   p1  1        2 to 3   3 to 13    16 to 20: behind p0's line
 *   p0  17       to 18    18 to 22   22 to 26
 *   p1  21       to 22    22 to 26   26 to 30
 *   p0  27       to 28    28 to 32   32 to 36
 *   p1  31       to 32    32 to 36   36 to 40 */
Test(hand, two_processors_take_turns_on_one_bus)
{
    struct htmt__node_figures f = example(2, 2);
    struct entries a = {.n = 0}, b = {.n = 0};
    int64_t length[2];
    for (uint64_t i = 0; i < 3; i++) {
        put(&a, HTMT__TAPE_LOAD, 8, 32 * i);
        put(&b, HTMT__TAPE_LOAD, 8, 0x10000 + 32 * i);
    }
    for (size_t chunk = 1; chunk < 4; chunk++) {
        play_two(&f, &a, &b, chunk, length);
        cr_expect_eq(length[0], 36);
        cr_expect_eq(length[1], 40);
    }
}

/* On one bank the pages of the two close each other's: each turn is 10, and the bank sets the pace:
 * p0 2 to 12, p1 12 to 22 ..., the sixth line is there at 2 + 6 * 10 + 4. */
Test(hand, two_processors_close_each_others_pages)
{
    struct htmt__node_figures f = example(2, 1);
    struct entries a = {.n = 0}, b = {.n = 0};
    int64_t length[2];
    for (uint64_t i = 0; i < 3; i++) {
        put(&a, HTMT__TAPE_LOAD, 8, 32 * i);
        put(&b, HTMT__TAPE_LOAD, 8, 0x10000 + 32 * i);
    }
    play_two(&f, &a, &b, 8192, length);
    cr_expect_eq(length[1], 2 + 6 * 10 + 4);
}

Test(hand, figures_that_do_not_fit_are_refused_with_their_key)
{
    char key[80], why[120];
    struct htmt__node_figures f = example(3, 1);
    cr_expect_not(htmt__node_figures_good(&f, key, why, sizeof why));
    cr_expect_str_eq(key, "l1.ways");
    f = example(2, 3);
    cr_expect_not(htmt__node_figures_good(&f, key, why, sizeof why));
    cr_expect_str_eq(key, "dram.banks");
    f = example(2, 1);
    f.l1.line = 4;
    cr_expect_not(htmt__node_figures_good(&f, key, why, sizeof why));
    cr_expect_str_eq(key, "l1.line");
    f = example(2, 1);
    f.l1.fewest = 3;
    cr_expect_not(htmt__node_figures_good(&f, key, why, sizeof why));
    cr_expect_str_eq(key, "l1.fewest");
    cr_expect_str_eq(why, "found 3, more than the 2 ways");
    f = example(2, 1);
    f.l1.size = 3 * 1024;
    cr_expect_not(htmt__node_figures_good(&f, key, why, sizeof why));
    cr_expect_str_eq(key, "l1.size");
}

/* 1024 sets of 9 to 16 ways, an eighth of them each. A stream that comes again finds all lines
 * where its lines fit a set, and none where they do not. */
Test(hand, sets_whose_ways_differ_keep_a_part_of_a_stream)
{
    const struct htmt__node_cache figures = {
        .kind = HTMT__NODE_CACHE, .size = 1 << 20, .line = 64, .ways = 16, .fewest = 9};
    for (uint64_t of_a_set = 8; of_a_set < 18; of_a_set++) {
        struct htmt__node_tags tags;
        uint64_t old, misses = 0;
        cr_assert_eq(htmt__tags_open(&tags, &figures), 0);
        for (int pass = 0; pass < 3; pass++)
            for (uint64_t line = 0; line < of_a_set * 1024; line++)
                misses += !htmt__tags_use(&tags, line, 0, &old) && pass;
        htmt__tags_close(&tags);
        const double share = of_a_set < 9 ? 0 : of_a_set > 16 ? 1 : ((double)of_a_set - 9) / 8;
        const double found = (double)misses / (double)(2 * of_a_set * 1024);
        cr_expect(fabs(found - share) < 0.03, "%llu: %.3f", (unsigned long long)of_a_set, found);
    }
}

/* 2048 sets of 16: all lines of 512 pages find room where pages follow each other, but by lot a
 * third to a half of them are in places that have more pages than ways. Twice as many lines, every
 * second one: by the last bits alone they have half of the sets. */
Test(hand, pages_by_lot_and_hashed_numbers_share_out_sets_as_memory_does)
{
    const struct htmt__node_cache figures = {
        .kind = HTMT__NODE_CACHE, .size = 2 << 20, .line = 64, .ways = 16};
    static const enum htmt__tags_index index[] = {HTMT__TAGS_PLAIN, HTMT__TAGS_PAGED,
                                                  HTMT__TAGS_HASHED};
    const double least[] = {0, 0.3, 0}, most[] = {0, 0.6, 0}, second[] = {1, 1, 0};
    for (int i = 0; i < 3; i++)
        for (uint64_t apart = 1; apart < 3; apart++) {
            struct htmt__node_tags tags;
            uint64_t old, misses = 0;
            cr_assert_eq(htmt__tags_open(&tags, &figures), 0);
            htmt__tags_set_index(&tags, index[i], 4096);
            for (int pass = 0; pass < 3; pass++)
                for (uint64_t line = 0; line < 32768; line++)
                    misses += !htmt__tags_use(&tags, apart * line, 0, &old) && pass;
            htmt__tags_close(&tags);
            const double found = (double)misses / 65536;
            cr_expect(apart == 1 ? found >= least[i] && found <= most[i]
                                 : fabs(found - second[i]) < 0.01,
                      "index %d, %d apart: %.3f", i, (int)apart, found);
        }
}

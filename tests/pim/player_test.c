/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasklets on one bank against instants worked out by hand on tests/pim/bank.yaml: a cycle is 10
 * ns; an instruction of a thread every 11 cycles, one of all threads every cycle; a copy occupies
 * the engine for 34.6 cycles and one for 2 bytes, and its thread waits 42.4 more. Runs in the
 * source folder.
 */
#include "tests/pim/player.h"

#include <criterion/criterion.h>
#include <string.h>

#define TENTH INT64_C(1000000) /* of a cycle */

#define STEP(kind, n) ((struct play_step){kind, n})
#define ISSUE(n)      STEP(PLAY_ISSUE, n)
#define READ(n)       STEP(PLAY_READ, n)
#define WRITE(n)      STEP(PLAY_WRITE, n)
#define BARRIER       STEP(PLAY_BARRIER, 0)
#define AWAIT         STEP(PLAY_AWAIT, 0)
#define SIGNAL        STEP(PLAY_SIGNAL, 0)

static int play(const struct play_tasklet *k, unsigned tasklets, struct play_result *r,
                struct htmt_fault *fault)
{
    struct htmt_machine *m = NULL;
    cr_assert_eq(htmt_machine_load("tests/pim/bank.yaml", NULL, 0, &m, fault), 0, "%s",
                 fault->text);
    int rc = play_tasklets(htmt__bank_machine_of(m), k, tasklets, r, fault);
    htmt_machine_destroy(&m);
    return rc;
}

static void ends(const struct play_tasklet *k, unsigned tasklets, htmt_time tenths)
{
    struct play_result r = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(play(k, tasklets, &r, &fault), 0, "%s", fault.text);
    cr_expect_eq(r.end, tenths * TENTH, "%u tasklets end at %.1f cycles, expected %.1f", tasklets,
                 (double)r.end / (double)(10 * TENTH), (double)tenths / 10);
}

/* All tasklets do the same. */
static void all_end(struct play_tasklet k, unsigned tasklets, htmt_time tenths)
{
    struct play_tasklet all[24];
    for (unsigned t = 0; t < tasklets; t++)
        all[t] = k;
    ends(all, tasklets, tenths);
}

Test(player, instructions_alone_fill_the_port_from_11_tasklets_on)
{
    const struct play_tasklet k = {.loops = 1, .loop = {{1, 1, {ISSUE(1000)}}}};
    all_end(k, 1, 110000);
    all_end(k, 2, 110000);
    all_end(k, 8, 110000);
    all_end(k, 11, 110000);
    all_end(k, 12, 120000);
    all_end(k, 24, 240000);
}

Test(player, two_reads_queue_at_the_engine)
{
    const struct play_tasklet k = {.loops = 1, .loop = {{1, 1, {READ(64)}}}};
    all_end(k, 1, 1090);
    all_end(k, 2, 1756);
}

/* 109.0 + 1100 + 109.0 */
Test(player, one_tasklet_reads_computes_and_writes)
{
    const struct play_tasklet k = {.loops = 1, .loop = {{1, 3, {READ(64), ISSUE(100), WRITE(64)}}}};
    all_end(k, 1, 1090 + 11000 + 1090);
}

/* Both have issued 10 instructions at 110; 2048 bytes take 1058.6 cycles, then again. */
Test(player, two_tasklets_compute_and_then_queue)
{
    const struct play_tasklet k = {.loops = 1, .loop = {{1, 2, {ISSUE(10), READ(2048)}}}};
    all_end(k, 2, 1100 + 10586 + 10586 + 424);
}

/* 12 share the port until the short one has done 55 at 660; the others have 55 left, each 11. */
Test(player, a_short_tasklet_lets_the_others_go_faster)
{
    struct play_tasklet all[12];
    for (int t = 0; t < 12; t++)
        all[t] = (struct play_tasklet){.loops = 1, .loop = {{1, 1, {ISSUE(t == 7 ? 55 : 110)}}}};
    ends(all, 12, 6600 + 6050);
}

/* The first works 10 * 11 cycles, then the second, then the third; a barrier; all work 5 * 11. */
Test(player, a_handshake_is_a_chain_and_a_barrier_its_end)
{
    const struct play_tasklet k = {
        .loops = 2, .loop = {{1, 3, {AWAIT, ISSUE(10), SIGNAL}}, {1, 2, {BARRIER, ISSUE(5)}}}};
    all_end(k, 3, 3300 + 550);
}

/* A reads and computes twice: 109 + 110, 109 + 110 = 438. B computes 300 cycles' worth (28
 * instructions, 308), then writes 8 bytes: the engine is free then, 38.6 + 42.4 = 389. With A's
 * second read at 219 to 285.6 nobody waits. */
Test(player, different_tasklets_meet_only_where_both_want_the_engine)
{
    const struct play_tasklet all[2] = {{.loops = 1, .loop = {{2, 2, {READ(64), ISSUE(10)}}}},
                                        {.loops = 1, .loop = {{1, 2, {ISSUE(28), WRITE(8)}}}}};
    ends(all, 2, 4380);
}

/* A loop of 3, twice, is a loop of 6. */
Test(player, rounds_repeat_all_loops)
{
    const struct play_tasklet rounds = {.rounds = 2, .loops = 1, .loop = {{3, 1, {ISSUE(7)}}}};
    all_end(rounds, 1, 6 * 770);
}

Test(player, all_instructions_and_copies_are_counted)
{
    const struct play_tasklet k[2] = {
        {.loops = 1, .loop = {{5, 2, {READ(64), ISSUE(10)}}}},
        {.loops = 2, .loop = {{0, 1, {ISSUE(9)}}, {1, 1, {WRITE(8)}}}}};
    struct play_result r = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(play(k, 2, &r, &fault), 0);
    cr_expect_eq(r.issued, 50);
    cr_expect_eq(r.dma_busy, (5 * 666 + 386) * TENTH);
}

static void refused(struct play_tasklet k, unsigned tasklets, int code, const char *line)
{
    struct play_tasklet all[32];
    struct play_result r = {0};
    struct htmt_fault fault = {0};
    for (unsigned t = 0; t < tasklets; t++)
        all[t] = k;
    cr_expect_eq(play(all, tasklets, &r, &fault), code, "%s", line);
    cr_expect_str_eq(fault.text, line);
}

Test(player, what_the_machine_cannot_do_is_refused)
{
    refused((struct play_tasklet){0}, 25, HTMT_EUSAGE, "25 tasklets, expected 1 to 24 threads");
    refused((struct play_tasklet){.loops = 1, .loop = {{1, 1, {READ(2056)}}}}, 1, HTMT_ERANGE,
            "a copy of 2056 bytes by DMA is larger than 2048 bytes");
    refused((struct play_tasklet){.loops = 1, .loop = {{1, 1, {WRITE(12)}}}}, 1, HTMT_ERANGE,
            "a copy of 12 bytes by DMA is not a multiple of 8 bytes");
    refused((struct play_tasklet){.loops = 1, .loop = {{1, 1, {AWAIT}}}}, 2, HTMT_EDEADLOCK,
            "tasklets wait for each other");
}

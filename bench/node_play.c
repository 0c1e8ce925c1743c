/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of a processor's inside: host time of a block's arithmetic, of a hit and of a miss, of
 * an operation of a dot product where the processor reorders, with few figures and with those that
 * a measured file has, and of a dot product beside valgrind's cachegrind on the same loop, where
 * valgrind is. Times are those of the processor.
 *
 * `node_play ddot N` is the plain loop, for cachegrind.
 */
#include "bench/clock.h"
#include "layers/machine/machine.h"
#include "layers/machine/nodes.h"
#include "layers/node/node.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENTRIES HTMT__TAPE_CHUNK
#define TURNS   100    /* times that a chunk is played */
#define RUNS    5      /* of which the least counts */
#define LENGTH  256    /* of a vector: it stays in the first cache */
#define REPEATS 160000 /* dot products */
#define STEPS   9      /* of a turn of a dot product; two of them are no operations */

extern char **environ;

static const struct htmt__tape_block blocks[] = {
    {.end = HTMT__END_JUMP, .instructions = 1},
    {.code = 4,
     .instructions = 9,
     .ops = 3,
     .chains = 1,
     .loop_end = 1,
     .steps = STEPS,
     .accesses = 2,
     .end = HTMT__END_CONDITION},
    {.code = 40, .instructions = 4, .ops = 3, .end = HTMT__END_JUMP}};
static const struct htmt__tape_op ops[] = {
    {HTMT_MUL, HTMT_F64, 1}, {HTMT_ADD, HTMT_F64, 1}, {HTMT_ADD, HTMT_I64, 2}};
static const struct htmt__tape_link links[] = {{HTMT_ADD, HTMT_F64, 0, 1}};
static const struct htmt__tape_chain chains[] = {{0, 1}};
/* The turn as it is compiled: the sum and the counter of the turn before, two loads, product, sum,
 * counter, its comparison, the branch. */
static const uint32_t sources[] = {1, 5, 1, 6, 1, 1, 2, 3, 0, 4, 1, 6, 7};
static const struct htmt__tape_step steps[STEPS] = {
    {HTMT__STEP_CHOICE, HTMT_F64, 1, 0, 2}, {HTMT__STEP_CHOICE, HTMT_I64, 1, 2, 2},
    {HTMT__STEP_LOAD, HTMT_F64, 1, 4, 1},   {HTMT__STEP_LOAD, HTMT_F64, 1, 5, 1},
    {HTMT_MUL, HTMT_F64, 1, 6, 2},          {HTMT_ADD, HTMT_F64, 1, 8, 2},
    {HTMT_ADD, HTMT_I64, 1, 10, 1},         {HTMT_CMP, HTMT_I64, 1, 11, 1},
    {HTMT__STEP_BRANCH, 0, 1, 12, 1}};
static const struct htmt__tape_function functions[] = {{"ddot", "node_play.c", 1}};
static const struct htmt__tape_program program = {.blocks = blocks,
                                                  .ops = ops,
                                                  .chains = chains,
                                                  .links = links,
                                                  .steps = steps,
                                                  .sources = sources,
                                                  .step_count = STEPS,
                                                  .source_count = 13,
                                                  .functions = functions,
                                                  .block_count = 3,
                                                  .op_count = 3,
                                                  .chain_count = 1,
                                                  .link_count = 1,
                                                  .function_count = 1};

/* ---- the plain loop ----------------------------------------------------------------------------
 */

static __attribute__((noinline)) double ddot(const volatile double *x, const volatile double *y)
{
    double sum = 0;
    for (size_t i = 0; i < LENGTH; i++)
        sum += x[i] * y[i];
    return sum;
}

static int plain(unsigned long repeats)
{
    static double x[LENGTH], y[LENGTH];
    double sum = 0;
    for (size_t i = 0; i < LENGTH; i++)
        x[i] = y[i] = 1;
    for (; repeats > 0; repeats--)
        sum += ddot(x, y);
    return sum < 0;
}

/* Seconds of the plain loop below cachegrind; -1: there is no valgrind. */
static double below_cachegrind(char *self, unsigned long repeats)
{
    char count[24], *words[] = {"valgrind",
                                "--tool=cachegrind",
                                "--cachegrind-out-file=/dev/null",
                                "--log-file=/dev/null",
                                self,
                                "ddot",
                                count,
                                NULL};
    pid_t child;
    int status;
    snprintf(count, sizeof count, "%lu", repeats);
    double begin = bench_used_by_children();
    if (posix_spawnp(&child, words[0], NULL, NULL, words, environ) != 0)
        return -1;
    if (waitpid(child, &status, 0) != child || status != 0)
        return -1;
    return bench_used_by_children() - begin;
}

/* ---- tapes -------------------------------------------------------------------------------------
 */

static void play(struct htmt__node *node, const uint64_t *entries, size_t n)
{
    if (htmt__node_play(node, entries, n) != 0)
        bench_fail("the tape");
}

static double time_once(struct htmt__node *node, const uint64_t *entries, size_t n)
{
    htmt__node_start(node, false);
    play(node, entries, n);
    double begin = bench_used();
    for (int i = 0; i < TURNS; i++)
        play(node, entries, n);
    double seconds = bench_used() - begin;
    if (htmt__node_finish(node, NULL) < 0)
        bench_fail("the node");
    return seconds;
}

/* Seconds of TURNS times the entries. */
static double time_of(struct htmt__node *node, const uint64_t *entries, size_t n)
{
    double least = time_once(node, entries, n);
    for (int i = 1; i < RUNS; i++) {
        double seconds = time_once(node, entries, n);
        least = seconds < least ? seconds : least;
    }
    return least;
}

static void report(const char *name, double seconds, size_t n)
{
    bench_report("node", name, seconds * 1e9 / ((double)n * TURNS), "ns", 1);
}

static void time_blocks(struct htmt__node *node, uint64_t *entries)
{
    for (size_t i = 0; i < ENTRIES; i++)
        entries[i] = htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 2);
    report("block", time_of(node, entries, ENTRIES), ENTRIES);
}

static size_t write_turns(uint64_t *entries)
{
    size_t n = 0;
    for (uint64_t i = 0; n + 3 <= ENTRIES; i++) {
        entries[n++] = htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 1);
        entries[n++] = htmt__tape_entry(HTMT__TAPE_LOAD, 8, 8 * (i % 256));
        entries[n++] = htmt__tape_entry(HTMT__TAPE_LOAD, 8, 2048 + 8 * (i % 256));
    }
    return n;
}

static double time_turns(struct htmt__node *node, uint64_t *entries)
{
    const size_t n = write_turns(entries);
    double seconds = time_of(node, entries, n);
    report("turn", seconds, n / 3);
    return seconds / (double)(n / 3) / TURNS;
}

static void time_hits(struct htmt__node *node, uint64_t *entries)
{
    for (size_t i = 0; i < ENTRIES; i++)
        entries[i] = htmt__tape_entry(HTMT__TAPE_LOAD, 8, 8 * (i % 512));
    report("hit", time_of(node, entries, ENTRIES), ENTRIES);
}

static void time_misses(struct htmt__node *node, uint64_t *entries)
{
    for (size_t i = 0; i < ENTRIES; i++)
        entries[i] = htmt__tape_entry(HTMT__TAPE_LOAD, 8, 64 * i);
    report("miss", time_of(node, entries, ENTRIES), ENTRIES);
}

static void time_steps(const char *name, const struct htmt__node_figures *f, uint64_t *entries)
{
    struct htmt__node *node;
    if (htmt__node_new(&node, f, &program) != 0)
        bench_fail("htmt__node_new");
    const size_t n = write_turns(entries);
    report(name, time_of(node, entries, n), n / 3 * (STEPS - 2));
    htmt__node_free(node);
}

/* Limits as those of a processor of today. */
static void limit(struct htmt__node_figures *f)
{
    f->order = HTMT__NODE_WINDOW;
    f->reorder = 256;
    f->waiting = 96;
    f->loads = f->stores = 64;
}

static struct htmt_ratio part_of(struct htmt_ratio cycle, uint64_t thousandths)
{
    return (struct htmt_ratio){cycle.num * thousandths, cycle.den * 1000};
}

/* And all that 'htmt host measure' finds of it that such a loop meets: units that operations share,
 * in part, what begins beside each other, jumps, pages, and the predictor. */
static void measure(struct htmt__node_figures *f)
{
    const struct htmt_ratio cycle = f->cycle;
    f->issue = part_of(cycle, 167);
    f->l1.every = part_of(cycle, 331);
    f->l1.fill = cycle;
    f->beside = part_of(cycle, 190);
    f->jump = (struct htmt__node_jump){part_of(cycle, 500), cycle, 64, 8};
    f->tlb = (struct htmt__node_tlb){.page = 4096, .entries = 96, .late = part_of(cycle, 6900)};
    f->predictor = HTMT__NODE_HISTORY;
    f->reach = 192;
    f->unit[HTMT_ADD][HTMT_I64] = (struct htmt__node_unit){
        .given = true, .latency = cycle, .every = part_of(cycle, 217), .units = 5, .within = 64};
    f->unit[HTMT_MUL][HTMT_F64] = (struct htmt__node_unit){.given = true,
                                                           .latency = part_of(cycle, 3968),
                                                           .every = part_of(cycle, 497),
                                                           .units = 3,
                                                           .within = 4};
    f->unit[HTMT_ADD][HTMT_F64] = (struct htmt__node_unit){.given = true,
                                                           .latency = part_of(cycle, 1986),
                                                           .every = part_of(cycle, 498),
                                                           .units = 1,
                                                           .within = 4,
                                                           .onward = part_of(cycle, 2970)};
    f->unit[HTMT_LOGIC][HTMT_F64] = (struct htmt__node_unit){
        .given = true, .latency = cycle, .every = part_of(cycle, 331), .units = 4};
}

static void time_all(char *self, const struct htmt__node_figures *figures)
{
    static uint64_t entries[ENTRIES];
    struct htmt__node *node;
    if (htmt__node_new(&node, figures, &program) != 0)
        bench_fail("htmt__node_new");
    time_blocks(node, entries);
    time_hits(node, entries);
    time_misses(node, entries);
    double turn = time_turns(node, entries);
    htmt__node_free(node);
    struct htmt__node_figures f = *figures;
    limit(&f);
    time_steps("window-step", &f, entries);
    measure(&f);
    time_steps("window-step-measured", &f, entries);
    double start = below_cachegrind(self, 0), end = below_cachegrind(self, REPEATS);
    bench_report("node-ddot", "node", turn * LENGTH * REPEATS, "s", 1);
    if (start >= 0 && end >= 0)
        bench_report("node-ddot", "cachegrind", end - start, "s", 1);
}

int main(int argc, char **argv)
{
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    if (argc == 3 && strcmp(argv[1], "ddot") == 0)
        return plain(strtoul(argv[2], NULL, 10));
    if (htmt_machine_load("pim-node", NULL, 0, &machine, &fault) != 0)
        bench_fail(fault.text);
    time_all(argv[0], htmt__machine_node(machine, 3));
    htmt_machine_destroy(&machine);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dot product that is recorded: seconds of the plain kernel, of the same kernel by its own
 * operations (hooks and model), and of as many turns of a plain loop below valgrind's cachegrind,
 * where valgrind is; nanoseconds of a hook whose entry is kept in memory, without a model.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define LENGTH "1024"  /* of a vector, as in node_play: it stays in the first cache */
#define ROUNDS "40000" /* as often the plain loop below cachegrind */
#define KEPT   3000    /* rounds whose hooks are kept */
#define HOOKS  3       /* of an element: a block, two loads */

extern char **environ;

static double seconds_of(const char *const *words)
{
    char htmt[4096];
    bench_built(htmt, "htmt");
    return bench_command(htmt, words).emulate_s;
}

static double ddot(const char *timing)
{
    const char *const words[] = {"run",       "kernels",  "--kernel", "ddot",      "--n",
                                 LENGTH,      "--rounds", ROUNDS,     "--machine", "pim-node",
                                 "--threads", "1",        "--timing", timing,      NULL};
    return seconds_of(words);
}

/* The machine has no inside: hooks alone. */
static double kept(const char *tape)
{
    char rounds[24];
    snprintf(rounds, sizeof rounds, "%d", KEPT);
    const char *const words[] = {
        "ops",  "record",    "kernels",    "--kernel", "ddot",         "--n",   LENGTH, "--rounds",
        rounds, "--machine", "htmt-oct98", "--type",   "ddot " LENGTH, "--out", tape,   NULL};
    return seconds_of(words);
}

/* Seconds of node_play below cachegrind; -1: there is no valgrind. */
static double below_cachegrind(const char *rounds)
{
    char program[4096], count[24];
    const char *const words[] = {"valgrind",
                                 "--tool=cachegrind",
                                 "--cachegrind-out-file=/dev/null",
                                 "--log-file=/dev/null",
                                 program,
                                 "ddot",
                                 count,
                                 NULL};
    pid_t child;
    int status;
    bench_built(program, "bench/node_play");
    snprintf(count, sizeof count, "%s", rounds);
    double begin = bench_now();
    if (posix_spawnp(&child, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ) != 0)
        return -1;
    if (waitpid(child, &status, 0) != child || status != 0)
        return -1;
    return bench_now() - begin;
}

int main(void)
{
    char tape[4096];
    bench_built(tape, "bench/recorded_ddot.ops");
    double plain = ddot("counts"), recorded = ddot("operations"), hooks = kept(tape);
    double start = below_cachegrind("0"), end = below_cachegrind(ROUNDS);
    remove(tape);
    bench_report("recorded-ddot", "plain_1", plain, "s", 1);
    bench_report("recorded-ddot", "recorded_1", recorded, "s", 1);
    if (start >= 0 && end >= 0)
        bench_report("recorded-ddot", "cachegrind_1", end - start, "s", 1);
    bench_report("recorded", "hook",
                 1e9 * (hooks - plain * KEPT / strtod(ROUNDS, NULL)) /
                     (HOOKS * KEPT * strtod(LENGTH, NULL)),
                 "ns", 1);
    return 0;
}

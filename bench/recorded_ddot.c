/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dot product that is recorded: seconds of the plain kernel, of the same kernel by its own
 * operations (hooks and model), and of as many turns of a plain loop below valgrind's cachegrind,
 * where valgrind is. All are seconds of the processor, less those of a program that does one round.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Vectors that stay in the first cache of 8 KiB, as those of node_play, and vectors that do not. */
#define STAYS        "256"
#define STAYS_ROUNDS "160000"
#define LEAVES       "1024"
#define LEAVE_ROUNDS "40000"

extern char **environ;

static double ddot(const char *n, const char *rounds, const char *timing)
{
    const char *const words[] = {"run",       "kernels",  "--kernel", "ddot",      "--n",
                                 n,           "--rounds", rounds,     "--machine", "pim-node",
                                 "--threads", "1",        "--timing", timing,      NULL};
    char htmt[4096];
    double begin = bench_used_by_children();
    bench_built(htmt, "htmt");
    bench_command(htmt, words);
    return bench_used_by_children() - begin;
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
    double begin = bench_used_by_children();
    if (posix_spawnp(&child, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ) != 0)
        return -1;
    if (waitpid(child, &status, 0) != child || status != 0)
        return -1;
    return bench_used_by_children() - begin;
}

static void measure(const char *group, const char *n, const char *rounds, double cachegrind)
{
    double plain = ddot(n, rounds, "counts") - ddot(n, "1", "counts");
    double recorded = ddot(n, rounds, "operations") - ddot(n, "1", "operations");
    bench_report(group, "plain_1", plain, "s", 1);
    bench_report(group, "recorded_1", recorded, "s", 1);
    if (cachegrind >= 0)
        bench_report(group, "cachegrind_1", cachegrind, "s", 1);
}

int main(void)
{
    double start = below_cachegrind("1"), end = below_cachegrind(STAYS_ROUNDS);
    double cachegrind = start >= 0 && end >= 0 ? end - start : -1;
    measure("recorded-ddot", STAYS, STAYS_ROUNDS, cachegrind);
    measure("recorded-ddot-misses", LEAVES, LEAVE_ROUNDS, cachegrind);
    return 0;
}

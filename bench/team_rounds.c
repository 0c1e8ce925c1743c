/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a round of a team costs (runtime/host/team.h), without work:
 *     team_rounds [THREADS]
 * For 1, 2, .. THREADS threads beside the caller's, by default as many as leave the caller a core,
 * it prints `team-round threads_<all> <us a round> us <rounds>`, the best of several turns.
 */
#include "bench/clock.h"
#include "runtime/host/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TURNS  5
#define ROUNDS 20000

static void work(void *whose)
{
    (void)whose;
}

static double measure(struct htmt__team *team)
{
    double begin = bench_now();
    for (int i = 0; i < ROUNDS; i++) {
        htmt__team_begin(team);
        htmt__team_await(team, work);
    }
    return (bench_now() - begin) / ROUNDS;
}

static double best(unsigned others)
{
    const struct htmt__team_options o = {.threads = others, .work = work};
    struct htmt__team *team = NULL;
    if (htmt__team_create(&team, &o))
        bench_fail("no team");
    double least = measure(team);
    for (int turn = 1; turn < TURNS; turn++) {
        double seconds = measure(team);
        least = seconds < least ? seconds : least;
    }
    htmt__team_destroy(&team);
    return least;
}

int main(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), most = cores > 1 ? cores - 1 : 0;
    if (argc > 1)
        most = strtol(argv[1], NULL, 10);
    for (long others = 1; others <= most; others++) {
        char name[32];
        snprintf(name, sizeof name, "threads_%ld", others + 1);
        bench_report("team-round", name, 1e6 * best((unsigned)others), "us", ROUNDS);
    }
    return 0;
}

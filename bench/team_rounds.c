/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a round of a team costs (runtime/host/team.h), of one piece a thread without work, to which
 * all come: team_rounds [THREADS] For 1, 2, .. THREADS threads beside the caller's, by default as
 * many as leave the caller a core, it prints `team-round threads_<all> <us a round> us <rounds>`,
 * the best of several turns.
 */
#include "bench/clock.h"
#include "runtime/host/team.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <urcu/arch.h>

#define TURNS  5
#define ROUNDS 20000

static atomic_ulong begun, all; /* pieces so far; with those of the present round */

/* Each thread has one of them: none ends before all have begun. */
static void work(void *whose, uint32_t piece, bool helping)
{
    (void)whose;
    (void)piece;
    (void)helping;
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < atomic_load(&all))
        caa_cpu_relax();
}

static void look(void *whose)
{
    (void)whose;
}

static double measure(struct htmt__team *team, unsigned threads)
{
    double begin = bench_now();
    for (int i = 0; i < ROUNDS; i++) {
        struct htmt__team_round round = {.invite = true};
        atomic_fetch_add(&all, threads);
        htmt__team_round(team, &round, false);
    }
    return (bench_now() - begin) / ROUNDS;
}

static double best(unsigned others)
{
    const struct htmt__team_options o = {.threads = others,
                                         .processors = htmt__team_processors(),
                                         .pieces = others + 1,
                                         .work = work,
                                         .look = look};
    struct htmt__team *team = NULL;
    if (htmt__team_create(&team, &o))
        bench_fail("no team");
    double least = measure(team, others + 1);
    for (int turn = 1; turn < TURNS; turn++) {
        double seconds = measure(team, others + 1);
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

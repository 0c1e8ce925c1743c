/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seconds of the emulated section of model runs whose clock has much to do: of this tree's command
 * on one and on two threads of the clock and, where the plug-in of MPI was built, in two processes;
 * and of the base line `seq` where it was built (bench/seq.sh). All have the same history.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS_MAX = 24 };

struct load {
    const char *group;
    const char *words[WORDS_MAX];
};

static const struct load loads[] = {
    {"clock-cannon", {"model", "cannon", "--size", "8192", "--slices", "256", "--threads", "1"}},
    {"clock-pic",
     {"model", "pic", "--case", "thermal", "--cells", "62,64,64", "--steps", "4", "--slices", "256",
      "--threads", "1"}},
    {"clock-pic-push",
     {"model", "pic", "--costs", "pic-hereld", "--phases", "push", "--parcels", "100", "--slices",
      "4096", "--threads", "1"}},
    {"clock-sar-patch",
     {"model", "sar", "--lines", "512", "--samples", "1024", "--patches", "256", "--slices", "256",
      "--threads", "1"}},
};

static void report(const struct load *l, const char *name, const char *htmt)
{
    struct bench_command c = bench_command(htmt, l->words);
    bench_report(l->group, name, c.emulate_s, "s", c.history);
}

/* The same words with another option behind them. */
static struct load with(const struct load *l, const char *option, const char *value)
{
    struct load more = *l;
    size_t count = 0;
    while (more.words[count])
        count++;
    if (count + 2 >= WORDS_MAX)
        bench_fail("too many words");
    more.words[count] = option;
    more.words[count + 1] = value;
    return more;
}

static void report_ranks(const struct load *l, const char *htmt)
{
    struct load ranks = {l->group, {"-n", "2", htmt}};
    for (size_t i = 0; l->words[i] && i + 4 < WORDS_MAX; i++)
        ranks.words[i + 3] = l->words[i];
    report(&ranks, "ranks_2", "mpirun");
}

int main(void)
{
    char htmt[4096], seq[4096], mpi[4096];
    bench_built(htmt, "htmt");
    bench_built(seq, "seq/build/htmt");
    bench_built(mpi, "mpi.so");
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct load two = with(&loads[i], "--clock-threads", "2");
        report(&loads[i], "model_1", htmt);
        report(&two, "model_2", htmt);
        if (!access(mpi, R_OK))
            report_ranks(&loads[i], htmt);
        if (!access(seq, X_OK))
            report(&loads[i], "model_1_seq", seq);
    }
    return 0;
}

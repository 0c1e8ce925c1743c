/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: empty OpenMP tasks in chains of dependent stages, as parcels pass through theirs.
 */
#include "bench/clock.h"
#include "bench/options.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* The dependences of a chain by `depend` on the item's counter, which also counts its stages. */
static void spawn_depend(unsigned *done, unsigned items, unsigned stages)
{
    for (unsigned i = 0; i < items; i++)
        for (unsigned s = 0; s < stages; s++)
#pragma omp task depend(inout : done[i])
            done[i]++;
}

/* Each stage creates the next. */
static void stage(unsigned *done, unsigned left)
{
    ++*done;
    if (left > 1)
#pragma omp task
        stage(done, left - 1);
}

static void spawn_next(unsigned *done, unsigned items, unsigned stages)
{
    for (unsigned i = 0; i < items; i++)
#pragma omp task
        stage(&done[i], stages);
}

static void measure(const struct bench_options *o, const char *how,
                    void (*spawn)(unsigned *, unsigned, unsigned))
{
    char group[32], name[64];
    unsigned *done = calloc(o->items, sizeof *done);
    if (!done)
        bench_fail("out of memory");
    double begin = bench_now();
#pragma omp parallel
#pragma omp single
    spawn(done, o->items, o->stages);
    double tasks = (double)o->items * o->stages, ns = 1e9 * (bench_now() - begin) / tasks;
    for (unsigned i = 0; i < o->items; i++)
        if (done[i] != o->stages)
            bench_fail("a chain has not run to its end");
    snprintf(group, sizeof group, "chain-%u", o->stages);
    snprintf(name, sizeof name, "openmp_%s_%u", how, o->threads);
    bench_report(group, name, ns, "ns", (uint64_t)o->items * o->stages);
    free(done);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    omp_set_dynamic(0);
    omp_set_num_threads((int)o.threads);
#pragma omp parallel /* starts the threads before anything is measured */
    bench_now();
    measure(&o, "depend", spawn_depend);
    measure(&o, "spawn", spawn_next);
    return 0;
}

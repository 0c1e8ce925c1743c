/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: empty StarPU tasks in chains, ordered by their access to the item's data.
 */
#include "bench/clock.h"
#include "bench/options.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static void stage(void *buffers[], void *argument)
{
    (void)argument;
    ++*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static void submit(struct starpu_codelet *codelet, starpu_data_handle_t item)
{
    struct starpu_task *task = starpu_task_create();
    if (!task)
        bench_fail("out of memory");
    task->cl = codelet;
    task->handles[0] = item;
    if (starpu_task_submit(task) != 0)
        bench_fail("starpu_task_submit");
}

static double measure(const struct bench_options *o, starpu_data_handle_t *item)
{
    struct starpu_codelet codelet;
    starpu_codelet_init(&codelet);
    codelet.cpu_funcs[0] = stage;
    codelet.nbuffers = 1;
    codelet.modes[0] = STARPU_RW;
    double begin = bench_now();
    for (unsigned i = 0; i < o->items; i++)
        for (unsigned s = 0; s < o->stages; s++)
            submit(&codelet, item[i]);
    if (starpu_task_wait_for_all() != 0)
        bench_fail("starpu_task_wait_for_all");
    return bench_now() - begin;
}

static void start(unsigned workers)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.sched_policy_name = "lws";
    conf.ncpus = (int)workers;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0)
        bench_fail("starpu_init");
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    char group[32], name[64];
    unsigned *done = calloc(o.items, sizeof *done);
    starpu_data_handle_t *item = calloc(o.items, sizeof *item);
    if (!done || !item)
        bench_fail("out of memory");
    start(o.threads);
    for (unsigned i = 0; i < o.items; i++)
        starpu_variable_data_register(&item[i], STARPU_MAIN_RAM, (uintptr_t)&done[i], sizeof *done);

    double seconds = measure(&o, item);

    for (unsigned i = 0; i < o.items; i++) {
        starpu_data_unregister(item[i]);
        if (done[i] != o.stages)
            bench_fail("a chain has not run to its end");
    }
    starpu_shutdown();
    snprintf(group, sizeof group, "chain-%u", o.stages);
    snprintf(name, sizeof name, "starpu_lws_%u", o.threads);
    bench_report(group, name, 1e9 * seconds / ((double)o.items * o.stages), "ns",
                 (uint64_t)o.items * o.stages);
    free(item);
    free(done);
    return 0;
}

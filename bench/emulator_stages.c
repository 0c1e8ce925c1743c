/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host cost of one stage of an empty parcel (bench/stages.h), in a model run, in a run, and, unless
 * one of them is asked for, in model runs by windows of lookahead and on two threads of the clock.
 *   emulator_stages [--slices S --each P --generations G] [--mode model|run]
 */
#include "bench/stages.h"

static void report(const char *name, const struct htmt_machine *m, struct bench_way way,
                   const struct bench_stages *l)
{
    double ns;
    struct htmt_emulator *e = bench_stages_run(m, way, l, &ns);
    bench_stages_report("stages", l, name, ns);
    htmt_emulator_destroy(&e);
}

static void measure(const struct bench_options *o, const struct htmt_machine *m,
                    const struct bench_stages *l)
{
    const struct bench_way model = {.mode = HTMT_MODEL}, run = {.mode = HTMT_RUN};
    const struct bench_way windows = {.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS};
    const struct bench_way two = {.mode = HTMT_MODEL, .clock_threads = 2};
    if (o->model)
        report("model_1", m, model, l);
    if (o->run)
        report("run_1", m, run, l);
    if (!o->model || !o->run)
        return;
    report("windows_1", m, windows, l);
    report("model_2", m, two, l);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct htmt_machine *m = bench_stages_machine();
    bench_stages_each(&o, m, measure);
    htmt_machine_destroy(&m);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host cost of one stage of an empty parcel (bench/stages.h), in a model run, in a run, and, unless
 * one of them is asked for, in a model run by windows of lookahead.
 *   emulator_stages [--slices S --each P --generations G] [--mode model|run]
 */
#include "bench/stages.h"

static void report(const char *name, const struct htmt_machine *m, enum htmt_mode mode,
                   enum htmt_clock clock, const struct bench_stages *l)
{
    double ns;
    struct htmt_emulator *e = bench_stages_run(m, mode, clock, l, &ns);
    bench_stages_report("stages", l, name, ns);
    htmt_emulator_destroy(&e);
}

static void measure(const struct bench_options *o, const struct htmt_machine *m,
                    const struct bench_stages *l)
{
    if (o->model)
        report("model_1", m, HTMT_MODEL, HTMT_CLOCK_AUTO, l);
    if (o->run)
        report("run_1", m, HTMT_RUN, HTMT_CLOCK_AUTO, l);
    if (o->model && o->run)
        report("windows_1", m, HTMT_MODEL, HTMT_CLOCK_WINDOWS, l);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct htmt_machine *m = bench_stages_machine();
    bench_stages_each(&o, m, measure);
    htmt_machine_destroy(&m);
    return 0;
}

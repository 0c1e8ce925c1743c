/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host cost of one stage of an empty parcel (bench/stages.h), in a model run and in a run.
 *   emulator_stages [--slices S --each P --generations G] [--mode model|run]
 */
#include "bench/stages.h"

static void report(const struct htmt_machine *m, enum htmt_mode mode, const struct bench_stages *l)
{
    double ns;
    struct htmt_emulator *e = bench_stages_run(m, mode, l, &ns);
    bench_stages_report("stages", l, mode == HTMT_MODEL ? "model_1" : "run_1", ns);
    htmt_emulator_destroy(&e);
}

static void measure(const struct bench_options *o, const struct htmt_machine *m,
                    const struct bench_stages *l)
{
    if (o->model)
        report(m, HTMT_MODEL, l);
    if (o->run)
        report(m, HTMT_RUN, l);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct htmt_machine *m = bench_stages_machine();
    bench_stages_each(&o, m, measure);
    htmt_machine_destroy(&m);
    return 0;
}

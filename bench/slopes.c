/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What it costs to know how the predicted time changes with each figure of the machine: ns a stage
 * of a model run of empty parcels (bench/stages.h), and of one that keeps its slopes and is then
 * asked for all figures; bytes that it keeps for an interval, at most, of which a stage ends one.
 *   slopes [--slices S --each P --generations G]
 */
#include "bench/clock.h"
#include "bench/stages.h"
#include "parcels/observe/live_slope.h"

#include <stdio.h>

static void twice(struct htmt_ratio *r)
{
    if (r->num && htmt_ratio_mul(*r, (struct htmt_ratio){2, 1}, r))
        bench_fail("a figure is too large");
}

static void ask(const struct htmt_emulator *e, const struct htmt_machine *toward)
{
    struct htmt_fault fault = {0};
    double larger, smaller;
    if (htmt_slope_find(e, toward, 2, &larger, &smaller, &fault))
        bench_fail(fault.text);
}

/* As many as a machine file has: operations, accesses, times of networks, rates. */
static void ask_all(const struct htmt_emulator *e, const struct htmt_machine *m)
{
    for (uint32_t l = 0; l < m->layer_count; l++) {
        for (int i = 0; i < HTMT_OP_CLASSES; i++) {
            struct htmt_machine toward = *m;
            twice(&toward.layer[l].processor.time[i]);
            ask(e, &toward);
        }
        struct htmt_machine toward = *m;
        twice(&toward.layer[l].memory.access);
        ask(e, &toward);
    }
    for (uint32_t n = 0; n < m->network_count; n++) {
        struct htmt_machine toward = *m;
        toward.network[n].latency *= 2;
        ask(e, &toward);
        toward.network[n].startup *= 2;
        ask(e, &toward);
        for (uint32_t l = 0; l < m->layer_count; l++) {
            toward = *m;
            twice(&toward.network[n].port[l].out_word);
            ask(e, &toward);
            twice(&toward.network[n].port[l].in_word);
            ask(e, &toward);
        }
    }
}

static double bytes_of(const struct htmt_emulator *e)
{
    const struct htmt__slope_graph *g = &e->slope->graph;
    return (double)(g->node_room * sizeof *g->node + g->entries * sizeof *g->entry +
                    g->group_room * sizeof *g->group + g->charge_room * sizeof *g->charge);
}

static void measure(const struct bench_options *o, const struct htmt_machine *m,
                    const struct bench_stages *l)
{
    const struct bench_way way = {.mode = HTMT_MODEL, .clock = HTMT_CLOCK_SEQUENTIAL},
                           kept = {HTMT_MODEL, HTMT_CLOCK_SEQUENTIAL, 0, true};
    char name[64];
    double ns;
    (void)o;
    struct htmt_emulator *e = bench_stages_run(m, way, l, &ns);
    bench_stages_report("slopes", l, "model_1", ns);
    htmt_emulator_destroy(&e);
    e = bench_stages_run(m, kept, l, &ns);
    const double begin = bench_now();
    ask_all(e, m);
    ns += (bench_now() - begin) * 1e9 / (double)bench_stages_count(l);
    bench_stages_report("slopes", l, "slopes_1", ns);
    snprintf(name, sizeof name, "stages-%ux%u", l->slices, l->each);
    bench_report("slope-bytes", name, bytes_of(e) / (double)bench_stages_count(l), "B", 0);
    htmt_emulator_destroy(&e);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct htmt_machine *m = bench_stages_machine();
    bench_stages_each(&o, m, measure);
    htmt_machine_destroy(&m);
    return 0;
}

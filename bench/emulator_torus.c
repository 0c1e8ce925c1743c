/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of simgrid_torus.c by the command: uniform traffic of the application `traffic` on a
 * torus that is inside a network, a packet each, with a quarter of what the torus carries. Counted
 * is the emulated section, on one thread.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <stddef.h>
#include <stdio.h>

struct torus {
    const char *group, *ends, *slices, *shape, *rate, *slots;
    double messages;
    uint32_t count;
};

static const struct torus tori[] = {
    {"torus-16", "16", "slices=16", "networks.grid.inside.shape=4 x 4", "2.5e6", "12500", 200000,
     16},
    {"torus-256", "256", "slices=256", "networks.grid.inside.shape=16 x 16", "1.25e6", "400",
     102400, 256},
    {"torus-4096", "4096", "slices=4096", "networks.grid.inside.shape=64 x 64", "3.1e5", "10",
     40960, 4096}};

#define INSIDE(key) "--set", "networks.grid.inside." key

static void measure(const struct torus *t, const char *htmt)
{
    const char *const words[] = {"model",
                                 "traffic",
                                 "--machine",
                                 "gcel",
                                 "--pattern",
                                 "uniform",
                                 "--bytes",
                                 "100",
                                 "--threads",
                                 "1",
                                 "--slices",
                                 t->ends,
                                 "--set",
                                 t->slices,
                                 "--set",
                                 t->shape,
                                 "--rate",
                                 t->rate,
                                 "--slots",
                                 t->slots,
                                 INSIDE("topology=torus"),
                                 INSIDE("routing=torus"),
                                 INSIDE("lanes=2"),
                                 INSIDE("switching=cut-through"),
                                 INSIDE("packet=not-modelled"),
                                 INSIDE("rate=1 GB/s"),
                                 INSIDE("wire=10 ns"),
                                 INSIDE("switch=20 ns"),
                                 INSIDE("control=10 ns"),
                                 INSIDE("router=none"),
                                 INSIDE("setup=not-modelled"),
                                 INSIDE("route=not-modelled"),
                                 INSIDE("copy=not-modelled"),
                                 "--set",
                                 "networks.grid.startup=not-modelled",
                                 "--set",
                                 "networks.grid.startup-next=not-modelled",
                                 NULL};
    const struct bench_command c = bench_command(htmt, words);
    bench_report(t->group, "emulator_model", t->messages / c.emulate_s, "1/s", t->count);
}

int main(void)
{
    char htmt[4096];
    bench_built(htmt, "htmt");
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++)
        measure(&tori[i], htmt);
    return 0;
}

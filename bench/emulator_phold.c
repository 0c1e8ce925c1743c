/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The load of bench/phold.h in a model run: a place is an activation in a slice of its own, who is
 * there is an enabled fiber of it. The fiber is charged the delay and then signals the same fiber
 * of the next place: within a slice that is free, across slices it is a message. Another fiber
 * lasts until the end; who comes to a place afterwards is not sent on.
 *   emulator_phold [GROUP]   one of bench_phold alone, as phold-1e6
 */
#include "bench/phold.h"
#include "parcels/htmt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cycle is 1 fs, a word leaves in 1 fs; servers for everybody. */
static const char *const settings[] = {
    "slices=65536",
    "layers.dram.processor.count=1000000",
    "layers.dram.processor.clock=1000000 GHz",
    "networks.vortex.ports.dram.out-rate=1000000 Gword/s",
    "networks.vortex.ports.dram.in=not-modelled",
    "networks.vortex.ports.dram.in-rate=not-modelled",
};

#define LONGEST 1000000000000u /* fs: more than any delay */

enum { HOLD = 1, WAIT, STOP };

struct world {
    const struct bench_phold *load;
    struct bench_place *place;
};

struct self {
    bool stopped;
};

static void hold(struct htmt_context *c)
{
    const struct world *w = htmt_user(c);
    const struct self *self = htmt_args(c);
    uint32_t slice = htmt_slice(c);
    if (self->stopped)
        return;
    struct bench_hold d = bench_phold_draw(&w->place[slice], slice, w->load->places);
    htmt_charge(c, HTMT_CYCLE, (uint64_t)d.delay);
    htmt_signal(c, htmt_slot_in(htmt_slot(c, HOLD), d.to));
}

static void wait(struct htmt_context *c)
{
    const struct world *w = htmt_user(c);
    htmt_charge(c, HTMT_CYCLE, (uint64_t)w->load->end);
    htmt_signal(c, htmt_slot(c, STOP));
}

static void stop(struct htmt_context *c)
{
    ((struct self *)htmt_args(c))->stopped = true;
    htmt_charge(c, HTMT_CYCLE, LONGEST);
    htmt_retire(c, htmt_self(c));
}

static void begin(struct htmt_context *c)
{
    const struct world *w = htmt_user(c);
    htmt_signal(c, htmt_slot(c, WAIT));
    for (uint32_t i = 0; i < w->load->each; i++)
        htmt_signal(c, htmt_slot(c, HOLD));
}

static struct htmt_emulator *prepare(const struct htmt_machine *m, struct world *w)
{
    struct htmt_stage fibers[] = {{.control = hold, .count = 1, .reset = 1},
                                  {.control = wait, .count = 1, .reset = 1},
                                  {.control = stop, .count = 1, .reset = 1}};
    struct htmt_type_desc d = {.name = "place",
                               .home = "dram",
                               .exec = "dram",
                               .execute = {.control = begin},
                               .fibers = fibers,
                               .fiber_count = 3,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct self),
                               .user = w};
    struct htmt_options o = {.machine = m, .slices = w->load->places, .mode = HTMT_MODEL};
    struct htmt_parcel_desc p = {.slice = 0};
    struct htmt_type *type = NULL;
    struct htmt_emulator *e = NULL;
    if (htmt_emulator_create(&e, &o, NULL))
        bench_fail("no emulator");
    int rc = htmt_type_create(e, &d, &type);
    p.type = type;
    for (; p.slice < w->load->places && !rc; p.slice++)
        rc = htmt_assemble(htmt_root(e), &p, NULL);
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
    return e;
}

static void measure(const struct htmt_machine *m, const struct bench_phold *l)
{
    struct world w = {l, malloc(l->places * sizeof *w.place)};
    if (!w.place)
        bench_fail("out of memory");
    bench_phold_begin(w.place, l->places);
    struct htmt_emulator *e = prepare(m, &w);
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    double seconds = bench_now() - begin;
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
    bench_phold_report(l, "emulator_model", w.place, seconds);
    htmt_emulator_destroy(&e);
    free(w.place);
}

int main(int argc, char **argv)
{
    struct htmt_machine *m = bench_machine(settings, sizeof settings / sizeof *settings);
    for (size_t i = 0; i < BENCH_PHOLDS; i++)
        if (argc < 2 || !strcmp(argv[1], bench_phold[i].group))
            measure(m, &bench_phold[i]);
    htmt_machine_destroy(&m);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels with an empty kernel through S = 5 stages (assemble, gather, dispatch, inject, execute)
 * or all 8 (eject, retire, scatter), one event a stage, beside the chains of tasks of the base
 * lines. Creation counts, as theirs does.
 */
#include "bench/clock.h"
#include "bench/options.h"
#include "parcels/htmt.h"

#include <stdio.h>
#include <stdlib.h>

#define SLICES 16u
#define BYTES  64u /* of a closure */

struct chains {
    const struct bench_options *o;
    struct htmt_emulator *e;
    struct htmt_type *type;
    struct htmt_object *data[SLICES];
    unsigned *done; /* by the kernel of each parcel */
};

static void little(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_CYCLE] = 100;
}

/* Its own counter, which nobody else touches. */
static void kernel(struct htmt_kernel *k)
{
    unsigned *const *done = htmt_kernel_args(k);
    ++**done;
}

static void prepare(struct chains *c)
{
    struct htmt_type_desc d = {.name = "chain",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = little},
                               .dispatch = {.cost = little},
                               .execute = {.kernel = kernel, .cost = little},
                               .args_bytes = sizeof(unsigned *)};
    d.retire.cost = c->o->stages == 8 ? little : NULL;
    if (htmt_type_create(c->e, &d, &c->type))
        bench_fail(htmt_emulator_fault(c->e)->text);
    uint32_t dram = (uint32_t)htmt_emulator_layer(c->e, "dram");
    for (uint32_t s = 0; s < SLICES; s++)
        if (htmt_object_create(c->e, s, dram, BYTES, "data", &c->data[s]))
            bench_fail(htmt_emulator_fault(c->e)->text);
}

static void start(struct chains *c, unsigned item)
{
    unsigned *done = &c->done[item];
    struct htmt_region r = {.from = htmt_in(c->data[item % SLICES], 0), .bytes = BYTES};
    struct htmt_parcel_desc d = {
        .type = c->type, .slice = item % SLICES, .regions = &r, .region_count = 1, .args = &done};
    if (c->o->stages == 8)
        r.to = r.from;
    if (htmt_assemble(htmt_root(c->e), &d, NULL))
        bench_fail(htmt_emulator_fault(c->e)->text);
}

static double run(struct chains *c)
{
    double begin = bench_now();
    for (unsigned i = 0; i < c->o->items; i++)
        start(c, i);
    int rc = htmt_emulator_run(c->e);
    double seconds = bench_now() - begin;
    if (rc)
        bench_fail(htmt_emulator_fault(c->e)->text);
    if (htmt_event_count(c->e) != (uint64_t)c->o->items * c->o->stages)
        bench_fail("a stage is missing");
    for (unsigned i = 0; i < c->o->items; i++)
        if (c->done[i] != 1)
            bench_fail("a kernel has not run once");
    return seconds;
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct chains c = {.o = &o, .done = calloc(o.items, sizeof *c.done)};
    struct htmt_machine *m = bench_machine(NULL, 0);
    struct htmt_options options = {.machine = m, .slices = SLICES, .threads = o.threads};
    char group[32], name[64];

    if (!c.done)
        bench_fail("out of memory");
    if (o.stages != 5 && o.stages != 8)
        bench_fail("a parcel has 5 or 8 stages here");
    if (htmt_emulator_create(&c.e, &options, NULL))
        bench_fail("no emulator");
    prepare(&c);
    double seconds = run(&c), tasks = (double)o.items * o.stages;

    snprintf(group, sizeof group, "chain-%u", o.stages);
    snprintf(name, sizeof name, "emulator_%u", o.threads);
    bench_report(group, name, 1e9 * seconds / tasks, "ns", (uint64_t)o.items * o.stages);
    htmt_emulator_destroy(&c.e);
    htmt_machine_destroy(&m);
    free(c.done);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host cost of one stage of an empty parcel: all eight stages, one event each. Group
 * stages-SLICESxEACH has SLICES times EACH parcels in flight, each a pending event.
 */
#include "bench/clock.h"
#include "parcels/htmt.h"

#include <stdio.h>

/* Servers for everybody but the SPELL, room for everybody: parcels in flight are pending events. */
static const char *const settings[] = {
    "layers.dram.processor.count=1000000",
    "layers.sram.processor.count=1000000",
    "layers.cram.memory.capacity=4 GiB",
    "networks.vortex.ports.dram.in=not-modelled",
    "networks.vortex.ports.sram.in=not-modelled",
    "networks.vortex.ports.dram.in-rate=not-modelled",
    "networks.vortex.ports.sram.in-rate=not-modelled",
};

struct load {
    uint32_t slices, each, generations;
};

static uint64_t stages_of(const struct load *l)
{
    return (uint64_t)l->slices * l->each * l->generations * 8;
}

struct life {
    uint32_t left; /* generations to come */
    struct htmt_object *object;
};

static struct htmt_type *the_type; /* of the emulator under measurement */

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    ops->n[HTMT_CYCLE] = *(const uint64_t *)user;
}

static void empty(struct htmt_kernel *k)
{
    (void)k;
}

static int start(struct htmt_context *c, uint32_t slice, struct life life)
{
    struct htmt_region r = {
        .from = htmt_in(life.object, 0), .to = htmt_in(life.object, 0), .bytes = 64};
    struct htmt_parcel_desc d = {
        .type = the_type, .slice = slice, .regions = &r, .region_count = 1, .args = &life};
    return htmt_assemble(c, &d, NULL);
}

static void again(struct htmt_context *c)
{
    struct life life = *(struct life *)htmt_args(c);
    if (life.left-- > 0)
        start(c, htmt_slice(c), life);
}

/* ns a stage. */
static double measure(const struct htmt_machine *m, enum htmt_mode mode, const struct load *l)
{
    uint64_t cycles = 1000;
    struct htmt_emulator *e = NULL;
    struct htmt_options o = {.machine = m, .slices = l->slices, .mode = mode};
    struct htmt_type_desc d = {.name = "empty",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = cost},
                               .dispatch = {.cost = cost},
                               .execute = {.cost = cost, .kernel = empty},
                               .retire = {.cost = cost, .control = again},
                               .args_bytes = sizeof(struct life),
                               .user = &cycles};
    if (htmt_emulator_create(&e, &o, NULL) || htmt_type_create(e, &d, &the_type))
        bench_fail("no emulator");
    for (uint32_t s = 0; s < l->slices; s++) {
        struct life life = {l->generations - 1, NULL};
        if (htmt_object_create(e, s, (uint32_t)htmt_emulator_layer(e, "dram"), 64, "data",
                               &life.object))
            bench_fail(htmt_emulator_fault(e)->text);
        for (uint32_t i = 0; i < l->each; i++)
            if (start(htmt_root(e), s, life))
                bench_fail(htmt_emulator_fault(e)->text);
    }
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    double ns = (bench_now() - begin) * 1e9;
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
    if (htmt_event_count(e) != stages_of(l))
        bench_fail("a stage is missing");
    htmt_emulator_destroy(&e);
    return ns / (double)stages_of(l);
}

static void report(const struct htmt_machine *m, enum htmt_mode mode, const struct load *l)
{
    char group[32];
    double ns = measure(m, mode, l);
    snprintf(group, sizeof group, "stages-%ux%u", l->slices, l->each);
    bench_report(group, mode == HTMT_MODEL ? "model_1" : "run_1", ns, "ns", stages_of(l));
}

int main(void)
{
    static const struct load loads[] = {{1, 8, 20000}, {1, 64, 5000}, {16, 16, 1000},
                                        {256, 16, 60}, {4096, 8, 8},  {256, 128, 8},
                                        {4096, 64, 2}, {1024, 256, 2}};
    struct htmt_machine *m = bench_machine(settings, sizeof settings / sizeof settings[0]);
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        report(m, HTMT_MODEL, &loads[i]);
        report(m, HTMT_RUN, &loads[i]);
    }
    htmt_machine_destroy(&m);
    return 0;
}

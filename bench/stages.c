/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/stages.h"
#include "bench/clock.h"

#include <stdio.h>

struct htmt_machine *bench_stages_machine(void)
{
    static const char *const settings[] = {
        "layers.dram.processor.count=1000000",
        "layers.sram.processor.count=1000000",
        "layers.cram.memory.capacity=4 GiB",
        "networks.vortex.ports.dram.in=not-modelled",
        "networks.vortex.ports.sram.in=not-modelled",
        "networks.vortex.ports.dram.in-rate=not-modelled",
        "networks.vortex.ports.sram.in-rate=not-modelled",
    };
    return bench_machine(settings, sizeof settings / sizeof settings[0]);
}

struct life {
    uint32_t left; /* generations to come */
    struct htmt_object *object;
};

/* Of the emulator under measurement. */
struct world {
    struct htmt_type *type;
};

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_CYCLE] = BENCH_STAGE_CYCLES;
}

static void empty(struct htmt_kernel *k)
{
    (void)k;
}

static int start(struct htmt_context *c, const struct world *w, uint32_t slice, struct life life)
{
    struct htmt_region r = {
        .from = htmt_in(life.object, 0), .to = htmt_in(life.object, 0), .bytes = BENCH_STAGE_BYTES};
    struct htmt_parcel_desc d = {
        .type = w->type, .slice = slice, .regions = &r, .region_count = 1, .args = &life};
    return htmt_assemble(c, &d, NULL);
}

static void again(struct htmt_context *c)
{
    struct life life = *(struct life *)htmt_args(c);
    if (life.left-- > 0)
        start(c, htmt_user(c), htmt_slice(c), life);
}

static void start_all(struct htmt_emulator *e, const struct world *w, const struct bench_stages *l)
{
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    int rc = 0;
    for (uint32_t s = 0; s < l->slices && !rc; s++) {
        struct life life = {l->generations - 1, NULL};
        rc = htmt_object_create(e, s, dram, BENCH_STAGE_BYTES, "data", &life.object);
        for (uint32_t i = 0; i < l->each && !rc; i++)
            rc = start(htmt_root(e), w, s, life);
    }
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
}

struct htmt_emulator *bench_stages_run(const struct htmt_machine *m, struct bench_way way,
                                       const struct bench_stages *l, double *ns)
{
    struct htmt_emulator *e = NULL;
    struct world w = {NULL};
    struct htmt_options o = {.machine = m,
                             .slices = l->slices,
                             .mode = way.mode,
                             .slopes = way.slopes,
                             .clock = way.clock,
                             .clock_threads = way.clock_threads};
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = "empty",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = cost, .constant = true},
                               .dispatch = {.cost = cost, .constant = true},
                               .execute = {.cost = cost, .kernel = empty, .constant = true},
                               .retire = {.cost = cost, .control = again, .constant = true},
                               .args_bytes = sizeof(struct life),
                               .user = &w,
                               .sends = HTMT_SENDS_NOWHERE};
    if (htmt_emulator_create(&e, &o, NULL) || htmt_type_create(e, &d, &w.type))
        bench_fail("no emulator");
    start_all(e, &w, l);
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    *ns = (bench_now() - begin) * 1e9 / (double)bench_stages_count(l);
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
    if (htmt_event_count(e) != bench_stages_count(l))
        bench_fail("a stage is missing");
    return e;
}

void bench_stages_report(const char *what, const struct bench_stages *l, const char *name,
                         double ns)
{
    char group[64];
    snprintf(group, sizeof group, "%s-%ux%u", what, l->slices, l->each);
    bench_report(group, name, ns, "ns", bench_stages_count(l));
}

void bench_stages_each(const struct bench_options *o, const struct htmt_machine *m,
                       void (*measure)(const struct bench_options *o, const struct htmt_machine *m,
                                       const struct bench_stages *l))
{
    static const struct bench_stages usual[] = {{1, 8, 20000}, {1, 64, 5000}, {16, 16, 1000},
                                                {256, 16, 60}, {4096, 8, 8},  {256, 128, 8},
                                                {4096, 64, 2}, {1024, 256, 2}};
    const struct bench_stages given = {o->slices, o->each, o->generations};
    if (o->slices)
        measure(o, m, &given);
    for (size_t i = 0; !o->slices && i < sizeof usual / sizeof *usual; i++)
        measure(o, m, &usual[i]);
}

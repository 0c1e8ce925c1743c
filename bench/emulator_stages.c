/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host cost of one stage of an empty parcel: all eight stages, one event each, any number of
 * parcels in flight. Asserts that every stage happened.
 *
 *   emulator_stages [repetitions [case [model | run]]]
 */
#include "parcels/htmt.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ns a stage; exits when not every stage happened. */
static double measure(const struct htmt_machine *m, enum htmt_mode mode, uint32_t slices,
                      uint32_t each, uint32_t generations)
{
    uint64_t cycles = 1000;
    struct htmt_emulator *e = NULL;
    struct htmt_options o = {.machine = m, .slices = slices, .mode = mode};
    struct htmt_type_desc d = {.name = "empty",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = cost},
                               .dispatch = {.cost = cost},
                               .execute = {.cost = cost, .kernel = empty},
                               .retire = {.cost = cost, .control = again},
                               .args_bytes = sizeof(struct life),
                               .user = &cycles};
    if (htmt_emulator_create(&e, &o) || htmt_type_create(e, &d, &the_type))
        exit(4);
    for (uint32_t s = 0; s < slices; s++) {
        struct life life = {generations - 1, NULL};
        if (htmt_object_create(e, s, (uint32_t)htmt_emulator_layer(e, "dram"), 64, "data",
                               &life.object))
            exit(4);
        for (uint32_t i = 0; i < each; i++)
            if (start(htmt_root(e), s, life))
                exit(4);
    }
    double begin = now();
    int rc = htmt_emulator_run(e);
    double ns = (now() - begin) * 1e9;
    uint64_t stages = (uint64_t)slices * each * generations * 8;
    if (rc || htmt_event_count(e) != stages) {
        fprintf(stderr, "%s; %llu events, %llu expected\n", htmt_emulator_fault(e)->text,
                (unsigned long long)htmt_event_count(e), (unsigned long long)stages);
        exit(4);
    }
    htmt_emulator_destroy(&e);
    return ns / (double)stages;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const struct {
        uint32_t slices, each, generations;
    } cases[] = {{1, 8, 20000}, {1, 64, 5000}, {16, 16, 1000},
                 {256, 16, 60}, {4096, 8, 8},  {4096, 64, 2}};
    int repeat = argc > 1 ? atoi(argv[1]) : 5;
    size_t only = argc > 2 ? (size_t)atoi(argv[2]) : SIZE_MAX;
    const char *wanted = argc > 3 ? argv[3] : "";
    struct htmt_fault fault = {0};
    struct htmt_machine *m = NULL;
    if (htmt_machine_load("htmt-oct98", settings, sizeof settings / sizeof settings[0], &m,
                          &fault)) {
        fprintf(stderr, "%s\n", fault.text);
        return 4;
    }
    printf("%-6s %8s %8s %10s   %s\n", "mode", "slices", "each", "in flight",
           "ns a stage: min median max");
    for (int mode = HTMT_MODEL; mode >= HTMT_RUN; mode--)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            double ns[100];
            if ((only != SIZE_MAX && only != i) ||
                (*wanted && mode != (wanted[0] == 'm' ? HTMT_MODEL : HTMT_RUN)))
                continue;
            for (int r = 0; r < repeat && r < 100; r++)
                ns[r] = measure(m, (enum htmt_mode)mode, cases[i].slices, cases[i].each,
                                cases[i].generations);
            qsort(ns, (size_t)repeat, sizeof ns[0], ascending);
            printf("%-6s %8u %8u %10u   %.1f %.1f %.1f\n", mode == HTMT_MODEL ? "model" : "run",
                   cases[i].slices, cases[i].each, cases[i].slices * cases[i].each, ns[0],
                   ns[repeat / 2], ns[repeat - 1]);
        }
    htmt_machine_destroy(&m);
    return 0;
}

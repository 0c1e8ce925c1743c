/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of parcels: a machine of three layers made from numbers, and an emulator on it.
 *
 * dram - vortex (machine-wide) - sram - rti (in a slice) - cram, cram - cnet (machine-wide) - cram.
 */
#ifndef HTMT_TESTS_PARCELS_WORLD_H
#define HTMT_TESTS_PARCELS_WORLD_H

#include "parcels/htmt.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NS INT64_C(1000000)

enum { DRAM, SRAM, CRAM, LAYERS };
enum { VORTEX, RTI, CNET, NETWORKS };

struct world_spec {
    unsigned slices;
    unsigned servers[LAYERS], mhz[LAYERS];
    uint64_t capacity[LAYERS]; /* words */
    struct world_network {
        unsigned startup_ns, latency_ns;
        unsigned outer_mwords, inner_mwords; /* out-rates, Mword/s */
        unsigned outer_in, inner_in;         /* in channels; 0: not modelled */
        unsigned in_mwords;
    } network[NETWORKS];                                  /* of the cnet the inner figures count */
    unsigned hub_mwords[NETWORKS], stream_mwords[LAYERS]; /* models inside; 0: none */
    unsigned channels[NETWORKS];                          /* out, of each port; 0: one */
    const char *lambda;
};

/* A cycle is 1 ns in every layer, a word 1 ns on every network, no latency, room for all. */
static inline struct world_spec world_plain(unsigned slices)
{
    struct world_spec s = {.slices = slices, .lambda = "0"};
    for (int l = 0; l < LAYERS; l++) {
        s.servers[l] = 1;
        s.mhz[l] = 1000;
        s.capacity[l] = 1 << 20;
    }
    for (int n = 0; n < NETWORKS; n++)
        s.network[n] = (struct world_network){0, 0, 1000, 1000, 0, 0, 1000};
    return s;
}

static inline void world_inside(FILE *f, const char *model, unsigned mwords)
{
    if (mwords)
        fprintf(f, "    inside:\n      model: %s\n      rate: {value: %u Mword/s, source: t}\n",
                model, mwords);
}

static inline void world_layer(FILE *f, const char *name, const struct world_spec *s, int l)
{
    fprintf(f,
            "  %s:\n    processor:\n      name: P%s\n      count: {value: %u, source: t}\n"
            "      clock: {value: %u MHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
            "      iop: {value: 1 cycle, source: t}\n      load: {value: 3 cycles, source: t}\n"
            "      store: {value: 2 cycles, source: t}\n      lambda: {value: %s, source: t}\n",
            name, name, s->servers[l], s->mhz[l], s->lambda);
    fprintf(f,
            "    memory:\n      name: M%s\n      capacity: {value: %llu words, source: t}\n"
            "      reserve: {value: 0 words, source: t}\n"
            "      access-words: {value: 1, source: t}\n"
            "      access: {value: not-modelled, source: t}\n"
            "      ports: {value: not-modelled, source: t}\n",
            name, (unsigned long long)s->capacity[l]);
    world_inside(f, "stream", s->stream_mwords[l]);
}

static inline void world_port(FILE *f, const char *layer, unsigned out, unsigned mwords,
                              unsigned in, unsigned in_mwords)
{
    fprintf(f,
            "      %s:\n        out: {value: %u, source: t}\n"
            "        out-rate: {value: %u Mword/s, source: t}\n",
            layer, out ? out : 1, mwords);
    if (in)
        fprintf(f,
                "        in: {value: %u, source: t}\n"
                "        in-rate: {value: %u Mword/s, source: t}\n",
                in, in_mwords);
    else
        fprintf(f, "        in: {value: not-modelled, source: t}\n"
                   "        in-rate: {value: not-modelled, source: t}\n");
}

static inline void world_net(FILE *f, const char *name, const char *scope, const char *outer,
                             const char *inner, const struct world_network *n, unsigned channels,
                             unsigned hub_mwords)
{
    fprintf(f,
            "  %s:\n    scope: %s\n    startup: {value: %u ns, source: t}\n"
            "    latency: {value: %u ns, source: t}\n    ports:\n",
            name, scope, n->startup_ns, n->latency_ns);
    if (outer)
        world_port(f, outer, channels, n->outer_mwords, n->outer_in, n->in_mwords);
    world_port(f, inner, channels, n->inner_mwords, n->inner_in, n->in_mwords);
    world_inside(f, "hub", hub_mwords);
}

static inline struct htmt_machine *world_machine(const struct world_spec *s)
{
    char *text = NULL;
    size_t size;
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "htmt-machine: 1\nabout: made up for a test\nslices: {value: %u, source: t}\nlayers:\n",
            s->slices);
    world_layer(f, "dram", s, DRAM);
    world_layer(f, "sram", s, SRAM);
    world_layer(f, "cram", s, CRAM);
    fprintf(f, "networks:\n");
    world_net(f, "vortex", "machine", "dram", "sram", &s->network[VORTEX], s->channels[VORTEX],
              s->hub_mwords[VORTEX]);
    world_net(f, "rti", "slice", "sram", "cram", &s->network[RTI], s->channels[RTI],
              s->hub_mwords[RTI]);
    world_net(f, "cnet", "machine", NULL, "cram", &s->network[CNET], s->channels[CNET],
              s->hub_mwords[CNET]);
    fclose(f);
    cr_assert_eq(htmt_machine_parse("made", text, &m, &fault), 0, "%s\n%s", fault.text, text);
    free(text);
    return m;
}

struct world {
    struct htmt_machine *m;
    struct htmt_emulator *e;
};

static inline struct world world_open(const struct world_spec *s, struct htmt_options o)
{
    struct world w = {world_machine(s), NULL};
    o.machine = w.m;
    cr_assert_eq(htmt_emulator_create(&w.e, &o, NULL), 0);
    return w;
}

static inline void world_close(struct world *w)
{
    htmt_emulator_destroy(&w->e);
    htmt_machine_destroy(&w->m);
}

/* Runs to the end, and the accounts balance. `code`: 0, or HTMT_EORDER, which a checked run of a
 * program that conflicts on purpose ends with. */
static inline htmt_time world_run_as(struct world *w, int code)
{
    struct htmt_fault fault = {0};
    int rc = htmt_emulator_run(w->e);
    cr_assert(rc == 0 || rc == code, "%s: %s", htmt_err_name(rc), htmt_emulator_fault(w->e)->text);
    cr_assert_eq(htmt_audit(w->e, &fault), 0, "%s", fault.text);
    return htmt_predicted(w->e);
}

static inline htmt_time world_run(struct world *w)
{
    return world_run_as(w, 0);
}

/* The report of a deadlock; the caller frees it. */
static inline char *world_deadlock(const struct htmt_emulator *e)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    cr_assert_eq(htmt_deadlock_print(e, f), 0);
    fclose(f);
    return text;
}

static inline struct htmt_object *world_object(struct world *w, uint32_t slice, uint32_t layer,
                                               uint64_t bytes, const char *name)
{
    struct htmt_object *o = NULL;
    int rc = htmt_object_create(w->e, slice, layer, bytes, name, &o);
    cr_assert_eq(rc, 0, "%s", htmt_emulator_fault(w->e)->text);
    return o;
}

static inline struct htmt_type *world_type(struct world *w, struct htmt_type_desc d)
{
    struct htmt_type *t = NULL;
    int rc = htmt_type_create(w->e, &d, &t);
    cr_assert_eq(rc, 0, "%s", htmt_emulator_fault(w->e)->text);
    return t;
}

static inline void world_start(struct world *w, struct htmt_parcel_desc d)
{
    int rc = htmt_assemble(htmt_root(w->e), &d, NULL);
    cr_assert_eq(rc, 0, "%s", htmt_emulator_fault(w->e)->text);
}

/* The same with fields as named arguments: TYPE(&w, .name = "t", .home = "cram", .exec = "cram").
 */
#define OPEN(spec, ...)       world_open(spec, (struct htmt_options){__VA_ARGS__})
#define TYPE(w, ...)          world_type(w, (struct htmt_type_desc){__VA_ARGS__})
#define START(w, ...)         world_start(w, (struct htmt_parcel_desc){__VA_ARGS__})
#define ASSEMBLE(c, ref, ...) htmt_assemble(c, &(struct htmt_parcel_desc){__VA_ARGS__}, ref)
#define PUT(c, ...)           htmt_put(c, &(struct htmt_put){__VA_ARGS__})

/* Functions of one thought: a control of `c`, a kernel of `k`, a cost function that sets `ops`. */
#define CONTROL(name, ...)                                                                         \
    static void name(struct htmt_context *c)                                                       \
    {                                                                                              \
        (void)c;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#define KERNEL(name, ...)                                                                          \
    static void name(struct htmt_kernel *k)                                                        \
    {                                                                                              \
        (void)k;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#define COST(name, ...)                                                                            \
    static void name(const void *args, const void *user, struct htmt_ops *ops)                     \
    {                                                                                              \
        (void)args, (void)user;                                                                    \
        __VA_ARGS__;                                                                               \
    }

/* Arguments whose cost functions below give each service its cycles. */
struct world_work {
    uint64_t assemble, dispatch, execute, retire, place;
};

#define WORLD_COST(stage)                                                                          \
    static inline void world_##stage(const void *args, const void *user, struct htmt_ops *ops)     \
    {                                                                                              \
        (void)user;                                                                                \
        ops->n[HTMT_CYCLE] = ((const struct world_work *)args)->stage;                             \
    }
WORLD_COST(assemble)
WORLD_COST(dispatch)
WORLD_COST(execute)
WORLD_COST(retire)
WORLD_COST(place)

/* All five services, each with its cycles from struct world_work. */
static inline struct htmt_type_desc world_eight(void)
{
    return (struct htmt_type_desc){.name = "eight",
                                   .home = "dram",
                                   .exec = "cram",
                                   .assemble = {.cost = world_assemble},
                                   .dispatch = {.cost = world_dispatch},
                                   .execute = {.cost = world_execute},
                                   .retire = {.cost = world_retire},
                                   .scatter = {.cost = world_place},
                                   .args_bytes = sizeof(struct world_work)};
}

/* A generator with a known sequence (xorshift), so that random tests repeat. */
static inline uint64_t world_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(2685821657736338717) >> 11;
}

static inline uint64_t world_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + world_random(state) % (high - low + 1);
}

#endif

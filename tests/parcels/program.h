/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs on random machines, from a seed: parcels of all ways and footprints with kernels
 * whose counts depend on data, steered controls that assemble more, activations that put, get,
 * signal and send. Conflicts abound: which bytes come out depends on the order of everything.
 */
#ifndef HTMT_TESTS_PARCELS_PROGRAM_H
#define HTMT_TESTS_PARCELS_PROGRAM_H

#include "tests/parcels/world.h"

#define PROGRAM_BYTES   512u
#define PROGRAM_TYPES   8u
#define PROGRAM_REGIONS 3u

struct program {
    struct world w;
    struct htmt_frame *frame[LAYERS];
    struct htmt_type *type[PROGRAM_TYPES], *roamer[LAYERS];
    uint32_t home[PROGRAM_TYPES], exec[PROGRAM_TYPES];
    struct htmt_mailbox *box[8];
    uint32_t slices;
    bool known;        /* every stage has a cost function and nothing is steered */
    uint32_t sections; /* names that controls draw for what follows; 0: none */
    uint32_t failing;  /* a kernel fails if what it found is a multiple; 0: never */
};

struct program_args {
    struct program *program;
    uint64_t seed;
    uint32_t depth, type;
};

struct program_outcome {
    htmt_time predicted;
    uint64_t hash, events, parcels, bytes;
};

static inline uint64_t program_mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Reads all that it sees, writes all of the closure. */
static inline uint64_t program_visit(struct htmt_kernel *k)
{
    const struct program_args *a = htmt_kernel_args(k);
    uint64_t h = a->seed | 1;
    for (uint32_t r = 0; r < PROGRAM_REGIONS; r++)
        for (uint64_t i = 0; i < htmt_size(k, r); i++)
            h = program_mix(h, ((unsigned char *)htmt_bytes(k, r))[i]);
    for (uint32_t u = 0; u < 2; u++)
        for (uint64_t i = 0; i < htmt_used_size(k, u); i++)
            h = program_mix(h, ((unsigned char *)htmt_used(k, u))[i]);
    for (uint32_t r = 0; r < PROGRAM_REGIONS; r++)
        for (uint64_t i = 0; i < htmt_size(k, r); i++)
            ((unsigned char *)htmt_bytes(k, r))[i] = (unsigned char)(h = program_mix(h, i));
    if (htmt_used_size(k, 0))
        *(unsigned char *)htmt_used(k, 0) = (unsigned char)h;
    if (!a->program->known)
        htmt_count(k, HTMT_CYCLE, h % 97);
    if (a->program->failing && h % a->program->failing == 0)
        htmt_kernel_fail(k, HTMT_ERANGE, "found %llu", (unsigned long long)h);
    return h;
}

/* Of a type with a result. */
static inline void program_kernel(struct htmt_kernel *k)
{
    uint64_t *result = htmt_kernel_result(k);
    *result = program_visit(k);
}

static inline void program_only_visit(struct htmt_kernel *k)
{
    program_visit(k);
}

static inline void program_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_CYCLE] = ((const struct program_args *)args)->seed % 131;
    ops->n[HTMT_FLOP] = ((const struct program_args *)args)->seed % 7;
}

/* A place in the frame of a layer on the way between home and exec. */
static inline struct htmt_addr program_place(const struct program *p, uint32_t type, uint32_t slice,
                                             uint64_t bytes, uint64_t *seed)
{
    uint32_t a = p->home[type], b = p->exec[type];
    uint32_t layer = (uint32_t)world_between(seed, a < b ? a : b, a < b ? b : a);
    return htmt_at(p->frame[layer], slice, 8 * world_between(seed, 0, (PROGRAM_BYTES - bytes) / 8));
}

static inline struct htmt_region program_region(const struct program *p, uint32_t type,
                                                uint32_t slice, uint64_t *seed)
{
    struct htmt_region r = {.bytes = 8 * world_between(seed, 1, 8)};
    uint64_t kind = world_between(seed, 0, 9);
    if (kind < 7)
        r.from = program_place(p, type, slice, r.bytes, seed);
    if (kind < 4 || kind == 7)
        r.to = program_place(p, type, slice, r.bytes, seed);
    if (kind == 3 || kind == 8)
        r.into = htmt_at(p->frame[p->exec[type]], slice, 8 * world_between(seed, 0, 40));
    return r;
}

static inline void program_start(struct htmt_context *c, struct program *p, uint32_t slice,
                                 uint32_t depth, uint64_t seed)
{
    struct htmt_region r[PROGRAM_REGIONS];
    struct program_args a = {.program = p, .depth = depth};
    a.type = (uint32_t)world_between(&seed, 0, PROGRAM_TYPES - 1);
    for (uint32_t i = 0; i < PROGRAM_REGIONS; i++)
        r[i] = program_region(p, a.type, slice, &seed);
    a.seed = world_random(&seed);
    ASSEMBLE(c, NULL, .type = p->type[a.type], .slice = slice, .args = &a, .regions = r,
             .region_count = PROGRAM_REGIONS);
}

static inline void program_section(struct htmt_context *c, uint64_t drawn)
{
    const struct program_args *a = htmt_args(c);
    char name[24];
    if (!a->program->sections || drawn % 3 == 0)
        return;
    snprintf(name, sizeof name, "section %u", (unsigned)(drawn / 3 % a->program->sections));
    htmt_section(c, name);
}

/* Steered: what the kernel found decides what comes next. */
static inline void program_steer(struct htmt_context *c)
{
    struct program_args *a = htmt_args(c);
    const uint64_t *found = htmt_result(c);
    htmt_work(c);
    program_section(c, a->seed >> 7);
    htmt_charge(c, HTMT_IOP, found ? *found % 11 : 3);
    if (a->depth < 2 && found && *found % 3)
        program_start(c, a->program, htmt_slice(c), a->depth + 1, *found | 1);
}

static inline void program_plain(struct htmt_context *c)
{
    const struct program_args *a = htmt_args(c);
    program_section(c, a->seed >> 9);
    htmt_charge(c, HTMT_CYCLE, a->seed % 5);
    program_section(c, a->seed >> 11);
    if (a->depth < 1 && a->seed % 4 == 0)
        program_start(c, a->program, htmt_slice(c), a->depth + 1, a->seed | 1);
}

/* ---- activations ----------------------------------------------------------------------------- */

static inline struct htmt_addr program_any(const struct program *p, uint32_t layer, uint32_t slice,
                                           uint64_t *seed)
{
    return htmt_at(p->frame[layer], slice, 8 * world_between(seed, 0, 40));
}

static inline void program_put(struct htmt_context *c, const struct program *p, uint32_t layer,
                               uint64_t *seed)
{
    uint32_t here = htmt_slice(c), there = (uint32_t)world_between(seed, 0, p->slices - 1);
    uint32_t other = layer == SRAM ? DRAM : layer == DRAM ? SRAM : CRAM;
    struct htmt_put put = {.src = program_any(p, layer, here, seed),
                           .dst = program_any(p, other, there, seed),
                           .bytes = 8 * world_between(seed, 1, 20),
                           .on_arrived = htmt_slot(c, 1),
                           .on_sent = htmt_slot(c, 1)};
    if (world_between(seed, 0, 2) == 0) {
        struct htmt_addr swap = put.src;
        put.src = put.dst;
        put.dst = swap;
    }
    htmt_put(c, &put);
}

static inline void program_roam(struct htmt_context *c)
{
    struct program_args *a = htmt_args(c);
    uint64_t seed = a->seed;
    uint32_t puts = (uint32_t)world_between(&seed, 1, 4);
    bool send = a->type == CRAM;
    htmt_slot_set(c, 1, 2 * puts + send, 0);
    for (uint32_t i = 0; i < puts; i++) {
        htmt_charge(c, HTMT_CYCLE, world_between(&seed, 0, 9));
        program_section(c, a->seed >> (5 + i));
        program_put(c, a->program, a->type, &seed);
    }
    if (send)
        htmt_send(c, a->program->box[world_between(&seed, 0, a->program->slices - 1)],
                  program_any(a->program, CRAM, htmt_slice(c), &seed), 1, (struct htmt_slot){0},
                  htmt_slot(c, 1));
}

static inline void program_settle(struct htmt_context *c)
{
    struct program_args *a = htmt_args(c);
    uint64_t seed = a->seed;
    htmt_use(c, htmt_at(a->program->frame[a->type], htmt_slice(c), 0), 64, HTMT_UPDATE);
    if (a->type == CRAM && world_between(&seed, 0, 1))
        htmt_take(c, a->program->box[htmt_slice(c)]);
    program_section(c, a->seed >> 13);
    htmt_work(c);
    htmt_retire(c, htmt_self(c));
}

/* ---- making it ------------------------------------------------------------------------------- */

static inline struct world_spec program_machine(uint64_t *seed)
{
    static const unsigned mhz[] = {250, 333, 500, 1000, 3000};
    struct world_spec s = world_plain((unsigned)world_between(seed, 1, 5));
    for (int l = 0; l < LAYERS; l++) {
        s.servers[l] = (unsigned)world_between(seed, 1, 4);
        s.mhz[l] = mhz[world_random(seed) % 5];
    }
    for (int n = 0; n < NETWORKS; n++)
        s.network[n] = (struct world_network){(unsigned)world_between(seed, 0, 1) * 7,
                                              (unsigned)world_between(seed, 0, 2) * 33,
                                              mhz[world_random(seed) % 5],
                                              mhz[world_random(seed) % 5],
                                              (unsigned)world_between(seed, 0, 2),
                                              (unsigned)world_between(seed, 0, 4),
                                              mhz[world_random(seed) % 5]};
    s.lambda = world_between(seed, 0, 1) ? "0.37" : "0";
    return s;
}

static inline struct htmt_stage program_stage(const struct program *p, uint64_t *seed,
                                              uint64_t kinds)
{
    uint64_t kind = world_between(seed, 0, kinds - 1);
    struct htmt_stage s = {.kernel = kind < 3 ? program_kernel : NULL};
    if (p->known || kind == 1 || kind == 3)
        s.cost = program_cost;
    if (!p->known && kind == 0) {
        s.control = program_steer;
        s.steered = true;
    } else if (kind == 2) {
        s.control = program_plain;
    }
    if (s.kernel && s.cost && !p->known)
        s.cost = NULL; /* its counts depend on data */
    return s;
}

static inline void program_types(struct program *p, uint64_t *seed)
{
    static const char *const layer[] = {"dram", "sram", "cram"};
    static const struct htmt_stage settle = {.kernel = program_only_visit,
                                             .control = program_settle},
                                   cheap = {.kernel = program_only_visit,
                                            .cost = program_cost,
                                            .control = program_settle};
    for (uint32_t i = 0; i < PROGRAM_TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "random %u", i);
        p->home[i] = (uint32_t)world_between(seed, 0, 2);
        p->exec[i] = (uint32_t)world_between(seed, 0, 2);
        p->type[i] =
            TYPE(&p->w, .name = name, .home = layer[p->home[i]], .exec = layer[p->exec[i]],
                 .assemble = program_stage(p, seed, 6), .dispatch = program_stage(p, seed, 6),
                 .execute = program_stage(p, seed, 5), .retire = program_stage(p, seed, 6),
                 .scatter = program_stage(p, seed, 6),
                 .footprint = world_between(seed, 0, 1) ? HTMT_CLOSURE : HTMT_RESIDENT,
                 .in_place = world_between(seed, 0, 1), .code_words = world_between(seed, 0, 9),
                 .header_words = world_between(seed, 0, 3),
                 .args_bytes = sizeof(struct program_args), .result_bytes = 8);
    }
    for (uint32_t l = 0; l < LAYERS; l++) {
        char name[16];
        snprintf(name, sizeof name, "roamer %u", l);
        p->roamer[l] =
            TYPE(&p->w, .name = name, .home = layer[l], .exec = layer[l],
                 .execute = {.control = program_roam}, .fibers = p->known ? &cheap : &settle,
                 .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
                 .args_bytes = sizeof(struct program_args));
    }
}

static inline void program_fill(struct program *p, uint64_t *seed)
{
    for (uint32_t l = 0; l < LAYERS; l++)
        for (uint32_t i = 0; i < p->slices; i++) {
            unsigned char *b = htmt_object_bytes(htmt_at(p->frame[l], i, 0).object);
            for (uint32_t k = 0; k < PROGRAM_BYTES; k++) {
                uint64_t value = world_random(seed);
                if (b)
                    b[k] = (unsigned char)value;
            }
        }
}

static inline struct world_spec program_spec(uint64_t *seed)
{
    *seed = *seed * 2654435761u + 1;
    return program_machine(seed);
}

/* On that machine; `seed` as program_spec() left it. */
static inline void program_open_on(struct program *p, const struct world_spec *on, uint64_t seed,
                                   bool known, unsigned parcels, struct htmt_options o)
{
    struct world_spec s = *on;
    memset(p, 0, sizeof *p);
    p->known = known;
    p->slices = s.slices;
    p->w = world_open(&s, o);
    for (uint32_t l = 0; l < LAYERS; l++)
        cr_assert_eq(htmt_frame_create(p->w.e, l, PROGRAM_BYTES, "frame", &p->frame[l]), 0);
    for (uint32_t i = 0; i < p->slices; i++)
        cr_assert_eq(htmt_mailbox_create(p->w.e, i, CRAM, 8, 64, "box", &p->box[i]), 0);
    program_types(p, &seed);
    program_fill(p, &seed);
    for (unsigned i = 0; i < parcels; i++) {
        uint32_t slice = (uint32_t)world_between(&seed, 0, s.slices - 1);
        uint64_t kind = world_between(&seed, 0, 3);
        struct program_args a = {p, world_random(&seed), 0, i % LAYERS};
        if (kind == 0)
            START(&p->w, .type = p->roamer[a.type], .slice = slice, .args = &a);
        else
            program_start(htmt_root(p->w.e), p, slice, 0, a.seed | 1);
    }
}

static inline void program_open(struct program *p, uint64_t seed, bool known, unsigned parcels,
                                struct htmt_options o)
{
    struct world_spec s = program_spec(&seed);
    program_open_on(p, &s, seed, known, parcels, o);
}

static inline struct program_outcome program_close(struct program *p)
{
    struct program_outcome out = {htmt_predicted(p->w.e), htmt_history_hash(p->w.e),
                                  htmt_event_count(p->w.e), htmt_parcel_count(p->w.e), 1};
    for (uint32_t l = 0; l < LAYERS; l++)
        for (uint32_t i = 0; i < p->slices; i++) {
            const unsigned char *b = htmt_object_bytes(htmt_at(p->frame[l], i, 0).object);
            for (uint32_t k = 0; b && k < PROGRAM_BYTES; k++)
                out.bytes = program_mix(out.bytes, b[k]);
        }
    world_close(&p->w);
    return out;
}

#endif

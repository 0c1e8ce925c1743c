/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random parcel programs on random machines, from seeds, by the public API alone.
 *
 *   program GROUP MODE [THREADS [DELAY_SEED]]
 *
 * prints one line for each seed of the group:
 *
 *   GROUP MODE SEED RESULT predicted_fs history_hash events parcels FIGURES BYTES
 *
 * RESULT is the error's name. FIGURES is a digest of all integers of the reports: resources,
 * memories, phases, where asked for the critical path and the departures, after a deadlock the
 * numbers in its report. BYTES is a digest of all frames, in a run. THREADS and DELAY_SEED change
 * no line.
 *
 *   mixed   all that parcels can do, on small and on large memories, some of them too small
 *   stuck   activations that hold what their parcels wait for, parcels that nobody calls
 *   alike   every slice does the same, so that slice 0 can stand for all
 *   apart   slices send each other nothing
 *   trees   reductions and broadcasts
 *
 *   run, model
 *   explain   a model run with critical path and departures
 *   carry     a model run with moves that percolation would make
 *   folded, independent   model runs with that symmetry
 */
#include "parcels/htmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAM, SRAM, CRAM, LAYERS };
enum { TYPES = 8, REGIONS = 3, GATED = 4, SLICES_MAX = 8, FRAME_BYTES = 512, GIVEN_BYTES = 128 };
enum group { MIXED, STUCK, ALIKE, APART, TREES, GROUPS };
enum mode { RUN, MODEL, EXPLAIN, WHAT_IF, FOLDED, INDEPENDENT, MODES };

static const char *const group_name[] = {"mixed", "stuck", "alike", "apart", "trees"};
static const char *const mode_name[] = {"run",   "model",  "explain",
                                        "carry", "folded", "independent"};
static const unsigned seeds[GROUPS] = {80, 32, 24, 24, 32};
static const char *const layer_name[] = {"dram", "sram", "cram"};

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(2685821657736338717) >> 11;
}

static uint64_t between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + draw(state) % (high - low + 1);
}

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static void check(int code, const struct htmt_emulator *e, const char *what)
{
    if (code == 0)
        return;
    const struct htmt_fault *f = e ? htmt_emulator_fault(e) : NULL;
    fprintf(stderr, "program: %s: %s %s\n", what, htmt_err_name(code), f ? f->text : "");
    exit(4);
}

/* ---- a machine ------------------------------------------------------------------------------- */

static unsigned rate(uint64_t *seed)
{
    static const unsigned some[] = {250, 333, 500, 1000, 3000, 777};
    return some[draw(seed) % 6];
}

static void write_layer(FILE *f, const char *name, uint64_t words, uint64_t *seed)
{
    fprintf(f, "  %s:\n    processor:\n      name: P%s\n", name, name);
    fprintf(f, "      count: {value: %u, source: t}\n", (unsigned)between(seed, 1, 4));
    fprintf(f, "      clock: {value: %u MHz, source: t}\n", rate(seed));
    fprintf(
        f,
        "      flop: {value: 1 cycle, source: t}\n      iop: {value: 1 cycle, source: t}\n"
        "      load: {value: %u cycles, source: t}\n      store: {value: 2 cycles, source: t}\n",
        (unsigned)between(seed, 1, 5));
    fprintf(f, "      lambda: {value: %s, source: t}\n", between(seed, 0, 1) ? "0.37" : "0");
    fprintf(f,
            "    memory:\n      name: M%s\n      capacity: {value: %" PRIu64 " words, source: t}\n",
            name, words + 5);
    fprintf(f, "      reserve: {value: 5 words, source: t}\n");
    fprintf(f, "      access-words: {value: %u, source: t}\n", 1u << between(seed, 0, 3));
    if (between(seed, 0, 2) == 0)
        fprintf(f,
                "      access: {value: %u ps/access, source: t}\n"
                "      ports: {value: %u, source: t}\n",
                (unsigned)between(seed, 100, 9000), (unsigned)between(seed, 1, 3));
    else
        fprintf(f, "      access: {value: not-modelled, source: t}\n"
                   "      ports: {value: not-modelled, source: t}\n");
}

static void write_port(FILE *f, const char *layer, uint64_t *seed)
{
    unsigned in = (unsigned)between(seed, 0, 3);
    fprintf(f, "      %s:\n        out: {value: %u, source: t}\n", layer,
            (unsigned)between(seed, 1, 3));
    fprintf(f, "        out-rate: {value: %u Mword/s, source: t}\n", rate(seed));
    if (in)
        fprintf(f,
                "        in: {value: %u, source: t}\n"
                "        in-rate: {value: %u Mword/s, source: t}\n",
                in, rate(seed));
    else
        fprintf(f, "        in: {value: not-modelled, source: t}\n"
                   "        in-rate: {value: not-modelled, source: t}\n");
}

static void write_network(FILE *f, const char *name, const char *scope, const char *outer,
                          const char *inner, uint64_t *seed)
{
    fprintf(f, "  %s:\n    scope: %s\n", name, scope);
    fprintf(f, "    startup: {value: %u ns, source: t}\n", (unsigned)between(seed, 0, 1) * 7);
    fprintf(f, "    latency: {value: %u ns, source: t}\n    ports:\n",
            (unsigned)between(seed, 0, 2) * 33);
    if (outer)
        write_port(f, outer, seed);
    write_port(f, inner, seed);
}

/* dram - vortex (machine-wide) - sram - rti (in a slice) - cram, cram - cnet (machine-wide) - cram
 */
static struct htmt_machine *make_machine(uint32_t slices, const uint64_t *words, uint64_t *seed)
{
    char *text = NULL;
    size_t size;
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "htmt-machine: 1\nabout: random\nslices: {value: %u, source: t}\nlayers:\n", slices);
    for (int l = 0; l < LAYERS; l++)
        write_layer(f, layer_name[l], words[l], seed);
    fprintf(f, "networks:\n");
    write_network(f, "vortex", "machine", "dram", "sram", seed);
    write_network(f, "rti", "slice", "sram", "cram", seed);
    write_network(f, "cnet", "machine", NULL, "cram", seed);
    fclose(f);
    int code = htmt_machine_parse("random", text, &m, &fault);
    if (code)
        fprintf(stderr, "%s\n%s", fault.text, text);
    check(code, NULL, "machine");
    free(text);
    return m;
}

/* ---- a program ------------------------------------------------------------------------------- */

struct program {
    struct htmt_machine *machine;
    struct htmt_emulator *e;
    enum group group;
    uint32_t slices;
    bool known; /* every stage has a cost function and nothing is steered */
    bool tight;
    unsigned rounds;
    struct htmt_frame *frame[LAYERS], *given[LAYERS]; /* given: of moves that hand over */
    struct htmt_frame *sum, *news;
    struct htmt_type *type[TYPES], *roamer[LAYERS], *keeper[LAYERS], *caller, *holder;
    struct htmt_type *gated[GATED], *child;
    unsigned gates[GATED];
    uint32_t home[TYPES], exec[TYPES];
    struct htmt_mailbox *box[SLICES_MAX];
    struct htmt_allreduce *allreduce;
    struct htmt_tree *up, *down;
    struct htmt_slot hub, arrived[SLICES_MAX]; /* fibers of the callers */
};

struct args {
    struct program *program;
    uint64_t seed;
    uint32_t depth, type, round;
    struct htmt_ref kept;
};

/* Which slice a draw means, from here: as far away in all slices, so that they may be alike. */
static uint32_t peer(const struct program *p, uint32_t here, uint64_t *seed)
{
    uint64_t far = p->group == APART ? 0 : between(seed, 0, p->slices - 1);
    return (uint32_t)((here + far) % p->slices);
}

/* ---- kernels and costs ----------------------------------------------------------------------- */

/* Reads all that it sees, writes all of the closure. */
static uint64_t visit(struct htmt_kernel *k)
{
    const struct args *a = htmt_kernel_args(k);
    uint64_t h = a->seed | 1;
    for (uint32_t r = 0; r < REGIONS; r++)
        for (uint64_t i = 0; i < htmt_size(k, r); i++)
            h = mix(h, ((unsigned char *)htmt_bytes(k, r))[i]);
    for (uint32_t u = 0; u < 2; u++)
        for (uint64_t i = 0; i < htmt_used_size(k, u); i++)
            h = mix(h, ((unsigned char *)htmt_used(k, u))[i]);
    for (uint32_t r = 0; r < REGIONS; r++)
        for (uint64_t i = 0; i < htmt_size(k, r); i++)
            ((unsigned char *)htmt_bytes(k, r))[i] = (unsigned char)(h = mix(h, i));
    if (htmt_used_size(k, 0))
        *(unsigned char *)htmt_used(k, 0) = (unsigned char)h;
    if (!a->program->known)
        htmt_count(k, h & 1 ? HTMT_CYCLE : HTMT_LOAD, h % 97);
    return h;
}

/* Of a type with a result. */
static void kernel(struct htmt_kernel *k)
{
    uint64_t *result = htmt_kernel_result(k);
    *result = visit(k);
}

static void only_visit(struct htmt_kernel *k)
{
    visit(k);
}

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct args *a = args;
    (void)user;
    ops->n[HTMT_CYCLE] = a->seed % 131;
    ops->n[HTMT_FLOP] = a->seed % 7;
    ops->n[HTMT_STORE] = a->seed % 3;
}

static void add(void *into, const void *from, uint64_t bytes)
{
    uint64_t *a = into;
    const uint64_t *b = from;
    for (uint64_t i = 0; i < bytes / sizeof *a; i++)
        a[i] += b[i];
}

/* ---- parcels that percolate ------------------------------------------------------------------ */

/* A place in the frame of a layer on the way between home and exec. */
static struct htmt_addr place(const struct program *p, uint32_t home, uint32_t exec, uint32_t slice,
                              uint64_t bytes, uint64_t *seed)
{
    uint32_t layer = (uint32_t)between(seed, home < exec ? home : exec, home < exec ? exec : home);
    return htmt_at(p->frame[layer], slice, 8 * between(seed, 0, (FRAME_BYTES - bytes) / 8));
}

/* Now and then every second word of a place: 16 words of the frame for 8. */
static void scatter_region(struct htmt_region *r, uint64_t *seed)
{
    if (r->bytes > 64 || between(seed, 0, 5))
        return;
    if (r->from.object && r->from.offset + 2 * r->bytes <= FRAME_BYTES)
        r->from_pieces = (struct htmt_pieces){.bytes = 8, .count = r->bytes / 8, .stride = 16};
    if (r->to.object && r->to.offset + 2 * r->bytes <= FRAME_BYTES)
        r->to_pieces = (struct htmt_pieces){.bytes = 8, .count = r->bytes / 8, .stride = 16};
}

static struct htmt_region region(const struct program *p, uint32_t home, uint32_t exec,
                                 uint32_t slice, uint64_t *seed)
{
    struct htmt_region r = {.bytes = 8 * between(seed, 1, 8)};
    uint64_t kind = between(seed, 0, 9);
    if (kind < 7)
        r.from = place(p, home, exec, slice, r.bytes, seed);
    if (kind < 4 || kind == 7)
        r.to = place(p, home, exec, slice, r.bytes, seed);
    if (kind == 3 || kind == 8)
        r.into = htmt_at(p->frame[exec], slice, 8 * between(seed, 0, 40));
    else
        scatter_region(&r, seed);
    if (kind == 5)
        for (int l = 0; l < LAYERS; l++)
            r.in_words[l] = r.bytes / 8 + between(seed, 0, 4);
    if (kind == 2)
        for (int l = 0; l < LAYERS; l++)
            r.out_words[l] = between(seed, 1, r.bytes / 8);
    return r;
}

static void start(struct htmt_context *c, struct program *p, uint32_t slice, uint32_t depth,
                  uint64_t seed)
{
    struct htmt_region r[REGIONS];
    struct args a = {.program = p, .depth = depth};
    a.type = (uint32_t)between(&seed, 0, TYPES - 1);
    for (uint32_t i = 0; i < REGIONS; i++)
        r[i] = region(p, p->home[a.type], p->exec[a.type], slice, &seed);
    a.seed = draw(&seed);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->type[a.type],
                                             .slice = slice,
                                             .args = &a,
                                             .regions = r,
                                             .region_count = (uint32_t)between(&seed, 0, REGIONS)},
                  NULL);
}

/* Steered: what the kernel found decides what comes next. */
static void steer(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    const uint64_t *found = htmt_result(c);
    htmt_work(c);
    htmt_charge(c, HTMT_IOP, found ? *found % 11 : 3);
    if (a->depth < 2 && found && *found % 3)
        start(c, a->program, htmt_slice(c), a->depth + 1, *found | 1);
}

static void plain(struct htmt_context *c)
{
    const struct args *a = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, a->seed % 5);
    if (a->depth < 1 && a->seed % 4 == 0)
        start(c, a->program, htmt_slice(c), a->depth + 1, a->seed | 1);
}

/* ---- activations that roam ------------------------------------------------------------------- */

static struct htmt_addr any(const struct program *p, uint32_t layer, uint32_t slice, uint64_t *seed)
{
    return htmt_at(p->frame[layer], slice, 8 * between(seed, 0, 40));
}

/* The layer at the other end of a network from this one; where it is CNET, the same. */
static uint32_t beyond(uint32_t layer)
{
    return layer == SRAM ? DRAM : layer == DRAM ? SRAM : CRAM;
}

/* Returns the signals that come of it. */
static uint32_t roam_put(struct htmt_context *c, const struct program *p, uint32_t layer,
                         uint64_t *seed)
{
    uint32_t here = htmt_slice(c), there = peer(p, here, seed);
    struct htmt_put put = {.src = any(p, layer, here, seed),
                           .dst = any(p, beyond(layer), there, seed),
                           .bytes = 8 * between(seed, 1, 20),
                           .on_sent = htmt_slot(c, 1),
                           .on_arrived = htmt_slot(c, 1)};
    if (put.bytes <= 40 && between(seed, 0, 2) == 0)
        put.src_pieces = (struct htmt_pieces){.bytes = 8, .count = put.bytes / 8, .stride = 16};
    if (put.bytes <= 40 && between(seed, 0, 2) == 0)
        put.dst_pieces = (struct htmt_pieces){.bytes = put.bytes, .count = 1, .stride = 0};
    if (between(seed, 0, 4) == 0)
        put.words = between(seed, 1, 50);
    if (between(seed, 0, 4) == 0)
        put.on_sent = (struct htmt_slot){0};
    htmt_put(c, &put);
    return 1 + !htmt_ref_none(put.on_sent.owner);
}

/* A get says only that it has arrived. */
static uint32_t roam_get(struct htmt_context *c, const struct program *p, uint32_t layer,
                         uint64_t *seed)
{
    uint32_t here = htmt_slice(c), there = peer(p, here, seed);
    struct htmt_put get = {.src = any(p, beyond(layer), there, seed),
                           .dst = any(p, layer, here, seed),
                           .bytes = 8 * between(seed, 1, 20),
                           .ask = between(seed, 0, 1),
                           .on_arrived = htmt_slot(c, 1)};
    htmt_put(c, &get);
    return 1;
}

/* Whole frames between SRAM and CRAM of the slice, or within one memory. */
static uint32_t roam_near(struct htmt_context *c, const struct program *p, uint32_t layer,
                          uint64_t *seed)
{
    uint32_t here = htmt_slice(c), other = layer == DRAM ? DRAM : SRAM + CRAM - layer;
    bool whole = between(seed, 0, 1) && other != layer;
    struct htmt_put put = {.src = whole ? htmt_at(p->given[layer], here, 0)
                                        : any(p, layer, here, seed),
                           .dst = whole ? htmt_at(p->given[other], here, 0)
                                        : any(p, between(seed, 0, 1) ? layer : other, here, seed),
                           .bytes = whole ? GIVEN_BYTES : 8 * between(seed, 1, 9),
                           .handover = whole,
                           .on_sent = htmt_slot(c, 1),
                           .on_arrived = htmt_slot(c, 1)};
    htmt_put(c, &put);
    return 2;
}

static uint32_t roam_send(struct htmt_context *c, const struct program *p, uint64_t *seed)
{
    uint32_t here = htmt_slice(c);
    struct htmt_mailbox *box = p->box[peer(p, here, seed)];
    bool both = between(seed, 0, 1);
    struct htmt_addr from = any(p, CRAM, here, seed);
    htmt_send(c, box, from, between(seed, 0, 3), both ? htmt_slot(c, 1) : (struct htmt_slot){0},
              htmt_slot(c, 1));
    return 1 + both;
}

static uint32_t roam_once(struct htmt_context *c, const struct program *p, uint32_t layer,
                          uint64_t *seed)
{
    switch (between(seed, 0, 5)) {
    case 0:
    case 1:
        return roam_put(c, p, layer, seed);
    case 2:
        return roam_get(c, p, layer, seed);
    case 3:
        return roam_near(c, p, layer, seed);
    case 4:
        if (layer == CRAM)
            return roam_send(c, p, seed);
        return roam_put(c, p, layer, seed);
    default:
        htmt_signal(c, htmt_slot(c, 1));
        return 1;
    }
}

/* Fiber 1 waits for both ends of all that this one sets off. */
static void roam(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    uint32_t moves = (uint32_t)between(&seed, 1, 4), signals = 0;
    for (uint32_t i = 0; i < moves; i++) {
        htmt_charge(c, HTMT_CYCLE, between(&seed, 0, 9));
        signals += roam_once(c, a->program, a->type, &seed);
    }
    htmt_slot_set(c, 1, signals, 0);
}

static void settle(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    htmt_use(c, htmt_at(a->program->frame[a->type], htmt_slice(c), 0), 64, HTMT_UPDATE);
    if (a->type == CRAM && between(&seed, 0, 3))
        htmt_take(c, a->program->box[htmt_slice(c)]);
    htmt_work(c);
    htmt_retire(c, htmt_self(c));
}
/* ---- gates ----------------------------------------------------------------------------------- */

/* A keeper assembles a parcel that stops at its gates, and calls it when it hears that it is there.
 */
static void keep(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    const struct program *p = a->program;
    uint64_t seed = a->seed;
    uint32_t which = (uint32_t)between(&seed, 0, GATED - 1);
    struct htmt_region r[2] = {region(p, DRAM, CRAM, htmt_slice(c), &seed),
                               region(p, DRAM, CRAM, htmt_slice(c), &seed)};
    struct args child = {.program = a->program, .seed = draw(&seed), .depth = 9};
    htmt_slot_set(c, 1, 1, 0);
    htmt_slot_set(c, 2, 1, 0);
    a->round = which;
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->gated[which],
                                             .slice = htmt_slice(c),
                                             .args = &child,
                                             .regions = r,
                                             .region_count = 2,
                                             .on_ready = htmt_slot(c, 1),
                                             .on_done = htmt_slot(c, 2)},
                  &a->kept);
}

static void call(struct htmt_context *c)
{
    const struct args *a = htmt_args(c);
    unsigned gates = a->program->gates[a->round];
    uint64_t seed = a->seed | 1;
    htmt_charge(c, HTMT_CYCLE, between(&seed, 0, 40));
    if (between(&seed, 0, 3) == 0) {
        htmt_discard(c, a->kept);
        return;
    }
    if (gates & HTMT_GATE(HTMT_SCATTER))
        htmt_scatter(c, a->kept);
    if (gates & HTMT_GATE(HTMT_DISPATCH))
        htmt_dispatch(c, a->kept);
    if (gates & HTMT_GATE(HTMT_EXECUTE))
        htmt_execute(c, a->kept);
    if (gates & HTMT_GATE(HTMT_RETIRE) && !(a->program->group == STUCK && a->seed % 7 == 0))
        htmt_retire(c, a->kept);
}

static void finish(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

/* ---- rounds of all slices -------------------------------------------------------------------- */

/* Fiber 1: the all-reduce has arrived. Fiber 2: the hub in slice 0 says that all are there. Fiber 3
 * of slice 0's caller is the hub. Folded programs have no hub: slice 0 would be another than the
 * rest. */
static void join(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed + 77 * a->round + (a->program->group == ALIKE ? 0 : htmt_slice(c));
    seed |= 1;
    htmt_charge(c, HTMT_CYCLE, between(&seed, 0, between(&seed, 0, 3) ? 20 : 900));
    htmt_allreduce(c, a->program->allreduce, htmt_slot(c, 1));
}

static void next_round(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    start(c, a->program, htmt_slice(c), 1, (a->seed + a->round) | 1);
    if (++a->round < a->program->rounds)
        join(c);
    else
        htmt_retire(c, htmt_self(c));
}

static void arrived(struct htmt_context *c)
{
    const struct program *p = ((const struct args *)htmt_args(c))->program;
    if (p->group == ALIKE)
        next_round(c);
    else
        htmt_signal(c, p->hub);
}

static void hub(struct htmt_context *c)
{
    const struct program *p = ((const struct args *)htmt_args(c))->program;
    for (uint32_t i = 0; i < p->slices; i++)
        htmt_signal(c, p->arrived[i]);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Fiber 1: this slice's part of the sum has gone. Fiber 2: the news of slice 0, which it sends when
 * it holds the sum. */
static void tree_join(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = (a->seed + 77 * a->round + htmt_slice(c)) | 1;
    htmt_charge(c, HTMT_CYCLE, between(&seed, 0, between(&seed, 0, 3) ? 20 : 900));
    htmt_reduce(c, a->program->up, htmt_slot(c, 1));
}

static void tree_joined(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    if (htmt_slice(c) == 0)
        htmt_broadcast(c, a->program->down, a->program->arrived);
}

static void tree_heard(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    start(c, a->program, htmt_slice(c), 1, (a->seed + a->round) | 1);
    if (++a->round < a->program->rounds)
        tree_join(c);
    else
        htmt_retire(c, htmt_self(c));
}

/* ---- activations that hold ------------------------------------------------------------------- */

/* Holds its space in CRAM until its child is done, which needs space there too. */
static void hold(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    struct htmt_region r = {.bytes = 8 * between(&seed, 1, 40)};
    struct args child = {.program = a->program, .seed = draw(&seed), .depth = 9};
    htmt_slot_set(c, 1, 1 + (between(&seed, 0, 40) == 0), 0);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = a->program->child,
                                             .slice = htmt_slice(c),
                                             .args = &child,
                                             .regions = &r,
                                             .region_count = 1,
                                             .on_done = htmt_slot(c, 1)},
                  NULL);
}

/* ---- making it ------------------------------------------------------------------------------- */

static struct htmt_stage stage(const struct program *p, uint64_t *seed, uint64_t kinds)
{
    uint64_t kind = between(seed, 0, kinds - 1);
    struct htmt_stage s = {.kernel = kind < 3 ? kernel : NULL};
    if (p->known || kind == 1 || kind == 3)
        s.cost = cost;
    if (!p->known && kind == 0) {
        s.control = steer;
        s.steered = true;
    } else if (kind == 2) {
        s.control = plain;
    }
    if (s.kernel && s.cost && !p->known)
        s.cost = NULL; /* its counts depend on data */
    return s;
}

static struct htmt_type *make_type(struct program *p, struct htmt_type_desc d)
{
    struct htmt_type *t = NULL;
    check(htmt_type_create(p->e, &d, &t), p->e, d.name);
    return t;
}

static void make_percolating(struct program *p, uint64_t *seed)
{
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "random %u", i);
        p->home[i] = (uint32_t)between(seed, 0, 2);
        p->exec[i] = (uint32_t)between(seed, 0, 2);
        p->type[i] =
            make_type(p, (struct htmt_type_desc){.name = name,
                                                 .home = layer_name[p->home[i]],
                                                 .exec = layer_name[p->exec[i]],
                                                 .assemble = stage(p, seed, 6),
                                                 .dispatch = stage(p, seed, 6),
                                                 .execute = stage(p, seed, 5),
                                                 .retire = stage(p, seed, 6),
                                                 .scatter = stage(p, seed, 6),
                                                 .footprint = between(seed, 0, 1) ? HTMT_CLOSURE
                                                                                  : HTMT_RESIDENT,
                                                 .in_place = between(seed, 0, 1),
                                                 .code_words = between(seed, 0, 9),
                                                 .code_resident = between(seed, 0, 3) == 0,
                                                 .header_words = between(seed, 0, 3),
                                                 .departures = (unsigned)between(seed, 0, 7),
                                                 .args_bytes = sizeof(struct args),
                                                 .result_bytes = 8});
    }
}

static void make_gated(struct program *p)
{
    static const unsigned gates[GATED] = {
        HTMT_GATE(HTMT_EXECUTE), HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_RETIRE),
        HTMT_GATE(HTMT_RETIRE), HTMT_GATE(HTMT_EXECUTE) | HTMT_GATE(HTMT_SCATTER)};
    const struct htmt_stage some = {.kernel = only_visit, .cost = p->known ? cost : NULL},
                            cheap = {.cost = cost};
    for (uint32_t i = 0; i < GATED; i++) {
        char name[16];
        snprintf(name, sizeof name, "gated %u", i);
        p->gates[i] = gates[i];
        p->gated[i] = make_type(p, (struct htmt_type_desc){.name = name,
                                                           .home = "dram",
                                                           .exec = "cram",
                                                           .dispatch = cheap,
                                                           .execute = some,
                                                           .retire = some,
                                                           .scatter = cheap,
                                                           .gates = gates[i],
                                                           .header_words = i,
                                                           .args_bytes = sizeof(struct args)});
    }
}

static void make_activations(struct program *p)
{
    const struct htmt_stage settling = {
        .kernel = only_visit, .cost = p->known ? cost : NULL, .control = settle};
    const struct htmt_stage calling[2] = {{.control = call}, {.control = finish}};
    for (uint32_t l = 0; l < LAYERS; l++) {
        char roamer[16], keeper[16];
        snprintf(roamer, sizeof roamer, "roamer %u", l);
        snprintf(keeper, sizeof keeper, "keeper %u", l);
        p->roamer[l] = make_type(p, (struct htmt_type_desc){.name = roamer,
                                                            .home = layer_name[l],
                                                            .exec = layer_name[l],
                                                            .execute = {.control = roam},
                                                            .fibers = &settling,
                                                            .fiber_count = 1,
                                                            .gates = HTMT_GATE(HTMT_RETIRE),
                                                            .args_bytes = sizeof(struct args)});
        p->keeper[l] = make_type(p, (struct htmt_type_desc){.name = keeper,
                                                            .home = layer_name[l],
                                                            .exec = layer_name[l],
                                                            .execute = {.control = keep},
                                                            .fibers = calling,
                                                            .fiber_count = 2,
                                                            .gates = HTMT_GATE(HTMT_RETIRE),
                                                            .args_bytes = sizeof(struct args)});
    }
}

static void make_callers(struct program *p)
{
    const struct htmt_stage round[3] = {{.control = arrived, .count = 1, .reset = 1},
                                        {.control = next_round, .count = 1, .reset = 1},
                                        {.control = hub, .count = p->slices, .reset = p->slices}};
    const struct htmt_stage tree[2] = {{.control = tree_joined, .count = 1, .reset = 1},
                                       {.control = tree_heard, .count = 1, .reset = 1}};
    bool trees = p->group == TREES;
    p->caller =
        make_type(p, (struct htmt_type_desc){.name = "caller",
                                             .home = "cram",
                                             .exec = "cram",
                                             .execute = {.control = trees ? tree_join : join},
                                             .fibers = trees ? tree : round,
                                             .fiber_count = trees ? 2 : 3,
                                             .gates = HTMT_GATE(HTMT_RETIRE),
                                             .args_bytes = sizeof(struct args)});
}

static void make_holders(struct program *p)
{
    const struct htmt_stage end = {.control = finish};
    p->child = make_type(p, (struct htmt_type_desc){.name = "child",
                                                    .home = "sram",
                                                    .exec = "cram",
                                                    .execute = {.cost = cost},
                                                    .args_bytes = sizeof(struct args)});
    p->holder = make_type(p, (struct htmt_type_desc){.name = "holder",
                                                     .home = "sram",
                                                     .exec = "cram",
                                                     .execute = {.control = hold},
                                                     .fibers = &end,
                                                     .fiber_count = 1,
                                                     .gates = HTMT_GATE(HTMT_RETIRE),
                                                     .args_bytes = sizeof(struct args)});
}

static void make_collectives(struct program *p, uint64_t *seed)
{
    struct htmt_allreduce_desc all = {
        p->sum, 8 * between(seed, 1, 6), add, {{between(seed, 0, 50)}}, "sum"};
    check(htmt_allreduce_create(p->e, &all, &p->allreduce), p->e, "all-reduce");
    if (p->group != TREES)
        return;
    struct htmt_tree_desc up = {
        p->sum, 8 * between(seed, 1, 6), add, {{between(seed, 0, 50)}}, "up"};
    struct htmt_tree_desc down = {
        .frame = p->news, .bytes = 8 * between(seed, 1, 6), .name = "down"};
    check(htmt_tree_create(p->e, &up, &p->up), p->e, "reduction");
    check(htmt_tree_create(p->e, &down, &p->down), p->e, "broadcast");
}

static void fill(const struct program *p, struct htmt_frame *frame, uint64_t bytes, uint64_t *seed)
{
    for (uint32_t i = 0; i < p->slices; i++) {
        unsigned char *b = htmt_object_bytes(htmt_at(frame, i, 0).object);
        for (uint64_t k = 0; k < bytes; k++) {
            uint64_t value = draw(seed);
            if (b)
                b[k] = (unsigned char)value;
        }
    }
}

static void make_objects(struct program *p, uint64_t *seed)
{
    uint64_t records = p->tight ? 4 : 64;
    for (uint32_t l = 0; l < LAYERS; l++) {
        check(htmt_frame_create(p->e, l, FRAME_BYTES, "frame", &p->frame[l]), p->e, "frame");
        check(htmt_frame_create(p->e, l, GIVEN_BYTES, "given", &p->given[l]), p->e, "given");
        fill(p, p->frame[l], FRAME_BYTES, seed);
    }
    check(htmt_frame_create(p->e, CRAM, 64, "sum", &p->sum), p->e, "sum");
    check(htmt_frame_create(p->e, CRAM, 64, "news", &p->news), p->e, "news");
    fill(p, p->sum, 64, seed);
    for (uint32_t i = 0; i < p->slices; i++)
        check(htmt_mailbox_create(p->e, i, CRAM, 8, records, "box", &p->box[i]), p->e, "box");
}

/* ---- root parcels ---------------------------------------------------------------------------- */

static struct htmt_ref root(struct program *p, const struct htmt_type *type, uint32_t slice,
                            const struct args *a, const struct htmt_region *r, uint32_t count)
{
    struct htmt_ref ref = {0};
    struct htmt_parcel_desc d = {
        .type = type, .slice = slice, .args = a, .regions = r, .region_count = count};
    check(htmt_assemble(htmt_root(p->e), &d, &ref), p->e, "root");
    return ref;
}

static void start_one(struct program *p, uint32_t slice, uint64_t seed)
{
    uint64_t kind = between(&seed, 0, p->group == STUCK ? 6 : 4);
    struct args a = {.program = p, .seed = draw(&seed) | 1};
    struct htmt_region r = {.bytes = 8 * between(&seed, 1, 30)};
    a.type = (uint32_t)between(&seed, 0, LAYERS - 1);
    if (kind == 0)
        root(p, p->roamer[a.type], slice, &a, NULL, 0);
    else if (kind == 1)
        root(p, p->keeper[a.type], slice, &a, NULL, 0);
    else if (kind > 4)
        root(p, p->holder, slice, &a, &r, 1);
    else
        start(htmt_root(p->e), p, slice, 0, a.seed);
}

static void start_callers(struct program *p, uint64_t seed)
{
    struct args a = {.program = p, .seed = seed};
    for (uint32_t i = 0; i < p->slices; i++) {
        struct htmt_ref ref = root(p, p->caller, i, &a, NULL, 0);
        p->arrived[i] = htmt_slot_of(ref, 2);
        if (i == 0)
            p->hub = htmt_slot_of(ref, 3);
    }
}

static void start_all(struct program *p, uint64_t *seed)
{
    unsigned parcels = (unsigned)between(seed, 20, 60);
    if (p->rounds)
        start_callers(p, draw(seed));
    if (p->group == ALIKE) {
        parcels /= 4;
        uint64_t drawn[64];
        for (unsigned k = 0; k < parcels; k++)
            drawn[k] = draw(seed) | 1;
        for (uint32_t i = 0; i < p->slices; i++)
            for (unsigned k = 0; k < parcels; k++)
                start_one(p, i, drawn[k]);
        return;
    }
    for (unsigned k = 0; k < parcels; k++) {
        uint32_t slice = (uint32_t)between(seed, 0, p->slices - 1);
        start_one(p, slice, draw(seed) | 1);
    }
}

static struct htmt_options options(enum mode mode, uint64_t seed, const struct program *p)
{
    struct htmt_options o = {.machine = p->machine, .mode = mode == RUN ? HTMT_RUN : HTMT_MODEL};
    if (mode == EXPLAIN)
        o.explain = o.lint = true;
    if (mode == WHAT_IF)
        o.what_if = 1 + (unsigned)seed % 7;
    if (mode == FOLDED)
        o.symmetry = HTMT_FOLDED;
    if (mode == INDEPENDENT)
        o.symmetry = HTMT_INDEPENDENT;
    return o;
}

/* Words of each memory: the objects, and more or less room beside them. A closure takes up to 48.
 */
static void choose_words(const struct program *p, uint64_t *words, uint64_t *seed)
{
    uint64_t objects = (FRAME_BYTES + GIVEN_BYTES) / 8;
    for (int l = 0; l < LAYERS; l++)
        words[l] = objects + (p->tight ? between(seed, 50, 90) : between(seed, 400, 40000));
    words[CRAM] += p->tight ? 70 : 230; /* mailbox, frames and inboxes of collectives */
}

/* Each slice's state, and what kernels did not declare, in unreadable pages. */
static bool checked(void)
{
    return getenv("HISTORIES_CHECKED") != NULL;
}

/* How a program is played; no row depends on it. */
struct play {
    unsigned threads;
    uint64_t delay_seed;
    const char *clock; /* "auto", "sequential", "windows", or their width in fs */
};

static void choose_play(const struct play *play, struct htmt_options *o)
{
    o->threads = play->threads;
    o->delay_seed = o->mode == HTMT_RUN ? play->delay_seed : 0;
    if (strcmp(play->clock, "sequential") == 0)
        o->clock = HTMT_CLOCK_SEQUENTIAL;
    else if (strcmp(play->clock, "auto") != 0)
        o->clock = HTMT_CLOCK_WINDOWS;
    if (o->clock == HTMT_CLOCK_WINDOWS && strcmp(play->clock, "windows") != 0)
        o->window_most = strtoll(play->clock, NULL, 10);
}

static void open_program(struct program *p, enum group group, enum mode mode, uint64_t seed,
                         const struct play *play)
{
    uint64_t state = (seed + 1000 * group) * 2654435761u + 1, words[LAYERS];
    *p = (struct program){.group = group, .known = group == ALIKE || seed % 2};
    p->tight = group == STUCK || seed % 3 == 0;
    p->slices = group == ALIKE ? 1u << between(&state, 0, 3) : (uint32_t)between(&state, 1, 6);
    p->rounds = group == APART ? 0 : (unsigned)between(&state, group == TREES, 3);
    choose_words(p, words, &state);
    p->machine = make_machine(p->slices, words, &state);
    struct htmt_options o = options(mode, seed, p);
    choose_play(play, &o);
    o.checked = checked();
    check(htmt_emulator_create(&p->e, &o, NULL), NULL, "emulator");
    make_objects(p, &state);
    make_percolating(p, &state);
    make_gated(p);
    make_activations(p);
    make_callers(p);
    make_holders(p);
    make_collectives(p, &state);
    start_all(p, &state);
}

/* ---- what came out --------------------------------------------------------------------------- */

static uint64_t mix_wide(uint64_t h, htmt_uwide value)
{
    return mix(mix(h, (uint64_t)value), (uint64_t)(value >> 64));
}

static uint64_t mix_resources(uint64_t h, const struct htmt_emulator *e)
{
    struct htmt_resource_report r;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++) {
        h = mix(mix(mix(mix(h, r.count), r.served), r.words), r.max_queue);
        h = mix_wide(mix_wide(h, (htmt_uwide)r.busy), (htmt_uwide)r.waited);
        h = mix_wide(h, (htmt_uwide)r.queue_integral);
    }
    return h;
}

static uint64_t mix_memories(uint64_t h, const struct htmt_emulator *e)
{
    struct htmt_memory_report m;
    for (uint32_t l = 0; l < LAYERS && htmt_memory_at(e, l, &m) == 0; l++) {
        h = mix(mix(mix(mix(h, m.capacity), m.peak), m.resident), m.max_queue);
        h = mix_wide(mix_wide(h, (htmt_uwide)m.stalled), (htmt_uwide)m.queue_integral);
        h = mix_wide(mix_wide(h, m.taken), m.given);
    }
    return h;
}

static uint64_t mix_phases(uint64_t h, const struct htmt_emulator *e)
{
    struct htmt_phase_report s;
    for (uint32_t i = 0; i < htmt_phase_count(e) && htmt_phase_at(e, i, &s) == 0; i++) {
        h = mix(mix(mix(h, s.stage), s.resource), s.count);
        h = mix_wide(mix_wide(h, s.words), (htmt_uwide)s.busy);
        h = mix_wide(mix_wide(h, (htmt_uwide)s.waited), (htmt_uwide)s.stalled);
        h = mix(mix(mix(h, (uint64_t)s.longest), (uint64_t)s.first), (uint64_t)s.last);
        for (int k = 0; k < HTMT_OP_CLASSES; k++)
            h = mix_wide(h, s.ops[k]);
    }
    return h;
}

static uint64_t mix_path(uint64_t h, const struct htmt_emulator *e)
{
    struct htmt_path path;
    check(htmt_path_find(e, &path), e, "path");
    h = mix(mix(mix(h, (uint64_t)path.total), path.principal), path.length);
    for (uint32_t i = 0; i < path.count; i++) {
        const struct htmt_path_part *t = &path.part[i];
        h = mix(mix(mix(mix(h, t->cause), t->of), t->stage), t->place);
        h = mix(mix(mix(h, t->resource), t->count), (uint64_t)t->time);
    }
    htmt_path_clear(&path);
    return h;
}

static uint64_t mix_departures(uint64_t h, const struct htmt_emulator *e)
{
    struct htmt_departure_report d;
    for (uint32_t i = 0; i < htmt_departure_count(e) && htmt_departure_at(e, i, &d) == 0; i++) {
        h = mix(mix(mix(h, d.kind), d.declared), d.count);
        h = mix_wide(mix_wide(h, d.words), (htmt_uwide)d.time);
    }
    return h;
}

/* The numbers in the report, not its words. */
static uint64_t mix_deadlock(uint64_t h, const struct htmt_emulator *e)
{
    char *text = NULL, *at;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    check(htmt_deadlock_print(e, f), e, "deadlock report");
    fclose(f);
    for (at = text; *at;)
        if (*at >= '0' && *at <= '9')
            h = mix(h, strtoull(at, &at, 10));
        else
            at++;
    free(text);
    return h;
}

static uint64_t digest_bytes(const struct program *p)
{
    uint64_t h = 1;
    for (uint32_t l = 0; l < LAYERS; l++)
        for (uint32_t i = 0; i < p->slices; i++) {
            const unsigned char *b = htmt_object_bytes(htmt_at(p->frame[l], i, 0).object);
            for (uint32_t k = 0; b && k < FRAME_BYTES; k++)
                h = mix(h, b[k]);
            b = l == CRAM ? htmt_object_bytes(htmt_at(p->sum, i, 0).object) : NULL;
            for (uint32_t k = 0; b && k < 64; k++)
                h = mix(h, b[k]);
        }
    return h;
}

static void report(const struct program *p, enum mode mode, uint64_t seed, int code)
{
    const struct htmt_emulator *e = p->e;
    struct htmt_fault fault = {0};
    uint64_t h = mix_phases(mix_memories(mix_resources(1, e), e), e);
    if (mode == EXPLAIN)
        h = mix_departures(mix_path(h, e), e);
    if (code == HTMT_EDEADLOCK)
        h = mix_deadlock(h, e);
    else if (code == 0 && htmt_audit(e, &fault))
        code = HTMT_EAUDIT;
    printf("%s %s %" PRIu64 " %s %" PRId64 " %016" PRIx64 " %" PRIu64 " %" PRIu64 " %016" PRIx64,
           group_name[p->group], mode_name[mode], seed, htmt_err_name(code),
           (int64_t)htmt_predicted(e), htmt_history_hash(e), htmt_event_count(e),
           htmt_parcel_count(e), h);
    if (mode == RUN && code == 0)
        printf(" %016" PRIx64 "\n", digest_bytes(p));
    else
        printf(" -\n");
    if (code && code != HTMT_EDEADLOCK)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
}

static int find(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    fprintf(stderr, "program: found '%s'\n", word);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 6) {
        fprintf(stderr, "usage: program GROUP MODE [THREADS [DELAY_SEED [CLOCK]]]\n");
        return 2;
    }
    enum group group = (enum group)find(argv[1], group_name, GROUPS);
    enum mode mode = (enum mode)find(argv[2], mode_name, MODES);
    const struct play play = {.threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1,
                              .delay_seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
                              .clock = argc > 5 ? argv[5] : "auto"};
    for (uint64_t seed = 1; seed <= seeds[group]; seed++) {
        struct program p;
        open_program(&p, group, mode, seed, &play);
        int code = htmt_emulator_run(p.e);
        report(&p, mode, seed,
               code == HTMT_ELEFT || code == HTMT_EORDER ? 0 : code); /* as is drawn */
        htmt_emulator_destroy(&p.e);
        htmt_machine_destroy(&p.machine);
    }
    return 0;
}

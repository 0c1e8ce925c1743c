/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/random/parts.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- plans ----------------------------------------------------------------------------------- */

static uint32_t draw_slices(enum group group, uint64_t *seed)
{
    if (group == ALIKE)
        return 1u << between(seed, 0, once_in(seed, 4) ? 5 : 3);
    return (uint32_t)(once_in(seed, 5) ? between(seed, 9, SLICES_MAX) : between(seed, 1, 8));
}

/* From numbers of their own, so that all else is as without them. */
static void draw_posts(struct plan *plan, struct machine_wish *w)
{
    uint64_t seed = mix(plan->number, 41) | 1;
    plan->posts = plan->group == MIXED && once_in(&seed, 3);
    plan->answers = plan->posts && once_in(&seed, 3);
    w->queues = plan->posts && once_in(&seed, 2) ? draw(&seed) | 1 : 0;
    uint64_t gather = mix(plan->number, 53) | 1;
    plan->gathers = plan->posts && plan->number % 4 == 2; /* others are as they were before */
    w->gathers = plan->gathers && !once_in(&gather, 4) ? draw(&gather) | 1 : 0;
    plan->tally.n[PROGRAM_ANSWERS] += plan->answers;
    plan->tally.n[PROGRAM_GATHERS] += plan->gathers;
}

void plan_draw(struct plan *plan, uint64_t number)
{
    static const enum tally_of group[GROUPS] = {GROUP_MIXED, GROUP_ALIKE, GROUP_APART};
    uint64_t seed = mix(number, 15) | 1;
    uint64_t kind = between(&seed, 0, 5);
    *plan = (struct plan){.number = number, .group = kind < 4 ? MIXED : kind == 4 ? ALIKE : APART};
    plan->known = plan->group == ALIKE || once_in(&seed, 2);
    plan->even = once_in(&seed, 3);
    plan->tight = once_in(&seed, 3);
    plan->slices = draw_slices(plan->group, &seed);
    plan->layers = (uint32_t)between(&seed, 2, RANDOM_LAYERS_MAX);
    struct machine_wish w = {.slices = plan->slices,
                             .layers = plan->layers,
                             .joined = plan->group != APART || once_in(&seed, 2),
                             .hub = plan->group == MIXED && once_in(&seed, 6),
                             .inside = number >= PORTS_FROM,
                             .routers = number >= ROUTERS_FROM,
                             .free = plan->group == ALIKE,
                             .even = plan->even};
    draw_posts(plan, &w);
    for (uint32_t l = 0; l < plan->layers; l++)
        w.words[l] = between(&seed, 1000, 40000); /* with room for all objects */
    plan->machine = machine_draw(&w, &seed, &plan->tally);
    plan->tally.n[group[plan->group]]++;
    plan->tally.n[plan->known ? PROGRAM_KNOWN : PROGRAM_COUNTED]++;
    plan->tally.n[MACHINE_TIGHT] += plan->tight;
    plan->seed = draw(&seed) | 1;
}

void plan_clear(struct plan *plan)
{
    htmt_machine_destroy(&plan->machine);
}

/* ---- what its parts need ----------------------------------------------------------------------
 */

void program_check(const struct program *p, int code, const char *what)
{
    if (code == 0)
        return;
    const struct htmt_fault *f = htmt_emulator_fault(p->e);
    fprintf(stderr, "program %llu: %s: %s %s\n", (unsigned long long)p->plan->number, what,
            htmt_err_name(code), f->text);
    exit(4);
}

const char *program_layer(const struct program *p, uint32_t layer)
{
    return p->plan->machine->layer[layer].name;
}

struct htmt_type *program_type(struct program *p, struct htmt_type_desc d)
{
    struct htmt_type *t = NULL;
    d.args_bytes = sizeof(struct args);
    if (d.fiber_count)
        d.gates |= HTMT_GATE(HTMT_RETIRE);
    program_check(p, htmt_type_create(p->e, &d, &t), d.name);
    p->tally[0].n[SUM_TYPES]++;
    return t;
}

struct htmt_type *program_caller(struct program *p, const char *name, uint32_t home, uint32_t exec,
                                 htmt_control_fn *first, const struct htmt_stage *fibers,
                                 uint32_t count)
{
    return program_type(p, (struct htmt_type_desc){.name = name,
                                                   .home = program_layer(p, home),
                                                   .exec = program_layer(p, exec),
                                                   .execute = {.control = first},
                                                   .fibers = fibers,
                                                   .fiber_count = count});
}

struct htmt_ref program_root(struct program *p, const struct htmt_type *type, uint32_t slice,
                             const struct args *a, const struct htmt_region *r, enum tally_of class)
{
    struct htmt_ref ref = {0};
    struct htmt_parcel_desc d = {
        .type = type, .slice = slice, .args = a, .regions = r, .region_count = r != NULL};
    p->tally[slice].n[class]++;
    program_check(p, htmt_assemble(htmt_root(p->e), &d, &ref), "root");
    return ref;
}

uint32_t program_peer(const struct program *p, uint32_t here, uint64_t *seed)
{
    uint64_t far = p->plan->group == APART ? 0 : between(seed, 0, p->slices - 1);
    return (uint32_t)((here + far) % p->slices);
}

struct htmt_addr program_place(const struct program *p, uint32_t layer, uint32_t slice,
                               uint64_t bytes, uint64_t *seed)
{
    return htmt_at(p->frame[layer], slice, 8 * between(seed, 0, (FRAME_BYTES - bytes) / 8));
}

/* ---- set-up -----------------------------------------------------------------------------------
 */

static void find_reach(struct program *p)
{
    const struct htmt_machine *m = p->plan->machine;
    for (uint32_t from = 0; from < p->layers; from++)
        for (uint32_t to = 0; to < p->layers; to++) {
            struct reach *r = &p->reach[from];
            if (p->plan->group != APART && htmt_machine_route(m, from, to, true) >= 0)
                r->far[r->far_count++] = to;
            if (from == to || htmt_machine_route(m, from, to, false) >= 0)
                r->near[r->near_count++] = to;
        }
}

static void create_frames(struct program *p, uint64_t *seed)
{
    for (uint32_t l = 0; l < p->layers; l++) {
        program_check(p, htmt_frame_create(p->e, l, FRAME_BYTES, "frame", &p->frame[l]), "frame");
        program_check(p, htmt_frame_create(p->e, l, GIVEN_BYTES, "given", &p->given[l]), "given");
        uint64_t value = draw(seed);
        for (uint32_t i = 0; i < p->slices; i++) {
            uint64_t *b = htmt_object_bytes(htmt_at(p->frame[l], i, 0).object);
            for (uint32_t k = 0; k < FRAME_BYTES / 8; k++) {
                value = mix(value, k);
                if (b)
                    b[k] = value;
            }
        }
    }
}

/* Where memories are small, ballast leaves room for a closure or two: one takes up to 60 words. */
static void create_ballast(struct program *p, uint64_t *seed)
{
    struct htmt_memory_report m;
    struct htmt_frame *ballast;
    for (uint32_t l = 0; l < p->layers && p->plan->tight; l++) {
        htmt_memory_at(p->e, l, &m);
        uint64_t words = m.capacity - m.resident - between(seed, 62, 100);
        program_check(p, htmt_frame_create(p->e, l, 8 * words, "ballast", &ballast), "ballast");
    }
}

static void start_one(struct program *p, uint32_t slice, uint64_t seed)
{
    if (once_in(&seed, 3))
        activations_start(p, slice, draw(&seed) | 1);
    else
        percolating_start(htmt_root(p->e), p, slice, 0, draw(&seed) | 1);
}

/* Where slices are alike, the same on each of them, in the same order. */
static void start(struct program *p, uint64_t *seed)
{
    uint64_t many = once_in(seed, 12) ? 600 : once_in(seed, 3) || p->plan->tight ? 100 : 16;
    uint64_t parcels = between(seed, 2, many);
    bool alike = p->plan->group == ALIKE;
    if (alike && parcels > 12)
        parcels = 12;
    for (uint32_t i = 0; alike && i < p->slices; i++) {
        uint64_t same = *seed;
        for (uint64_t k = 0; k < parcels; k++)
            start_one(p, i, draw(&same) | 1);
    }
    for (uint64_t k = 0; !alike && k < parcels; k++) {
        uint32_t slice = (uint32_t)between(seed, 0, p->slices - 1);
        start_one(p, slice, draw(seed) | 1);
    }
}

struct program *program_open(const struct plan *plan, struct htmt_options options)
{
    struct program *p = calloc(1, sizeof *p);
    struct tally *tally = aligned_alloc(_Alignof(struct tally), plan->slices * sizeof *tally);
    if (!p || !tally)
        exit(4);
    for (uint32_t i = 0; i < plan->slices; i++)
        tally[i] = (struct tally){0};
    p->plan = plan;
    p->tally = tally;
    p->slices = plan->slices;
    p->layers = plan->layers;
    uint64_t seed = plan->seed;
    struct htmt_fault fault = {0};
    options.machine = plan->machine;
    options.quiet_by = plan->answers ? HTMT_QUIET_ACKS : HTMT_QUIET_FREE;
    if (htmt_emulator_create(&p->e, &options, &fault)) {
        fprintf(stderr, "program %llu: %s\n", (unsigned long long)plan->number, fault.text);
        exit(4);
    }
    find_reach(p);
    create_frames(p, &seed);
    percolating_create(p, &seed);
    activations_create(p, &seed);
    meetings_create(p, &seed);
    posting_create(p);
    create_ballast(p, &seed);
    meetings_start(p, draw(&seed) | 1);
    activations_start_failing(p, draw(&seed) | 1);
    start(p, &seed);
    posting_start(p);
    return p;
}

void program_close(struct program **program)
{
    struct program *p = *program;
    htmt_emulator_destroy(&p->e);
    free(p->tally);
    free(p);
    *program = NULL;
}

/* ---- what came of it --------------------------------------------------------------------------
 */

struct htmt_emulator *program_emulator(const struct program *p)
{
    return p->e;
}

static uint64_t frame_bytes(const struct program *p, const struct htmt_frame *frame, uint64_t h)
{
    uint64_t size = frame ? htmt_object_size(htmt_at(frame, 0, 0).object) : 0;
    uint64_t *all = size ? calloc(p->slices, size) : NULL;
    if (all && htmt_frame_gather(frame, all, size) == 0)
        for (uint64_t k = 0; k < p->slices * size / 8; k++)
            h = mix(h, all[k]);
    free(all);
    return h;
}

/* Not of what was handed over: it is undefined. */
uint64_t program_bytes(const struct program *p)
{
    uint64_t h = 0;
    if (htmt_emulator_options(p->e)->mode != HTMT_RUN)
        return 0;
    for (uint32_t l = 0; l < p->layers; l++)
        h = frame_bytes(p, p->frame[l], h);
    h = frame_bytes(p, p->all.frame, h);
    h = frame_bytes(p, p->tree.frame, h);
    return frame_bytes(p, p->tree.news, h);
}

uint64_t program_kept(const struct program *p)
{
    return posting_kept(p);
}

void program_count(const struct program *p, struct tally *sum)
{
    for (uint32_t i = 0; i < p->slices; i++)
        for (int k = 0; k < TALLY_CLASSES; k++)
            sum->n[k] += p->tally[i].n[k];
}

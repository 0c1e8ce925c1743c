/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/random/parts.h"

#include <stdio.h>

enum { PARTS = 3 };

/* ---- kernels and costs ----------------------------------------------------------------------- */

void percolating_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct args *a = args;
    (void)user;
    if (a->program->plan->even) {
        ops->n[HTMT_CYCLE] = a->seed % 3 * 10;
        return;
    }
    bool idle = (a->seed >> 8) % 4 == 0;
    ops->n[HTMT_CYCLE] = idle ? 0 : a->seed % 131;
    ops->n[HTMT_FLOP] = idle ? 0 : a->seed % 7;
    ops->n[HTMT_STORE] = idle ? 0 : a->seed % 3;
}

/* The same for every parcel. */
static void constant(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_CYCLE] = 20;
    ops->n[HTMT_IOP] = 3;
}

static void nothing(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    (void)ops;
}

static uint64_t read_all(const struct htmt_kernel *k, uint64_t h, uint32_t blank)
{
    for (uint32_t r = 0; r < REGIONS; r++)
        for (uint64_t i = 0; !(blank >> r & 1) && i < htmt_size(k, r); i++)
            h = mix(h, ((const unsigned char *)htmt_bytes(k, r))[i]);
    for (uint32_t u = 0; u < 2; u++)
        for (uint64_t i = 0; i < htmt_used_size(k, u); i++)
            h = mix(h, ((const unsigned char *)htmt_used(k, u))[i]);
    return h;
}

static uint64_t write_all(const struct htmt_kernel *k, uint64_t h, uint32_t locked)
{
    for (uint32_t r = 0; r < REGIONS; r++)
        for (uint64_t i = 0; !(locked >> r & 1) && i < htmt_size(k, r); i++)
            ((unsigned char *)htmt_bytes(k, r))[i] = (unsigned char)(h = mix(h, i));
    if (htmt_used_size(k, 0))
        *(unsigned char *)htmt_used(k, 0) = (unsigned char)h;
    return h;
}

/* Where costs are known it counts what the cost function says, or nothing. */
static void count(struct htmt_kernel *k, uint64_t h)
{
    const struct args *a = htmt_kernel_args(k);
    if (!a->program->plan->known)
        htmt_count(k, h & 1 ? HTMT_CYCLE : HTMT_LOAD, a->program->plan->even ? 10 : h % 97);
}

/* Reads all that it sees, writes all that it may. */
static uint64_t visit(struct htmt_kernel *k)
{
    const struct args *a = htmt_kernel_args(k);
    uint64_t h = write_all(k, read_all(k, a->seed | 1, a->blank), a->locked);
    count(k, h);
    return h;
}

void percolating_visit(struct htmt_kernel *k)
{
    visit(k);
}

/* The same, and leaves a result. */
static void judge(struct htmt_kernel *k)
{
    uint64_t *result = htmt_kernel_result(k);
    *result = visit(k);
}

/* Each part its own bytes of each region. */
static void part(struct htmt_kernel *k)
{
    const struct args *a = htmt_kernel_args(k);
    uint32_t which = htmt_kernel_part(k);
    uint64_t h = a->seed + which + 1;
    for (uint32_t r = 0; r < REGIONS; r++) {
        uint64_t size = htmt_size(k, r);
        unsigned char *bytes = size ? htmt_bytes(k, r) : NULL;
        for (uint64_t i = which * size / PARTS; bytes && i < (which + 1) * size / PARTS; i++)
            if (a->locked >> r & 1)
                h = mix(h, bytes[i]);
            else
                bytes[i] = (unsigned char)(h = mix(h, bytes[i]));
    }
    count(k, h);
}

/* ---- controls -------------------------------------------------------------------------------- */

/* Operations before and after the kernel; now and then a child. */
static void plain(struct htmt_context *c)
{
    const struct args *a = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, a->program->plan->even ? 10 : a->seed % 5);
    tell(c, CALL_CHARGE);
    if (a->seed >> 8 & 1) {
        htmt_work(c);
        htmt_charge(c, HTMT_IOP, 1 + a->seed % 9);
        tell(c, CALL_WORK);
        tell(c, CALL_CHARGE_LATE);
    }
    if (a->depth < 1 && (a->seed >> 9) % 4 == 0)
        percolating_start(c, a->program, htmt_slice(c), a->depth + 1, a->seed | 1);
}

/* Where costs are known, it is not steered: at one instant a run plays steered services last. */
static void steer(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    bool known = a->program->plan->known;
    const uint64_t *result = known ? NULL : htmt_result(c);
    uint64_t found = known ? a->seed : *result;
    tell(c, known ? CALL_CHARGE : CALL_RESULT);
    htmt_charge(c, HTMT_IOP, found % 11);
    a->seed = found | 1;
    if (a->depth < 2 && found % 3)
        percolating_start(c, a->program, htmt_slice(c), a->depth + 1, found | 1);
}

static void breed(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    uint64_t children = a->depth < a->program->generations ? between(&seed, 0, 2) + !a->depth : 0;
    for (uint64_t i = 0; i < children; i++) {
        htmt_charge(c, HTMT_CYCLE, between(&seed, 0, 3));
        percolating_start(c, a->program, htmt_slice(c), a->depth + 1, draw(&seed) | 1);
    }
}

/* All at one instant. */
static void at_once(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    if (a->depth < 5)
        percolating_start(c, a->program, htmt_slice(c), a->depth + 1, (a->seed * 31) | 1);
}

/* Resident places of one parcel do not overlap: a kernel of a checked run has copies of them. */
static struct htmt_addr apart(const struct program *p, uint32_t layer, uint32_t slice,
                              uint32_t which, uint64_t *seed)
{
    return htmt_at(p->frame[layer], slice, 80 * which + 8 * between(seed, 0, 2));
}

static void use(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed;
    struct program *p = a->program;
    uint32_t layer = p->shape[a->shape].exec;
    htmt_use(c, apart(p, layer, htmt_slice(c), REGIONS, &seed), 32, HTMT_UPDATE);
    htmt_use(c, apart(p, layer, htmt_slice(c), REGIONS + 1, &seed), 32, HTMT_READ);
    tell(c, CALL_USE);
    plain(c);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* On the way between home and exec. */
static struct htmt_addr on_the_way(const struct program *p, const struct shape *s, uint32_t slice,
                                   uint64_t bytes, uint64_t *seed)
{
    uint32_t low = s->home < s->exec ? s->home : s->exec;
    uint32_t high = s->home < s->exec ? s->exec : s->home;
    return program_place(p, (uint32_t)between(seed, low, high), slice, bytes, seed);
}

/* Now and then every second word of a place: 16 words of the frame for 8. */
static bool in_pieces(struct htmt_region *r, uint64_t *seed)
{
    struct htmt_pieces every_second = {.bytes = 8, .count = r->bytes / 8, .stride = 16};
    if (r->bytes > 64 || !once_in(seed, 5))
        return false;
    if (r->from.object && r->from.offset + 2 * r->bytes <= FRAME_BYTES)
        r->from_pieces = every_second;
    if (r->to.object && r->to.offset + 2 * r->bytes <= FRAME_BYTES)
        r->to_pieces = every_second;
    return r->from_pieces.count || r->to_pieces.count;
}

static bool padded(struct htmt_region *r, uint64_t *seed)
{
    uint64_t kind = between(seed, 0, 7);
    if (kind > 1)
        return false;
    for (int l = 0; l < RANDOM_LAYERS_MAX; l++)
        if (kind)
            r->in_words[l] = r->bytes / 8 + between(seed, 0, 4);
        else
            r->out_words[l] = between(seed, 1, r->bytes / 8);
    return true;
}

static enum tally_of class_of(const struct htmt_region *r)
{
    if (r->into.object)
        return r->from.object ? REGION_INTO : r->to.object ? REGION_OUT_OF : REGION_THERE;
    if (r->from.object)
        return r->to.object ? REGION_THROUGH : REGION_IN;
    return r->to.object ? REGION_OUT : REGION_SCRATCH;
}

struct htmt_region percolating_region(struct program *p, const struct shape *s, uint32_t slice,
                                      uint32_t which, uint64_t *seed)
{
    struct htmt_region r = htmt_region_init();
    uint64_t kind = between(seed, 0, 11), *n = p->tally[slice].n;
    r.bytes = 8 * between(seed, 1, 8);
    if (kind < 7)
        r.from = on_the_way(p, s, slice, r.bytes, seed);
    if (kind < 3 || kind > 8)
        r.to = on_the_way(p, s, slice, r.bytes, seed);
    if (!s->fresh && (kind == 2 || kind == 3 || kind == 8 || kind == 9))
        r.into = apart(p, s->exec, slice, which, seed);
    if (!r.into.object)
        n[REGION_PIECES] += in_pieces(&r, seed);
    n[REGION_PADDED] += padded(&r, seed);
    r.read_only = r.from.object && !r.to.object && once_in(seed, 2);
    r.filled = s->fills && class_of(&r) == REGION_OUT && once_in(seed, 2);
    n[REGION_READ_ONLY] += r.read_only;
    n[REGION_FILLED] += r.filled;
    n[class_of(&r)]++;
    return r;
}

/* ---- parcels --------------------------------------------------------------------------------- */

void percolating_start(struct htmt_context *c, struct program *p, uint32_t slice, uint32_t depth,
                       uint64_t seed)
{
    struct htmt_region r[REGIONS];
    struct args a = {.program = p, .depth = depth};
    a.shape = p->allowed[between(&seed, 0, p->allowed_count - 1)];
    const struct shape *s = &p->shape[a.shape];
    uint32_t count = (uint32_t)between(&seed, s->class == TYPE_CARRIER, REGIONS);
    for (uint32_t i = 0; i < count; i++) {
        r[i] = percolating_region(p, s, slice, i, &seed);
        a.locked |= (uint32_t)r[i].read_only << i;
        a.blank |= (uint32_t)r[i].filled << i;
    }
    a.seed = draw(&seed) | 1;
    p->tally[slice].n[s->class]++;
    p->tally[slice].n[CALL_ASSEMBLE] += depth > 0;
    htmt_assemble(
        c,
        &(struct htmt_parcel_desc){
            .type = s->type, .slice = slice, .args = &a, .regions = r, .region_count = count},
        NULL);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A kernel with a cost function where costs must be known, else one that counts. */
static struct htmt_stage kernel_stage(const struct program *p, htmt_kernel_fn *kernel)
{
    return (struct htmt_stage){.kernel = kernel, .cost = p->plan->known ? percolating_cost : NULL};
}

static struct htmt_stage any_stage(const struct program *p, uint64_t *seed)
{
    switch (between(seed, 0, 6)) {
    case 0:
        return kernel_stage(p, percolating_visit);
    case 1:
        return (struct htmt_stage){.cost = percolating_cost};
    case 2: {
        struct htmt_stage s = kernel_stage(p, percolating_visit);
        s.control = plain;
        return s;
    }
    case 3:
        return (struct htmt_stage){.cost = constant};
    case 4:
        return (struct htmt_stage){.control = plain};
    default:
        return (struct htmt_stage){0};
    }
}

static void all_stages(const struct program *p, struct htmt_type_desc *d)
{
    d->assemble = (struct htmt_stage){.cost = constant};
    d->dispatch = kernel_stage(p, percolating_visit);
    d->execute = kernel_stage(p, percolating_visit);
    d->retire = (struct htmt_stage){.cost = percolating_cost, .control = plain};
    d->scatter = kernel_stage(p, percolating_visit);
}

static void random_stages(const struct program *p, struct htmt_type_desc *d, uint64_t *seed)
{
    d->assemble = any_stage(p, seed);
    d->dispatch = any_stage(p, seed);
    d->execute = any_stage(p, seed);
    d->retire = any_stage(p, seed);
    d->scatter = any_stage(p, seed);
    d->footprint = once_in(seed, 2) ? HTMT_CLOSURE : HTMT_RESIDENT;
}

static void steered_stages(const struct program *p, struct htmt_type_desc *d)
{
    d->execute = kernel_stage(p, judge);
    d->retire = (struct htmt_stage){.control = steer, .steered = !p->plan->known};
    d->result_bytes = 8;
}

static void resident_stages(const struct program *p, struct htmt_type_desc *d)
{
    d->execute = kernel_stage(p, percolating_visit);
    d->execute.control = use;
    d->footprint = HTMT_RESIDENT;
    d->departures = HTMT_DEPARTS_RESIDENT;
}

static void fill_stages(const struct program *p, struct htmt_type_desc *d, enum tally_of class,
                        uint64_t *seed)
{
    if (class == TYPE_WALKER)
        random_stages(p, d, seed);
    else if (class == TYPE_FULL)
        all_stages(p, d);
    else if (class == TYPE_LOCAL)
        d->execute = kernel_stage(p, percolating_visit);
    else if (class == TYPE_STEERED)
        steered_stages(p, d);
    else if (class == TYPE_RESIDENT)
        resident_stages(p, d);
    else if (class == TYPE_CHARGER)
        d->execute.control = plain;
    else if (class == TYPE_BREEDER)
        d->execute = (struct htmt_stage){.cost = percolating_cost, .control = breed};
    else if (class == TYPE_INSTANT)
        d->execute = (struct htmt_stage){.cost = nothing, .control = at_once};
    if (class == TYPE_PARTED) {
        d->execute = kernel_stage(p, part);
        d->execute.parts = PARTS;
    }
}

static void fill_words(struct htmt_type_desc *d, uint64_t *seed)
{
    d->in_place = once_in(seed, 2);
    d->code_words = between(seed, 0, 9);
    d->code_resident = once_in(seed, 3);
    d->header_words = between(seed, 0, 3);
}

static void choose_layers(const struct program *p, struct shape *s, uint64_t *seed)
{
    s->home = (uint32_t)between(seed, 0, p->layers - 1);
    s->exec = (uint32_t)between(seed, 0, p->layers - 1);
    if (s->class == TYPE_LOCAL || s->class == TYPE_INSTANT)
        s->home = s->exec;
    if (s->class == TYPE_FULL) {
        s->exec = p->layers - 1;
        s->home = p->layers > 2 ? p->layers - 3 : 0;
    }
    if (s->class == TYPE_CARRIER && s->home == s->exec)
        s->home = s->exec ? s->exec - 1 : 1;
}

static void create_shape(struct program *p, uint32_t which, enum tally_of class, uint64_t *seed)
{
    struct shape *s = &p->shape[which];
    struct htmt_type_desc d = htmt_type_desc_init();
    char name[24];
    s->class = class;
    s->fresh = class == TYPE_PARTED;
    choose_layers(p, s, seed);
    snprintf(name, sizeof name, "shape %u", which);
    d.name = name;
    d.home = program_layer(p, s->home);
    d.exec = program_layer(p, s->exec);
    fill_stages(p, &d, class, seed);
    fill_words(&d, seed);
    s->fills = d.execute.kernel == percolating_visit;
    s->type = program_type(p, d);
}

/* Some of the shapes, once or more often. */
static void choose_shapes(struct program *p, uint64_t *seed)
{
    p->allowed_count = (uint32_t)between(seed, 2, SHAPES);
    for (uint32_t i = 0; i < p->allowed_count; i++)
        p->allowed[i] = (uint32_t)between(seed, 0, SHAPES - 1);
}

void percolating_create(struct program *p, uint64_t *seed)
{
    static const enum tally_of class[SHAPES] = {
        TYPE_WALKER,  TYPE_WALKER,   TYPE_WALKER,  TYPE_WALKER,  TYPE_FULL,    TYPE_FULL,
        TYPE_CARRIER, TYPE_CARRIER,  TYPE_LOCAL,   TYPE_LOCAL,   TYPE_STEERED, TYPE_RESIDENT,
        TYPE_PARTED,  TYPE_RESIDENT, TYPE_CHARGER, TYPE_BREEDER, TYPE_BREEDER, TYPE_INSTANT};
    p->generations = (uint32_t)between(seed, 2, 6);
    for (uint32_t i = 0; i < SHAPES; i++)
        create_shape(p, i, class[i], seed);
    choose_shapes(p, seed);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply on an s x s grid of slices (Amaral et al., section 4): C in t x t blocks, each
 * the sum of t block products, each of s steps of a grid that shifts A left and B up.
 *
 * Two block products (an even and an odd k) are interleaved: the data of step n lie in buffer n % 3
 * and move on, when step n has been computed, to the neighbour's buffer (n + 2) % 3, while step
 * n + 1 computes. The sum stays in CRAM over the t block products.
 */
#include "tests/sketches/sketch.h"

#include <string.h>

/* Fibers of an activation; the first three kinds once for each buffer. */
enum { STEP = 1, SHIFT = 4, FREE = 7, CLEAR = 10, SUMMED, LAST, FIBERS = LAST };

/* Shared by all slices; written before the run only. */
struct grid {
    uint32_t s, t, b;
    uint64_t edge, bytes, steps, total;      /* of C; of a subblock; of a block of C; of the run */
    struct htmt_frame *a[3], *bm[3], *c;     /* CRAM */
    struct htmt_frame *image[2], *bundle[2]; /* A and B of a slice in DRAM, SRAM */
    struct htmt_object *in[2][SKETCH_SLICES], *out[SKETCH_SLICES];
    struct htmt_type *transform, *bundling, *pair, *result, *activation;
    struct htmt_ref at[SKETCH_SLICES];
};

struct position {
    const struct grid *g;
    uint64_t step[3], done; /* whose data each buffer has; steps computed */
};

struct order { /* of the parcels that carry blocks */
    const struct grid *g;
    struct htmt_slot slot;
    uint32_t matrix;
};

static uint32_t at(const struct grid *g, uint32_t slice, uint32_t down, uint32_t right)
{
    return (slice / g->s + down) % g->s * g->s + (slice % g->s + right) % g->s;
}

static uint32_t buffer(uint64_t step)
{
    return (uint32_t)(step % 3);
}

static struct htmt_slot slot_of(const struct grid *g, uint32_t slice, uint32_t fiber)
{
    return htmt_slot_of(g->at[slice], fiber);
}

static void multiply_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    uint64_t b = ((const struct position *)args)->g->b;
    (void)user;
    ops->n[HTMT_FLOP] = 2 * b * b * b;
}

/* c += a b with b in columns, as the transform left it. */
static void multiply_kernel(struct htmt_kernel *k)
{
    const struct position *p = htmt_kernel_args(k);
    const double *a = htmt_used(k, 0), *bm = htmt_used(k, 1);
    double *c = htmt_used(k, 2);
    uint64_t b = p->g->b;
    for (uint64_t i = 0; i < b; i++)
        for (uint64_t j = 0; j < b; j++)
            for (uint64_t l = 0; l < b; l++)
                c[i * b + j] += a[i * b + l] * bm[j * b + l];
    htmt_count(k, HTMT_FLOP, 2 * b * b * b);
}

static void clear_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    uint64_t b = ((const struct position *)args)->g->b;
    (void)user;
    ops->n[HTMT_STORE] = b * b;
}

static void clear_kernel(struct htmt_kernel *k)
{
    memset(htmt_used(k, 0), 0, htmt_used_size(k, 0));
    htmt_count(k, HTMT_STORE, htmt_used_size(k, 0) / HTMT_WORD);
}

/* From SRAM: the first of the s subblocks of A and B that step n's block product needs. */
static void percolate(struct htmt_context *c, const struct grid *g, uint64_t n)
{
    uint64_t block = n / g->steps, k = n % g->steps / (2 * g->s) * 2 + n % 2;
    uint64_t which[2] = {block / g->t * g->t + k, block % g->t * g->t + k};
    uint32_t slice = htmt_slice(c), x = buffer(n);
    struct htmt_region r[2] = {{.into = htmt_at(g->a[x], slice, 0), .bytes = g->bytes},
                               {.into = htmt_at(g->bm[x], slice, 0), .bytes = g->bytes}};
    for (uint32_t i = 0; i < 2; i++)
        r[i].from = htmt_at(g->bundle[i], slice, which[i] * g->bytes);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = g->pair,
                                             .slice = slice,
                                             .regions = r,
                                             .region_count = 2,
                                             .on_done = htmt_slot(c, STEP + x)},
                  NULL);
}

/* The buffers of step n are free here: let its data come, from SRAM or from the neighbours. */
static void ask(struct htmt_context *c, uint64_t n)
{
    struct position *p = htmt_args(c);
    const struct grid *g = p->g;
    uint32_t slice = htmt_slice(c);
    if (n >= g->total)
        return;
    if (n % g->steps < 2 && n >= g->steps)
        htmt_signal(c, htmt_slot(c, CLEAR));
    p->step[buffer(n)] = n;
    if (n % (2 * g->s) < 2) {
        htmt_slot_set(c, STEP + buffer(n), n % g->steps < 2 ? 2 : 1, 0);
        percolate(c, g, n);
    } else {
        htmt_slot_set(c, STEP + buffer(n), 2, 0);
        htmt_signal(c, slot_of(g, at(g, slice, 0, 1), SHIFT + buffer(n - 2)));
        htmt_signal(c, slot_of(g, at(g, slice, 1, 0), SHIFT + buffer(n - 2)));
    }
}

/* Enabled when C has the sum of all steps of its block: through SRAM to its place in DRAM. */
static void put_out(struct htmt_context *c)
{
    const struct position *p = htmt_args(c);
    const struct grid *g = p->g;
    uint32_t slice = htmt_slice(c);
    uint64_t block = p->done / g->steps - 1;
    uint64_t row = (block / g->t * g->s + slice / g->s) * g->b;
    uint64_t column = (block % g->t * g->s + slice % g->s) * g->b;
    struct htmt_region r = {
        .to = htmt_in(g->out[slice], (row * g->edge + column) * 8),
        .to_pieces = {.bytes = g->b * 8, .count = g->b, .stride = (int64_t)g->edge * 8},
        .into = htmt_at(g->c, slice, 0),
        .bytes = g->bytes};
    struct order o = {.g = g, .slot = htmt_slot(c, p->done == g->total ? LAST : CLEAR)};
    htmt_assemble(
        c,
        &(struct htmt_parcel_desc){
            .type = g->result, .slice = slice, .regions = &r, .region_count = 1, .args = &o},
        NULL);
}

/* In SRAM already: the SPELL may use its C again. */
static void result_ejected(struct htmt_context *c)
{
    htmt_signal(c, ((struct order *)htmt_args(c))->slot);
}

/* Enabled when A and B of the step are here and, for the first two of a block, C is clear. */
static void step(struct htmt_context *c)
{
    struct position *p = htmt_args(c);
    const struct grid *g = p->g;
    uint32_t x = htmt_fiber(c) - STEP, slice = htmt_slice(c);
    uint64_t n = p->step[x];
    htmt_use(c, htmt_at(g->a[x], slice, 0), g->bytes, HTMT_READ);
    htmt_use(c, htmt_at(g->bm[x], slice, 0), g->bytes, HTMT_READ);
    htmt_use(c, htmt_at(g->c, slice, 0), g->bytes, HTMT_COMMUTE);
    htmt_work(c);
    if (n % (2 * g->s) < 2 * g->s - 2)
        htmt_signal(c, htmt_slot(c, SHIFT + x));
    else
        ask(c, n + 3);
    p->done++;
    htmt_signal(c, htmt_slot(c, SUMMED));
}

/* Enabled when the step is computed and both neighbours have their buffers free. */
static void shift(struct htmt_context *c)
{
    struct position *p = htmt_args(c);
    const struct grid *g = p->g;
    uint32_t x = htmt_fiber(c) - SHIFT, slice = htmt_slice(c), y = buffer(p->step[x] + 2);
    uint32_t left = at(g, slice, 0, g->s - 1), up = at(g, slice, g->s - 1, 0);
    struct htmt_put move = {.dst = htmt_at(g->a[y], left, 0),
                            .src = htmt_at(g->a[x], slice, 0),
                            .bytes = g->bytes,
                            .on_sent = htmt_slot(c, FREE + x),
                            .on_arrived = slot_of(g, left, STEP + y),
                            .handover = true};
    htmt_put(c, &move);
    move.dst = htmt_at(g->bm[y], up, 0);
    move.src = htmt_at(g->bm[x], slice, 0);
    move.on_arrived = slot_of(g, up, STEP + y);
    htmt_put(c, &move);
}

/* Enabled when both subblocks have left. */
static void buffers_free(struct htmt_context *c)
{
    struct position *p = htmt_args(c);
    ask(c, p->step[htmt_fiber(c) - FREE] + 3);
}

/* Enabled when both bundles are in SRAM; then whenever C has been ejected and the first two steps
 * of the next block have been asked for. */
static void clear(struct htmt_context *c)
{
    struct position *p = htmt_args(c);
    htmt_use(c, htmt_at(p->g->c, htmt_slice(c), 0), p->g->bytes, HTMT_WRITE);
    if (p->done == 0)
        for (uint64_t n = 0; n < 3; n++)
            ask(c, n);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, STEP + buffer(p->done)));
    htmt_signal(c, htmt_slot(c, STEP + buffer(p->done + 1)));
}

/* Enabled when the last block of C has been ejected. */
static void last(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

static void transform_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct grid *g = ((const struct order *)args)->g;
    (void)user;
    ops->n[HTMT_LOAD] = ops->n[HTMT_STORE] = (uint64_t)g->t * g->t * g->b * g->b;
}

/* Subblocks one after another, as the slice's SPELL will want them; those of B in columns. */
static void transform_kernel(struct htmt_kernel *k)
{
    const struct order *o = htmt_kernel_args(k);
    uint64_t b = o->g->b, blocks = (uint64_t)o->g->t * o->g->t;
    double *image = htmt_bytes(k, (uint32_t)blocks);
    for (uint32_t i = 0; i < blocks; i++) {
        const double *from = htmt_bytes(k, i);
        for (uint64_t w = 0; w < b * b; w++)
            image[i * b * b + w] = o->matrix ? from[w % b * b + w / b] : from[w];
    }
    htmt_count(k, HTMT_LOAD, blocks * b * b);
    htmt_count(k, HTMT_STORE, blocks * b * b);
}

/* The first percolation, once: DRAM to SRAM. */
static void transformed(struct htmt_context *c)
{
    struct order *o = htmt_args(c);
    uint32_t slice = htmt_slice(c);
    struct htmt_region r = {.from = htmt_at(o->g->image[o->matrix], slice, 0),
                            .into = htmt_at(o->g->bundle[o->matrix], slice, 0),
                            .bytes = o->g->bytes * o->g->t * o->g->t};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = o->g->bundling,
                                             .slice = slice,
                                             .regions = &r,
                                             .region_count = 1,
                                             .on_done = o->slot},
                  NULL);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int types(struct htmt_emulator *e, struct grid *g)
{
    const uint32_t steps = (uint32_t)g->steps;
    struct htmt_stage fibers[FIBERS];
    for (uint32_t x = 0; x < 3; x++) {
        fibers[STEP - 1 + x] =
            (struct htmt_stage){.kernel = multiply_kernel, .cost = multiply_cost, .control = step};
        fibers[SHIFT - 1 + x] = (struct htmt_stage){.control = shift, .count = 3, .reset = 3};
        fibers[FREE - 1 + x] = (struct htmt_stage){.control = buffers_free, .count = 2, .reset = 2};
    }
    fibers[CLEAR - 1] = (struct htmt_stage){
        .kernel = clear_kernel, .cost = clear_cost, .control = clear, .count = 2, .reset = 3};
    fibers[SUMMED - 1] = (struct htmt_stage){.control = put_out, .count = steps, .reset = steps};
    fibers[LAST - 1] = (struct htmt_stage){.control = last, .count = 1};
    struct htmt_type_desc d[] = {
        {.name = "transform",
         .home = "dram",
         .exec = "dram",
         .execute = {.kernel = transform_kernel, .cost = transform_cost, .control = transformed},
         .args_bytes = sizeof(struct order)},
        {.name = "bundle", .home = "dram", .exec = "sram", .in_place = true},
        {.name = "pair", .home = "sram", .exec = "cram", .in_place = true},
        {.name = "result",
         .home = "dram",
         .exec = "cram",
         .retire = {.control = result_ejected},
         .in_place = true,
         .args_bytes = sizeof(struct order)},
        {.name = "cannon",
         .home = "cram",
         .exec = "cram",
         .footprint = HTMT_RESIDENT,
         .fibers = fibers,
         .fiber_count = FIBERS,
         .args_bytes = sizeof(struct position)}};
    struct htmt_type **type[] = {&g->transform, &g->bundling, &g->pair, &g->result, &g->activation};
    int rc = 0;
    for (uint32_t i = 0; i < 5 && !rc; i++)
        rc = htmt_type_create(e, &d[i], type[i]);
    return rc;
}

static int frames(struct htmt_emulator *e, struct grid *g)
{
    static const char *const name[2] = {"A", "B"};
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    uint32_t sram = (uint32_t)htmt_emulator_layer(e, "sram");
    uint32_t cram = (uint32_t)htmt_emulator_layer(e, "cram");
    uint64_t all = g->bytes * g->t * g->t;
    int rc = htmt_frame_create(e, cram, g->bytes, "C", &g->c);
    for (uint32_t i = 0; i < 2 && !rc; i++) {
        struct htmt_frame **part = i ? g->bm : g->a;
        for (uint32_t x = 0; x < 3 && !rc; x++)
            rc = htmt_frame_create(e, cram, g->bytes, name[i], &part[x]);
        rc = rc ? rc : htmt_frame_create(e, dram, all, name[i], &g->image[i]);
        rc = rc ? rc : htmt_frame_create(e, sram, all, name[i], &g->bundle[i]);
    }
    return rc;
}

/* The whole matrices are at hand in every slice's DRAM, which is charged for its share. */
static int matrices(struct htmt_emulator *e, struct grid *g, const struct cannon_problem *p)
{
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    uint64_t bytes = g->edge * g->edge * 8, share = bytes / 8 / g->s / g->s;
    int rc = 0;
    for (uint32_t i = 0; i < g->s * g->s && !rc; i++) {
        rc = htmt_object_wrap(e, i, dram, p->a, bytes, share, "A", &g->in[0][i]);
        rc = rc ? rc : htmt_object_wrap(e, i, dram, p->bm, bytes, share, "B", &g->in[1][i]);
        rc = rc ? rc : htmt_object_wrap(e, i, dram, p->c, bytes, share, "C", &g->out[i]);
    }
    return rc;
}

static int root_transform(struct htmt_emulator *e, struct grid *g, uint32_t slice, uint32_t matrix)
{
    struct htmt_region r[65];
    struct order o = {g, slot_of(g, slice, CLEAR), matrix};
    uint32_t i = slice / g->s, j = slice % g->s, blocks = g->t * g->t;
    memset(r, 0, sizeof r);
    for (uint32_t n = 0; n < blocks; n++) {
        uint64_t along = (i + j) % g->s + n % g->t * g->s, across = n / g->t * g->s;
        uint64_t row = matrix ? along : across + i, column = matrix ? across + j : along;
        uint64_t word = row * g->b * g->edge + column * g->b;
        r[n] = (struct htmt_region){
            .from = htmt_in(g->in[matrix][slice], word * 8),
            .from_pieces = {.bytes = g->b * 8, .count = g->b, .stride = (int64_t)g->edge * 8},
            .bytes = g->bytes};
    }
    r[blocks] = (struct htmt_region){.into = htmt_at(g->image[matrix], slice, 0),
                                     .bytes = g->bytes * blocks};
    return htmt_assemble(htmt_root(e),
                         &(struct htmt_parcel_desc){.type = g->transform,
                                                    .slice = slice,
                                                    .regions = r,
                                                    .region_count = blocks + 1,
                                                    .args = &o},
                         NULL);
}

static int roots(struct htmt_emulator *e, struct grid *g)
{
    struct position p = {.g = g};
    int rc = 0;
    for (uint32_t i = 0; i < g->s * g->s && !rc; i++)
        rc = htmt_assemble(
            htmt_root(e), &(struct htmt_parcel_desc){.type = g->activation, .slice = i, .args = &p},
            &g->at[i]);
    for (uint32_t i = 0; i < 2 * g->s * g->s && !rc; i++)
        rc = root_transform(e, g, i / 2, i % 2);
    return rc;
}

int cannon_sketch(struct htmt_emulator *e, const struct cannon_problem *p)
{
    uint64_t edge = (uint64_t)p->s * p->t * p->b, steps = (uint64_t)p->s * p->t;
    struct grid g = {.s = p->s, .t = p->t, .b = p->b, .edge = edge, .steps = steps};
    if (p->s < 2 || p->s * p->s > SKETCH_SLICES || p->t % 2 || p->t > 8)
        return HTMT_EINVAL;
    g.bytes = (uint64_t)p->b * p->b * 8;
    g.total = steps * p->t * p->t;
    int rc = types(e, &g);
    rc = rc ? rc : frames(e, &g);
    rc = rc ? rc : matrices(e, &g, p);
    rc = rc ? rc : roots(e, &g);
    return rc ? rc : htmt_emulator_run(e);
}

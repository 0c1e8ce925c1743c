/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcels of a lane: subcubes to the SPELL, pixels to the image.
 *
 * A Subcube takes the voxels of one visit and the rays of the smallest rectangle of patches that
 * holds the visit's living patches. It carries more than the rays that need it, but a rectangle of
 * rays is one strided move. The SPELL casts the lines of the rectangle in four parts, which threads
 * of the host may share; each part has its own place in the result, and the SPIM that retires the
 * parcel adds them up. It clears the patches of the rectangle in the bundle's table, then sets
 * those that live; patches outside stay as they were.
 *
 * Which patches live is one word, a bit for each. A patch lives as long as one of its rays takes
 * light, so lines and parts are joined by "or": of a patch that two parts share, the one whose rays
 * have ended may not speak for the other. Example: patches 0 to 3 in a row live, 1111 with patch 0
 * at the right. A visit takes 1 and 2, and the rays of 2 end: 1111 without the rectangle is 1001,
 * the parts found 0010, so 1011 live on.
 */
#include "apps/volume/shared.h"

#include <string.h>

/* ---- Subcube: the SPELL casts --------------------------------------------------------------- */

enum { VOXELS, PATHS, STATES, TABLE };

/* The list has the lines of the box; the patches are those of the bundle. */
static uint64_t patches_of(const struct htmt__volume_tiling *t, const struct htmt__volume_tile *box,
                           const bool *alive)
{
    uint64_t patches = 0;
    for (uint32_t y = 0; y < box->height; y++)
        for (uint32_t x = 0; x < box->width; x++)
            patches |= (uint64_t)*alive++ << htmt__volume_patch_of(t, box->x + x, box->y + y);
    return patches;
}

static void cast_lines(struct htmt_kernel *k, uint32_t first, uint32_t end,
                       struct htmt__volume_cast_result *result)
{
    const struct htmt__volume_subcube_args *a = htmt_kernel_args(k);
    const htmt__volume_shared *t = a->t;
    struct htmt__volume_transfer_table table = *t->work.table;
    table.row = htmt_bytes(k, TABLE);
    struct htmt__volume_cast cast = {&t->plan.subcubes, a->subcube, htmt_bytes(k, VOXELS),
                                     t->work.type,      &table,     t->work.casting};
    const struct htmt__volume_path *path = htmt_bytes(k, PATHS);
    char *state = htmt_bytes(k, STATES);
    bool alive[HTMT__SIDE_MOST];
    uint64_t bytes = htmt__volume_state_bytes(table.channels);
    for (uint32_t y = first; y < end; y++) {
        struct htmt__volume_tile line = {a->box.x, a->box.y + y, a->box.width, 1};
        struct htmt__volume_cast_work work;
        htmt__volume_cast_rays(&cast, path + y * line.width, state + y * line.width * bytes,
                               line.width, alive, &work);
        result->alive |= patches_of(&t->plan.tiling, &line, alive);
        htmt__volume_cast_add(&result->work, &work);
    }
}

/* What kernels read beside their closures. */
static void declare(struct htmt_kernel *k, const htmt__volume_shared *t)
{
    htmt_constants(k, t, sizeof *t);
    htmt_constants(k, t->work.casting, sizeof *t->work.casting);
    htmt_constants(k, t->work.table, sizeof *t->work.table);
    htmt_constants(k, t->work.table->visible,
                   (t->work.table->last + 1) * sizeof *t->work.table->visible);
}

static void cast_kernel(struct htmt_kernel *k)
{
    const struct htmt__volume_subcube_args *a = htmt_kernel_args(k);
    const htmt__volume_shared *t = a->t;
    declare(k, t);
    uint32_t part = htmt_kernel_part(k), lines = a->box.height;
    struct htmt__volume_cast_result *all = htmt_kernel_result(k), result = {0};
    cast_lines(k, part * lines / HTMT__CAST_PARTS, (part + 1) * lines / HTMT__CAST_PARTS, &result);
    all[part] = result;
    htmt__volume_count(k, htmt__volume_cast_ops(&t->plan, &result.work, &t->work.casting->shading));
}

/* Rays of the box. */
static uint64_t rays_of(const struct htmt__volume_subcube_args *a)
{
    return (uint64_t)a->box.width * a->box.height;
}

/* In a model run the samples are alpha of the voxels or, without alpha, the samples of all rays. No
 * sample is shaded and no block skipped. */
static void cast_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__volume_subcube_args *a = args;
    const htmt__volume_shared *t = user;
    struct htmt__volume_cast_work work = {.rays = a->rays, .taken = htmt__volume_assumed(t, a)};
    *ops = htmt__volume_cast_ops(&t->plan, &work, &t->work.casting->shading);
}

static void assemble_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__volume_subcube_args *a = args;
    *ops = htmt__volume_assemble_ops(&((const htmt__volume_shared *)user)->plan, &a->subcube,
                                     rays_of(a));
}

static void dispatch_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__volume_subcube_args *a = args;
    *ops = htmt__volume_dispatch_ops(&((const htmt__volume_shared *)user)->plan, rays_of(a),
                                     a->box.height);
}

static void retire_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    *ops = htmt__volume_retire_ops(&((const htmt__volume_shared *)user)->plan, rays_of(args));
}

/* Patches in the box live on if the SPELL says so; the others stay as they were. */
static void retire_kernel(struct htmt_kernel *k)
{
    const struct htmt__volume_subcube_args *a = htmt_kernel_args(k);
    const struct htmt__volume_cast_result *result = htmt_kernel_result(k);
    struct htmt__volume_ledger *ledger = htmt_used(k, 0);
    bool all[HTMT__SIDE_MOST];
    htmt_constants(k, a->t, sizeof *a->t);
    memset(all, true, a->box.width);
    for (uint32_t y = 0; y < a->box.height; y++) {
        struct htmt__volume_tile line = {a->box.x, a->box.y + y, a->box.width, 1};
        ledger->alive &= ~patches_of(&a->t->plan.tiling, &line, all);
    }
    for (int part = 0; part < HTMT__CAST_PARTS; part++, result++) {
        ledger->alive |= result->alive;
        ledger->taken += result->work.taken;
        ledger->skipped += result->work.skipped;
        ledger->shaded += result->work.shaded;
    }
}

static void retire(struct htmt_context *c)
{
    const struct htmt__volume_subcube_args *a = htmt_args(c);
    htmt_use(c, htmt_at(a->t->lane[a->lane].ledger, htmt_slice(c), 0),
             sizeof(struct htmt__volume_ledger), HTMT_UPDATE);
    htmt_work(c);
    htmt_signal(c, a->back);
}

void htmt__volume_assemble_subcube(struct htmt_context *c,
                                   const struct htmt__volume_subcube_args *a,
                                   struct htmt_addr voxels, struct htmt_ref *ref)
{
    const htmt__volume_shared *t = a->t;
    const struct htmt__volume_plan *p = &t->plan;
    const struct htmt__volume_lane_frames *f = &t->lane[a->lane];
    uint32_t slice = htmt_slice(c);
    uint64_t rays = rays_of(a), state = htmt__volume_state_bytes(p->problem.channels);
    uint64_t first = (uint64_t)a->box.y * p->tiling.side + a->box.x;
    const struct htmt_frame *path = p->problem.rays_in_dram ? f->staging[a->staging].path : f->path;
    struct htmt_region r[] = {
        [VOXELS] = {.from = voxels,
                    .bytes = htmt__volume_subcube_bytes(&p->subcubes, &a->subcube),
                    .read_only = true},
        [PATHS] = {.from = htmt_at(path, slice, first * sizeof(struct htmt__volume_path)),
                   .from_pieces = {a->box.width * sizeof(struct htmt__volume_path), a->box.height,
                                   (int64_t)(p->tiling.side * sizeof(struct htmt__volume_path))},
                   .bytes = rays * sizeof(struct htmt__volume_path),
                   .read_only = true},
        [STATES] = {.from = htmt_at(f->state, slice, first * state),
                    .to = htmt_at(f->state, slice, first * state),
                    .from_pieces = {a->box.width * state, a->box.height,
                                    (int64_t)(p->tiling.side * state)},
                    .bytes = rays * state},
        [TABLE] = {.into = htmt_in(t->table[slice], 0),
                   .bytes = p->table_words * HTMT_WORD,
                   .read_only = true}};
    r[STATES].to_pieces = r[STATES].from_pieces;
    for (uint32_t l = p->middle; l <= p->inner; l++) {
        r[VOXELS].in_words[l] = htmt__volume_voxel_words(p, &a->subcube);
        r[STATES].in_words[l] = rays * htmt__volume_state_words(p);
    }
    r[STATES].out_words[p->inner] = rays * htmt__volume_eject_words(p);
    if (p->problem.rays_in_dram)
        r[PATHS].in_words[p->middle] = rays * htmt__volume_dram_words(p);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = t->subcube,
                                             .slice = slice,
                                             .regions = r,
                                             .region_count = sizeof r / sizeof *r,
                                             .args = a},
                  ref);
}

/* ---- Composite: pixels ---------------------------------------------------------------------- */

enum { RAYS, PIXELS, LEDGER };

static void composite_kernel(struct htmt_kernel *k)
{
    const struct htmt__volume_composite_args *a = htmt_kernel_args(k);
    declare(k, a->t);
    unsigned channels = a->t->plan.problem.channels;
    uint64_t bytes = htmt__volume_state_bytes(channels), side = a->t->plan.tiling.side;
    float *pixel = htmt_bytes(k, PIXELS);
    struct htmt__volume_ledger *ledger = htmt_bytes(k, LEDGER);
    for (uint64_t y = 0; y < a->tile.height; y++) {
        const char *at = (const char *)htmt_bytes(k, RAYS) + y * side * bytes;
        for (uint64_t x = 0; x < a->tile.width; x++, at += bytes) {
            const struct htmt__volume_state *ray = (const void *)at;
            for (unsigned i = 0; i < channels; i++)
                *pixel++ = (float)ray->colour[i];
            ledger->inside += ray->end > 0;
            ledger->samples += ray->end;
            if (ray->through <= a->t->work.casting->limit && ray->end) {
                ledger->ended++;
                ledger->saved += ray->end - ray->next;
            }
        }
    }
}

static void composite_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__volume_composite_args *a = args;
    *ops = htmt__volume_composite_ops(&((const htmt__volume_shared *)user)->plan,
                                      (uint64_t)a->tile.width * a->tile.height);
}

void htmt__volume_assemble_composite(struct htmt_context *c, const htmt__volume_shared *t,
                                     uint32_t lane, const struct htmt__volume_tile *tile,
                                     uint32_t frame, uint64_t parcels, struct htmt_slot out)
{
    const struct htmt__volume_plan *p = &t->plan;
    const struct htmt__volume_lane_frames *f = &t->lane[lane];
    uint32_t slice = htmt_slice(c);
    uint64_t pixel = p->problem.channels * sizeof(float), line = pixel * p->problem.width;
    struct htmt__volume_composite_args args = {t, *tile};
    struct htmt_region r[] = {
        [RAYS] = {.into = htmt_at(f->state, slice, 0),
                  .bytes = p->tiling.side * (uint64_t)p->tiling.side *
                           htmt__volume_state_bytes(p->problem.channels),
                  .read_only = true},
        [PIXELS] = {.to = htmt_in(t->image[slice],
                                  line * ((uint64_t)frame * p->problem.height + tile->y) +
                                      pixel * tile->x),
                    .to_pieces = {pixel * tile->width, tile->height, (int64_t)line},
                    .bytes = pixel * tile->width * tile->height,
                    .filled = true},
        [LEDGER] = {.into = htmt_at(f->ledger, slice, 0),
                    .bytes = sizeof(struct htmt__volume_ledger)}};
    r[PIXELS].out_words[p->middle] = htmt__volume_scatter_words(p, tile, parcels);
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = t->composite,
                                             .slice = slice,
                                             .regions = r,
                                             .region_count = sizeof r / sizeof *r,
                                             .args = &args,
                                             .on_done = out},
                  NULL);
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* In a run the kernels count; their costs are not known in advance. */
int htmt__volume_parcel_types(htmt__volume_shared *t)
{
    const struct htmt_machine *m = htmt_emulator_machine(t->e);
    const char *outer = m->layer[t->plan.outer].name, *middle = m->layer[t->plan.middle].name;
    bool model = t->model;
    const struct htmt_type_desc d[] = {
        {.name = "Subcube",
         .home = outer,
         .exec = m->layer[t->plan.inner].name,
         .assemble = {.cost = assemble_cost},
         .dispatch = {.cost = dispatch_cost},
         .execute = {.kernel = cast_kernel,
                     .cost = model ? cast_cost : NULL,
                     .parts = HTMT__CAST_PARTS},
         .retire = {.kernel = retire_kernel, .cost = retire_cost, .control = retire},
         .gates = HTMT_GATE(HTMT_DISPATCH),
         .code_words = t->plan.charges.code_words,
         .in_place = true,
         .departures = HTMT_DEPARTS_RESIDENT,
         .args_bytes = sizeof(struct htmt__volume_subcube_args),
         .result_bytes = HTMT__CAST_PARTS * sizeof(struct htmt__volume_cast_result),
         .user = t},
        {.name = "Composite",
         .home = outer,
         .exec = middle,
         .execute = {.kernel = composite_kernel, .cost = composite_cost},
         .footprint = HTMT_RESIDENT,
         .in_place = true,
         .args_bytes = sizeof(struct htmt__volume_composite_args),
         .user = t}};
    struct htmt_type **type[] = {&t->subcube, &t->composite};
    int rc = 0;
    for (size_t i = 0; i < sizeof d / sizeof *d && !rc; i++)
        rc = htmt_type_create(t->e, &d[i], type[i]);
    return rc;
}

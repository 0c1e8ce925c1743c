/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ray casting front to back (Hereld et al., section 3.2.4.2): the viewpoint goes to every slice;
 * the eye of a slice, in SPIM, sends slab after slab of its voxels up with the rays that it holds,
 * and what comes back says whether another is wanted. One slab waits in SRAM ahead of its turn.
 */
#include "tests/sketches/sketch.h"

#include <string.h>

/* Fibers of an eye: the view is here; it is read; a slab is back and rays live; a slab is back and
 * none does; the image is out. */
enum { VIEW = 1, LOOK, NEXT, ENOUGH, OUT, FIBERS = OUT };

struct scene {                          /* shared by all slices; written before the run only */
    uint32_t slices, rays, slabs, slab; /* slab: voxels of a ray in one */
    float limit;
    struct htmt_frame *view, *ray; /* SRAM */
    struct htmt_object *voxel[SKETCH_SLICES], *image[SKETCH_SLICES];
    struct htmt_type *eye, *cast, *composite;
    struct htmt_tree *announce;
    struct htmt_ref at[SKETCH_SLICES];
};

struct ray {
    float brightness, opacity;
};

struct eye {
    const struct scene *s;
    int32_t view;
    uint32_t sent; /* slabs assembled */
    struct htmt_ref waiting;
};

struct cast {
    const struct scene *s;
    int32_t view;
    struct htmt_slot next, enough;
};

static void view_kernel(struct htmt_kernel *k)
{
    const struct scene *s = ((const struct eye *)htmt_kernel_args(k))->s;
    memset(htmt_used(k, 1), 0, htmt_used_size(k, 1));
    *(int32_t *)htmt_kernel_result(k) = *(const int32_t *)htmt_used(k, 0);
    htmt_count(k, HTMT_STORE, s->rays);
}

/* Voxels lie ray after ray in layers of z; a voxel shines as much as it hides. */
static void cast_kernel(struct htmt_kernel *k)
{
    const struct cast *a = htmt_kernel_args(k);
    const struct scene *s = a->s;
    const float *voxel = htmt_bytes(k, 0);
    struct ray *ray = htmt_bytes(k, 1);
    uint32_t *alive = htmt_kernel_result(k);
    uint64_t samples = 0;
    for (uint32_t i = 0; i < s->rays; i++) {
        for (uint32_t n = 0; n < s->slab && ray[i].opacity < s->limit; n++, samples++) {
            uint32_t z = a->view > 0 ? n : s->slab - 1 - n;
            float seen = (1 - ray[i].opacity) * voxel[(uint64_t)z * s->rays + i];
            ray[i].brightness += seen * seen;
            ray[i].opacity += seen;
        }
        *alive += ray[i].opacity < s->limit;
    }
    htmt_count(k, HTMT_FLOP, 5 * samples);
}

static void composite_kernel(struct htmt_kernel *k)
{
    const struct ray *ray = htmt_bytes(k, 0);
    float *image = htmt_bytes(k, 1);
    uint64_t rays = htmt_size(k, 0) / sizeof *ray;
    for (uint64_t i = 0; i < rays; i++)
        image[i] = ray[i].brightness;
    htmt_count(k, HTMT_STORE, rays);
}

/* The next slab towards SRAM, where it waits for its dispatch; the rays join it there, as they are
 * when it is injected, and are left there when it comes back. */
static struct htmt_ref percolate(struct htmt_context *c, struct eye *eye)
{
    const struct scene *s = eye->s;
    uint32_t slice = htmt_slice(c), slab = eye->view > 0 ? eye->sent : s->slabs - 1 - eye->sent;
    uint64_t bytes = 4ul * s->slab * s->rays;
    struct htmt_addr rays = htmt_at(s->ray, slice, 0);
    struct htmt_region r[] = {{.from = htmt_in(s->voxel[slice], bytes * slab), .bytes = bytes},
                              {.from = rays, .to = rays, .bytes = sizeof(struct ray) * s->rays}};
    struct cast a = {s, eye->view, htmt_slot(c, NEXT), htmt_slot(c, ENOUGH)};
    struct htmt_ref none = {0}, parcel = none;
    if (eye->sent == s->slabs)
        return none;
    eye->sent++;
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){
                      .type = s->cast, .slice = slice, .regions = r, .region_count = 2, .args = &a},
                  &parcel);
    return parcel;
}

/* On the SPIM, with the rays back in SRAM; steered by how many the SPELL left alive. A model run
 * assumes that some are. */
static void cast_back(struct htmt_context *c)
{
    const struct cast *a = htmt_args(c);
    bool alive = htmt_is_model(c) || *(const uint32_t *)htmt_result(c);
    htmt_signal(c, alive ? a->next : a->enough);
}

static void composite(struct htmt_context *c)
{
    const struct scene *s = ((struct eye *)htmt_args(c))->s;
    uint32_t slice = htmt_slice(c);
    struct htmt_region r[] = {{.into = htmt_at(s->ray, slice, 0),
                               .bytes = sizeof(struct ray) * s->rays,
                               .read_only = true},
                              {.to = htmt_in(s->image[slice], 0), .bytes = 4ul * s->rays}};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = s->composite,
                                             .slice = slice,
                                             .regions = r,
                                             .region_count = 2,
                                             .on_done = htmt_slot(c, OUT)},
                  NULL);
}

static void next(struct htmt_context *c)
{
    struct eye *eye = htmt_args(c);
    if (htmt_ref_none(eye->waiting)) {
        composite(c);
        return;
    }
    htmt_dispatch(c, eye->waiting);
    eye->waiting = percolate(c, eye);
}

/* Enabled when the broadcast has come. */
static void view(struct htmt_context *c)
{
    const struct eye *eye = htmt_args(c);
    uint32_t slice = htmt_slice(c);
    htmt_use(c, htmt_at(eye->s->view, slice, 0), sizeof eye->view, HTMT_READ);
    htmt_use(c, htmt_at(eye->s->ray, slice, 0), sizeof(struct ray) * eye->s->rays, HTMT_WRITE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, LOOK));
}

/* Steered by the view. A model run looks along +z. */
static void look(struct htmt_context *c)
{
    struct eye *eye = htmt_args(c);
    eye->view = htmt_is_model(c) ? 1 : *(const int32_t *)htmt_result(c);
    eye->waiting = percolate(c, eye);
    next(c);
}

/* Every ray has ended: the slab that waits is not wanted. */
static void enough(struct htmt_context *c)
{
    struct eye *eye = htmt_args(c);
    if (!htmt_ref_none(eye->waiting))
        htmt_discard(c, eye->waiting);
    composite(c);
}

static void out(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

static void start(struct htmt_context *c)
{
    const struct scene *s = ((struct eye *)htmt_args(c))->s;
    struct htmt_slot arrived[SKETCH_SLICES];
    for (uint32_t i = 0; i < s->slices; i++)
        arrived[i] = htmt_slot_of(s->at[i], VIEW);
    if (htmt_slice(c) == 0)
        htmt_broadcast(c, s->announce, arrived);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int types(struct htmt_emulator *e, struct scene *s)
{
    const struct htmt_stage fibers[FIBERS] = {
        [VIEW - 1] = {.kernel = view_kernel, .control = view, .count = 1},
        [LOOK - 1] = {.control = look, .steered = true, .count = 1},
        [NEXT - 1] = {.control = next, .count = 1, .reset = 1},
        [ENOUGH - 1] = {.control = enough, .count = 1},
        [OUT - 1] = {.control = out, .count = 1}};
    const struct htmt_type_desc d[] = {{.name = "eye",
                                        .home = "sram",
                                        .exec = "sram",
                                        .execute = {.control = start},
                                        .footprint = HTMT_RESIDENT,
                                        .fibers = fibers,
                                        .fiber_count = FIBERS,
                                        .args_bytes = sizeof(struct eye),
                                        .result_bytes = sizeof(int32_t)},
                                       {.name = "cast",
                                        .home = "dram",
                                        .exec = "cram",
                                        .execute = {.kernel = cast_kernel},
                                        .retire = {.control = cast_back, .steered = true},
                                        .gates = HTMT_GATE(HTMT_DISPATCH),
                                        .args_bytes = sizeof(struct cast),
                                        .result_bytes = sizeof(uint32_t)},
                                       {.name = "composite",
                                        .home = "dram",
                                        .exec = "sram",
                                        .execute = {.kernel = composite_kernel},
                                        .in_place = true}};
    struct htmt_type **type[] = {&s->eye, &s->cast, &s->composite};
    int rc = 0;
    for (uint32_t i = 0; i < 3 && !rc; i++)
        rc = htmt_type_create(e, &d[i], type[i]);
    return rc;
}

static int places(struct htmt_emulator *e, struct scene *s, const struct volume_problem *p)
{
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    uint32_t sram = (uint32_t)htmt_emulator_layer(e, "sram");
    uint64_t voxels = (uint64_t)p->nz * p->rays;
    int rc = htmt_frame_create(e, sram, sizeof(int32_t), "view", &s->view);
    rc = rc ? rc : htmt_frame_create(e, sram, sizeof(struct ray) * p->rays, "rays", &s->ray);
    rc = rc ? rc
            : htmt_tree_create(
                  e, &(struct htmt_tree_desc){.frame = s->view, .bytes = 4, .name = "viewpoint"},
                  &s->announce);
    for (uint32_t i = 0; i < s->slices && !rc; i++) {
        rc = htmt_object_wrap(e, i, dram, p->voxel + voxels * i, 4 * voxels, voxels / 2 + 1,
                              "voxels", &s->voxel[i]);
        rc = rc ? rc
                : htmt_object_wrap(e, i, dram, p->brightness + (uint64_t)p->rays * i, 4ul * p->rays,
                                   p->rays / 2 + 1, "image", &s->image[i]);
    }
    return rc;
}

static int roots(struct htmt_emulator *e, struct scene *s, const struct volume_problem *p)
{
    struct eye eye = {.s = s};
    int32_t *view = htmt_object_bytes(htmt_at(s->view, 0, 0).object);
    int rc = 0;
    if (view)
        *view = p->view;
    for (uint32_t i = 0; i < s->slices && !rc; i++)
        rc = htmt_assemble(htmt_root(e),
                           &(struct htmt_parcel_desc){.type = s->eye, .slice = i, .args = &eye},
                           &s->at[i]);
    return rc;
}

int volume_sketch(struct htmt_emulator *e, const struct volume_problem *p)
{
    struct scene s = {.slices = htmt_emulator_slices(e),
                      .rays = p->rays,
                      .slabs = p->slab ? p->nz / p->slab : 0,
                      .slab = p->slab,
                      .limit = p->limit};
    if (s.slices > SKETCH_SLICES || !p->slab || p->nz % p->slab)
        return HTMT_EINVAL;
    int rc = types(e, &s);
    rc = rc ? rc : places(e, &s, p);
    rc = rc ? rc : roots(e, &s, p);
    return rc ? rc : htmt_emulator_run(e);
}

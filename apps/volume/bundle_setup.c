/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The set-up of a bundle on the DPIMs: its strips side by side, then one list.
 *
 * The rays alone of a bundle of 48 x 48 take a DPIM more than 200,000 operations. So its lines are
 * divided into up to eight strips, each a line of patches, and as many DPIMs set up rays and lists
 * of visits of a strip (type Strip). One then merges the lists (Merge), and the activation in DRAM
 * that ordered them (Itinerary) sends list, states and paths to the lane when that has room. For
 * example, a bundle of 20 x 20 rays has patches of 3 x 3 and seven strips, six of 3 lines and one
 * of 2.
 *
 * Each strip takes a word of DRAM for each subcube while it runs, for the place of a subcube in its
 * list. Activations that wait for a strip hold no such words, so strips may wait for room.
 *
 * In a model run no kernel runs. The visits follow from geometry, and the control of the Itinerary
 * computes them at once, for the charges of its strips and its merge.
 */
#include "apps/volume/shared.h"

#include <stdlib.h>

struct htmt__volume_bundle_setup htmt__volume_setup_of(const htmt__volume_shared *t,
                                                       const struct htmt__volume_camera *camera,
                                                       const uint8_t *invisible)
{
    return (struct htmt__volume_bundle_setup){&t->plan.subcubes, camera,
                                              t->work.casting,   &t->plan.tiling,
                                              invisible,         t->plan.problem.channels};
}

void htmt__volume_count(struct htmt_kernel *k, struct htmt_ops ops)
{
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        htmt_count(k, (enum htmt_op)i, ops.n[i]);
}

/* The paper of a cost file counts this work with the assembly of the parcels. */
static struct htmt_ops ops_of(const htmt__volume_shared *t,
                              const struct htmt__volume_visit_work *work)
{
    return t->plan.charges.from_file ? (struct htmt_ops){0}
                                     : htmt__volume_visit_list_ops(work, t->plan.problem.channels);
}

/* ---- Strip: rays and subcubes of some lines ------------------------------------------------- */

enum { CAMERA, INVISIBLE, PLACES, PATH, STATE, LIST };

static void strip_kernel(struct htmt_kernel *k)
{
    const struct htmt__volume_strip_args *a = htmt_kernel_args(k);
    htmt_constants(k, a->t, sizeof *a->t);
    htmt_constants(k, a->t->work.casting, sizeof *a->t->work.casting);
    struct htmt__volume_bundle_setup setup =
        htmt__volume_setup_of(a->t, htmt_bytes(k, CAMERA), htmt_bytes(k, INVISIBLE));
    struct htmt__volume_visit_work work;
    htmt__volume_visit_list_make(&setup, &a->tile, a->first, a->end, htmt_bytes(k, PATH),
                                 htmt_bytes(k, STATE), htmt_bytes(k, PLACES), htmt_bytes(k, LIST),
                                 &work);
    htmt__volume_count(k, ops_of(a->t, &work));
}

static void strip_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__volume_strip_args *a = args;
    (void)user;
    *ops = ops_of(a->t, &a->work);
}

/* ---- Merge: one list ------------------------------------------------------------------------ */

enum { VIEW, PARTS, SCRATCH, MERGED };

static void merge_kernel(struct htmt_kernel *k)
{
    const struct htmt__volume_visit_list_args *i = htmt_kernel_args(k);
    const htmt__volume_shared *t = i->t;
    htmt_constants(k, t, sizeof *t);
    htmt_constants(k, t->work.casting, sizeof *t->work.casting);
    struct htmt__volume_bundle_setup setup = htmt__volume_setup_of(t, htmt_bytes(k, VIEW), NULL);
    struct htmt__volume_visit_work work;
    htmt__volume_visit_list_merge(
        &setup, htmt_bytes(k, PARTS), htmt__volume_strip_count(&t->plan.tiling, &i->tile),
        htmt__volume_list_bytes(t), htmt_bytes(k, SCRATCH), htmt_bytes(k, MERGED), &work);
    htmt__volume_count(k, ops_of(t, &work));
}

static void merge_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__volume_visit_list_args *i = args;
    (void)user;
    *ops = ops_of(i->t, &i->work);
}

static void merge(struct htmt_context *c)
{
    const struct htmt__volume_visit_list_args *i = htmt_args(c);
    const htmt__volume_shared *t = i->t;
    const struct htmt__volume_staging *s = &t->lane[i->lane].staging[i->staging];
    uint32_t slice = htmt_slice(c);
    uint64_t list = htmt__volume_list_bytes(t);
    struct htmt_region r[] = {[VIEW] = {.into = htmt_at(t->view, slice, 0),
                                        .bytes = sizeof(struct htmt__volume_camera),
                                        .read_only = true},
                              [PARTS] = {.into = htmt_at(s->parts, slice, 0),
                                         .bytes = HTMT__PATCHES * list,
                                         .read_only = true},
                              [SCRATCH] = {.bytes = t->plan.subcubes.all * sizeof(uint64_t)},
                              [MERGED] = {.into = htmt_at(s->list, slice, 0), .bytes = list}};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = t->merge,
                                             .slice = slice,
                                             .regions = r,
                                             .region_count = sizeof r / sizeof *r,
                                             .args = i,
                                             .on_done = htmt_slot(c, HTMT__MERGED)},
                  NULL);
}

/* ---- Itinerary: strips, merge, and up to the lane ------------------------------------------- */

/* Model runs: the visits follow from geometry and are computed here. */
struct scratch {
    uint64_t *places;                     /* zeros for merging */
    struct htmt__volume_visit_list *part; /* of each strip */
};

/* The strips of a bundle. A model run computes the work of each, and its list. */
static void begin_strips(struct htmt_context *c, const struct htmt__volume_visit_list_args *i,
                         const struct scratch *s)
{
    const htmt__volume_shared *t = i->t;
    const struct htmt__volume_staging *g = &t->lane[i->lane].staging[i->staging];
    const uint32_t slice = htmt_slice(c), side = t->plan.tiling.side, height = i->tile.height;
    const uint32_t lines = htmt__volume_strip_lines(&t->plan.tiling);
    const uint64_t state = htmt__volume_state_bytes(t->plan.problem.channels);
    const uint64_t path = sizeof(struct htmt__volume_path), list = htmt__volume_list_bytes(t);
    struct htmt__volume_visit_list *part = s->part;
    htmt_slot_set(c, HTMT__MERGE, htmt__volume_strip_count(&t->plan.tiling, &i->tile), 0);
    for (uint32_t first = 0; first < height; first += lines) {
        uint32_t end = first + lines < height ? first + lines : height;
        struct htmt__volume_strip_args a = {.t = t, .tile = i->tile, .first = first, .end = end};
        if (t->model) {
            struct htmt__volume_bundle_setup setup =
                htmt__volume_setup_of(t, &t->work.camera[i->frame], NULL);
            htmt__volume_visit_list_make(&setup, &i->tile, first, end, NULL, NULL, s->places, part,
                                         &a.work);
            part = (void *)((char *)part + list);
            htmt__volume_keep_largest(
                &htmt__volume_slice(c, t)->did.strip,
                &(struct htmt__volume_largest){a.work,
                                               htmt__volume_bundle_number(t, i->frame, &i->tile)});
        }
        const uint64_t before = (uint64_t)first * side, rays = (uint64_t)(end - first) * side;
        struct htmt_region r[] = {
            [CAMERA] = {.into = htmt_at(t->view, slice, 0),
                        .bytes = sizeof(struct htmt__volume_camera),
                        .read_only = true},
            [INVISIBLE] = {.into = htmt_in(t->invisible[slice], 0),
                           .bytes = t->plan.subcubes.all,
                           .read_only = true},
            [PLACES] = {.bytes = t->plan.subcubes.all * sizeof(uint64_t)},
            [PATH] = {.into = htmt_at(g->path, slice, before * path), .bytes = rays * path},
            [STATE] = {.into = htmt_at(g->state, slice, before * state), .bytes = rays * state},
            [LIST] = {.into = htmt_at(g->parts, slice, first / lines * list), .bytes = list}};
        htmt_assemble(c,
                      &(struct htmt_parcel_desc){.type = t->strip,
                                                 .slice = slice,
                                                 .regions = r,
                                                 .region_count = sizeof r / sizeof *r,
                                                 .args = &a,
                                                 .on_done = htmt_slot(c, HTMT__MERGE)},
                      NULL);
    }
}

static void begin(struct htmt_context *c)
{
    struct htmt__volume_visit_list_args *i = htmt_args(c);
    const htmt__volume_shared *t = i->t;
    struct scratch s = {0};
    if (!t->model) {
        begin_strips(c, i, &s);
        return;
    }
    s.places = calloc(t->plan.subcubes.all, sizeof *s.places);
    s.part = malloc(HTMT__PATCHES * htmt__volume_list_bytes(t));
    if (s.places && s.part) {
        struct htmt__volume_bundle_setup setup =
            htmt__volume_setup_of(t, &t->work.camera[i->frame], NULL);
        begin_strips(c, i, &s);
        htmt__volume_visit_list_merge(
            &setup, s.part, htmt__volume_strip_count(&t->plan.tiling, &i->tile),
            htmt__volume_list_bytes(t), s.places,
            htmt__volume_model_list(t, htmt_slice(c), i->lane, i->staging), &i->work);
        htmt__volume_keep_largest(&htmt__volume_slice(c, t)->did.merge,
                                  &(struct htmt__volume_largest){
                                      i->work, htmt__volume_bundle_number(t, i->frame, &i->tile)});
    } else {
        htmt_fail(c, HTMT_ENOMEM, "no host memory for the visits of a bundle");
    }
    free(s.places);
    free(s.part);
}

/* The number of visits, in front of the list. */
static void length_kernel(struct htmt_kernel *k)
{
    const struct htmt__volume_visit_list *list = htmt_used(k, 0);
    *(uint64_t *)htmt_kernel_result(k) = list->count;
}

static void length_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    *ops = (struct htmt_ops){0};
}

static void merged(struct htmt_context *c)
{
    const struct htmt__volume_visit_list_args *i = htmt_args(c);
    const struct htmt__volume_staging *s = &i->t->lane[i->lane].staging[i->staging];
    htmt_use(c, htmt_at(s->list, htmt_slice(c), 0), sizeof(struct htmt__volume_visit_list),
             HTMT_READ);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, HTMT__SEND));
}

/* Steered by the length of the list. */
static void send(struct htmt_context *c)
{
    const struct htmt__volume_visit_list_args *i = htmt_args(c);
    const htmt__volume_shared *t = i->t;
    const struct htmt__volume_lane_frames *f = &t->lane[i->lane];
    const struct htmt__volume_staging *s = &f->staging[i->staging];
    const struct htmt_frame *from[] = {s->list, s->state, s->path};
    const struct htmt_frame *to[] = {f->list, f->state, f->path};
    uint64_t visits = t->model ? i->work.visits : *(const uint64_t *)htmt_result(c);
    uint64_t rays = (uint64_t)i->tile.width * i->tile.height, side = t->plan.tiling.side;
    uint64_t ray[] = {0, htmt__volume_state_bytes(t->plan.problem.channels),
                      sizeof(struct htmt__volume_path)};
    uint64_t bytes[] = {sizeof(struct htmt__volume_visit_list) +
                            visits * sizeof(struct htmt__volume_visit),
                        rays * ray[1], rays * ray[2]};
    uint64_t words[] = {bytes[0] / HTMT_WORD, rays * htmt__volume_state_words(&t->plan),
                        rays * htmt__volume_path_words()};
    for (int n = 0; n < (t->plan.problem.rays_in_dram ? 2 : 3); n++) {
        struct htmt_put put = {.src = htmt_at(from[n], htmt_slice(c), 0),
                               .dst = htmt_at(to[n], htmt_slice(c), 0),
                               .bytes = bytes[n],
                               .words = words[n],
                               .on_arrived = i->ready};
        if (n)
            put.src_pieces = put.dst_pieces =
                (struct htmt_pieces){.bytes = i->tile.width * ray[n],
                                     .count = i->tile.height,
                                     .stride = (int64_t)(side * ray[n])};
        htmt_put(c, &put);
    }
    htmt_retire(c, htmt_self(c));
}

void htmt__volume_assemble_visit_list(struct htmt_context *c,
                                      const struct htmt__volume_visit_list_args *args,
                                      struct htmt_ref *ref)
{
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){
                      .type = args->t->visit_list, .slice = htmt_slice(c), .args = args},
                  ref);
}

/* ---- set-up --------------------------------------------------------------------------------- */

int htmt__volume_bundle_setup_types(htmt__volume_shared *t)
{
    const char *outer = htmt_emulator_machine(t->e)->layer[t->plan.outer].name;
    const struct htmt_stage fibers[HTMT__VISIT_LIST_FIBERS] = {
        [HTMT__MERGE - 1] = {.control = merge},
        [HTMT__MERGED -
            1] = {.kernel = length_kernel, .cost = length_cost, .control = merged, .count = 1},
        [HTMT__SEND - 1] = {.control = send, .steered = true, .count = 2},
    };
    static const char *const names[HTMT__VISIT_LIST_FIBERS] = {
        [HTMT__MERGE - 1] = "merge", [HTMT__MERGED - 1] = "merged", [HTMT__SEND - 1] = "send"};
    const struct htmt_type_desc visit_list = {.size = sizeof visit_list,
                                              .name = "Itinerary",
                                              .home = outer,
                                              .exec = outer,
                                              .execute = {.control = begin},
                                              .footprint = HTMT_RESIDENT,
                                              .fibers = fibers,
                                              .fiber_count = HTMT__VISIT_LIST_FIBERS,
                                              .fiber_names = names,
                                              .gates = HTMT_GATE(HTMT_RETIRE),
                                              .args_bytes =
                                                  sizeof(struct htmt__volume_visit_list_args),
                                              .result_bytes = sizeof(uint64_t)};
    const struct htmt_type_desc strip = {
        .name = "Strip",
        .home = outer,
        .exec = outer,
        .execute = {.kernel = strip_kernel, .cost = t->model ? strip_cost : NULL},
        .footprint = HTMT_RESIDENT,
        .args_bytes = sizeof(struct htmt__volume_strip_args)};
    const struct htmt_type_desc merge_type = {
        .name = "Merge",
        .home = outer,
        .exec = outer,
        .execute = {.kernel = merge_kernel, .cost = t->model ? merge_cost : NULL},
        .footprint = HTMT_RESIDENT,
        .args_bytes = sizeof(struct htmt__volume_visit_list_args)};
    int rc = htmt_type_create(t->e, &visit_list, &t->visit_list);
    if (!rc)
        rc = htmt_type_create(t->e, &strip, &t->strip);
    return rc ? rc : htmt_type_create(t->e, &merge_type, &t->merge);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/closed_form.h"

#include "apps/volume/counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Rays beyond which bundles are picked. */
#define RAYS_MOST 1000000

typedef struct htmt__volume_prediction prediction;

/* What the parts below look at. */
struct form {
    const struct htmt_machine *m;
    const struct htmt__volume_plan *p;
    const struct htmt__volume_load *load;
    uint64_t voxels, rays, samples; /* of the average parcel, rounded */
};

static uint64_t average(uint64_t all, uint64_t parcels)
{
    return parcels ? htmt__volume_share(1, all, parcels) : 0;
}

/* ---- load ----------------------------------------------------------------------------------- */

struct htmt__volume_load htmt__volume_load_of(const struct htmt__volume_tally *t)
{
    return (struct htmt__volume_load){.parcels = t->dispatched,
                                      .bundles = t->bundles,
                                      .voxels = t->voxels,
                                      .rays = t->rays,
                                      .samples = t->taken,
                                      .crossings = t->rays,
                                      .visits = t->visits,
                                      .longest = t->longest};
}

static void add_visits(const struct htmt__volume_plan *p, const struct htmt__tile *tile,
                       const struct htmt__list *list, struct htmt_ratio alpha,
                       struct htmt__volume_load *load)
{
    for (uint64_t n = 0; n < list->count; n++) {
        const struct htmt__visit *v = &list->visit[n];
        struct htmt__subcube c = htmt__subcube_at(&p->subcubes, v->subcube);
        struct htmt__tile box = htmt__patches_box(&p->tiling, tile, v->patches);
        load->voxels += htmt__subcube_voxels(&c);
        load->rays += (uint64_t)box.width * box.height;
        load->samples += alpha.num ? htmt__volume_samples(alpha, &c) : v->samples;
    }
    load->parcels += list->count;
    load->visits += list->count;
    load->longest = list->count > load->longest ? list->count : load->longest;
}

static void scale(struct htmt__volume_load *load, uint64_t bundles)
{
    uint64_t *all[] = {&load->parcels, &load->voxels,    &load->rays,
                       &load->samples, &load->crossings, &load->visits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = htmt__volume_share(*all[i], bundles, load->bundles);
    load->bundles = bundles;
}

static void add_frame(const struct htmt__volume_plan *p, const struct htmt__itinerary *way,
                      uint32_t every, uint64_t *places, struct htmt__list *list,
                      struct htmt_ratio alpha, struct htmt__volume_load *load)
{
    for (uint32_t n = every / 2; n < p->bundles; n += every) {
        struct htmt__tile tile = htmt__tiling_at(&p->tiling, n);
        struct htmt__itinerary_work work;
        htmt__itinerary_make(way, &tile, 0, tile.height, NULL, NULL, places, list, &work);
        add_visits(p, &tile, list, alpha, load);
        load->crossings += work.crossings;
        load->bundles++;
    }
}

int htmt__volume_load_estimate(const struct htmt__volume_plan *p, const struct htmt__camera *camera,
                               const struct htmt__casting *casting, struct htmt_ratio alpha,
                               struct htmt__volume_load *out, struct htmt_fault *fault)
{
    const struct htmt__volume_problem *o = &p->problem;
    uint64_t all = (uint64_t)o->width * o->height * o->frames;
    uint32_t every = (uint32_t)(all / RAYS_MOST + 1), most = 1;
    struct htmt__volume_load load = {0};
    every = every < p->bundles ? every : p->bundles;
    struct htmt__itinerary way = {&p->subcubes, NULL, casting, &p->tiling, NULL, o->channels};
    for (uint32_t i = 0; i < o->frames; i++) {
        way.camera = &camera[i];
        uint32_t visits = htmt__itinerary_most(&way);
        most = visits > most ? visits : most;
    }
    uint64_t *places = calloc(p->subcubes.all, sizeof *places);
    struct htmt__list *list = malloc(sizeof *list + most * sizeof *list->visit);
    for (uint32_t i = 0; i < o->frames && places && list; i++) {
        way.camera = &camera[i];
        add_frame(p, &way, every, places, list, alpha, &load);
    }
    bool done = places && list;
    free(places);
    free(list);
    if (!done)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for an itinerary of %u visits",
                              most);
    scale(&load, (uint64_t)p->bundles * o->frames);
    *out = load;
    return 0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* counts.h, of a parcel that need not be a cube. */
static uint64_t voxel_words(const struct form *f)
{
    const struct htmt__volume_plan *p = f->p;
    struct htmt__subcube c = htmt__subcube_at(&p->subcubes, 0);
    uint64_t map = htmt__volume_voxel_words(p, &c) -
                   htmt__volume_ceil(htmt__subcube_voxels(&c) * p->voxel_bytes, HTMT_WORD);
    return htmt__volume_ceil(f->voxels * p->voxel_bytes, HTMT_WORD) +
           map * f->voxels / htmt__subcube_voxels(&c);
}

static uint64_t inject_words(const struct form *f)
{
    uint64_t ray = htmt__volume_path_words() + htmt__volume_state_words(f->p);
    return f->p->charges.code_words + voxel_words(f) + ray * f->rays;
}

static uint64_t gather_words(const struct form *f)
{
    uint64_t ray = f->p->problem.rays_in_dram ? htmt__volume_dram_words(f->p) : 0;
    return f->p->charges.code_words + voxel_words(f) + ray * f->rays;
}

/* Of the image, or what a cost file says. */
static uint64_t scatter_words(const struct form *f)
{
    const struct htmt__volume_problem *o = &f->p->problem;
    uint64_t bytes = (uint64_t)o->width * o->height * o->frames * o->channels * sizeof(float);
    if (f->p->charges.from_file)
        return f->p->charges.scatter_words;
    return htmt__volume_ceil(average(bytes, f->load->parcels), HTMT_WORD);
}

static struct htmt__volume_step serve(const struct form *f, uint32_t layer, struct htmt_ops ops)
{
    htmt_time time = htmt_machine_work(f->m, layer, &ops);
    return (struct htmt__volume_step){0, time, time, htmt_machine_servers(f->m, layer)};
}

static struct htmt__volume_step move(const struct form *f, uint32_t network, uint32_t from,
                                     uint32_t to, uint64_t words)
{
    const struct htmt_network *n = &f->m->network[network];
    htmt_time out = htmt_machine_out_time(f->m, network, from, to, words, 1, 1), length;
    htmt_time in = htmt_machine_in_time(f->m, network, to, words, 1);
    htmt_time longest = out > in ? out : in;
    if (out < 0 || in < 0 || __builtin_add_overflow(longest, n->latency, &length))
        length = out = -1;
    uint32_t channels = n->port[from].out ? n->port[from].out : 1;
    return (struct htmt__volume_step){words, out, words ? length : 0, channels};
}

/* As if the average parcel were a subcube of its own. */
static struct htmt_ops assemble_ops(const struct form *f)
{
    const struct htmt__volume_charges *k = &f->p->charges;
    struct htmt__subcube none = {0};
    struct htmt_ops ops = htmt__volume_assemble_ops(f->p, &none, 0);
    uint64_t whole = k->code_words + 2 * k->ray_words * k->rays +
                     htmt__volume_ceil(k->edge * k->edge * k->edge * k->voxel_bytes, HTMT_WORD);
    uint64_t part = inject_words(f) + htmt__volume_eject_words(f->p) * f->rays;
    if (k->from_file)
        ops.n[HTMT_CYCLE] = htmt__volume_share(k->assemble, part, whole);
    return ops;
}

static void evaluate(const struct form *f, struct htmt__volume_step *s)
{
    const struct htmt__volume_plan *p = f->p;
    struct htmt__cast_work work = {.rays = f->rays, .taken = f->samples};
    struct htmt__shading none = {.on = false};
    uint64_t lines = (uint64_t)sqrt((double)f->rays);
    s[HTMT__VOLUME_ASSEMBLE] = serve(f, p->outer, assemble_ops(f));
    s[HTMT__VOLUME_GATHER] = move(f, p->down, p->outer, p->middle, gather_words(f));
    s[HTMT__VOLUME_DISPATCH] = serve(f, p->middle, htmt__volume_dispatch_ops(p, f->rays, lines));
    s[HTMT__VOLUME_INJECT] = move(f, p->up, p->middle, p->inner, inject_words(f));
    s[HTMT__VOLUME_CAST] = serve(f, p->inner, htmt__volume_cast_ops(p, &work, &none));
    s[HTMT__VOLUME_EJECT] =
        move(f, p->up, p->inner, p->middle, htmt__volume_eject_words(p) * f->rays);
    s[HTMT__VOLUME_RETIRE] = serve(f, p->middle, htmt__volume_retire_ops(p, f->rays));
    s[HTMT__VOLUME_SCATTER] = move(f, p->down, p->middle, p->outer, scatter_words(f));
}

static bool overflows(const struct htmt__volume_step *s)
{
    for (int i = 0; i < HTMT__VOLUME_STAGES; i++)
        if (s[i].busy < 0 || s[i].length < 0)
            return true;
    return false;
}

/* ---- pipeline ------------------------------------------------------------------------------- */

static htmt_wide longer(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

static htmt_wide in_cram(const struct htmt__volume_step *s)
{
    return (htmt_wide)s[HTMT__VOLUME_INJECT].length + s[HTMT__VOLUME_CAST].length +
           s[HTMT__VOLUME_EJECT].length;
}

/* From dispatch to retire. */
static htmt_wide under_way(const struct htmt__volume_step *s)
{
    return in_cram(s) + s[HTMT__VOLUME_DISPATCH].length + s[HTMT__VOLUME_RETIRE].length;
}

static htmt_wide percolation(const struct htmt__volume_step *s)
{
    return (htmt_wide)s[HTMT__VOLUME_ASSEMBLE].length + s[HTMT__VOLUME_GATHER].length;
}

/* Of one lane, from one parcel of a bundle to the next. */
static htmt_wide stride_of(const struct htmt__volume_step *s)
{
    return longer(under_way(s), (percolation(s) + under_way(s)) / 2);
}

static htmt_wide period_of(const struct htmt__volume_plan *p, const struct htmt__volume_step *s)
{
    htmt_wide period = in_cram(s) / (htmt_wide)(p->fit ? p->fit : 1);
    for (int i = 0; i < HTMT__VOLUME_STAGES; i++)
        period = longer(period, s[i].busy / (htmt_time)s[i].parallel);
    return longer(period, stride_of(s) / p->lanes);
}

/* The first two percolate side by side. */
static htmt_wide chain_of(const struct htmt__volume_step *s, uint64_t parcels)
{
    return parcels ? percolation(s) + under_way(s) + (htmt_wide)(parcels - 1) * stride_of(s) : 0;
}

/* With room for one parcel its inject and eject are part of the period. */
static htmt_wide pipeline_of(const struct htmt__volume_plan *p, const struct htmt__volume_step *s,
                             htmt_wide period, uint64_t parcels)
{
    htmt_wide ends = (htmt_wide)s[HTMT__VOLUME_ASSEMBLE].length + s[HTMT__VOLUME_GATHER].length +
                     s[HTMT__VOLUME_DISPATCH].length + s[HTMT__VOLUME_RETIRE].length +
                     s[HTMT__VOLUME_SCATTER].length;
    if (p->fit > 1)
        ends += (htmt_wide)s[HTMT__VOLUME_INJECT].length + s[HTMT__VOLUME_EJECT].length;
    return parcels ? ends + period * (htmt_wide)parcels : 0;
}

/* From the broadcast to the first list in SRAM; -1: overflow. */
static htmt_wide opening(const struct form *f)
{
    const struct htmt__volume_plan *p = f->p;
    const struct htmt__volume_load *l = f->load;
    uint64_t rays = (uint64_t)p->tiling.side * p->tiling.side, bundles = l->bundles;
    struct htmt__itinerary_work work = {.rays = rays / HTMT__PATCHES,
                                        .crossings = average(l->crossings, bundles) / HTMT__PATCHES,
                                        .visits = average(l->visits, bundles)};
    struct htmt_ops ops = htmt__itinerary_ops(&work, p->problem.channels);
    if (p->charges.from_file)
        ops = (struct htmt_ops){0};
    uint64_t ray =
        htmt__volume_state_words(p) + (p->problem.rays_in_dram ? 0 : htmt__volume_path_words());
    uint64_t words = 1 + 3 * work.visits + ray * rays;
    struct htmt__volume_step list = move(f, p->down, p->outer, p->middle, words);
    struct htmt__volume_step way = serve(f, p->outer, ops);
    if (way.length < 0 || list.length < 0)
        return -1;
    return (htmt_wide)way.length + list.length;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void total(const struct form *f, htmt_wide start, prediction *p)
{
    uint64_t frames = f->p->problem.frames ? f->p->problem.frames : 1;
    uint64_t parcels = htmt__volume_ceil(f->load->parcels, frames * f->p->slices);
    p->period = period_of(f->p, p->step);
    p->pipeline = pipeline_of(f->p, p->step, p->period, parcels);
    p->chain = chain_of(p->step, f->load->longest);
    p->total = (htmt_wide)frames * (start + longer(p->pipeline, p->chain));
}

int htmt__volume_predict(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                         const struct htmt__volume_load *load, prediction *out,
                         struct htmt_fault *fault)
{
    struct form f = {.m = m,
                     .p = plan,
                     .load = load,
                     .voxels = average(load->voxels, load->parcels),
                     .rays = average(load->rays, load->parcels),
                     .samples = average(load->samples, load->parcels)};
    *out = (prediction){.load = *load, .voxels = f.voxels, .samples = f.samples};
    evaluate(&f, out->step);
    htmt_wide start = opening(&f);
    if (overflows(out->step) || start < 0)
        return htmt_fault_set(fault, HTMT_EOVERFLOW,
                              "machine %s: a stage of a parcel of %" PRIu64 " voxels takes more "
                              "than 9223 s",
                              m->name, f.voxels);
    total(&f, start, out);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The amount of work of a rendering, from its views.
 *
 * Every bundle is set up as the program would do it, ray by ray, and its list of visits says which
 * parcels follow. That takes about as long as a model run's set-up, too long for large images. So,
 * beyond a million rays, one line of a strip stands for all its lines: neighbouring lines cross the
 * same subcubes, and their samples are multiplied. Beyond two million rays of such lines, bundles
 * are picked evenly, and slices then count as equally full.
 */
#include "apps/volume/closed_form.h"

#include "apps/volume/counts.h"

#include <stdlib.h>

/* Rays beyond which lines are picked; rays of these lines beyond which bundles are picked; rays
 * left. */
#define RAYS_MOST  1000000
#define LINES_MOST 2000000
#define PICKED     250000

struct survey {
    const struct htmt__volume_plan *p;
    struct htmt__volume_bundle_setup setup;
    struct htmt_ratio alpha;
    bool lines;     /* one for each strip */
    uint32_t every; /* one bundle out of this number */
    uint32_t most;  /* visits */
    uint64_t *places;
    struct htmt__volume_visit_list *part, *list;
    struct htmt__volume_part *slice;
    uint64_t *asked; /* of each slice */
    struct htmt__volume_load load;
};

static uint64_t list_bytes(const struct survey *s)
{
    return sizeof *s->list + s->most * sizeof *s->list->visit;
}

static void add_bundle(struct survey *s, uint32_t bundle)
{
    const struct htmt__volume_plan *p = s->p;
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&p->tiling, bundle);
    struct htmt__volume_part all = {0};
    struct htmt__volume_visit_work merge;
    uint32_t strips = htmt__volume_strip_count(&p->tiling, &tile);
    uint32_t lines = htmt__volume_strip_lines(&p->tiling);
    for (uint32_t i = 0; i < strips; i++) {
        uint32_t first = i * lines, end = first + lines < tile.height ? first + lines : tile.height;
        uint32_t times = s->lines ? end - first : 1, /* one line counts as the whole strip */
            from = s->lines ? first + (end - first) / 2 : first;
        struct htmt__volume_visit_list *part = (void *)((char *)s->part + i * list_bytes(s));
        struct htmt__volume_visit_work work;
        htmt__volume_visit_list_make(&s->setup, &tile, from, s->lines ? from + 1 : end, NULL, NULL,
                                     s->places, part, &work);
        for (uint64_t n = 0; n < part->count; n++)
            part->visit[n].samples *= times;
        work.rays *= times;
        work.crossings *= times;
        s->load.strip = *htmt__volume_visit_work_longer(&s->load.strip, &work);
    }
    htmt__volume_visit_list_merge(&s->setup, s->part, strips, list_bytes(s), s->places, s->list,
                                  &merge);
    for (uint64_t n = 0; n < s->list->count; n++) {
        const struct htmt__volume_visit *v = &s->list->visit[n];
        struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, v->subcube);
        struct htmt__volume_tile box = htmt__volume_patches_box(&p->tiling, &tile, v->patches);
        struct htmt__volume_part one = {.parcels = 1,
                                        .voxels = htmt__volume_subcube_voxels(&c),
                                        .rays = (uint64_t)box.width * box.height,
                                        .samples = s->alpha.num ? htmt__volume_samples(s->alpha, &c)
                                                                : v->samples};
        htmt__volume_part_add(&all, &one);
        s->asked[htmt__volume_home(p, v->subcube).slice] += htmt__volume_voxel_words(p, &c);
    }
    s->load.merge = *htmt__volume_visit_work_longer(&s->load.merge, &merge);
    if (all.parcels > s->load.longest.parcels)
        s->load.longest = all;
    htmt__volume_part_add(&s->slice[htmt__volume_bundle_owner(p, bundle)], &all);
    s->load.bundles++;
}

/* The sums of all slices. If bundles were picked, they are scaled to all bundles, and slices count
 * as equally full. */
static void sum_up(struct survey *s)
{
    struct htmt__volume_load *l = &s->load;
    struct htmt__volume_part all = {0}, *full = &l->fullest;
    uint64_t bundles = (uint64_t)s->p->bundles * s->p->problem.frames, picked = l->bundles;
    for (uint32_t i = 0; i < s->p->slices; i++) {
        htmt__volume_part_add(&all, &s->slice[i]);
        l->asked = s->asked[i] > l->asked ? s->asked[i] : l->asked;
        if (s->slice[i].samples >= full->samples)
            *full = s->slice[i];
    }
    l->parcels = all.parcels;
    l->voxels = all.voxels;
    l->rays = all.rays;
    l->samples = all.samples;
    if (s->every == 1)
        return;
    uint64_t *sum[] = {&l->parcels, &l->voxels, &l->rays, &l->samples};
    uint64_t *share[] = {&full->parcels, &full->voxels, &full->rays, &full->samples};
    for (size_t i = 0; i < sizeof sum / sizeof *sum; i++) {
        *sum[i] = htmt__volume_share(*sum[i], bundles, picked);
        *share[i] = htmt__volume_share(*sum[i], 1, s->p->slices);
    }
    l->asked = 0;
    l->bundles = bundles;
}

int htmt__volume_load_estimate(const struct htmt__volume_plan *p,
                               const struct htmt__volume_camera *camera,
                               const struct htmt__volume_casting *casting, const uint8_t *invisible,
                               struct htmt_ratio alpha, struct htmt__volume_load *load,
                               struct htmt_fault *fault)
{
    const struct htmt__volume_problem *o = &p->problem;
    uint64_t rays = (uint64_t)o->width * o->height * o->frames;
    struct survey s = {.p = p, .alpha = alpha, .lines = rays > RAYS_MOST, .most = 1};
    uint64_t picked = rays / htmt__volume_strip_lines(&p->tiling);
    uint64_t every = picked > LINES_MOST ? picked / PICKED : 1;
    s.every = every < p->bundles ? (uint32_t)every : p->bundles;
    s.setup = (struct htmt__volume_bundle_setup){&p->subcubes, NULL,      casting,
                                                 &p->tiling,   invisible, o->channels};
    for (uint32_t i = 0; i < o->frames; i++) {
        s.setup.camera = &camera[i];
        uint32_t visits = htmt__volume_visit_list_most(&s.setup);
        s.most = visits > s.most ? visits : s.most;
    }
    s.places = calloc(p->subcubes.all, sizeof *s.places);
    s.list = malloc(list_bytes(&s));
    s.part = malloc(HTMT__PATCHES * list_bytes(&s));
    s.slice = calloc(p->slices, sizeof *s.slice);
    s.asked = calloc(p->slices, sizeof *s.asked);
    int rc = 0;
    if (!s.places || !s.list || !s.part || !s.slice || !s.asked)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a visit list of %u visits",
                            s.most);
    for (uint32_t i = 0; i < o->frames && !rc; i++) {
        s.setup.camera = &camera[i];
        for (uint32_t n = s.every / 2; n < p->bundles; n += s.every)
            add_bundle(&s, n);
    }
    if (!rc) {
        sum_up(&s);
        *load = s.load;
    }
    free(s.places);
    free(s.list);
    free(s.part);
    free(s.slice);
    free(s.asked);
    return rc;
}

void htmt__volume_load_measure(const struct htmt__volume_tally *t, struct htmt__volume_load *l)
{
    l->parcels = t->dispatched;
    l->voxels = t->voxels;
    l->rays = t->rays;
    l->samples = t->taken;
    l->bundles = t->bundles;
    l->fullest = t->fullest;
    l->longest = t->longest;
    l->asked = t->asked;
    if (t->strip.rays)
        l->strip = t->strip;
    if (t->merge.merged)
        l->merge = t->merge;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* qsort_r */
#include "apps/volume/visit_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tiles ---------------------------------------------------------------------------------- */

uint32_t htmt__volume_tiling_count(const struct htmt__volume_tiling *t)
{
    return htmt__volume_tiling_columns(t) * ((t->height + t->side - 1) / t->side);
}

struct htmt__volume_tile htmt__volume_tiling_at(const struct htmt__volume_tiling *t,
                                                uint32_t bundle)
{
    uint32_t columns = htmt__volume_tiling_columns(t);
    struct htmt__volume_tile tile = {.x = bundle % columns * t->side,
                                     .y = bundle / columns * t->side};
    tile.width = t->width - tile.x < t->side ? t->width - tile.x : t->side;
    tile.height = t->height - tile.y < t->side ? t->height - tile.y : t->side;
    return tile;
}

struct htmt__volume_tile htmt__volume_patches_box(const struct htmt__volume_tiling *t,
                                                  const struct htmt__volume_tile *tile,
                                                  uint64_t patches)
{
    uint32_t side = htmt__volume_strip_lines(t);
    uint32_t low[2] = {HTMT__PATCHES, HTMT__PATCHES}, high[2] = {0, 0};
    for (uint32_t n = 0; n < HTMT__PATCHES * HTMT__PATCHES; n++) {
        uint32_t at[2] = {n % HTMT__PATCHES, n / HTMT__PATCHES};
        for (int i = 0; i < 2 && (patches >> n & 1); i++) {
            low[i] = at[i] < low[i] ? at[i] : low[i];
            high[i] = at[i] + 1 > high[i] ? at[i] + 1 : high[i];
        }
    }
    if (!patches)
        return (struct htmt__volume_tile){0};
    uint32_t right = high[0] * side < tile->width ? high[0] * side : tile->width;
    uint32_t lower = high[1] * side < tile->height ? high[1] * side : tile->height;
    return (struct htmt__volume_tile){low[0] * side, low[1] * side, right - low[0] * side,
                                      lower - low[1] * side};
}

/* ---- crossings ------------------------------------------------------------------------------ */

/* A ray that goes from subcube to subcube as in the algorithm of Amanatides and Woo, but by
 * samples: it changes the subcube along an axis with the first sample beyond the face. */
struct traversal {
    const struct htmt__volume_subcubes *s;
    const struct htmt__volume_ray *ray;
    int32_t at[3];
    uint32_t change[3];
};

/* The sample with which the ray leaves the subcube along an axis. */
static void look_ahead(struct traversal *w, int a)
{
    float step = w->ray->step[a];
    uint32_t at = (uint32_t)w->at[a];
    w->change[a] = w->ray->samples;
    if (step > 0 && at + 1 < w->s->count[a])
        w->change[a] = htmt__volume_subcube_first(w->ray, a, (at + 1) * w->s->cells);
    if (step < 0 && at > 0)
        w->change[a] = htmt__volume_subcube_first(w->ray, a, at * w->s->cells);
}

static void enter(struct traversal *w)
{
    for (int a = 0; a < 3; a++) {
        int32_t cell = (int32_t)(w->ray->at[a] + 0.5f * w->ray->step[a]);
        int32_t at = cell / (int32_t)w->s->cells, last = (int32_t)w->s->count[a] - 1;
        w->at[a] = at < last ? at : last;
        look_ahead(w, a);
    }
}

static uint32_t next_change(const struct traversal *w)
{
    uint32_t next = w->change[0] < w->change[1] ? w->change[0] : w->change[1];
    return w->change[2] < next ? w->change[2] : next;
}

static void change(struct traversal *w, uint32_t k)
{
    for (int a = 0; a < 3; a++)
        while (w->change[a] <= k && k < w->ray->samples) {
            w->at[a] += w->ray->step[a] > 0 ? 1 : -1;
            look_ahead(w, a);
        }
}

static uint32_t number_of(const struct traversal *w)
{
    const struct htmt__volume_subcubes *s = w->s;
    return (uint32_t)w->at[0] +
           s->count[0] * ((uint32_t)w->at[1] + s->count[1] * (uint32_t)w->at[2]);
}

/* ---- order ---------------------------------------------------------------------------------- */

/* The eye's subcube along each axis; in a parallel view a number beyond the volume. */
struct front {
    const struct htmt__volume_subcubes *s;
    int64_t at[3];
};

static struct front front_of(const struct htmt__volume_bundle_setup *i)
{
    const struct htmt__volume_view *v = &i->camera->view;
    struct front f = {.s = i->subcubes};
    for (int a = 0; a < 3; a++) {
        float eye = (float)(v->eye[a] / i->casting->spacing[a]), cells = (float)i->subcubes->cells;
        double end = i->subcubes->count[a];
        f.at[a] = (int64_t)fmax(-1, fmin(floor((double)eye / cells), end));
        if (!v->perspective)
            f.at[a] = i->camera->forward[a] < 0 ? (int64_t)end : -1;
    }
    return f;
}

/* Along an axis, subcubes on both sides of the eye's subcube have equal ranks: no ray sees both. */
static uint64_t rank_of(const struct front *f, uint32_t number)
{
    uint64_t rank[3];
    for (int a = 0; a < 3; a++) {
        rank[a] = (uint64_t)llabs((int64_t)(number % f->s->count[a]) - f->at[a]);
        number /= f->s->count[a];
    }
    return rank[0] + (f->s->count[0] + 1ul) * (rank[1] + (f->s->count[1] + 1ul) * rank[2]);
}

static int compare(const void *a, const void *b, void *front)
{
    const struct htmt__volume_visit *v = a, *w = b;
    uint64_t left = rank_of(front, v->subcube), right = rank_of(front, w->subcube);
    if (left != right)
        return left < right ? -1 : 1;
    return v->subcube < w->subcube ? -1 : v->subcube > w->subcube;
}

/* ---- bundles -------------------------------------------------------------------------------- */

/* The diagonal of the tile, where rays are farthest apart in the volume, spans this number of
 * subcubes and one more on either side. A ray crosses at most the sum of the subcubes along the
 * three axes.
 */
uint32_t htmt__volume_visit_list_most(const struct htmt__volume_bundle_setup *i)
{
    const struct htmt__volume_view *v = &i->camera->view;
    const struct htmt__volume_subcubes *s = i->subcubes;
    double far = 1, along = 0, least = HUGE_VAL;
    for (int a = 0; a < 3; a++) {
        double extent = s->dims[a] * i->casting->spacing[a];
        double reach = fmax(fabs(v->eye[a]), fabs(v->eye[a] - extent));
        along += reach * reach;
        least = fmin(least, i->casting->spacing[a]);
    }
    if (v->perspective)
        far = sqrt(along);
    double pixel = 2 * i->camera->half[1] / v->height;
    double span = pixel * i->tiling->side * sqrt(2) * far / (least * s->cells) + 3;
    double most = ((double)s->count[0] + s->count[1] + s->count[2]) * span * span;
    return most < s->all ? (uint32_t)most : s->all;
}

/* places[] holds one more than the place in the list, until the list is sorted. */
static struct htmt__volume_visit *visit_of(uint32_t number, uint64_t *places,
                                           struct htmt__volume_visit_list *list)
{
    if (!places[number]) {
        list->visit[list->count] = (struct htmt__volume_visit){.subcube = number};
        places[number] = ++list->count;
    }
    return &list->visit[places[number] - 1];
}

static void follow(const struct htmt__volume_bundle_setup *i, const struct htmt__volume_ray *ray,
                   uint64_t patch, uint64_t *places, struct htmt__volume_visit_list *list,
                   struct htmt__volume_visit_work *work)
{
    struct traversal w = {.s = i->subcubes, .ray = ray};
    if (!ray->samples)
        return;
    enter(&w);
    for (uint32_t k = 0; k < ray->samples; change(&w, k)) {
        uint32_t number = number_of(&w), first = k;
        k = next_change(&w);
        work->crossings++;
        if (i->invisible && i->invisible[number])
            continue;
        struct htmt__volume_visit *v = visit_of(number, places, list);
        v->patches |= patch;
        v->rays++;
        v->samples += k - first;
    }
}

static void put_down(const struct htmt__volume_bundle_setup *i, const struct htmt__volume_ray *ray,
                     size_t at, struct htmt__volume_path *path, void *state)
{
    if (!path)
        return;
    size_t bytes = htmt__volume_state_bytes(i->channels);
    struct htmt__volume_state *s =
        (struct htmt__volume_state *)(void *)((char *)state + at * bytes);
    for (int a = 0; a < 3; a++) {
        path[at].at[a] = ray->at[a];
        path[at].step[a] = ray->step[a];
    }
    memset(s, 0, bytes);
    s->through = 1;
    s->end = ray->samples;
}

static void sort(const struct htmt__volume_bundle_setup *i, uint64_t *places,
                 struct htmt__volume_visit_list *list)
{
    struct front front = front_of(i);
    for (uint64_t n = 0; n < list->count; n++)
        places[list->visit[n].subcube] = 0;
    qsort_r(list->visit, list->count, sizeof *list->visit, compare, &front);
}

void htmt__volume_visit_list_make(const struct htmt__volume_bundle_setup *i,
                                  const struct htmt__volume_tile *tile, uint32_t first,
                                  uint32_t end, struct htmt__volume_path *path, void *state,
                                  uint64_t *places, struct htmt__volume_visit_list *list,
                                  struct htmt__volume_visit_work *work)
{
    list->count = 0;
    *work = (struct htmt__volume_visit_work){.rays = (uint64_t)tile->width * (end - first)};
    for (uint32_t y = first; y < end; y++)
        for (uint32_t x = 0; x < tile->width; x++) {
            struct htmt__volume_ray ray;
            htmt__volume_ray_of_pixel(i->camera, i->subcubes->dims, i->casting, tile->x + x,
                                      tile->y + y, &ray);
            put_down(i, &ray, (size_t)(y - first) * i->tiling->side + x, path, state);
            follow(i, &ray, UINT64_C(1) << htmt__volume_patch_of(i->tiling, x, y), places, list,
                   work);
            work->samples += ray.samples;
        }
    sort(i, places, list);
    work->visits = list->count;
}

void htmt__volume_visit_list_merge(const struct htmt__volume_bundle_setup *i,
                                   const struct htmt__volume_visit_list *part, uint32_t count,
                                   uint64_t stride, uint64_t *places,
                                   struct htmt__volume_visit_list *list,
                                   struct htmt__volume_visit_work *work)
{
    list->count = 0;
    *work = (struct htmt__volume_visit_work){0};
    for (uint32_t p = 0; p < count; p++) {
        const struct htmt__volume_visit_list *from =
            (const void *)((const char *)part + p * stride);
        for (uint64_t n = 0; n < from->count; n++) {
            struct htmt__volume_visit *v = visit_of(from->visit[n].subcube, places, list);
            v->patches |= from->visit[n].patches;
            v->rays += from->visit[n].rays;
            v->samples += from->visit[n].samples;
        }
        work->merged += from->count;
    }
    sort(i, places, list);
    work->visits = list->count;
}

struct htmt_ops htmt__volume_visit_list_ops(const struct htmt__volume_visit_work *w,
                                            unsigned channels)
{
    uint64_t log = 1;
    while (w->visits >> log)
        log++;
    struct htmt_ops ops = {0};
    ops.n[HTMT_FLOP] = 90 * w->rays + 12 * w->crossings;
    ops.n[HTMT_IOP] = 6 * w->crossings + 6 * w->merged + 4 * w->visits * log;
    ops.n[HTMT_LOAD] = 2 * w->crossings + 3 * w->merged + 2 * w->visits * log;
    ops.n[HTMT_STORE] =
        w->rays * (3 + 2 + channels) + w->crossings + 3 * w->merged + 2 * w->visits * log;
    return ops;
}

uint64_t htmt__volume_visit_work_operations(const struct htmt__volume_visit_work *w)
{
    struct htmt_ops ops = htmt__volume_visit_list_ops(w, 1);
    return ops.n[HTMT_FLOP] + ops.n[HTMT_IOP] + ops.n[HTMT_LOAD] + ops.n[HTMT_STORE];
}

const struct htmt__volume_visit_work *
htmt__volume_visit_work_longer(const struct htmt__volume_visit_work *a,
                               const struct htmt__volume_visit_work *b)
{
    return htmt__volume_visit_work_operations(a) < htmt__volume_visit_work_operations(b) ? b : a;
}

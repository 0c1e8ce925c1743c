/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of visits: which subcubes the rays of a bundle cross, and in which order.
 *
 * Crossings. A ray goes from subcube to subcube as in the algorithm of Amanatides and Woo, but
 * counted in samples: along each axis it knows the first sample beyond the next face, and the least
 * of the three is where it changes subcubes. With B = 4 cells a subcube, from x = 3 by 0.5 a sample
 * along x and from y = 2 by 0.25 along y, sample k lies at (3.25 + 0.5 k, 2.125 + 0.25 k): x
 * reaches 4 with sample 2 and y with sample 8, so the ray has samples 0 and 1 in subcube (0, 0), 2
 * to 7 in (1, 0), and 8 and 9 in (1, 1). The faces are decided by the exact positions of ray.h, so
 * the caster and this list agree on every sample.
 *
 * The places of subcubes in the list are kept in an array with a word for each subcube of the
 * volume, zero for those that are not listed, so that a crossing costs O(1).
 *
 * Order. Of two subcubes that one ray meets, the first must come first in the list, for all rays of
 * the bundle at once. Each axis is ranked by the distance from the eye's subcube. A ray never comes
 * nearer to the eye along an axis, so its ranks never fall; therefore any order that sorts by ranks
 * axis by axis (here z, then y, then x) puts a subcube before all those that a ray meets behind it.
 * Subcubes on both sides of the eye's have equal ranks, but no ray sees both.
 */
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

/* ---- order ---------------------------------------------------------------------------------- */

/* The eye's subcube along each axis; in a parallel view a number beyond the volume. */
struct front {
    const struct htmt__volume_subcubes *s;
    int64_t at[3];
};

static uint64_t rank_of(const struct front *f, uint32_t number)
{
    uint64_t rank[3];
    for (int a = 0; a < 3; a++) {
        rank[a] = (uint64_t)llabs((int64_t)(number % f->s->count[a]) - f->at[a]);
        number /= f->s->count[a];
    }
    return rank[0] + (f->s->count[0] + 1ul) * (rank[1] + (f->s->count[1] + 1ul) * rank[2]);
}

static bool comes_before(const struct front *f, const struct htmt__volume_visit *v,
                         const struct htmt__volume_visit *w)
{
    const uint64_t left = rank_of(f, v->subcube), right = rank_of(f, w->subcube);
    return left != right ? left < right : v->subcube < w->subcube;
}

/* Visits [0, count) are a heap, the last in order first, but for the one at `at`, which goes down
 * to its place. */
static void sift(const struct front *f, struct htmt__volume_visit *visit, uint64_t at,
                 uint64_t count)
{
    const struct htmt__volume_visit moved = visit[at];
    for (uint64_t below; (below = 2 * at + 1) < count; at = below) {
        below += below + 1 < count && comes_before(f, &visit[below], &visit[below + 1]);
        if (!comes_before(f, &moved, &visit[below]))
            break;
        visit[at] = visit[below];
    }
    visit[at] = moved;
}

/* Heap sort: qsort() of the C library cannot be recorded. */
static void sort_visits(const struct front *f, struct htmt__volume_visit *visit, uint64_t count)
{
    for (uint64_t at = count / 2; at-- > 0;)
        sift(f, visit, at, count);
    for (uint64_t end = count; end-- > 1;) {
        const struct htmt__volume_visit last = visit[0];
        visit[0] = visit[end];
        visit[end] = last;
        sift(f, visit, 0, end);
    }
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

/* The first sample of the ray in the next subcube along an axis. */
static uint32_t next_change(const struct htmt__volume_subcubes *s,
                            const struct htmt__volume_ray *ray, int a, int32_t subcube)
{
    float step = ray->step[a];
    uint32_t at = (uint32_t)subcube;
    if (step > 0 && at + 1 < s->count[a])
        return htmt__volume_subcube_first(ray, a, (at + 1) * s->cells);
    if (step < 0 && at > 0)
        return htmt__volume_subcube_first(ray, a, at * s->cells);
    return ray->samples;
}

/* Add the subcubes in which a ray of that patch has samples. */
static void follow(const struct htmt__volume_bundle_setup *i, const struct htmt__volume_ray *ray,
                   uint64_t patch, uint64_t *places, struct htmt__volume_visit_list *list,
                   struct htmt__volume_visit_work *work)
{
    const struct htmt__volume_subcubes *s = i->subcubes;
    int32_t at[3];      /* the subcube */
    uint32_t change[3]; /* the sample with which the ray leaves it along each axis */
    for (int a = 0; a < 3 && ray->samples; a++) {
        int32_t cell = (int32_t)(ray->at[a] + 0.5f * ray->step[a]);
        int32_t last = (int32_t)s->count[a] - 1;
        at[a] = cell / (int32_t)s->cells;
        at[a] = at[a] < last ? at[a] : last;
        change[a] = next_change(s, ray, a, at[a]);
    }
    for (uint32_t k = 0; k < ray->samples;) {
        uint32_t number =
            (uint32_t)at[0] + s->count[0] * ((uint32_t)at[1] + s->count[1] * (uint32_t)at[2]);
        uint32_t first = k;
        k = change[0] < change[1] ? change[0] : change[1];
        k = change[2] < k ? change[2] : k;
        work->crossings++;
        if (!i->invisible || !i->invisible[number]) {
            struct htmt__volume_visit *v = visit_of(number, places, list);
            v->patches |= patch;
            v->rays++;
            v->samples += k - first;
        }
        for (int a = 0; a < 3; a++)
            while (change[a] <= k && k < ray->samples) {
                at[a] += ray->step[a] > 0 ? 1 : -1;
                change[a] = next_change(s, ray, a, at[a]);
            }
    }
}

/* The places of the listed subcubes become zero again. */
static void sort(const struct htmt__volume_bundle_setup *i, uint64_t *places,
                 struct htmt__volume_visit_list *list)
{
    const struct htmt__volume_view *v = &i->camera->view;
    struct front front = {.s = i->subcubes};
    for (int a = 0; a < 3; a++) {
        float eye = (float)(v->eye[a] / i->casting->spacing[a]), cells = (float)i->subcubes->cells;
        double end = i->subcubes->count[a];
        front.at[a] = (int64_t)fmax(-1, fmin(floor((double)eye / cells), end));
        if (!v->perspective)
            front.at[a] = i->camera->forward[a] < 0 ? (int64_t)end : -1;
    }
    for (uint64_t n = 0; n < list->count; n++)
        places[list->visit[n].subcube] = 0;
    sort_visits(&front, list->visit, list->count);
}

void htmt__volume_visit_list_make(const struct htmt__volume_bundle_setup *i,
                                  const struct htmt__volume_tile *tile, uint32_t first,
                                  uint32_t end, struct htmt__volume_path *path, void *state,
                                  uint64_t *places, struct htmt__volume_visit_list *list,
                                  struct htmt__volume_visit_work *work)
{
    const size_t bytes = htmt__volume_state_bytes(i->channels);
    list->count = 0;
    *work = (struct htmt__volume_visit_work){.rays = (uint64_t)tile->width * (end - first)};
    for (uint32_t y = first; y < end; y++)
        for (uint32_t x = 0; x < tile->width; x++) {
            struct htmt__volume_ray ray;
            htmt__volume_ray_of_pixel(i->camera, i->subcubes->dims, i->casting, tile->x + x,
                                      tile->y + y, &ray);
            if (path) { /* path and state before the first sample */
                size_t at = (size_t)(y - first) * i->tiling->side + x;
                struct htmt__volume_state *s =
                    (struct htmt__volume_state *)(void *)((char *)state + at * bytes);
                for (int a = 0; a < 3; a++) {
                    path[at].at[a] = ray.at[a];
                    path[at].step[a] = ray.step[a];
                }
                memset(s, 0, bytes);
                s->through = 1;
                s->end = ray.samples;
            }
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

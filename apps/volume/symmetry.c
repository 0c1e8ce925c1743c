/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Check whether all slices do the same at the same time, so that slice 0 of a model run can stand
 * for all.
 *
 * They do if each has the same number of bundles and, for each frame and each n,
 *  - the view is parallel and along an axis. The columns and lines of a bundle's pixels then
 *    determine the subcubes that its rays cross, and all rays cross the same number in depth, at
 *    the same samples;
 *  - the n-th bundles of all slices have equal pixels: they look through the same number of
 *    subcubes across and down, of the same size;
 *  - the k-th subcubes of these bundles lie one on each slice, so that each slice gets one request.
 * Each slice must also keep the same number of words of subcubes. Everything else is the same by
 * construction: tiles are whole, and a slice requests its own subcubes like those of others.
 *
 * How it is checked: for each side of the image (across and down) and each tile of pixels along it,
 * the subcube that every pixel looks through, and the first tile that is alike. Two bundles are
 * alike if their tiles are, across and down; that costs one comparison for each tile and each
 * earlier kind of tile, not one for each pair of bundles. Then the n-th bundles of all slices are
 * walked through together, visit by visit, and no slice may be asked twice.
 */
#include "apps/volume/program.h"

#include "apps/volume/counts.h"

#include <inttypes.h>
#include <stdlib.h>

#define OUTSIDE UINT32_MAX

/* Across the image or down: an axis of the volume. */
struct side {
    int axis;
    uint32_t tiles;
    uint32_t *subcube; /* for each pixel, subcube along the axis; OUTSIDE: none */
    uint32_t *first;   /* of each tile: the least of its subcubes */
    uint32_t *like;    /* of each tile: the first tile that is alike */
    uint32_t *count;   /* of each tile: subcubes from the first to the last */
};

struct check {
    const struct htmt__volume_plan *p;
    const struct htmt__volume_camera *camera;
    const struct htmt__volume_casting *casting;
    struct htmt_fault *fault;
    uint32_t frame, each; /* bundles of a slice */
    uint32_t *bundle;     /* n-th of slice s at [n slices + s] */
    uint32_t *asker;      /* for each slice: the slice that requested last */
    struct side side[2];
};

static const char axis_name[] = "xyz";

/* ---- words and bundles ---------------------------------------------------------------------- */

/* Each slice has as many bundles, which are listed for the frames, and as many words of subcubes.
 * c->asker counts the bundles here. */
static int check_shares(const struct check *c)
{
    const struct htmt__volume_plan *p = c->p;
    int rc = 0;
    for (uint32_t b = 0; b < p->bundles; b++) {
        uint32_t slice = htmt__volume_bundle_owner(p, b), n = c->asker[slice]++;
        if (n == c->each)
            return htmt_fault_set(c->fault, HTMT_EUSAGE,
                                  "--fold: found more than %u of the %u bundles in slice %u, "
                                  "expected as many in each of %u",
                                  c->each, p->bundles, slice, p->slices);
        c->bundle[(size_t)n * p->slices + slice] = b;
    }
    uint64_t *words = calloc(p->slices, sizeof *words);
    if (!words)
        return htmt_fault_set(c->fault, HTMT_ENOMEM, "no host memory for sums of slices");
    htmt__volume_count_words(p, words);
    for (uint32_t s = 1; s < p->slices && !rc; s++)
        if (words[s] != words[0])
            rc = htmt_fault_set(c->fault, HTMT_EUSAGE,
                                "--fold: found %" PRIu64 " words of subcubes in slice %u, expected "
                                "%" PRIu64 " as in slice 0",
                                words[s], s, words[0]);
    free(words);
    return rc;
}

/* ---- one frame: the image's sides ----------------------------------------------------------- */

/* The axis of a vector along one, else -1. */
static int axis_of(const double v[3])
{
    int axis = -1;
    for (int a = 0; a < 3; a++)
        if (v[a] != 0)
            axis = axis < 0 ? a : 3;
    return axis < 3 ? axis : -1;
}

/* Position of the rays of a column or line of pixels along the axis across which they lie. */
static uint32_t subcube_of(const struct check *c, const struct side *s, uint32_t i, uint32_t j)
{
    const struct htmt__volume_subcubes *all = &c->p->subcubes;
    double origin[3], direction[3];
    htmt__volume_camera_ray(c->camera, i, j, origin, direction);
    double at = origin[s->axis] / c->casting->spacing[s->axis];
    if (at < 0 || at > all->dims[s->axis] - 1.0)
        return OUTSIDE;
    uint32_t n = (uint32_t)(float)at / all->cells, last = all->count[s->axis] - 1;
    return n < last ? n : last;
}

/* The subcube that a pixel of a tile looks through. */
struct sight {
    bool outside;
    uint32_t subcube, voxels; /* of those of the tile; voxels along the axis */
};

static struct sight sight_of(const struct check *c, const struct side *s, uint32_t tile,
                             uint32_t pixel)
{
    uint32_t n = s->subcube[tile * c->p->tiling.side + pixel];
    if (n == OUTSIDE)
        return (struct sight){.outside = true};
    struct htmt__volume_extent e = htmt__volume_subcube_extent(&c->p->subcubes, s->axis, n);
    return (struct sight){false, n - s->first[tile], e.high - e.low + 1};
}

/* The first pixel in which two tiles differ, or the tiles' side. */
static uint32_t difference(const struct check *c, const struct side *s, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < c->p->tiling.side; i++) {
        struct sight x = sight_of(c, s, a, i), y = sight_of(c, s, b, i);
        if (x.outside != y.outside || x.subcube != y.subcube || x.voxels != y.voxels)
            return i;
    }
    return c->p->tiling.side;
}

/* What each tile looks through, and the first one that is like it. */
static void compare(const struct check *c, const struct side *s)
{
    for (uint32_t tile = 0; tile < s->tiles; tile++) {
        uint32_t from = tile * c->p->tiling.side, last = 0, like = 0;
        s->first[tile] = OUTSIDE;
        for (uint32_t i = from; i < from + c->p->tiling.side; i++) {
            uint32_t n = s == c->side ? subcube_of(c, s, i, 0) : subcube_of(c, s, 0, i);
            s->subcube[i] = n;
            s->first[tile] = n < s->first[tile] ? n : s->first[tile];
            last = n != OUTSIDE && n > last ? n : last;
        }
        s->count[tile] = s->first[tile] == OUTSIDE ? 0 : last - s->first[tile] + 1;
        while (s->like[like] != like || difference(c, s, tile, like) < c->p->tiling.side)
            if (++like == tile)
                break;
        s->like[tile] = like;
    }
}

/* ---- one frame: bundles --------------------------------------------------------------------- */

static uint32_t tile_of(const struct check *c, uint32_t bundle, int side)
{
    return side ? bundle / c->side[0].tiles : bundle % c->side[0].tiles;
}

static void say(const struct sight *s, char text[64])
{
    if (s->outside)
        snprintf(text, 64, "no subcube");
    else
        snprintf(text, 64, "its subcube %u, of %u voxels", s->subcube, s->voxels);
}

static int refuse_bundle(const struct check *c, uint32_t n, uint32_t slice, int side)
{
    const struct side *s = &c->side[side];
    const uint32_t *bundle = &c->bundle[(size_t)n * c->p->slices];
    uint32_t tile = tile_of(c, bundle[slice], side), like = tile_of(c, bundle[0], side);
    uint32_t pixel = difference(c, s, tile, like);
    struct sight is = sight_of(c, s, tile, pixel), was = sight_of(c, s, like, pixel);
    char found[64], expected[64];
    say(&is, found);
    say(&was, expected);
    return htmt_fault_set(c->fault, HTMT_EUSAGE,
                          "--fold: frame %u, bundle %u of slice %u: pixel %u %s looks through %s "
                          "along %c, expected %s as in bundle %u of slice 0",
                          c->frame, bundle[slice], slice, pixel, side ? "down" : "across", found,
                          axis_name[s->axis], expected, bundle[0]);
}

/* `visit` of a visit list counts along the sides and in depth from the first subcube on. */
static int check_owners(const struct check *c, uint32_t n, const uint32_t visit[3])
{
    const struct htmt__volume_plan *p = c->p;
    const uint32_t *bundle = &c->bundle[(size_t)n * p->slices], *count = p->subcubes.count;
    for (uint32_t slice = 0; slice < p->slices; slice++)
        c->asker[slice] = OUTSIDE;
    for (uint32_t slice = 0; slice < p->slices; slice++) {
        uint32_t at[3] = {visit[0], visit[1], visit[2]};
        for (int i = 0; i < 2; i++)
            at[c->side[i].axis] += c->side[i].first[tile_of(c, bundle[slice], i)];
        uint32_t number = at[0] + count[0] * (at[1] + count[1] * at[2]);
        uint32_t owner = htmt__volume_home(p, number).slice;
        if (c->asker[owner] != OUTSIDE)
            return htmt_fault_set(c->fault, HTMT_EUSAGE,
                                  "--fold: frame %u, bundle %u of slice %u: found its subcube "
                                  "(%u %u %u) in slice %u, like that of bundle %u of slice %u, "
                                  "expected one in each slice",
                                  c->frame, bundle[slice], slice, visit[0], visit[1], visit[2],
                                  owner, bundle[c->asker[owner]], c->asker[owner]);
        c->asker[owner] = slice;
    }
    return 0;
}

static int check_frame(struct check *c)
{
    const struct htmt__volume_camera *v = c->camera;
    const uint32_t slices = c->p->slices;
    int rc = 0;
    c->side[0].axis = axis_of(v->right);
    c->side[1].axis = axis_of(v->up);
    if (v->view.perspective || c->side[0].axis < 0 || c->side[1].axis < 0 ||
        axis_of(v->forward) < 0)
        return htmt_fault_set(c->fault, HTMT_EUSAGE,
                              "--fold: found %s view along (%g %g %g) in frame %u, expected a "
                              "parallel one along an axis",
                              v->view.perspective ? "a perspective" : "a parallel", v->forward[0],
                              v->forward[1], v->forward[2], c->frame);
    for (int i = 0; i < 2; i++)
        compare(c, &c->side[i]);
    for (uint32_t n = 0; n < c->each && !rc; n++) {
        const uint32_t *bundle = &c->bundle[(size_t)n * slices];
        uint32_t end[3], visit[3];
        for (uint32_t slice = 1; slice < slices; slice++)
            for (int i = 0; i < 2; i++)
                if (c->side[i].like[tile_of(c, bundle[slice], i)] !=
                    c->side[i].like[tile_of(c, bundle[0], i)])
                    return refuse_bundle(c, n, slice, i);
        for (int a = 0; a < 3; a++)
            end[a] = c->p->subcubes.count[a];
        for (int i = 0; i < 2; i++)
            end[c->side[i].axis] = c->side[i].count[tile_of(c, bundle[0], i)];
        for (visit[2] = 0; visit[2] < end[2] && !rc; visit[2]++)
            for (visit[1] = 0; visit[1] < end[1] && !rc; visit[1]++)
                for (visit[0] = 0; visit[0] < end[0] && !rc; visit[0]++)
                    rc = check_owners(c, n, visit);
    }
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int allocate(struct check *c)
{
    const struct htmt__volume_tiling *t = &c->p->tiling;
    const uint32_t pixels[2] = {t->width, t->height};
    bool done = (c->bundle = calloc(c->p->bundles, sizeof *c->bundle)) &&
                (c->asker = calloc(c->p->slices, sizeof *c->asker));
    for (int i = 0; i < 2 && done; i++) {
        struct side *s = &c->side[i];
        s->tiles = pixels[i] / t->side;
        done = (s->subcube = calloc(pixels[i], sizeof *s->subcube)) &&
               (s->first = calloc(s->tiles, sizeof *s->first)) &&
               (s->like = calloc(s->tiles, sizeof *s->like)) &&
               (s->count = calloc(s->tiles, sizeof *s->count));
    }
    return done ? 0
                : htmt_fault_set(c->fault, HTMT_ENOMEM, "no host memory to compare %u bundles",
                                 c->p->bundles);
}

int htmt__volume_alike(const struct htmt__volume_plan *p, const struct htmt__volume_camera *camera,
                       const struct htmt__volume_casting *casting, struct htmt_fault *fault)
{
    struct check c = {.p = p, .casting = casting, .fault = fault, .each = p->bundles / p->slices};
    const struct htmt__volume_tiling *t = &p->tiling;
    if (t->width % t->side || t->height % t->side)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--fold: found an image of %u x %u pixels, expected whole bundles of "
                              "%u x %u",
                              t->width, t->height, t->side, t->side);
    int rc = allocate(&c);
    if (!rc)
        rc = check_shares(&c);
    for (; c.frame < p->problem.frames && !rc; c.frame++) {
        c.camera = &camera[c.frame];
        rc = check_frame(&c);
    }
    for (int i = 0; i < 2; i++) {
        free(c.side[i].subcube);
        free(c.side[i].first);
        free(c.side[i].like);
        free(c.side[i].count);
    }
    free(c.bundle);
    free(c.asker);
    return rc;
}

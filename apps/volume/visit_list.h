/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a DPIM works out for a bundle of rays (Hereld et al., section 3.2.4.2, step 2): the rays,
 * the subcubes in which they have samples, and the order of these from front to back.
 *
 * A bundle is a tile of the image, T x T pixels, fewer at the right and lower border; its rays lie
 * in lists of T a line. For steering, a tile is divided into 8 x 8 patches of ceil(T / 8) pixels a
 * side; a patch is a bit of 64.
 *
 * Order: along each axis subcubes are ranked by how far they are from the eye's (parallel views:
 * by the direction of the rays), and then sorted by rank along z, y, x. A ray never goes back along
 * an axis, so whichever of two subcubes it meets first is sorted first.
 */
#ifndef HTMT_APPS_VOLUME_VISIT_LIST_H
#define HTMT_APPS_VOLUME_VISIT_LIST_H

#include "apps/volume/cast.h"

#define HTMT__PATCHES 8 /* along a side of a tile */

struct htmt__volume_tile {
    uint32_t x, y, width, height; /* pixels of the image */
};

/* A subcube on the way of a bundle: three words. */
struct htmt__volume_visit {
    uint64_t patches; /* that have samples in it */
    uint32_t subcube;
    uint32_t rays;    /* that have samples in it... */
    uint64_t samples; /* ...and these, none left out */
};

/* Bundles of an image of that size. */
struct htmt__volume_tiling {
    uint32_t width, height, side; /* side: T */
};

static inline uint32_t htmt__volume_tiling_columns(const struct htmt__volume_tiling *t)
{
    return (t->width + t->side - 1) / t->side;
}
uint32_t htmt__volume_tiling_count(const struct htmt__volume_tiling *t);
struct htmt__volume_tile htmt__volume_tiling_at(const struct htmt__volume_tiling *t,
                                                uint32_t bundle);

/* The smallest rectangle of whole patches, cut to the tile, that holds these; at (x, y) of it. */
struct htmt__volume_tile htmt__volume_patches_box(const struct htmt__volume_tiling *t,
                                                  const struct htmt__volume_tile *tile,
                                                  uint64_t patches);
static inline uint32_t htmt__volume_patch_of(const struct htmt__volume_tiling *t, uint32_t x,
                                             uint32_t y)
{
    uint32_t side = (t->side + HTMT__PATCHES - 1) / HTMT__PATCHES;
    return y / side * HTMT__PATCHES + x / side;
}

struct htmt__volume_bundle_setup {
    const struct htmt__volume_subcubes *subcubes;
    const struct htmt__volume_camera *camera;
    const struct htmt__volume_casting *casting;
    const struct htmt__volume_tiling *tiling;
    const uint8_t *invisible; /* per subcube; NULL: none is left out */
    unsigned channels;
};

struct htmt__volume_visit_work {
    uint64_t rays;      /* set up */
    uint64_t crossings; /* of subcubes, by rays */
    uint64_t merged;    /* visits of the lists that are merged */
    uint64_t visits, samples;
};

/* No bundle of the view visits more. */
uint32_t htmt__volume_visit_list_most(const struct htmt__volume_bundle_setup *i);

/* A tile is worked out in strips, a line of patches each. */
static inline uint32_t htmt__volume_strip_lines(const struct htmt__volume_tiling *t)
{
    return (t->side + HTMT__PATCHES - 1) / HTMT__PATCHES;
}
static inline uint32_t htmt__volume_strip_count(const struct htmt__volume_tiling *t,
                                                const struct htmt__volume_tile *tile)
{
    uint32_t lines = htmt__volume_strip_lines(t);
    return (tile->height + lines - 1) / lines;
}

/* A list of visits, in front of them their number: a word. */
struct htmt__volume_visit_list {
    uint64_t count;
    struct htmt__volume_visit visit[];
};

/* The lines [first, end) of the tile: paths and states of their rays, from line `first` on (both
 * may be NULL), and the visits, front to back. `places` has a zero for each subcube, and again
 * afterwards. */
void htmt__volume_visit_list_make(const struct htmt__volume_bundle_setup *i,
                                  const struct htmt__volume_tile *tile, uint32_t first,
                                  uint32_t end, struct htmt__volume_path *path, void *state,
                                  uint64_t *places, struct htmt__volume_visit_list *list,
                                  struct htmt__volume_visit_work *work);
/* One list of `count` lists, which lie `stride` bytes apart. */
void htmt__volume_visit_list_merge(const struct htmt__volume_bundle_setup *i,
                                   const struct htmt__volume_visit_list *part, uint32_t count,
                                   uint64_t stride, uint64_t *places,
                                   struct htmt__volume_visit_list *list,
                                   struct htmt__volume_visit_work *work);

/* 90 flop a ray, 12 flop and 6 iop a crossing, 6 iop a merged visit, 4 iop for each comparison of
 * sorting the visits, n log2 n of them; loads and stores of the words. */
struct htmt_ops htmt__volume_visit_list_ops(const struct htmt__volume_visit_work *work,
                                            unsigned channels);
uint64_t htmt__volume_visit_work_operations(const struct htmt__volume_visit_work *work);
/* The one of two that takes more operations. */
const struct htmt__volume_visit_work *
htmt__volume_visit_work_longer(const struct htmt__volume_visit_work *a,
                               const struct htmt__volume_visit_work *b);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The set-up of a bundle of rays on a DPIM (Hereld et al., section 3.2.4.2, step 2): the rays, the
 * subcubes in which they have samples, and the order of these subcubes from front to back.
 *
 * A bundle is a tile of the image: T x T pixels, fewer at the right and lower border. Its rays lie
 * in lists of T a line. For steering, a tile is divided into 8 x 8 patches of ceil(T / 8) pixels a
 * side. A patch is a bit of 64.
 *
 * Order: along each axis subcubes are ranked by their distance from the eye's subcube (in parallel
 * views, by the direction of the rays), and then sorted by rank along z, y, x. A ray never goes
 * back along an axis, so of two subcubes the one that it meets first is sorted first.
 */
#ifndef HTMT_APPS_VOLUME_VISIT_LIST_H
#define HTMT_APPS_VOLUME_VISIT_LIST_H

#include "apps/volume/cast.h"

#define HTMT__PATCHES 8 /* along a side of a tile */

struct htmt__volume_tile {
    uint32_t x, y, width, height; /* pixels of the image */
};

/* A subcube that a bundle visits: three words. */
struct htmt__volume_visit {
    uint64_t patches; /* that have samples in it */
    uint32_t subcube;
    uint32_t rays;    /* that have samples in it... */
    uint64_t samples; /* ...and these, none left out */
};

/* The bundles of an image. */
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

/* The smallest rectangle of whole patches, clipped to the tile, that holds `patches`. Its (x, y)
 * counts from the tile's corner. */
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

/* An upper bound of the visits of any bundle of the view. */
uint32_t htmt__volume_visit_list_most(const struct htmt__volume_bundle_setup *i);

/* A tile is processed in strips, a line of patches each. */
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

/* A list of visits. Their number, a word, comes first. */
struct htmt__volume_visit_list {
    uint64_t count;
    struct htmt__volume_visit visit[];
};

/* Process the lines [first, end) of the tile: paths and states of their rays, from line `first` on
 * (both may be NULL), and the visits, front to back. `places` holds a zero for each subcube, before
 * and after the call. */
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

/* Charges: 90 flop a ray, 12 flop and 6 iop a crossing, 6 iop a merged visit, 4 iop for each
 * comparison of sorting n visits, n log2 n comparisons; loads and stores of the words. */
struct htmt_ops htmt__volume_visit_list_ops(const struct htmt__volume_visit_work *work,
                                            unsigned channels);
uint64_t htmt__volume_visit_work_operations(const struct htmt__volume_visit_work *work);
/* The one of two that takes more operations. */
const struct htmt__volume_visit_work *
htmt__volume_visit_work_longer(const struct htmt__volume_visit_work *a,
                               const struct htmt__volume_visit_work *b);

#endif

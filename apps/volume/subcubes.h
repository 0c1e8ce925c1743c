/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A volume divided into subcubes. Each is stored with the voxels that its samples need.
 *
 * Along an axis, subcube n owns the cells [n B, (n+1) B) of ray.h; the last subcube has fewer. It
 * is stored with the voxels [n B, (n+1) B], and with shading one more on either side, as far as the
 * volume has them. No sample needs a voxel of another subcube. An edge of N_G stored voxels
 * therefore owns B = N_G - 1 cells, or N_G - 3 with shading. Stored subcubes follow each other, x
 * fastest.
 */
#ifndef HTMT_APPS_VOLUME_SUBCUBES_H
#define HTMT_APPS_VOLUME_SUBCUBES_H

#include "apps/volume/io/transfer.h"
#include "apps/volume/ray.h"

struct htmt__volume_subcubes {
    uint32_t dims[3];  /* voxels of the volume */
    uint32_t edge;     /* N_G */
    uint32_t halo;     /* voxels stored beyond the cells' own: 0, or 1 with shading */
    uint32_t cells;    /* B */
    uint32_t count[3]; /* subcubes along each axis */
    uint32_t all;      /* number of subcubes */
    uint32_t voxel;    /* bytes of a voxel on the host */
};

/* Voxels [low, high] of an axis that a subcube stores, and its cells [first, end). */
struct htmt__volume_extent {
    uint32_t low, high, first, end;
};

struct htmt__volume_subcube {
    struct htmt__volume_extent axis[3];
};

/* The kernel numbers a subcube's voxels in 31 bits. */
#define HTMT__EDGE_MOST 1290
/* The smallest edge that owns a cell. */
static inline uint32_t htmt__volume_subcube_edge_least(bool shaded)
{
    return shaded ? 4 : 2;
}

/* Errors: HTMT_ERANGE (too small or large an edge, more than 2^32 - 1 subcubes). */
int htmt__volume_subcubes_plan(const uint32_t dims[3], uint32_t edge, bool shaded, uint32_t voxel,
                               struct htmt__volume_subcubes *s, struct htmt_fault *fault);

/* The extent of the n-th subcubes along an axis. */
struct htmt__volume_extent htmt__volume_subcube_extent(const struct htmt__volume_subcubes *s,
                                                       int axis, uint32_t n);
struct htmt__volume_subcube htmt__volume_subcube_at(const struct htmt__volume_subcubes *s,
                                                    uint32_t number);
uint64_t htmt__volume_subcube_voxels(const struct htmt__volume_subcube *c);
/* Of all subcubes: those that several store count for each. */
uint64_t htmt__volume_subcubes_voxels(const struct htmt__volume_subcubes *s);

/* A stored subcube is its voxels, rounded up to whole words, and its map: a bit for each block of
 * 8 x 8 x 8 cells, x fastest, set if anything in the block is visible. */
#define HTMT__BLOCK 8
uint64_t htmt__volume_subcube_map_at(const struct htmt__volume_subcubes *s,
                                     const struct htmt__volume_subcube *c);
uint64_t htmt__volume_subcube_bytes(const struct htmt__volume_subcubes *s,
                                    const struct htmt__volume_subcube *c);
/* Distance of stored subcubes in bytes: the size of the largest. */
uint64_t htmt__volume_subcube_stride(const struct htmt__volume_subcubes *s);
/* Blocks along an axis. */
static inline uint32_t htmt__volume_subcube_blocks(const struct htmt__volume_extent *e)
{
    return (e->end - e->first + HTMT__BLOCK - 1) / HTMT__BLOCK;
}

/* The first sample of the ray beyond cell `face`'s lower face. Along an axis with a rising
 * position it is the least k with p_a >= face, with a falling position the least k with p_a <
 * face. With a constant position it is 0 if p_a >= face, else `samples`. The exact p_a of ray.h
 * decides, so that the subcubes on either side share no sample and lose none. */
uint32_t htmt__volume_subcube_first(const struct htmt__volume_ray *ray, int axis, uint32_t face);

/* The ray's samples in the subcube: [span[0], span[1]), possibly none. */
void htmt__volume_subcube_span(const struct htmt__volume_subcubes *s,
                               const struct htmt__volume_subcube *c,
                               const struct htmt__volume_ray *ray, uint32_t span[2]);

/* Store a subcube in `to`, which is cleared and has htmt__volume_subcube_bytes(); NULL: only look.
 * The volume has the planes of z that it needs. Return false if nothing in the subcube is visible.
 */
bool htmt__volume_subcube_store(const struct htmt__volume_subcubes *s, const struct htmt__volume *v,
                                const struct htmt__volume_transfer_table *table, uint32_t number,
                                void *to);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The work of the SPELL on a parcel: cast a list of rays through one subcube.
 *
 * A ray in a list is its path (24 bytes) and its state: T, the next sample, the number of samples
 * and C (24 bytes for grey, 40 for colour). It has 6 words, or 8. The list is a rectangle of the
 * bundle's pixels.
 *
 * Formulas and types are those of ray.h. A ray's samples in the subcube are taken until the ray
 * ends. Strips of 16 samples are interpolated side by side and accumulated one after another. If a
 * strip would begin in an invisible block, the samples in that block are skipped. A strip also
 * takes its invisible samples, which add nothing.
 *
 * Charges for a sample taken, with c channels:
 *     position       1 + 3 * 2 flop, place in the cell 3, 3 + 3 iop (cell, index)
 *     value          7 * 3 flop, 8 loads
 *     table         2 + 1 flop, 1 iop, 1 + c levels: 2 flop and 1 load (of two floats) each
 *     accumulation   2 (1 + c) flop
 * A shaded sample adds: gradient 6 * 7 * 3 + 6 flop, 48 loads; the rest of ray.h 21 flop and
 * 3 c + gloss.
 * A skip: 3 * 3 flop, 3 * 2 iop, 1 load. A ray of the list with samples here: 3 * 6 flop, and its
 * words loaded and stored.
 */
#ifndef HTMT_APPS_VOLUME_CAST_H
#define HTMT_APPS_VOLUME_CAST_H

#include "apps/volume/subcubes.h"
#include "layers/machine/machine.h"

struct htmt__volume_path {
    float at[3], step[3]; /* of struct htmt__volume_ray */
};

struct htmt__volume_state {
    double through;     /* T */
    uint32_t next, end; /* the first sample not yet passed; samples of the ray */
    double colour[];    /* C */
};

static inline size_t htmt__volume_state_bytes(unsigned channels)
{
    return sizeof(struct htmt__volume_state) + channels * sizeof(double);
}

/* A subcube, and the parameters of the cast. */
struct htmt__volume_cast {
    const struct htmt__volume_subcubes *subcubes;
    struct htmt__volume_subcube subcube;
    const void *stored; /* voxels and map */
    enum htmt__volume_voxel type;
    const struct htmt__volume_transfer_table *table;
    const struct htmt__volume_casting *casting;
};

struct htmt__volume_cast_work {
    uint64_t rays;                          /* rays of the list with samples here */
    uint64_t taken, shaded, skipped, skips; /* samples; skips: leaps over several samples */
};

/* `rays` rays, one after another in both lists; alive[i]: ray i has not ended and has samples left.
 */
void htmt__volume_cast_rays(const struct htmt__volume_cast *c, const struct htmt__volume_path *path,
                            void *state, uint64_t rays, bool *alive,
                            struct htmt__volume_cast_work *work);

void htmt__volume_cast_add(struct htmt__volume_cast_work *sum,
                           const struct htmt__volume_cast_work *work);
struct htmt_ops htmt__volume_casting_ops(const struct htmt__volume_cast_work *work,
                                         unsigned channels,
                                         const struct htmt__volume_shading *shading);

/* Which of the kernel's variants this processor runs. */
const char *htmt__volume_cast_kernel_set(void);

#endif

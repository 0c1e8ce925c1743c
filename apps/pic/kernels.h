/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of deposit and push. Layout, equations and operations of a particle stand in
 * apps/pic/kernel_text.h; the equations of motion in apps/pic/io/record.h.
 */
#ifndef HTMT_APPS_PIC_KERNELS_H
#define HTMT_APPS_PIC_KERNELS_H

#include "apps/pic/plan.h"

/* Particles fetched ahead of their turn. */
#define HTMT__PIC_AHEAD 64

struct htmt__pic_motion {
    double n[3];          /* cells of the whole grid */
    double lo[3], hi[3];  /* the block */
    double before, after; /* (charge / mass) times before, and dt/2: per field */
    double dt;
};

/* What a push leaves beside the particles. */
struct htmt__pic_pushed {
    uint64_t stay;      /* the first so many; the others have left the block */
    double square[3];   /* v^2 at t, summed by axis */
    double velocity[3]; /* v at t, summed */
    uint64_t count;     /* how many were pushed */
};

/* Operations of one particle. */
enum {
    HTMT__PIC_DEPOSIT_FLOP = 108,
    HTMT__PIC_DEPOSIT_LOADS = 33,
    HTMT__PIC_DEPOSIT_STORES = 27,
    HTMT__PIC_PUSH_FLOP = 276,
    HTMT__PIC_PUSH_LOADS = 90,
    HTMT__PIC_PUSH_STORES = 6
};

/* Add the particles' charge to the tile of their block. */
void htmt__pic_deposit(const struct htmt__pic_particle *particle, uint64_t count,
                       const struct htmt__pic_box *box, double charge, double *tile);

/* Push them in the field of the tile, three numbers a point. left: (count + 63) / 64 words to work
 * with. */
void htmt__pic_push(struct htmt__pic_particle *particle, uint64_t count, const double *tile,
                    const struct htmt__pic_box *box, const struct htmt__pic_motion *motion,
                    uint64_t *left, struct htmt__pic_pushed *out);

/* Those whose bit is set have left: back into the box, and behind those that stay, whose number is
 * returned. n: cells of the whole grid. */
uint64_t htmt__pic_set_apart(struct htmt__pic_particle *particle, uint64_t count,
                             const uint64_t *left, const double n[3]);

/* "AVX-512", "AVX2" or "generic": which instructions this host runs them with. */
const char *htmt__pic_kernel_set(void);

#endif

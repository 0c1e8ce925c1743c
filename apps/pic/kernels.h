/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of deposit and push. apps/pic/kernel_text.h has the layout, the equations and the
 * operations of a particle; apps/pic/io/record.h has the equations of motion.
 */
#ifndef HTMT_APPS_PIC_KERNELS_H
#define HTMT_APPS_PIC_KERNELS_H

#include "apps/pic/plan.h"

/* Number of particles that are prefetched. */
#define HTMT__PIC_AHEAD 64

struct htmt__pic_motion {
    double n[3];          /* cells of the whole grid */
    double lo[3], hi[3];  /* the block */
    double before, after; /* (charge / mass) times before, and times dt/2: per field */
    double dt;
};

/* Results of a push beside the particles. */
struct htmt__pic_pushed {
    uint64_t stay;      /* number that stay: the first ones; the others have left the block */
    double square[3];   /* v^2 at t, summed by axis */
    double velocity[3]; /* v at t, summed */
    uint64_t count;     /* number of pushed particles */
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

/* Push the particles in the field of the tile, which has three numbers a point. left: workspace of
 * (count + 63) / 64 words. */
void htmt__pic_push(struct htmt__pic_particle *particle, uint64_t count, const double *tile,
                    const struct htmt__pic_box *box, const struct htmt__pic_motion *motion,
                    uint64_t *left, struct htmt__pic_pushed *out);

/* Bring the particles whose bit is set back into the box and move them behind the others. Return
 * the number of the others, which stay in the block. n: cells of the whole grid. */
uint64_t htmt__pic_set_apart(struct htmt__pic_particle *particle, uint64_t count,
                             const uint64_t *left, const double n[3]);

/* the instructions that this host runs them with */
const char *htmt__pic_kernel_set(void);

#endif

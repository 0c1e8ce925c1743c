/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The home of a particle, from tables of apps/pic/plan.h's geometry along the axes. The tables pay
 * because every particle that leaves its block needs its home.
 */
#ifndef HTMT_APPS_PIC_BLOCK_OWNER_H
#define HTMT_APPS_PIC_BLOCK_OWNER_H

#include "apps/pic/plan.h"

/* A cell's position along one axis. */
struct htmt__pic_spot {
    uint32_t part, block; /* of the slices; of the blocks in that part */
};

struct htmt__pic_block_owner {
    uint32_t py, teams;
    struct htmt__pic_spot *spot[3]; /* of each cell along the axis */
    uint32_t *blocks[3];            /* of each part: along the axis */
};

/* On success the caller destroys *owner. Errors: HTMT_ENOMEM. */
int htmt__pic_block_owner_create(const struct htmt__pic_plan *plan,
                                 struct htmt__pic_block_owner *owner, struct htmt_fault *fault);
void htmt__pic_block_owner_destroy(struct htmt__pic_block_owner *owner); /* leaves none */

struct htmt__pic_home {
    uint32_t slice, team, block;
};

static inline struct htmt__pic_home htmt__pic_home_of(const struct htmt__pic_block_owner *a,
                                                      const struct htmt__pic_particle *q)
{
    struct htmt__pic_spot x = a->spot[0][(uint32_t)q->x], y = a->spot[1][(uint32_t)q->y];
    struct htmt__pic_spot z = a->spot[2][(uint32_t)q->z];
    uint32_t nx = a->blocks[0][0], ny = a->blocks[1][y.part], nz = a->blocks[2][z.part];
    uint32_t block = (z.block * ny + y.block) * nx + x.block;
    return (struct htmt__pic_home){z.part * a->py + y.part,
                                   htmt__pic_part(nx * ny * nz, a->teams, block), block};
}

#endif

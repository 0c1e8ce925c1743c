/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/reference_cell.h"

#include "parcels/kernel.h"

#define EACH_WIDTH HTMT_CLONES("arch=x86-64-v4", "arch=x86-64-v3", "default")
#define INLINE     static inline __attribute__((always_inline))

/* Of d, the distance from the middle one of three points. */
INLINE void spline(const htmt__pic_lanes *d, htmt__pic_lanes w[3])
{
    htmt__pic_lanes right = *d + 0.5, left = 0.5 - *d;
    w[0] = 0.5 * left * left;
    w[1] = 0.75 - *d * *d;
    w[2] = 0.5 * right * right;
}

INLINE void interpolate(const double f[27], htmt__pic_lanes w[3][3], htmt__pic_lanes *value)
{
    htmt__pic_lanes plane[3];
    for (int z = 0; z < 3; z++) {
        htmt__pic_lanes line[3];
        for (int y = 0; y < 3; y++) {
            const double *at = f + 9 * z + 3 * y;
            line[y] = at[0] * w[0][0] + at[1] * w[0][1] + at[2] * w[0][2];
        }
        plane[z] = line[0] * w[1][0] + line[1] * w[1][1] + line[2] * w[1][2];
    }
    *value = plane[0] * w[2][0] + plane[1] * w[2][1] + plane[2] * w[2][2];
}

EACH_WIDTH void htmt__pic_cell_push(struct htmt__pic_cell_push *p, struct htmt__pic_bunch *b)
{
    for (uint32_t i = 0; i < b->vectors; i++) {
        htmt__pic_lanes w[3][3];
        for (int axis = 0; axis < 3; axis++)
            spline(&b->at[axis][i], w[axis]);
        for (int to = 0; to < 3; to++)
            w[2][to] *= b->live[i];
        for (int axis = 0; axis < 3; axis++) {
            htmt__pic_lanes a;
            interpolate(p->field[axis], w, &a);
            htmt__pic_lanes v = b->v[axis][i] + p->before * a;
            p->square += v * v;
            p->momentum[axis] += v;
            v += p->after * a;
            b->v[axis][i] = v;
            b->at[axis][i] += p->dt * v;
        }
    }
}

EACH_WIDTH void htmt__pic_cell_deposit(const struct htmt__pic_bunch *b, htmt__pic_lanes weight[27])
{
    for (uint32_t i = 0; i < b->vectors; i++) {
        htmt__pic_lanes w[3][3];
        for (int axis = 0; axis < 3; axis++)
            spline(&b->at[axis][i], w[axis]);
        for (int z = 0; z < 3; z++)
            for (int y = 0; y < 3; y++) {
                htmt__pic_lanes line = b->live[i] * w[2][z] * w[1][y];
                for (int x = 0; x < 3; x++)
                    weight[9 * z + 3 * y + x] += line * w[0][x];
            }
    }
}

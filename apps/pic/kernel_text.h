/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the two kernels that touch every particle, in C and C++ alike, over a number type
 * that the includer gives: kernels.c compiles it with double, for several instruction sets; a test
 * compiles it with numbers that count.
 *
 * The includer defines
 *     real, real4          a number; four of them, with element-wise + - * and real * real4;
 *                          the fourth rides along and is never looked at
 *     load4(p), store4(p, v)     four numbers at p
 *     cells4(v, c)         whole parts of v[0..3] to int c[4]
 *     reals4(c)            and back
 *     wrap4(v, n)          v + n where v < 0, then v - n where v >= n
 *     TEXT(name)           what a function is called
 *
 * Operations of a particle. A flop is one + - or * of one number; comparisons, conversions and
 * index arithmetic are not counted; words are those of the closure.
 *
 *                      deposit                 push
 *     d                2 x 3          6        2 x 3                     6
 *     weights          3 x 12        36        3 x 12                   36
 *     charge           3              3
 *     9 rows           9 (1 + 3 x 2) 63        9 x 3 (5 + 2) + 3 x 6   207
 *     two half kicks                           2 x 3 x 2                12
 *     v^2, v summed                            3 x 2 + 3                 9
 *     drift, wrap                              3 x 2 + 3 x 2            12
 *     flop                          108                                282
 *     loads            3 + 27        30        6 + 81                   87
 *     stores           27            27        6                         6
 */

/* Weights of points i - 1, i, i + 1: (1/2 - d)^2 / 2, 3/4 - d^2, (1/2 + d)^2 / 2 as polynomials. */
static inline __attribute__((always_inline)) real4 TEXT(spline)(real d)
{
    const real4 a = {0.125, 0.75, 0.125, 0}, b = {-0.5, 0, 0.5, 0}, c = {0.5, -1, 0.5, 0};
    return a + d * (b + d * c);
}

/* Particles of one block add their charge to its tile, tile[z][y][x] with one guard point at each
 * side and one number beyond its end. Cell lo of the block is tile point (1, 1, 1). */
static void TEXT(deposit)(const real *particle, uint64_t count, const struct htmt__pic_box *box,
                          real charge, real *tile)
{
    const uint64_t row = box->n[0] + 2u, plane = row * (box->n[1] + 2u);
    const real4 half = {0.5, 0.5, 0.5, 0};
    for (uint64_t i = 0; i < count; i++) {
        const real *q = particle + HTMT__PIC_PARTICLE_WORDS * i;
        real4 x = {q[0], q[1], q[2], 0};
        int c[4];
        cells4(x, c);
        real4 d = x - reals4(c) - half;
        real4 wx = TEXT(spline)(d[0]), wy = TEXT(spline)(d[1]);
        real4 wz = charge * TEXT(spline)(d[2]);
        real *at = tile + (uint64_t)(c[2] - (int)box->lo[2]) * plane +
                   (uint64_t)(c[1] - (int)box->lo[1]) * row + (uint64_t)(c[0] - (int)box->lo[0]);
        for (int kz = 0; kz < 3; kz++)
            for (int ky = 0; ky < 3; ky++) {
                real *to = at + (uint64_t)kz * plane + (uint64_t)ky * row;
                store4(to, load4(to) + (wz[kz] * wy[ky]) * wx);
            }
    }
}

/* Field at a particle: the sum over 27 points of a tile[z][y][x][component]; w: weights of the
 * axes. */
static inline __attribute__((always_inline)) void
TEXT(gather)(const real *at, uint64_t row, uint64_t plane, const real4 *w, real4 *field)
{
    real4 sum = {0, 0, 0, 0};
    for (int kz = 0; kz < 3; kz++) {
        real4 layer = {0, 0, 0, 0};
        for (int ky = 0; ky < 3; ky++) {
            const real *f = at + (uint64_t)kz * plane + (uint64_t)ky * row;
            layer = layer + w[1][ky] * (w[0][0] * load4(f) + w[0][1] * load4(f + 3) +
                                        w[0][2] * load4(f + 6));
        }
        sum = sum + w[2][kz] * layer;
    }
    *field = sum;
}

/* Push particles of one block: kick to t, sums, kick to t + dt/2, drift. Those that stay in the
 * block come first, those that leave it last; one that leaves takes the place of the last that was
 * not pushed yet. The field's tile is as the charge's, three numbers a point. */
static uint64_t TEXT(push)(real *particle, uint64_t count, const real *tile,
                           const struct htmt__pic_box *box, const struct htmt__pic_motion *m,
                           real *sums)
{
    const uint64_t row = 3 * (box->n[0] + 2u), plane = row * (box->n[1] + 2u);
    const real4 half = {0.5, 0.5, 0.5, 0}, n = {m->n[0], m->n[1], m->n[2], 1};
    const real before = m->before, after = m->after, dt = m->dt;
    real4 square = {0, 0, 0, 0}, drift = {0, 0, 0, 0};
    uint64_t i = 0;
    while (i < count) {
        real *q = particle + HTMT__PIC_PARTICLE_WORDS * i;
        real4 x = {q[0], q[1], q[2], 0}, v = {q[3], q[4], q[5], 0};
        int c[4];
        cells4(x, c);
        real4 d = x - reals4(c) - half;
        const real *at = tile + (uint64_t)(c[2] - (int)box->lo[2]) * plane +
                         (uint64_t)(c[1] - (int)box->lo[1]) * row +
                         (uint64_t)(c[0] - (int)box->lo[0]) * 3;
        const real4 w[3] = {TEXT(spline)(d[0]), TEXT(spline)(d[1]), TEXT(spline)(d[2])};
        real4 e;
        TEXT(gather)(at, row, plane, w, &e);
        v = v + before * e;
        square = square + v * v;
        drift = drift + v;
        v = v + after * e;
        x = wrap4(x + dt * v, n);
        cells4(x, c);
        if ((uint32_t)c[0] - box->lo[0] >= box->n[0] || (uint32_t)c[1] - box->lo[1] >= box->n[1] ||
            (uint32_t)c[2] - box->lo[2] >= box->n[2]) {
            const real *last = particle + HTMT__PIC_PARTICLE_WORDS * --count;
            for (int k = 0; k < HTMT__PIC_PARTICLE_WORDS; k++)
                q[k] = last[k];
            q = particle + HTMT__PIC_PARTICLE_WORDS * count;
        } else {
            i++;
        }
        for (int k = 0; k < 3; k++) {
            q[k] = x[k];
            q[3 + k] = v[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        sums[k] = square[k];
        sums[3 + k] = drift[k];
    }
    return count;
}

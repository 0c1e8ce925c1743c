/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the two kernels that touch every particle, in C and C++ alike, over a number type
 * that the includer gives: kernels.c compiles it with double, for several instruction sets; a test
 * compiles it with numbers that count.
 *
 * The includer defines
 *     real, real4          a number; four of them, with element-wise + - * and real * real4;
 *                          the fourth rides along and is never looked at
 *     int4                 whole numbers likewise
 *     load4(p), store4(p, v)     four numbers at p;  store3(p, v)  three
 *     turn4(v)             v[1], v[2], v[3], v[0]
 *     cells4(v), reals4(c) whole parts of v, and back
 *     wrap4(v, n)          v + n where v < 0, then v - n where v >= n
 *     outside3(v, lo, hi)  is one of the first three of v < lo, or >= hi?
 *     TEXT(name)           what a function is called
 *
 * Operations of a particle. A flop is one + - or * of one number; comparisons, conversions and
 * index arithmetic are not counted, nor the wrap of the few that leave; words are those of the
 * closure.
 *
 *                      deposit                 push
 *     d                2 x 3          6        2 x 3                     6
 *     weights          3 x 12        36        3 x 12                   36
 *     charge           3              3
 *     9 rows           3 x 3 + 9 x 6 63        9 x 3 (5 + 2) + 3 x 6   207
 *     two half kicks                           2 x 3 x 2                12
 *     v^2, v summed                            3 x 2 + 3                 9
 *     drift                                    3 x 2                     6
 *     flop                          108                                276
 *     loads            3 + 27        30        3 + 81 + 6               90
 *     stores           27            27        6                         6
 */

/* Weights of points i - 1, i, i + 1: (1/2 - d)^2 / 2, 3/4 - d^2, (1/2 + d)^2 / 2 as polynomials. */
static inline __attribute__((always_inline)) real4 TEXT(spline)(real d)
{
    const real4 a = {0.125, 0.75, 0.125, 0}, b = {-0.5, 0, 0.5, 0}, c = {0.5, -1, 0.5, 0};
    return a + d * (b + d * c);
}

/* A tile of numbers around a block, tile[z][y][x], with one guard point at each side: cell lo of
 * the block is point (1, 1, 1), so that the first point a particle reaches has its cell's number.
 */
struct TEXT(lattice) {
    int64_t row, plane,
        corner; /* numbers from one to the next; of cell 0 of the grid to the first */
};

static inline __attribute__((always_inline)) struct TEXT(lattice)
    TEXT(lattice_of)(const struct htmt__pic_box *box, int64_t numbers)
{
    struct TEXT(lattice) l;
    l.row = numbers * (box->n[0] + 2);
    l.plane = l.row * (box->n[1] + 2);
    l.corner = box->lo[2] * l.plane + box->lo[1] * l.row + numbers * box->lo[0];
    return l;
}

/* Particles of one block add their charge to its tile, which has one number beyond its end. */
static void TEXT(deposit)(const real *particle, uint64_t count, const struct htmt__pic_box *box,
                          real charge, real *tile)
{
    const struct TEXT(lattice) l = TEXT(lattice_of)(box, 1);
    const real4 half = {0.5, 0.5, 0.5, 0.5};
    for (uint64_t i = 0; i < count; i++) {
        const real *q = particle + HTMT__PIC_PARTICLE_WORDS * i;
        __builtin_prefetch(q + HTMT__PIC_PARTICLE_WORDS * HTMT__PIC_AHEAD);
        const real4 x = load4(q);
        const int4 cell = cells4(x);
        const real4 d = x - reals4(cell) - half;
        const real4 wx = TEXT(spline)(d[0]), wy = TEXT(spline)(d[1]);
        const real4 wz = charge * TEXT(spline)(d[2]);
        real *at = tile + (cell[2] * l.plane + cell[1] * l.row + cell[0] - l.corner);
        for (int kz = 0; kz < 3; kz++) {
            const real4 w = wz[kz] * wy;
            for (int ky = 0; ky < 3; ky++) {
                real *to = at + kz * l.plane + ky * l.row;
                store4(to, load4(to) + w[ky] * wx);
            }
        }
    }
}

/* The field at a particle, of a tile with three numbers a point and one beyond its end. */
static inline __attribute__((always_inline)) real4 TEXT(gather)(const real *q, const real *tile,
                                                                const struct TEXT(lattice) * l)
{
    __builtin_prefetch(q + HTMT__PIC_PARTICLE_WORDS * HTMT__PIC_AHEAD, 1);
    const real4 half = {0.5, 0.5, 0.5, 0.5}, x = load4(q);
    const int4 cell = cells4(x);
    const real4 d = x - reals4(cell) - half;
    const real4 wx = TEXT(spline)(d[0]), wy = TEXT(spline)(d[1]), wz = TEXT(spline)(d[2]);
    const real *at = tile + (cell[2] * l->plane + cell[1] * l->row + 3 * cell[0] - l->corner);
    real4 sum = {0, 0, 0, 0};
    for (int kz = 0; kz < 3; kz++) {
        real4 layer = {0, 0, 0, 0};
        for (int ky = 0; ky < 3; ky++) {
            const real *f = at + kz * l->plane + ky * l->row;
            layer =
                layer + wy[ky] * (wx[0] * load4(f) + wx[1] * load4(f + 3) + wx[2] * load4(f + 6));
        }
        sum = sum + wz[kz] * layer;
    }
    return sum;
}

/* Those whose bit is set have left: they change places with the last that stay. */
static uint64_t TEXT(part)(real *particle, uint64_t count, const uint64_t *left, const real4 *n)
{
    for (uint64_t i = (count + 63) / 64; i-- > 0;)
        for (uint64_t bits = left[i]; bits;) {
            const uint64_t bit = 63u - (uint64_t)__builtin_clzll(bits);
            bits -= UINT64_C(1) << bit;
            real *q = particle + HTMT__PIC_PARTICLE_WORDS * (64 * i + bit);
            real *last = particle + HTMT__PIC_PARTICLE_WORDS * --count;
            const real4 x = wrap4(load4(q), *n), v = turn4(load4(q + 2));
            const real4 other = load4(last), behind = load4(last + 2);
            store4(q, other);
            store4(q + 2, behind);
            store3(last, x);
            store3(last + 3, v);
        }
    return count;
}

/* Push particles of one block: kick to t, sums, kick to t + dt/2, drift. Those that stay in the
 * block come first, those that leave it last. The fields of a batch are gathered before any of it
 * moves: a processor is then never long in doubt which way to go. left: room for a bit of each. */
static uint64_t TEXT(push)(real *particle, uint64_t count, const real *tile,
                           const struct htmt__pic_box *box, const struct htmt__pic_motion *m,
                           uint64_t *left, real *sums)
{
    const struct TEXT(lattice) l = TEXT(lattice_of)(box, 3);
    const real4 n = {m->n[0], m->n[1], m->n[2], 1};
    const real4 lo = {m->lo[0], m->lo[1], m->lo[2], 0}, hi = {m->hi[0], m->hi[1], m->hi[2], 0};
    const real before = m->before, after = m->after, dt = m->dt;
    real4 square = {0, 0, 0, 0}, drift = {0, 0, 0, 0}, e[64];
    for (uint64_t i = 0; i < count; i += 64) {
        const uint64_t batch = count - i < 64 ? count - i : 64;
        real *q = particle + HTMT__PIC_PARTICLE_WORDS * i;
        uint64_t bits = 0;
        for (uint64_t k = 0; k < batch; k++)
            e[k] = TEXT(gather)(q + HTMT__PIC_PARTICLE_WORDS * k, tile, &l);
        for (uint64_t k = 0; k < batch; k++, q += HTMT__PIC_PARTICLE_WORDS) {
            real4 x = load4(q), v = turn4(load4(q + 2)) + before * e[k];
            square = square + v * v;
            drift = drift + v;
            v = v + after * e[k];
            x = x + dt * v;
            bits |= (uint64_t)outside3(x, lo, hi) << k;
            store3(q, x);
            store3(q + 3, v);
        }
        left[i / 64] = bits;
    }
    for (int k = 0; k < 3; k++) {
        sums[k] = square[k];
        sums[3 + k] = drift[k];
    }
    return TEXT(part)(particle, count, left, &n);
}

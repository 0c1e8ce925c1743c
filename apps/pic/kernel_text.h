/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two kernels that touch every particle, deposit and push, in C and C++ alike. The includer
 * gives the number type: kernels.c compiles this text with double, for several instruction sets.
 * A test compiles it with numbers that count their operations.
 */

/* clang-format off */
/*
 * Equations. Along one axis a particle at x in cell c has d = x - (c + 1/2). Its weights are
 *
 *     w[0] = (1/2 - d)^2 / 2        point c - 1
 *     w[1] = 3/4 - d^2              point c
 *     w[2] = (1/2 + d)^2 / 2        point c + 1
 *
 *     deposit     tile[z][y][x] += charge w[2][z] w[1][y] w[0][x]     for the 27 points
 *     push        e   = sum of w[2][z] w[1][y] w[0][x] tile[z][y][x]  for each axis
 *                 v  += before e                                      v(t): v^2 and v are summed
 *                 v  += after e                                       v(t + dt/2)
 *                 x  += dt v
 *
 * Layout. All particles of a cell see the same 27 points. The kernels therefore take LANES
 * particles of one cell at a time, one in each lane of a vector, from a list of the cell's
 * particles (apps/pic/cell_list.h). A particle is 6 words: x, y, z, vx, vy, vz.
 *
 * The includer defines
 *
 *     real                       a number
 *     lanes                      LANES numbers, with element-wise + - * and lanes with real
 *     EVERY_LANE                 a mask with a bit for each lane
 *     load(p)                    the number at p
 *     add(p, v)                  *p += v, for lanes in memory
 *     first(x)                   x in the first lane and 0 in the others
 *     total(v)                   the sum of all lanes
 *     living(v, n)               v in the first n lanes and 0 in the others
 *     take3(q, who, x)           lane i: the 3 words from q + who[i] on
 *     take6(q, who, x, v)        lane i: the 6 words from q + who[i] on
 *     put6(q, who, x, v)         write these words back
 *     give3(p, v)                p[0], p[1], p[2] += the totals of v[0], v[1], v[2]
 *     cells_of(x, lo, n, cell)   the cell number of each position, x fastest, in the block of
 *                                n cells from lo
 *     within(bits, v, lo, hi)    bits without the lanes for which lo <= v < hi is false
 *     EACH_AXIS                  goes before a loop over axes that is worth unrolling
 *     TEXT(name)                 the name of a function of this text
 *     INLINE                     makes a function static and always inlined
 *
 * Operations per particle. A flop is one + - or * of one number. Comparisons, conversions and index
 * arithmetic do not count. Words are those of the closure. Deposit counts the sums of a cell as
 * sums of its points; the separate sums of the lanes do not count.
 *
 *                        deposit                 push
 *     d                  2 x 3            6      2 x 3                      6
 *     weights            3 x 12          36      3 x 12                    36
 *     charge             3                3
 *     9 rows             9 + 9 x 6       63      9 x 3 (5 + 2) + 9 x 2    207
 *     two half kicks                             2 x 3 x 2                 12
 *     v^2, v summed                              3 x 2 + 3                  9
 *     drift                                      3 x 2                      6
 *     ---------------------------------------------------------------------
 *     flop                              108                               276
 *     loads              3 + 3 + 27      33      3 + 6 + 81                90
 *     stores             27              27      6                          6
 */
/* clang-format on */

/* Weights of points i - 1, i, i + 1: (1/2 - d)^2 / 2, 3/4 - d^2, (1/2 + d)^2 / 2 as polynomials. */
INLINE void TEXT(spline)(lanes d, lanes w[3])
{
    const real a[3] = {0.125, 0.75, 0.125}, b[3] = {-0.5, 0, 0.5}, c[3] = {0.5, -1, 0.5};
    for (int i = 0; i < 3; i++)
        w[i] = a[i] + d * (b[i] + d * c[i]);
}

/* A tile of numbers around a block, tile[z][y][x], with one guard point at each side. Cell lo of
 * the block is point (1, 1, 1), so the first of a particle's points has the number of its cell. */
struct TEXT(lattice) {
    uint32_t lo[3], n[3];      /* the block */
    int64_t point, row, plane; /* numbers from one to the next */
};

INLINE struct TEXT(lattice) TEXT(lattice_of)(const struct htmt__pic_box *box, int64_t numbers)
{
    struct TEXT(lattice) l;
    for (int a = 0; a < 3; a++) {
        l.lo[a] = box->lo[a];
        l.n[a] = box->n[a];
    }
    l.point = numbers;
    l.row = l.point * (l.n[0] + 2);
    l.plane = l.row * (l.n[1] + 2);
    return l;
}

/* ---- cell batches --------------------------------------------------------------------------- */

INLINE void TEXT(find)(const real *particle, const uint32_t *who, const struct TEXT(lattice) * l,
                       uint32_t *cell)
{
    lanes x[3];
    for (uint32_t i = 0; i < LANES; i++)
        __builtin_prefetch(particle + HTMT__PIC_PARTICLE_WORDS * (HTMT__PIC_AHEAD + i));
    take3(particle, who, x);
    cells_of(x, l->lo, l->n, cell);
}

/* List the particles of one stretch by cell. */
static void TEXT(enrol)(const real *particle, uint64_t count, const struct TEXT(lattice) * l,
                        struct htmt__pic_cell_list *r)
{
    uint32_t in_turn[LANES], alone[LANES] = {0}, i = 0;
    for (uint32_t k = 0; k < LANES; k++)
        in_turn[k] = HTMT__PIC_PARTICLE_WORDS * k;
    for (int a = 0; a < 3; a++)
        r->n[a] = l->n[a];
    r->count = count < HTMT__PIC_STRETCH ? (uint32_t)count : (uint32_t)HTMT__PIC_STRETCH;
    for (; i + LANES <= r->count; i += LANES)
        TEXT(find)(particle + HTMT__PIC_PARTICLE_WORDS * i, in_turn, l, r->cell + i);
    for (; i < r->count; i++)
        TEXT(find)(particle + HTMT__PIC_PARTICLE_WORDS * i, alone, l, r->cell + i);
    htmt__pic_cell_list_begin(r);
}

/* The cell of a batch: its lower corner in the grid, and its first point in the tile. */
struct TEXT(place) {
    real corner[3];
    int64_t at;
};

INLINE struct TEXT(place)
    TEXT(place_of)(const struct htmt__pic_cell_batch *batch, const struct TEXT(lattice) * l)
{
    struct TEXT(place) p;
    for (int a = 0; a < 3; a++)
        p.corner[a] = (double)(l->lo[a] + batch->place[a]);
    p.at = batch->place[2] * l->plane + batch->place[1] * l->row + batch->place[0] * l->point;
    return p;
}

INLINE void TEXT(weights)(const lanes x[3], const struct TEXT(place) * p, lanes w[3][3])
{
    const real half = 0.5;
    for (int a = 0; a < 3; a++)
        TEXT(spline)(x[a] - p->corner[a] - half, w[a]);
}

/* ---- deposit -------------------------------------------------------------------------------- */

static void TEXT(deposit_batch)(const real *particle, const struct htmt__pic_cell_batch *batch,
                                real charge, const struct TEXT(lattice) * l, real *tile)
{
    const struct TEXT(place) p = TEXT(place_of)(batch, l);
    lanes sum[9][3];
    for (int i = 0; i < 9; i++)
        for (int x = 0; x < 3; x++)
            sum[i][x] = first(0);
    for (uint32_t i = 0; i < batch->count; i += LANES) {
        lanes x[3], w[3][3];
        take3(particle, batch->who + i, x);
        TEXT(weights)(x, &p, w);
        for (int z = 0; z < 3; z++) {
            const lanes plane = living(charge * w[2][z], batch->count - i);
            for (int y = 0; y < 3; y++) {
                const lanes row = plane * w[1][y];
                for (int k = 0; k < 3; k++)
                    add(&sum[3 * z + y][k], row * w[0][k]);
            }
        }
    }
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            give3(tile + p.at + z * l->plane + y * l->row, sum[3 * z + y]);
}

/* Add the charge of a block's particles to the block's tile. */
static void TEXT(deposit)(const real *particle, uint64_t count, const struct htmt__pic_box *box,
                          real charge, real *tile)
{
    const struct TEXT(lattice) l = TEXT(lattice_of)(box, 1);
    struct htmt__pic_cell_list r;
    struct htmt__pic_cell_batch batch;
    for (uint64_t i = 0; i < count; i += HTMT__PIC_STRETCH) {
        const real *q = particle + HTMT__PIC_PARTICLE_WORDS * i;
        TEXT(enrol)(q, count - i, &l, &r);
        while (htmt__pic_cell_list_next(&r, &batch))
            TEXT(deposit_batch)(q, &batch, charge, &l, tile);
    }
}

/* ---- push ----------------------------------------------------------------------------------- */

/* One component of the field at particles with these weights. The tile has 3 numbers a point. */
INLINE lanes TEXT(gather)(const real *at, lanes w[3][3], const struct TEXT(lattice) * l)
{
    lanes sum = first(0);
    for (int z = 0; z < 3; z++) {
        lanes plane = first(0);
        for (int y = 0; y < 3; y++) {
            const real *f = at + z * l->plane + y * l->row;
            plane = plane +
                    w[1][y] * (w[0][0] * load(f) + w[0][1] * load(f + 3) + w[0][2] * load(f + 6));
        }
        sum = sum + w[2][z] * plane;
    }
    return sum;
}

struct TEXT(sums) {
    lanes square[3], velocity[3];
};

INLINE void TEXT(mark)(uint64_t *left, const uint32_t *who, uint32_t bits)
{
    for (; bits; bits &= bits - 1) {
        const uint32_t i = who[__builtin_ctz(bits)] / HTMT__PIC_PARTICLE_WORDS;
        left[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static void TEXT(push_batch)(real *particle, const struct htmt__pic_cell_batch *batch,
                             const real *tile, const struct TEXT(lattice) * l,
                             const struct htmt__pic_motion *m, uint64_t *left,
                             struct TEXT(sums) * sums)
{
    const struct TEXT(place) p = TEXT(place_of)(batch, l);
    const real before = m->before, after = m->after, dt = m->dt;
    for (uint32_t i = 0; i < batch->count; i += LANES) {
        const uint32_t *who = batch->who + i;
        lanes x[3], v[3], w[3][3];
        uint32_t in = EVERY_LANE;
        take6(particle, who, x, v);
        TEXT(weights)(x, &p, w);
        EACH_AXIS
        for (int a = 0; a < 3; a++) {
            const lanes e = TEXT(gather)(tile + p.at + a, w, l);
            v[a] = v[a] + before * e;
            const lanes now = living(v[a], batch->count - i);
            sums->square[a] = sums->square[a] + now * now;
            sums->velocity[a] = sums->velocity[a] + now;
            v[a] = v[a] + after * e;
            x[a] = x[a] + dt * v[a];
            in = within(in, x[a], m->lo[a], m->hi[a]);
        }
        put6(particle, who, x, v);
        TEXT(mark)(left, who, EVERY_LANE & ~in);
    }
}

/* Push the particles of one block: kick to t, sums, kick to t + dt/2, drift. In left, set the bits
 * of the particles that have left the block. */
static void TEXT(push)(real *particle, uint64_t count, const real *tile,
                       const struct htmt__pic_box *box, const struct htmt__pic_motion *m,
                       uint64_t *left, real *sums)
{
    const struct TEXT(lattice) l = TEXT(lattice_of)(box, 3);
    struct TEXT(sums) all;
    struct htmt__pic_cell_list r;
    struct htmt__pic_cell_batch batch;
    for (int a = 0; a < 3; a++)
        all.square[a] = all.velocity[a] = first(0);
    for (uint64_t i = 0; i < count; i += HTMT__PIC_STRETCH) {
        real *q = particle + HTMT__PIC_PARTICLE_WORDS * i;
        TEXT(enrol)(q, count - i, &l, &r);
        while (htmt__pic_cell_list_next(&r, &batch))
            TEXT(push_batch)(q, &batch, tile, &l, m, left + i / 64, &all);
    }
    for (int a = 0; a < 3; a++) {
        sums[a] = total(all.square[a]);
        sums[3 + a] = total(all.velocity[a]);
    }
}

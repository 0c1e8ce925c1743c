/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program.
 *
 * `order` lists the particles by their cell. Deposit and push go cell by cell through that list.
 * All particles of a cell share the same 27 points, so these are loaded once, and up to GROUP
 * particles of the cell are worked on side by side in vectors. A pushed particle stays in its place
 * in memory, so there is one array of particles and no copy. Places follow the cells as of some
 * steps ago: the particles of a cell lie near each other, and every REORDER steps, before they have
 * gone far, all are moved to the places that the list gives them.
 *
 * Threads. The box is cut along z into up to PIECES pieces, however many threads there are, and
 * each thread takes the next piece. A push of a piece changes its own particles and has sums of its
 * own, which are added up in the order of the pieces. The charge of a piece also falls on the
 * planes below and above it, which belong to others: a piece deposits on a slab of its own, two
 * planes thicker than it is, and the slabs are added in order. So any number of threads gives the
 * same bits. The field solve, a twentieth of the time, has one thread.
 *
 * Weights. A particle belongs to the 27 points around the one of its cell. Along each axis the
 * weights are a quadratic spline of its distance d from the middle point: for d = 0.25 they are
 * 0.03125, 0.6875 and 0.28125. They add up to 1 for any d, so no charge is lost; field and charge
 * use the same weights, so a particle exerts no force on itself.
 *
 * Time. Velocities live half a step before positions (leapfrog), which is of second order with one
 * field a step. A record wants energies at the time of the positions. So a push has two halves:
 * after `before` = dt / 2 the velocity is that of now, and is summed; after `after` = dt / 2 more
 * it is the next one, and moves the particle. The deck's velocities are those of time 0, so the
 * first push has no first half.
 */
#include "apps/pic/reference.h"

#include "apps/fft/fft.h"
#include "apps/lib/host_clock.h"
#include "apps/lib/host_parts.h"
#include "apps/pic/io/by_key.h"
#include "parcels/kernel.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Number of particles that are prefetched. */
#define AHEAD 32

#define REORDER 4 /* steps; the fewer, the less it costs each time */
#define PIECES  16u
#define ALONE   50000 /* particles whose phases are too short for several threads */

/* ---- the field solve -------------------------------------------------------------------------
 *
 * In a periodic box Poisson's equation is a division, wave by wave: a wave of rho with wave number
 * k has the potential rho / k^2, and the field, minus its slope, is -i k times that. By hand: rho
 * is one cosine over 8 cells; k = 2 pi / 8 = 0.785, so phi is 1.62 times it, and E = 1.27 sin.
 * Three waves are special. The one of k = 0 is the mean charge, which the background cancels: its
 * potential is 0. At the Nyquist wave, +1 -1 +1 ..., of an axis the slope along it is 0 at all
 * points, and i k times a real amplitude would make a field that is not real. And since rho is
 * real, half of the waves along x tell the others.
 *
 * The cost is one transform forward and three back, n log n each.
 */

struct htmt__pic_poisson {
    uint32_t n[3], half; /* half: modes of x; the others follow by symmetry */
    double *k[3];        /* wave number of each mode of an axis */
    double *grid;        /* aligned as the transforms want it */
    double complex *phi, *e;
    struct htmt__fft_cube *fft;
};

int htmt__pic_poisson_create(struct htmt__pic_poisson **out, const uint32_t n[3],
                             struct htmt_fault *fault)
{
    const uint64_t points = (uint64_t)n[0] * n[1] * n[2];
    const uint64_t modes = ((uint64_t)n[0] / 2 + 1) * n[1] * n[2];
    struct htmt__pic_poisson *p = calloc(1, sizeof *p);
    bool whole = p != NULL;
    for (int axis = 0; axis < 3 && whole; axis++) {
        p->n[axis] = n[axis];
        whole = (p->k[axis] = malloc(n[axis] * sizeof *p->k[axis]));
        for (uint32_t m = 0; whole && m < n[axis]; m++)
            p->k[axis][m] =
                2 * M_PI / n[axis] * (m <= n[axis] / 2 ? (double)m : (double)m - n[axis]);
    }
    if (whole) {
        p->half = n[0] / 2 + 1;
        p->grid = htmt__fft_alloc(points * sizeof *p->grid);
        p->phi = htmt__fft_alloc(modes * sizeof *p->phi);
        p->e = htmt__fft_alloc(modes * sizeof *p->e);
    }
    if (whole && p->grid && p->phi && p->e &&
        !htmt__fft_cube_create((uint32_t[]){n[2], n[1], n[0]}, &p->fft, NULL)) {
        *out = p;
        return 0;
    }
    htmt__pic_poisson_destroy(&p);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the modes of %u x %u x %u cells",
                          n[0], n[1], n[2]);
}

void htmt__pic_poisson_destroy(struct htmt__pic_poisson **out)
{
    struct htmt__pic_poisson *p = *out;
    *out = NULL;
    if (!p)
        return;
    htmt__fft_cube_destroy(&p->fft);
    free(p->e);
    free(p->phi);
    free(p->grid);
    for (int axis = 0; axis < 3; axis++)
        free(p->k[axis]);
    free(p);
}

/* The derivative along an axis: no wave at the Nyquist mode is real and odd. */
static double slope(const struct htmt__pic_poisson *p, int axis, uint32_t mode)
{
    return 2 * mode == p->n[axis] ? 0 : p->k[axis][mode];
}

void htmt__pic_poisson_solve(struct htmt__pic_poisson *p, struct htmt__pic_fields *f)
{
    const uint64_t cells = (uint64_t)p->n[0] * p->n[1] * p->n[2];
    memcpy(p->grid, f->at + HTMT__PIC_RHO * cells, cells * sizeof *p->grid);
    htmt__fft_cube_forward(p->fft, p->grid, p->phi);
    /* rho_k becomes phi_k; 1 / cells is the transforms' missing norm */
    double norm = 1 / (double)cells;
    double complex *at = p->phi;
    for (uint32_t z = 0; z < p->n[2]; z++)
        for (uint32_t y = 0; y < p->n[1]; y++)
            for (uint32_t x = 0; x < p->half; x++, at++) {
                double kx = p->k[0][x], ky = p->k[1][y], kz = p->k[2][z];
                double square = kx * kx + ky * ky + kz * kz;
                *at = square > 0 ? *at * (norm / square) : 0;
            }
    for (int axis = 0; axis < 3; axis++) {
        double complex *to = p->e;
        const double complex *phi = p->phi;
        for (uint32_t z = 0; z < p->n[2]; z++)
            for (uint32_t y = 0; y < p->n[1]; y++)
                for (uint32_t x = 0; x < p->half; x++)
                    *to++ = -I * slope(p, axis, (uint32_t[]){x, y, z}[axis]) * *phi++;
        htmt__fft_cube_backward(p->fft, p->e, p->grid);
        memcpy(f->at + (HTMT__PIC_EX + (uint64_t)axis) * cells, p->grid, cells * sizeof *p->grid);
    }
}

/* ---- the work on one cell ------------------------------------------------------------------- */

#define LANES 8
#define GROUP 64

typedef double lanes __attribute__((vector_size(8 * LANES)));

/* Up to GROUP particles of a cell, coordinate by coordinate. Positions count from the cell's point.
 * The group is padded to whole vectors with particles that are not live: no force acts on them and
 * they deposit nothing. */
struct cell_group {
    uint32_t vectors;          /* in use */
    lanes live[GROUP / LANES]; /* 1 or 0 */
    lanes at[3][GROUP / LANES], v[3][GROUP / LANES];
};

struct cell_push {
    double field[3][27]; /* of the cell's points, x fastest, times charge / mass */
    double before, after, dt;
    lanes square, momentum[3]; /* sums of v^2 and v; a push adds to them */
};

#define EACH_WIDTH HTMT_CLONES("arch=x86-64-v4", "arch=x86-64-v3", "default")
#define INLINE     static inline __attribute__((always_inline))

/* Of d, the distance from the middle one of three points. */
INLINE void spline(const lanes *d, lanes w[3])
{
    lanes right = *d + 0.5, left = 0.5 - *d;
    w[0] = 0.5 * left * left;
    w[1] = 0.75 - *d * *d;
    w[2] = 0.5 * right * right;
}

INLINE void interpolate(const double f[27], lanes w[3][3], lanes *value)
{
    lanes plane[3];
    for (int z = 0; z < 3; z++) {
        lanes line[3];
        for (int y = 0; y < 3; y++) {
            const double *at = f + 9 * z + 3 * y;
            line[y] = at[0] * w[0][0] + at[1] * w[0][1] + at[2] * w[0][2];
        }
        plane[z] = line[0] * w[1][0] + line[1] * w[1][1] + line[2] * w[1][2];
    }
    *value = plane[0] * w[2][0] + plane[1] * w[2][1] + plane[2] * w[2][2];
}

/* Push the group: the sums take v + before a; then v becomes v + (before + after) a, and x becomes
 * x + dt v. */
EACH_WIDTH static void push_group(struct cell_push *p, struct cell_group *b)
{
    for (uint32_t i = 0; i < b->vectors; i++) {
        lanes w[3][3];
        for (int axis = 0; axis < 3; axis++)
            spline(&b->at[axis][i], w[axis]);
        for (int to = 0; to < 3; to++)
            w[2][to] *= b->live[i];
        for (int axis = 0; axis < 3; axis++) {
            lanes a;
            interpolate(p->field[axis], w, &a);
            lanes v = b->v[axis][i] + p->before * a;
            p->square += v * v;
            p->momentum[axis] += v;
            v += p->after * a;
            b->v[axis][i] = v;
            b->at[axis][i] += p->dt * v;
        }
    }
}

/* Add the weights of each live particle to those of the 27 points. */
EACH_WIDTH static void deposit_group(const struct cell_group *b, lanes weight[27])
{
    for (uint32_t i = 0; i < b->vectors; i++) {
        lanes w[3][3];
        for (int axis = 0; axis < 3; axis++)
            spline(&b->at[axis][i], w[axis]);
        for (int z = 0; z < 3; z++)
            for (int y = 0; y < 3; y++) {
                lanes line = b->live[i] * w[2][z] * w[1][y];
                for (int x = 0; x < 3; x++)
                    weight[9 * z + 3 * y + x] += line * w[0][x];
            }
    }
}

static double lanes_sum(const lanes *l)
{
    double sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += (*l)[i];
    return sum;
}

/* ---- cells ---------------------------------------------------------------------------------- */

struct species {
    struct htmt__pic_species *of;   /* the caller's */
    uint32_t *cell, *order, *first; /* of each particle; by cell, and some behind; cells + 1
                                       places in `order` */
    struct htmt__pic_by_key by;
};

/* Planes of cells along z, and what they add up. */
struct piece {
    uint32_t lo, end;
    double *slab; /* charge of the planes lo - 1 to end */
    lanes square, momentum[3];
};

struct box {
    const struct htmt__pic_deck *deck;
    uint32_t n[3];
    uint64_t cells;
    double background, along[3]; /* k/|k| of the mode */
    double complex *turn[3];     /* exp(i k x) of the points along each axis */
    struct species species[HTMT__PIC_SPECIES_MAX];
    struct htmt__pic_fields fields;
    struct htmt__pic_poisson *poisson;
    unsigned threads;
    uint32_t pieces;
    double *slabs;
    struct piece *piece;
    struct htmt__pic_particle *buffer; /* of a stretch */
    bool begins;                       /* the first step */
};

struct cell {
    double middle[3];
    uint32_t point[27]; /* numbers of the points, x fastest */
};

/* Cell x of the row (y, z), and the points around its own along the periodic axes. A slab is not
 * periodic along z: its planes are counted from `below`. */
static void look_around(const struct box *b, const uint32_t at[3], const uint32_t *below,
                        struct cell *c)
{
    uint32_t to[3][3], stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t n = b->n[axis], i = at[axis];
        c->middle[axis] = i + 0.5;
        to[axis][0] = stride * (i > 0 ? i - 1 : n - 1);
        to[axis][1] = stride * i;
        to[axis][2] = stride * (i + 1 < n ? i + 1 : 0);
        for (uint32_t step = 0; step < 3 && axis == 2 && below; step++)
            to[2][step] = stride * (i - *below + step);
        stride *= n;
    }
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                c->point[9 * z + 3 * y + x] = to[2][z] + to[1][y] + to[0][x];
}

static uint32_t cell_of(const struct box *b, const struct htmt__pic_particle *q)
{
    uint32_t x = (uint32_t)q->x, y = (uint32_t)q->y, z = (uint32_t)q->z;
    return (z * b->n[1] + y) * b->n[0] + x;
}

/* ---- order in memory -------------------------------------------------------------------------
 *
 * Particles are moved to the places that the list gives them, without a second array. A stretch of
 * places after another is set in order: its particles are gathered into a buffer, from wherever
 * they are; those that lie in its places and do not belong there, the strays, move into the holes
 * that the gathered ones left elsewhere, which are as many; then the buffer goes into the places.
 * By hand, stretches of 2, places hold b d a c and the list is a b c d. The first one gathers a and
 * b from places 2 and 0; d is a stray of place 1 and moves into the hole at 2. Now a b d c; the
 * second stretch gathers c and d, from 3 and 2. A stray leaves a note at its old place of where it
 * went. So whoever the list sends to a place that is in order already goes on from note to note.
 * Since particles move slowly, strays are few, and all is read and written nearly in sequence.
 */
#define STRETCH 16384u
#define GONE    UINT32_MAX /* a gathered particle's note */

struct stretch {
    uint32_t begin, end;
    struct htmt__pic_particle *buffer;
};

/* Gather the particles of the stretch. Notes lie in s->cell; a note of `end` says nothing. */
static void gather(const struct stretch *t, struct species *s)
{
    for (uint32_t i = t->begin; i < t->end; i++)
        s->cell[i] = t->end;
    for (uint32_t i = t->begin; i < t->end; i++) {
        uint32_t from = s->order[i];
        __builtin_prefetch(&s->of->at[s->order[i + AHEAD]]);
        while (from < t->begin)
            from = s->cell[from];
        s->order[i] = from;
        t->buffer[i - t->begin] = s->of->at[from];
        if (from < t->end)
            s->cell[from] = GONE;
    }
}

static void scatter(const struct stretch *t, struct species *s)
{
    uint32_t stray = t->begin;
    for (uint32_t i = t->begin; i < t->end; i++) {
        const uint32_t hole = s->order[i];
        if (hole < t->end)
            continue;
        while (s->cell[stray] == GONE)
            stray++;
        s->of->at[hole] = s->of->at[stray];
        s->cell[stray++] = hole;
    }
    memcpy(s->of->at + t->begin, t->buffer, (t->end - t->begin) * sizeof *t->buffer);
}

static void reorder(const struct box *b, struct species *s)
{
    const uint32_t count = (uint32_t)s->of->count;
    for (uint32_t begin = 0; begin < count; begin += STRETCH) {
        const struct stretch t = {begin, count - begin < STRETCH ? count : begin + STRETCH,
                                  b->buffer};
        uint32_t same = begin;
        while (same < t.end && s->order[same] == same)
            same++;
        if (same == t.end)
            continue;
        gather(&t, s);
        scatter(&t, s);
    }
    for (uint32_t i = 0; i < count; i++)
        s->order[i] = i;
    for (uint32_t c = 0; c < b->cells; c++)
        for (uint32_t i = s->first[c]; i < s->first[c + 1]; i++)
            s->cell[i] = c;
}

/* ---- groups ---------------------------------------------------------------------------------
 *
 * Particles lie one by one in memory, and a group coordinate by coordinate. Four particles are
 * turned at a time, as a matrix: four vectors of x y z vx become one of all x, one of all y, and so
 * on. Coordinate by coordinate in scalars, turning took as long as the push.
 */
typedef double quad __attribute__((vector_size(32)));
typedef double packed_quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int32_t numbers __attribute__((vector_size(16)));
typedef uint32_t naturals __attribute__((vector_size(16)));

/* The lines of a matrix become its columns. */
INLINE void turn(quad m[4])
{
    const quad even[2] = {__builtin_shufflevector(m[0], m[1], 0, 4, 2, 6),
                          __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6)};
    const quad odd[2] = {__builtin_shufflevector(m[0], m[1], 1, 5, 3, 7),
                         __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7)};
    m[0] = __builtin_shufflevector(even[0], even[1], 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(odd[0], odd[1], 0, 1, 4, 5);
    m[2] = __builtin_shufflevector(even[0], even[1], 2, 3, 6, 7);
    m[3] = __builtin_shufflevector(odd[0], odd[1], 2, 3, 6, 7);
}

static uint32_t group_size(uint32_t left)
{
    return left < GROUP ? left : GROUP;
}

/* Load `count` particles, with velocities or without. Those behind the last are padding: in the
 * middle, at rest. */
INLINE void load(struct cell_group *b, const struct htmt__pic_particle *from, const uint32_t *order,
                 uint32_t count, const double middle[3], bool moving)
{
    const struct htmt__pic_particle padding = {middle[0], middle[1], middle[2], 0, 0, 0};
    b->vectors = (count + LANES - 1) / LANES;
    for (uint32_t i = 0; i < b->vectors; i++)
        b->live[i] = (lanes){0} + 1;
    for (uint32_t i = count; i < b->vectors * LANES; i++)
        b->live[i / LANES][i % LANES] = 0;
    for (uint32_t i = 0; i < b->vectors * LANES; i += 4) {
        quad place[4], motion[4];
        for (uint32_t k = 0; k < 4; k++) {
            const struct htmt__pic_particle *ahead = &from[order[i + k + AHEAD]];
            __builtin_prefetch(&ahead->x);
            __builtin_prefetch(&ahead->vz);
            const struct htmt__pic_particle *q = i + k < count ? &from[order[i + k]] : &padding;
            place[k] = *(const packed_quad *)&q->x;
            motion[k] = *(const packed_quad *)&q->z;
        }
        turn(place);
        for (uint32_t axis = 0; axis < 3; axis++) {
            place[axis] -= middle[axis];
            memcpy((double *)b->at[axis] + i, &place[axis], sizeof *place);
        }
        if (!moving)
            continue;
        turn(motion);
        for (uint32_t axis = 0; axis < 3; axis++)
            memcpy((double *)b->v[axis] + i, &motion[1 + axis], sizeof *motion);
    }
}

EACH_WIDTH static void load_places(struct cell_group *b, const struct htmt__pic_particle *from,
                                   const uint32_t *order, uint32_t count, const double middle[3])
{
    load(b, from, order, count, middle, false);
}

EACH_WIDTH static void load_all(struct cell_group *b, const struct htmt__pic_particle *from,
                                const uint32_t *order, uint32_t count, const double middle[3])
{
    load(b, from, order, count, middle, true);
}

static double wrap(double x, double n)
{
    if (x >= 0 && x < n)
        return x;
    x = fmod(x, n);
    x = x < 0 ? x + n : x;
    return x < n ? x : 0;
}

/* Back to their places. */
EACH_WIDTH static void store(const struct box *b, const struct cell_group *from, uint32_t count,
                             const double middle[3], const struct species *s, const uint32_t *order)
{
    for (uint32_t i = 0; i < count; i += 4) {
        quad m[4], v[2];
        naturals at[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            const double n = b->n[axis];
            memcpy(&m[axis], (const double *)from->at[axis] + i, sizeof *m);
            m[axis] += middle[axis];
            for (uint32_t k = 0; k < 4; k++)
                if (__builtin_expect(!(m[axis][k] >= 0 && m[axis][k] < n), false))
                    m[axis][k] = wrap(m[axis][k], n);
            at[axis] = (naturals) __builtin_convertvector(m[axis], numbers);
        }
        memcpy(&m[3], (const double *)from->v[0] + i, sizeof *m);
        for (uint32_t axis = 0; axis < 2; axis++)
            memcpy(&v[axis], (const double *)from->v[1 + axis] + i, sizeof *v);
        const naturals cell = (at[2] * b->n[1] + at[1]) * b->n[0] + at[0];
        turn(m);
        for (uint32_t k = 0; k < 4 && i + k < count; k++) {
            struct htmt__pic_particle *to = &s->of->at[order[i + k]];
            *(packed_quad *)&to->x = m[k];
            to->vy = v[0][k];
            to->vz = v[1][k];
            s->cell[order[i + k]] = cell[k];
        }
    }
}

/* ---- phases --------------------------------------------------------------------------------- */

/* A cell's particles are taken in groups of vectors, their places relative to the middle of the
 * cell, so that a group shares its 27 points and needs no search for them. */
static void deposit_cell(const struct box *b, const struct species *s, const uint32_t at[3],
                         struct piece *p)
{
    const uint32_t number = (at[2] * b->n[1] + at[1]) * b->n[0] + at[0];
    const uint32_t end = s->first[number + 1];
    struct cell c;
    struct cell_group group;
    lanes weight[27] = {0};
    if (s->first[number] == end)
        return;
    look_around(b, at, &p->lo, &c);
    for (uint32_t i = s->first[number]; i < end; i += GROUP) {
        load_places(&group, s->of->at, s->order + i, group_size(end - i), c.middle);
        deposit_group(&group, weight);
    }
    for (int i = 0; i < 27; i++)
        p->slab[c.point[i]] += s->of->charge * lanes_sum(&weight[i]);
}

static void deposit_piece(void *box, uint32_t number)
{
    const struct box *b = box;
    struct piece *p = &b->piece[number];
    const size_t plane = (size_t)b->n[0] * b->n[1];
    memset(p->slab, 0, (p->end - p->lo + 2) * plane * sizeof *p->slab);
    for (const struct species *s = b->species; s < b->species + b->deck->species_count; s++)
        for (uint32_t z = p->lo; z < p->end; z++)
            for (uint32_t y = 0; y < b->n[1]; y++)
                for (uint32_t x = 0; x < b->n[0]; x++)
                    deposit_cell(b, s, (uint32_t[]){x, y, z}, p);
}

static void deposit(struct box *b)
{
    const uint64_t plane = (uint64_t)b->n[0] * b->n[1];
    double *rho = b->fields.at + HTMT__PIC_RHO * b->cells;
    htmt_host_parts(b->threads, b->pieces, deposit_piece, b);
    for (uint64_t c = 0; c < b->cells; c++)
        rho[c] = b->background;
    for (const struct piece *p = b->piece; p < b->piece + b->pieces; p++)
        for (uint32_t z = 0; z < p->end - p->lo + 2; z++) {
            double *to = rho + (p->lo + b->n[2] - 1 + z) % b->n[2] * plane;
            for (uint64_t i = 0; i < plane; i++)
                to[i] += p->slab[z * plane + i];
        }
}

static void push_cell(const struct box *b, const struct species *s, const uint32_t at[3],
                      struct cell_push *p)
{
    const uint32_t number = (at[2] * b->n[1] + at[1]) * b->n[0] + at[0];
    const uint32_t end = s->first[number + 1];
    struct cell c;
    struct cell_group group;
    double ratio = s->of->charge / s->of->mass;
    if (s->first[number] == end)
        return;
    look_around(b, at, NULL, &c);
    for (uint64_t axis = 0; axis < 3; axis++)
        for (int i = 0; i < 27; i++)
            p->field[axis][i] = ratio * b->fields.at[(HTMT__PIC_EX + axis) * b->cells + c.point[i]];
    for (uint32_t i = s->first[number]; i < end; i += GROUP) {
        const uint32_t count = group_size(end - i), *order = s->order + i;
        load_all(&group, s->of->at, order, count, c.middle);
        push_group(p, &group);
        store(b, &group, count, c.middle, s, order);
    }
}

struct pushing {
    const struct box *b;
    const struct species *s;
};

static void push_piece(void *pushing, uint32_t number)
{
    const struct box *b = ((const struct pushing *)pushing)->b;
    const struct species *s = ((const struct pushing *)pushing)->s;
    struct piece *piece = &b->piece[number];
    const double dt = b->deck->dt;
    struct cell_push p = {.before = b->begins ? 0 : dt / 2, .after = dt / 2, .dt = dt};
    for (uint32_t z = piece->lo; z < piece->end; z++)
        for (uint32_t y = 0; y < b->n[1]; y++)
            for (uint32_t x = 0; x < b->n[0]; x++)
                push_cell(b, s, (uint32_t[]){x, y, z}, &p);
    piece->square = p.square;
    memcpy(piece->momentum, p.momentum, sizeof p.momentum);
}

static void push(struct box *b, struct species *s, struct htmt__pic_record *r)
{
    const double mass = s->of->mass;
    struct pushing pushing = {b, s};
    htmt_host_parts(b->threads, b->pieces, push_piece, &pushing);
    for (const struct piece *p = b->piece; p < b->piece + b->pieces; p++) {
        r->kinetic += mass / 2 * lanes_sum(&p->square);
        for (int axis = 0; axis < 3; axis++)
            r->momentum[axis] += mass * lanes_sum(&p->momentum[axis]);
    }
    r->particles += (double)s->of->count;
}

/* The field's part of the record. */
static void watch(const struct box *b, struct htmt__pic_record *r)
{
    const double *at = b->fields.at;
    for (uint32_t z = 0; z < b->n[2]; z++)
        for (uint32_t y = 0; y < b->n[1]; y++) {
            double complex row = b->turn[2][z] * b->turn[1][y];
            for (uint32_t x = 0; x < b->n[0]; x++, at++) {
                double complex turn = row * b->turn[0][x];
                double ex = at[HTMT__PIC_EX * b->cells], ey = at[HTMT__PIC_EY * b->cells];
                double ez = at[HTMT__PIC_EZ * b->cells];
                double wave =
                    2 / (double)b->cells * (ex * b->along[0] + ey * b->along[1] + ez * b->along[2]);
                r->field += (ex * ex + ey * ey + ez * ez) / 2;
                r->charge += at[HTMT__PIC_RHO * b->cells];
                r->wave[0] += wave * creal(turn);
                r->wave[1] += wave * cimag(turn);
            }
        }
}

static void step(struct box *b, uint64_t number, struct htmt__pic_record *r,
                 struct htmt__pic_clock *k)
{
    double since = 0;
    htmt_host_elapsed(&since);
    b->begins = number == 0;
    deposit(b);
    k->deposit_s += htmt_host_elapsed(&since);
    htmt__pic_poisson_solve(b->poisson, &b->fields);
    *r = (struct htmt__pic_record){0};
    watch(b, r);
    k->solve_s += htmt_host_elapsed(&since);
    for (uint32_t s = 0; s < b->deck->species_count; s++)
        push(b, &b->species[s], r);
    k->push_s += htmt_host_elapsed(&since);
    for (struct species *s = b->species; s < b->species + b->deck->species_count; s++) {
        if (number + 1 == b->deck->steps)
            break;
        htmt__pic_by_key_order(&s->by, s->cell, s->first, s->order);
        if ((number + 1) % REORDER == 0)
            reorder(b, s);
    }
    k->sort_s += htmt_host_elapsed(&since);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The arrays of a species. Its particles are brought into the order of their cells. */
static int species_create(const struct box *b, struct htmt__pic_species *of, struct species *s,
                          struct htmt_fault *fault)
{
    uint64_t count = of->count;
    s->of = of;
    s->cell = malloc((count + 1) * sizeof *s->cell);
    s->order = calloc(count + AHEAD + LANES, sizeof *s->order);
    s->first = malloc((b->cells + 1) * sizeof *s->first);
    if (!s->cell || !s->order || !s->first)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort particles");
    int rc = htmt__pic_by_key_create(&s->by, b->threads, (uint32_t)b->cells, count, fault);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < count; i++)
        s->cell[i] = cell_of(b, &of->at[i]);
    htmt__pic_by_key_order(&s->by, s->cell, s->first, s->order);
    reorder(b, s);
    return 0;
}

static int pieces_create(struct box *b, struct htmt_fault *fault)
{
    const uint64_t plane = (uint64_t)b->n[0] * b->n[1];
    b->pieces = b->n[2] < PIECES ? b->n[2] : PIECES;
    b->slabs = malloc((b->n[2] + 2 * b->pieces) * plane * sizeof *b->slabs);
    b->piece = aligned_alloc(sizeof(lanes), b->pieces * sizeof *b->piece);
    b->buffer = malloc(STRETCH * sizeof *b->buffer);
    if (!b->slabs || !b->piece || !b->buffer)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to deposit particles");
    for (uint32_t i = 0; i < b->pieces; i++) {
        struct piece *p = &b->piece[i];
        p->lo = (uint32_t)((uint64_t)b->n[2] * i / b->pieces);
        p->end = (uint32_t)((uint64_t)b->n[2] * (i + 1) / b->pieces);
        p->slab = b->slabs + (p->lo + 2 * i) * plane;
    }
    return 0;
}

static int mode_create(struct box *b, struct htmt_fault *fault)
{
    double k[3], square = 0;
    for (int axis = 0; axis < 3; axis++) {
        k[axis] = 2 * M_PI * b->deck->mode[axis] / b->n[axis];
        square += k[axis] * k[axis];
        double complex *turn = b->turn[axis] = malloc(b->n[axis] * sizeof *turn);
        if (!turn)
            return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a wave");
        for (uint32_t i = 0; i < b->n[axis]; i++)
            turn[i] = cexp(I * k[axis] * (i + 0.5));
    }
    for (int axis = 0; axis < 3; axis++)
        b->along[axis] = square > 0 ? k[axis] / sqrt(square) : 0;
    return 0;
}

int htmt__pic_reference_on(unsigned threads, const struct htmt__pic_deck *deck,
                           struct htmt__pic_particles *p, struct htmt__pic_record *record,
                           struct htmt__pic_fields *fields, struct htmt__pic_clock *clock,
                           struct htmt_fault *fault)
{
    struct htmt__pic_clock unread = {0}, *k = clock ? clock : &unread;
    struct box b = {.deck = deck,
                    .n = {deck->n[0], deck->n[1], deck->n[2]},
                    .cells = htmt__pic_deck_cells(deck),
                    .background = htmt__pic_deck_background(deck),
                    .threads = htmt__pic_deck_particles(deck) < ALONE ? 1 : threads};
    *k = (struct htmt__pic_clock){0};
    int rc = 0;
    if (fields)
        b.fields = *fields;
    else
        rc = htmt__pic_fields_create(&b.fields, b.n, fault);
    if (!rc)
        rc = htmt__pic_poisson_create(&b.poisson, b.n, fault);
    if (!rc)
        rc = mode_create(&b, fault);
    if (!rc)
        rc = pieces_create(&b, fault);
    for (uint32_t s = 0; s < p->species && !rc; s++)
        rc = species_create(&b, &p->of[s], &b.species[s], fault);
    for (uint64_t n = 0; n < deck->steps && !rc; n++)
        step(&b, n, &record[n], k);
    for (uint32_t s = 0; s < deck->species_count; s++) {
        htmt__pic_by_key_destroy(&b.species[s].by);
        free(b.species[s].cell);
        free(b.species[s].order);
        free(b.species[s].first);
    }
    free(b.buffer);
    free(b.piece);
    free(b.slabs);
    for (int axis = 0; axis < 3; axis++)
        free(b.turn[axis]);
    htmt__pic_poisson_destroy(&b.poisson);
    if (!fields)
        htmt__pic_fields_destroy(&b.fields);
    return rc;
}

int htmt__pic_reference(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                        struct htmt__pic_record *record, struct htmt__pic_fields *fields,
                        struct htmt__pic_clock *clock, struct htmt_fault *fault)
{
    return htmt__pic_reference_on(1, deck, p, record, fields, clock, fault);
}

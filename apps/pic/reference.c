/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program.
 *
 * Particles lie in the order of their cells as of the step before; `order` lists them by their
 * present cell. Deposit and push go cell by cell through that list. All particles of a cell share
 * the same 27 points, so these are loaded once, and up to GROUP particles of the cell are worked on
 * side by side in vectors. The push writes the particles in sequence into a second array, and the
 * two arrays change places. So particles of a cell are never far apart in memory.
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
#include "parcels/kernel.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Number of particles that are prefetched. */
#define AHEAD 32

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
    struct htmt__pic_species *of;    /* the caller's */
    struct htmt__pic_particle *next; /* target of the push */
    uint32_t *cell, *order, *first;  /* of each particle; by cell, AHEAD more behind; cells + 1
                                        places in `order` */
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
};

struct cell {
    double middle[3];
    uint32_t point[27]; /* numbers of the points, x fastest */
};

/* The cell of that number, and the points around its own along the periodic axes. */
static void look_around(const struct box *b, uint32_t number, struct cell *c)
{
    uint32_t to[3][3], stride = 1, rest = number;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t n = b->n[axis], at = rest % n;
        to[axis][0] = stride * (at > 0 ? at - 1 : n - 1);
        to[axis][1] = stride * at;
        to[axis][2] = stride * (at + 1 < n ? at + 1 : 0);
        c->middle[axis] = at + 0.5;
        stride *= n;
        rest /= n;
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

/* Counting sort; particles of one cell keep their order. */
static void sort(const struct box *b, struct species *s)
{
    uint64_t count = s->of->count;
    memset(s->first, 0, (b->cells + 1) * sizeof *s->first);
    for (uint64_t i = 0; i < count; i++)
        s->first[s->cell[i] + 1]++;
    for (uint64_t c = 0; c < b->cells; c++)
        s->first[c + 1] += s->first[c];
    for (uint64_t i = 0; i < count; i++)
        s->order[s->first[s->cell[i]]++] = (uint32_t)i;
    memmove(s->first + 1, s->first, b->cells * sizeof *s->first);
    s->first[0] = 0;
}

static void swap(struct species *s)
{
    struct htmt__pic_particle *newer = s->next;
    s->next = s->of->at;
    s->of->at = newer;
}

/* ---- groups --------------------------------------------------------------------------------- */

static uint32_t group_size(uint32_t left)
{
    return left < GROUP ? left : GROUP;
}

/* Load the positions of `count` particles. Those behind the last are padding: in the middle, at
 * rest. */
static void load_places(struct cell_group *b, const struct htmt__pic_particle *from,
                        const uint32_t *order, uint32_t count, const double middle[3])
{
    b->vectors = (count + LANES - 1) / LANES;
    for (uint32_t i = 0; i < b->vectors; i++)
        b->live[i] = (lanes){0} + 1;
    for (uint32_t i = count; i < b->vectors * LANES; i++) {
        b->live[i / LANES][i % LANES] = 0;
        for (int axis = 0; axis < 3; axis++)
            b->at[axis][i / LANES][i % LANES] = b->v[axis][i / LANES][i % LANES] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct htmt__pic_particle *q = &from[order[i]];
        __builtin_prefetch(&from[order[i + AHEAD]]);
        b->at[0][i / LANES][i % LANES] = q->x - middle[0];
        b->at[1][i / LANES][i % LANES] = q->y - middle[1];
        b->at[2][i / LANES][i % LANES] = q->z - middle[2];
    }
}

static double wrap(double x, double n)
{
    if (x >= 0 && x < n)
        return x;
    x = fmod(x, n);
    x = x < 0 ? x + n : x;
    return x < n ? x : 0;
}

static void store(const struct box *b, const struct cell_group *from, uint32_t count,
                  const double middle[3], struct htmt__pic_particle *to, uint32_t *cell)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vector = i / LANES, lane = i % LANES;
        to[i] = (struct htmt__pic_particle){wrap(from->at[0][vector][lane] + middle[0], b->n[0]),
                                            wrap(from->at[1][vector][lane] + middle[1], b->n[1]),
                                            wrap(from->at[2][vector][lane] + middle[2], b->n[2]),
                                            from->v[0][vector][lane],
                                            from->v[1][vector][lane],
                                            from->v[2][vector][lane]};
        cell[i] = cell_of(b, &to[i]);
    }
}

/* ---- phases --------------------------------------------------------------------------------- */

/* A cell's particles are taken in groups of vectors, their places relative to the middle of the
 * cell, so that a group shares its 27 points and needs no search for them. */
static void deposit(const struct box *b)
{
    double *rho = b->fields.at + HTMT__PIC_RHO * b->cells;
    for (uint64_t c = 0; c < b->cells; c++)
        rho[c] = b->background;
    for (const struct species *s = b->species; s < b->species + b->deck->species_count; s++)
        for (uint32_t number = 0; number < b->cells; number++) {
            const uint32_t end = s->first[number + 1];
            struct cell c;
            struct cell_group group;
            lanes weight[27] = {0};
            if (s->first[number] == end)
                continue;
            look_around(b, number, &c);
            for (uint32_t i = s->first[number]; i < end; i += GROUP) {
                load_places(&group, s->of->at, s->order + i, group_size(end - i), c.middle);
                deposit_group(&group, weight);
            }
            for (int i = 0; i < 27; i++)
                rho[c.point[i]] += s->of->charge * lanes_sum(&weight[i]);
        }
}

static void push_cell(const struct box *b, const struct species *s, uint32_t number,
                      struct cell_push *p)
{
    struct cell c;
    struct cell_group group;
    double ratio = s->of->charge / s->of->mass;
    look_around(b, number, &c);
    for (uint64_t axis = 0; axis < 3; axis++)
        for (int i = 0; i < 27; i++)
            p->field[axis][i] = ratio * b->fields.at[(HTMT__PIC_EX + axis) * b->cells + c.point[i]];
    for (uint32_t i = s->first[number]; i < s->first[number + 1]; i += GROUP) {
        const uint32_t count = group_size(s->first[number + 1] - i), *order = s->order + i;
        load_places(&group, s->of->at, order, count, c.middle);
        for (uint32_t n = 0; n < count; n++) {
            const struct htmt__pic_particle *q = &s->of->at[order[n]];
            group.v[0][n / LANES][n % LANES] = q->vx;
            group.v[1][n / LANES][n % LANES] = q->vy;
            group.v[2][n / LANES][n % LANES] = q->vz;
        }
        push_group(p, &group);
        store(b, &group, count, c.middle, s->next + i, s->cell + i);
    }
}

static void push(const struct box *b, struct species *s, bool begins, struct htmt__pic_record *r)
{
    double dt = b->deck->dt, mass = s->of->mass;
    struct cell_push p = {.before = begins ? 0 : dt / 2, .after = dt / 2, .dt = dt};
    for (uint32_t c = 0; c < b->cells; c++)
        if (s->first[c] < s->first[c + 1])
            push_cell(b, s, c, &p);
    r->kinetic += mass / 2 * lanes_sum(&p.square);
    for (int axis = 0; axis < 3; axis++)
        r->momentum[axis] += mass * lanes_sum(&p.momentum[axis]);
    r->particles += (double)s->of->count;
    swap(s);
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

static void step(struct box *b, bool begins, struct htmt__pic_record *r, struct htmt__pic_clock *k)
{
    double since = 0;
    htmt_host_elapsed(&since);
    deposit(b);
    k->deposit_s += htmt_host_elapsed(&since);
    htmt__pic_poisson_solve(b->poisson, &b->fields);
    *r = (struct htmt__pic_record){0};
    watch(b, r);
    k->solve_s += htmt_host_elapsed(&since);
    for (uint32_t s = 0; s < b->deck->species_count; s++)
        push(b, &b->species[s], begins, r);
    k->push_s += htmt_host_elapsed(&since);
    for (uint32_t s = 0; s < b->deck->species_count; s++)
        sort(b, &b->species[s]);
    k->sort_s += htmt_host_elapsed(&since);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The arrays of a species. Its particles are brought into the order of their cells, once. */
static int species_create(const struct box *b, struct htmt__pic_species *of, struct species *s,
                          struct htmt_fault *fault)
{
    uint64_t count = of->count;
    s->of = of;
    s->next = malloc(count * sizeof *s->next);
    s->cell = malloc(count * sizeof *s->cell);
    s->order = calloc(count + AHEAD, sizeof *s->order);
    s->first = malloc((b->cells + 1) * sizeof *s->first);
    if (!s->next || !s->cell || !s->order || !s->first)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort particles");
    for (uint64_t i = 0; i < count; i++)
        s->cell[i] = cell_of(b, &of->at[i]);
    sort(b, s);
    for (uint64_t i = 0; i < count; i++)
        s->next[i] = of->at[s->order[i]];
    swap(s);
    for (uint64_t i = 0; i < count; i++)
        s->cell[i] = cell_of(b, &of->at[i]);
    sort(b, s);
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

int htmt__pic_reference(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                        struct htmt__pic_record *record, struct htmt__pic_fields *fields,
                        struct htmt__pic_clock *clock, struct htmt_fault *fault)
{
    struct htmt__pic_clock unread = {0}, *k = clock ? clock : &unread;
    struct box b = {.deck = deck,
                    .n = {deck->n[0], deck->n[1], deck->n[2]},
                    .cells = htmt__pic_deck_cells(deck),
                    .background = htmt__pic_deck_background(deck)};
    *k = (struct htmt__pic_clock){0};
    int rc = htmt__pic_fields_create(&b.fields, b.n, fault);
    if (!rc)
        rc = htmt__pic_poisson_create(&b.poisson, b.n, fault);
    if (!rc)
        rc = mode_create(&b, fault);
    for (uint32_t s = 0; s < p->species && !rc; s++)
        rc = species_create(&b, &p->of[s], &b.species[s], fault);
    for (uint64_t n = 0; n < deck->steps && !rc; n++)
        step(&b, n == 0, &record[n], k);
    if (!rc && fields)
        memcpy(fields->at, b.fields.at, HTMT__PIC_FIELDS * b.cells * sizeof *fields->at);
    for (uint32_t s = 0; s < deck->species_count; s++) {
        free(b.species[s].next);
        free(b.species[s].cell);
        free(b.species[s].order);
        free(b.species[s].first);
    }
    for (int axis = 0; axis < 3; axis++)
        free(b.turn[axis]);
    htmt__pic_poisson_destroy(&b.poisson);
    htmt__pic_fields_destroy(&b.fields);
    return rc;
}

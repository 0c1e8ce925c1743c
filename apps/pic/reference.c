/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Particles lie in the order of their cells as of the step before; `order` lists them by their
 * present cell. Pushing reads through that list and writes the particles in sequence into a second
 * array. The particles of a cell share their 27 points and are therefore never far apart.
 */
#include "apps/pic/reference.h"
#include "apps/lib/host_clock.h"
#include "apps/pic/poisson.h"
#include "apps/pic/reference_cell.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Number of particles that are prefetched. */
#define AHEAD 32

struct species {
    struct htmt__pic_crowd *crowd;   /* the caller's */
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

/* ---- cells ---------------------------------------------------------------------------------- */

struct cell {
    double middle[3];
    uint32_t point[27]; /* numbers of the points, x fastest */
};

/* Numbers of the neighbour to the left, the cell itself and the one to the right. */
static void neighbours(uint32_t at, uint32_t n, uint32_t stride, uint32_t to[3])
{
    to[0] = stride * (at > 0 ? at - 1 : n - 1);
    to[1] = stride * at;
    to[2] = stride * (at + 1 < n ? at + 1 : 0);
}

static void look_around(const struct box *b, uint32_t number, struct cell *c)
{
    uint32_t to[3][3], stride = 1, rest = number;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t at = rest % b->n[axis];
        neighbours(at, b->n[axis], stride, to[axis]);
        c->middle[axis] = at + 0.5;
        stride *= b->n[axis];
        rest /= b->n[axis];
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
    uint64_t count = s->crowd->count;
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
    s->next = s->crowd->at;
    s->crowd->at = newer;
}

/* Move the particles themselves, once, at the start. */
static void gather(const struct box *b, struct species *s)
{
    sort(b, s);
    for (uint64_t i = 0; i < s->crowd->count; i++)
        s->next[i] = s->crowd->at[s->order[i]];
    swap(s);
    for (uint64_t i = 0; i < s->crowd->count; i++)
        s->cell[i] = cell_of(b, &s->crowd->at[i]);
    sort(b, s);
}

/* ---- bunches -------------------------------------------------------------------------------- */

/* Particles behind the last are padding: in the middle, at rest. */
static void fill_up(struct htmt__pic_bunch *b, uint32_t count)
{
    b->vectors = (count + HTMT__LANES - 1) / HTMT__LANES;
    for (uint32_t i = 0; i < b->vectors; i++)
        b->live[i] = (htmt__pic_lanes){0} + 1;
    for (uint32_t i = count; i < b->vectors * HTMT__LANES; i++) {
        uint32_t vector = i / HTMT__LANES, lane = i % HTMT__LANES;
        b->live[vector][lane] = 0;
        for (int axis = 0; axis < 3; axis++)
            b->at[axis][vector][lane] = b->v[axis][vector][lane] = 0;
    }
}

static void load_places(struct htmt__pic_bunch *b, const struct htmt__pic_particle *from,
                        const uint32_t *order, uint32_t count, const double middle[3])
{
    fill_up(b, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct htmt__pic_particle *q = &from[order[i]];
        __builtin_prefetch(&from[order[i + AHEAD]]);
        uint32_t vector = i / HTMT__LANES, lane = i % HTMT__LANES;
        b->at[0][vector][lane] = q->x - middle[0];
        b->at[1][vector][lane] = q->y - middle[1];
        b->at[2][vector][lane] = q->z - middle[2];
    }
}

static void load_all(struct htmt__pic_bunch *b, const struct htmt__pic_particle *from,
                     const uint32_t *order, uint32_t count, const double middle[3])
{
    load_places(b, from, order, count, middle);
    for (uint32_t i = 0; i < count; i++) {
        const struct htmt__pic_particle *q = &from[order[i]];
        uint32_t vector = i / HTMT__LANES, lane = i % HTMT__LANES;
        b->v[0][vector][lane] = q->vx;
        b->v[1][vector][lane] = q->vy;
        b->v[2][vector][lane] = q->vz;
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

static void store(const struct box *b, const struct htmt__pic_bunch *from, uint32_t count,
                  const double middle[3], struct htmt__pic_particle *to, uint32_t *cell)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vector = i / HTMT__LANES, lane = i % HTMT__LANES;
        to[i] = (struct htmt__pic_particle){wrap(from->at[0][vector][lane] + middle[0], b->n[0]),
                                            wrap(from->at[1][vector][lane] + middle[1], b->n[1]),
                                            wrap(from->at[2][vector][lane] + middle[2], b->n[2]),
                                            from->v[0][vector][lane],
                                            from->v[1][vector][lane],
                                            from->v[2][vector][lane]};
        cell[i] = cell_of(b, &to[i]);
    }
}

static uint32_t bunch_size(uint32_t left)
{
    return left < HTMT__BUNCH ? left : HTMT__BUNCH;
}

/* ---- phases --------------------------------------------------------------------------------- */

static double lanes_sum(const htmt__pic_lanes *l)
{
    double sum = 0;
    for (int i = 0; i < HTMT__LANES; i++)
        sum += (*l)[i];
    return sum;
}

static void deposit_cell(const struct box *b, const struct species *s, uint32_t number)
{
    struct cell c;
    struct htmt__pic_bunch bunch;
    htmt__pic_lanes weight[27] = {0};
    double *rho = b->fields.at + HTMT__PIC_RHO * b->cells;
    look_around(b, number, &c);
    for (uint32_t i = s->first[number]; i < s->first[number + 1]; i += HTMT__BUNCH) {
        load_places(&bunch, s->crowd->at, s->order + i, bunch_size(s->first[number + 1] - i),
                    c.middle);
        htmt__pic_cell_deposit(&bunch, weight);
    }
    for (int i = 0; i < 27; i++)
        rho[c.point[i]] += s->crowd->charge * lanes_sum(&weight[i]);
}

static void deposit(const struct box *b)
{
    double *rho = b->fields.at + HTMT__PIC_RHO * b->cells;
    for (uint64_t c = 0; c < b->cells; c++)
        rho[c] = b->background;
    for (uint32_t s = 0; s < b->deck->species_count; s++)
        for (uint32_t c = 0; c < b->cells; c++)
            if (b->species[s].first[c] < b->species[s].first[c + 1])
                deposit_cell(b, &b->species[s], c);
}

static void push_cell(const struct box *b, const struct species *s, uint32_t number,
                      struct htmt__pic_cell_push *p)
{
    struct cell c;
    struct htmt__pic_bunch bunch;
    double ratio = s->crowd->charge / s->crowd->mass;
    look_around(b, number, &c);
    for (uint64_t axis = 0; axis < 3; axis++)
        for (int i = 0; i < 27; i++)
            p->field[axis][i] = ratio * b->fields.at[(HTMT__PIC_EX + axis) * b->cells + c.point[i]];
    for (uint32_t i = s->first[number]; i < s->first[number + 1]; i += HTMT__BUNCH) {
        uint32_t count = bunch_size(s->first[number + 1] - i);
        load_all(&bunch, s->crowd->at, s->order + i, count, c.middle);
        htmt__pic_cell_push(p, &bunch);
        store(b, &bunch, count, c.middle, s->next + i, s->cell + i);
    }
}

static void push_species(const struct box *b, struct species *s, bool begins,
                         struct htmt__pic_record *r)
{
    double dt = b->deck->dt, mass = s->crowd->mass;
    struct htmt__pic_cell_push p = {.before = begins ? 0 : dt / 2, .after = dt / 2, .dt = dt};
    for (uint32_t c = 0; c < b->cells; c++)
        if (s->first[c] < s->first[c + 1])
            push_cell(b, s, c, &p);
    r->kinetic += mass / 2 * lanes_sum(&p.square);
    for (int axis = 0; axis < 3; axis++)
        r->momentum[axis] += mass * lanes_sum(&p.momentum[axis]);
    r->particles += (double)s->crowd->count;
    swap(s);
}

static void push(struct box *b, bool begins, struct htmt__pic_record *r)
{
    for (uint32_t s = 0; s < b->deck->species_count; s++)
        push_species(b, &b->species[s], begins, r);
}

static void sort_all(struct box *b)
{
    for (uint32_t s = 0; s < b->deck->species_count; s++)
        sort(b, &b->species[s]);
}

/* ---- records -------------------------------------------------------------------------------- */

static void watch_point(const struct box *b, uint64_t c, double complex turn,
                        struct htmt__pic_record *r)
{
    const double *at = b->fields.at + c;
    double x = at[HTMT__PIC_EX * b->cells], y = at[HTMT__PIC_EY * b->cells];
    double z = at[HTMT__PIC_EZ * b->cells];
    double wave = 2 / (double)b->cells * (x * b->along[0] + y * b->along[1] + z * b->along[2]);
    r->field += (x * x + y * y + z * z) / 2;
    r->charge += at[HTMT__PIC_RHO * b->cells];
    r->wave[0] += wave * creal(turn);
    r->wave[1] += wave * cimag(turn);
}

static void watch(const struct box *b, struct htmt__pic_record *r)
{
    uint64_t c = 0;
    for (uint32_t z = 0; z < b->n[2]; z++)
        for (uint32_t y = 0; y < b->n[1]; y++) {
            double complex turn = b->turn[2][z] * b->turn[1][y];
            for (uint32_t x = 0; x < b->n[0]; x++)
                watch_point(b, c++, turn * b->turn[0][x], r);
        }
}

/* ---- the whole ------------------------------------------------------------------------------ */

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
    push(b, begins, r);
    k->push_s += htmt_host_elapsed(&since);
    sort_all(b);
    k->sort_s += htmt_host_elapsed(&since);
}

static int species_create(const struct box *b, struct htmt__pic_crowd *crowd, struct species *s,
                          struct htmt_fault *fault)
{
    uint64_t count = crowd->count;
    s->crowd = crowd;
    s->next = malloc(count * sizeof *s->next);
    s->cell = malloc(count * sizeof *s->cell);
    s->order = calloc(count + AHEAD, sizeof *s->order);
    s->first = malloc((b->cells + 1) * sizeof *s->first);
    if (!s->next || !s->cell || !s->order || !s->first)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort particles");
    for (uint64_t i = 0; i < count; i++)
        s->cell[i] = cell_of(b, &crowd->at[i]);
    gather(b, s);
    return 0;
}

static double complex *turns(double k, uint32_t n)
{
    double complex *turn = malloc(n * sizeof *turn);
    for (uint32_t i = 0; turn && i < n; i++)
        turn[i] = cexp(I * k * (i + 0.5));
    return turn;
}

static int mode_create(struct box *b, struct htmt_fault *fault)
{
    double k[3], square = 0;
    for (int axis = 0; axis < 3; axis++) {
        k[axis] = 2 * M_PI * b->deck->mode[axis] / b->n[axis];
        square += k[axis] * k[axis];
        if (!(b->turn[axis] = turns(k[axis], b->n[axis])))
            return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a wave");
    }
    for (int axis = 0; axis < 3; axis++)
        b->along[axis] = square > 0 ? k[axis] / sqrt(square) : 0;
    return 0;
}

static int box_create(struct box *b, struct htmt__pic_particles *p, struct htmt_fault *fault)
{
    int rc = htmt__pic_fields_create(&b->fields, b->n, fault);
    if (!rc)
        rc = htmt__pic_poisson_create(&b->poisson, b->n, fault);
    if (!rc)
        rc = mode_create(b, fault);
    for (uint32_t s = 0; s < p->species && !rc; s++)
        rc = species_create(b, &p->crowd[s], &b->species[s], fault);
    return rc;
}

static void box_destroy(struct box *b)
{
    for (uint32_t s = 0; s < b->deck->species_count; s++) {
        free(b->species[s].next);
        free(b->species[s].cell);
        free(b->species[s].order);
        free(b->species[s].first);
    }
    for (int axis = 0; axis < 3; axis++)
        free(b->turn[axis]);
    htmt__pic_poisson_destroy(&b->poisson);
    htmt__pic_fields_destroy(&b->fields);
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
    int rc = box_create(&b, p, fault);
    if (!rc) {
        for (uint64_t n = 0; n < deck->steps; n++)
            step(&b, n == 0, &record[n], k);
        if (fields)
            memcpy(fields->at, b.fields.at, HTMT__PIC_FIELDS * b.cells * sizeof *fields->at);
    }
    box_destroy(&b);
    return rc;
}

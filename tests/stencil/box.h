/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops of the stencil over a periodic box, block by block on one thread, and exact derivatives
 * of smooth fields.
 */
#ifndef HTMT_TESTS_STENCIL_BOX_H
#define HTMT_TESTS_STENCIL_BOX_H

#include "apps/stencil/cases.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define B      8
#define N      (B + 2 * HTMT__STENCIL_MARGIN)
#define FIELDS HTMT__STENCIL_FIELDS

struct box {
    uint32_t n[3];
    size_t cells;
    struct htmt__stencil_gas gas;
    double *u; /* [z][y][x][FIELDS] */
};

static inline struct box box_of(enum htmt__stencil_case which, const uint32_t n[3], double eta,
                                double lambda)
{
    struct box x = {.n = {n[0], n[1], n[2]}, .cells = (size_t)n[0] * n[1] * n[2]};
    x.gas =
        (struct htmt__stencil_gas){1.4, 2.5, eta, lambda, htmt__stencil_case_edge(which) / n[0]};
    x.u = malloc(x.cells * FIELDS * sizeof *x.u);
    cr_assert(x.u);
    for (size_t i = 0; i < x.cells; i++) {
        const uint32_t cell[3] = {(uint32_t)(i % n[0]), (uint32_t)(i / n[0] % n[1]),
                                  (uint32_t)(i / n[0] / n[1])};
        htmt__stencil_case_at(which, &x.gas, n, cell, 0, 1, x.u + FIELDS * i);
    }
    return x;
}

/* Cell (x, y, z) of a field, around the box. */
static inline size_t around(const struct box *x, long i, long j, long k)
{
    const long n[3] = {x->n[0], x->n[1], x->n[2]};
    return (size_t)((((k + n[2]) % n[2]) * n[1] + (j + n[1]) % n[1]) * n[0] + (i + n[0]) % n[0]);
}

/* A block with its margins, whose first own cell is `first`. */
static inline void load(const struct box *x, const double *from, const long first[3], double *u)
{
    for (long k = -4; k < B + 4; k++)
        for (long j = -4; j < B + 4; j++)
            for (long i = -4; i < B + 4; i++, u += FIELDS)
                memcpy(u, from + FIELDS * around(x, first[0] + i, first[1] + j, first[2] + k),
                       FIELDS * sizeof *u);
}

struct scratch {
    double u[FIELDS * N * N * N], q[6 * N * N * N], gx[3 * B * N * N], gy[3 * B * N * N],
        gz[3 * B * N * N], d[FIELDS * B * B * B], f[FIELDS * B * B * B], next[FIELDS * B * B * B];
};

/* d and f of the block in s->u. */
static inline void rates(const struct htmt__stencil_gas *g, struct scratch *s)
{
    const double h = 1 / g->h;
    htmt__stencil_primitive(B, g->gamma, g->cv, s->u, s->q);
    htmt__stencil_no_density(B, s->d);
    htmt__stencil_gradient_x(B, h, s->q, s->gx);
    htmt__stencil_gradient_y(B, h, s->q, s->gy);
    htmt__stencil_gradient_z(B, h, s->q, s->gz);
    htmt__stencil_momentum_x(B, h, g->eta, s->q, s->gy, s->gz, s->d);
    htmt__stencil_momentum_y(B, h, g->eta, s->q, s->gx, s->gz, s->d);
    htmt__stencil_momentum_z(B, h, g->eta, s->q, s->gx, s->gy, s->d);
    htmt__stencil_energy(B, h, g->eta, g->lambda, s->q, s->gx, s->gy, s->gz, s->d);
    htmt__stencil_flux_x(B, h, s->u, s->q, s->f);
    htmt__stencil_flux_y(B, h, s->u, s->q, s->f);
    htmt__stencil_flux_z(B, h, s->u, s->q, s->f);
}

/* For each block: its rates in *s, then `then`. */
static inline void each_block(const struct box *x, const double *from, struct scratch *s,
                              void (*then)(const struct box *x, struct scratch *s,
                                           const long first[3], void *with),
                              void *with)
{
    for (long k = 0; k < x->n[2]; k += B)
        for (long j = 0; j < x->n[1]; j += B)
            for (long i = 0; i < x->n[0]; i += B) {
                const long first[3] = {i, j, k};
                load(x, from, first, s->u);
                rates(&x->gas, s);
                then(x, s, first, with);
            }
}

struct stage {
    double old_part, part, dt, *to;
};

static inline void update(const struct box *x, struct scratch *s, const long first[3], void *with)
{
    const struct stage *g = with;
    for (int out = 0; out < 2; out++) {
        double *next = s->next;
        for (long k = 0; k < B; k++)
            for (long j = 0; j < B; j++)
                for (long i = 0; i < B; i++, next += FIELDS) {
                    const size_t at = FIELDS * around(x, first[0] + i, first[1] + j, first[2] + k);
                    memcpy(out ? g->to + at : next, out ? next : x->u + at, FIELDS * sizeof *next);
                }
        if (!out)
            htmt__stencil_update(B, g->old_part, g->part, g->dt, s->u, s->d, s->f, s->next);
    }
}

static inline void step(struct box *x, double dt, unsigned steps)
{
    double *one = malloc(x->cells * FIELDS * sizeof *one),
           *two = malloc(x->cells * FIELDS * sizeof *two);
    struct scratch *s = malloc(sizeof *s);
    cr_assert(one && two && s);
    for (unsigned n = 0; n < steps; n++) {
        struct stage of[] = {
            {0, 1, dt, one}, {3. / 4, 1. / 4, dt, two}, {1. / 3, 2. / 3, dt, x->u}};
        const double *from[] = {x->u, one, two};
        for (unsigned i = 0; i < 3; i++)
            each_block(x, from[i], s, update, &of[i]);
    }
    free(one);
    free(two);
    free(s);
}

#endif

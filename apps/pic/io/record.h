/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of a plasma program: a record of each step and the last fields.
 *
 * One step at time t = n dt, n = 0 ... steps - 1, with a = (charge / mass) E(x):
 *     rho = background + sum of charge S(x - point);  E = -ik rho_k / k^2
 *     v   = v + before a          velocity at t: energies and momentum are taken here
 *     v   = v + dt/2 a            velocity at t + dt/2
 *     x   = x + dt v, brought back into [0, n)
 * `before` is dt/2, and 0 in the first step, whose velocities are those of t = 0.
 *
 * The Nyquist component of the derivative ik (mode n/2 of an even n) is zero on its axis, so that E
 * is real and total momentum is kept.
 */
#ifndef HTMT_APPS_PIC_IO_RECORD_H
#define HTMT_APPS_PIC_IO_RECORD_H

#include "apps/pic/io/deck.h"

/* Sums over points or particles. All members are sums, so records of parts add up. */
struct htmt__pic_record {
    double field;       /* energy: E^2 / 2 over points */
    double kinetic;     /* m v^2 / 2 over particles, at t */
    double momentum[3]; /* m v, at t */
    double charge;      /* rho over points, background included: 0 */
    double wave[2];     /* (2 / cells) (k/|k| E) times cos(k x), and sin(k x), over points, for k of
                           the deck's mode: amplitude of the longitudinal wave */
    double particles;   /* pushed particles */
};

/* rho and E at t of the last step, component by component, each nz x ny x nx with x fastest. */
enum { HTMT__PIC_RHO, HTMT__PIC_EX, HTMT__PIC_EY, HTMT__PIC_EZ, HTMT__PIC_FIELDS };

struct htmt__pic_fields {
    uint32_t n[3];
    double *at; /* HTMT__PIC_FIELDS x cells */
};

/* The fields are zero at first. Errors: HTMT_ENOMEM. */
int htmt__pic_fields_create(struct htmt__pic_fields *f, const uint32_t n[3],
                            struct htmt_fault *fault);
void htmt__pic_fields_destroy(struct htmt__pic_fields *f);

/* The records of a run, step by step. */
struct htmt__pic_series {
    const struct htmt__pic_deck *deck;
    const struct htmt__pic_record *record;
    uint64_t steps; /* that have a record; fewer than the deck's: the run ended early */
};

static inline bool htmt__pic_incomplete(const struct htmt__pic_series *s)
{
    return s->steps < s->deck->steps;
}

#endif

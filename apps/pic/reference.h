/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program: the oracle for correctness and the base line for speed. It has no parcels and
 * none of the code of the parcel kernels. A check may give it several threads; on one it is the
 * base line.
 */
#ifndef HTMT_APPS_PIC_REFERENCE_H
#define HTMT_APPS_PIC_REFERENCE_H

#include "apps/pic/io/record.h"

/* Seconds of the host, by phase. */
struct htmt__pic_clock {
    double deposit_s, solve_s, push_s, sort_s;
};

/* Run the deck's steps. p holds the particles of the start and, afterwards, those of the end in
 * another order. record takes one record of each step. The caller creates fields for the
 * deck's cells; the call fills them. fields and clock may be NULL. Errors: HTMT_ENOMEM. */
int htmt__pic_reference(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                        struct htmt__pic_record *record, struct htmt__pic_fields *fields,
                        struct htmt__pic_clock *clock, struct htmt_fault *fault);

/* The same on several threads of the host, to the same bits. */
int htmt__pic_reference_on(unsigned threads, const struct htmt__pic_deck *deck,
                           struct htmt__pic_particles *p, struct htmt__pic_record *record,
                           struct htmt__pic_fields *fields, struct htmt__pic_clock *clock,
                           struct htmt_fault *fault);

/* ---- its field solve: a spectral Poisson solver on the periodic box ------------------------- */

struct htmt__pic_poisson;

/* FFTW_ESTIMATE makes the plans, so every run gives the same bits. Errors: HTMT_ENOMEM. On success
 * the caller owns *p. */
int htmt__pic_poisson_create(struct htmt__pic_poisson **p, const uint32_t n[3],
                             struct htmt_fault *fault);
/* Frees and clears *p; NULL accepted. */
void htmt__pic_poisson_destroy(struct htmt__pic_poisson **p);

/* E from rho: E_k = -ik rho_k / k^2, E_0 = 0; the Nyquist component of the derivative is zero on
 * its axis. */
void htmt__pic_poisson_solve(struct htmt__pic_poisson *p, struct htmt__pic_fields *f);

#endif

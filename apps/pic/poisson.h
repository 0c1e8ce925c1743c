/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program's field solve: a spectral Poisson solver on the periodic box.
 */
#ifndef HTMT_APPS_PIC_POISSON_H
#define HTMT_APPS_PIC_POISSON_H

#include "apps/pic/io/record.h"

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

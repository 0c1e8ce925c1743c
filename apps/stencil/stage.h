/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stage of the Runge-Kutta method on a block, all loops, as parcels and a serial program run it;
 * and the sums of a block.
 */
#ifndef HTMT_APPS_STENCIL_STAGE_H
#define HTMT_APPS_STENCIL_STAGE_H

#include "apps/stencil/loops.h"

#include <stddef.h>

/* Stage 0, 1 or 2. `next` is U^n of the block, in stage 0 any finite numbers, and becomes what the
 * stage makes of it. `scratch`: q, three gradients, d: 6 n^3 + 9 b n^2 + 5 b^3 words. Stage 0
 * raises *most to the largest (c + |u|) / h. */
void htmt__stencil_stage(int b, const struct htmt__stencil_gas *g, unsigned stage, double dt,
                         const double *u, double *next, double *scratch, double *most);
/* Its last loop. */
void htmt__stencil_end_stage(int b, unsigned stage, double dt, const double *u, const double *d,
                             const double *f, double *next);

/* Sums over cells: rho, rho u, rho v, rho w, rho E, and rho u^2 / 2. */
#define HTMT__STENCIL_SUMS 6
/* Adds those of a block of b^3 cells, the first one at u; cells from one row to the next, from one
 * plane to the next. */
void htmt__stencil_sums(size_t b, const double *u, size_t row, size_t plane,
                        double sums[HTMT__STENCIL_SUMS]);

#endif

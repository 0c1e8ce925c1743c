/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fields that a run of the stencil begins with, in a periodic box, and what is known of them
 * later. Lengths, densities and pressures have no unit; the gas is at rest at density 1 and
 * pressure 1/gamma, so the speed of sound is 1.
 */
#ifndef HTMT_APPS_STENCIL_CASES_H
#define HTMT_APPS_STENCIL_CASES_H

#include "apps/stencil/loops.h"

#include <stdbool.h>

extern const char *const htmt__stencil_case_words[]; /* ends with NULL */

enum htmt__stencil_case {
    /* A shear wave u(y) = A sin(k y), A = 1e-4, k = 2 pi / height of the box (1): it decays as
     * exp(-nu k^2 t), nu = eta; on a grid k^2 is the symbol of D2. */
    HTMT__STENCIL_SHEAR,
    /* An isentropic vortex of radius R = 1/16 of the box (1), in the planes along x and y, which
     * a flow of speed 1/2 along x carries; without viscosity it moves and stays as it is. With r
     * the distance to its centre over R, T = T0 (1 - (gamma - 1) B^2 / 2 exp(1 - r^2)), the speed
     * around the centre r B exp((1 - r^2) / 2), density and pressure by the entropy, B = 0.2. */
    HTMT__STENCIL_VORTEX,
    /* Smooth waves of all five fields, a period along each axis, for orders of the method. */
    HTMT__STENCIL_MANUFACTURED,
    HTMT__STENCIL_CASES
};

/* The edge of the box along x, and the cells' with that: edge / cells[0]. */
double htmt__stencil_case_edge(enum htmt__stencil_case which);
/* rho, rho u, rho v, rho w, rho E of the case at the centre of a cell, after time t. The shear wave
 * decays by `decay` (1 at time 0). The third case is known at time 0 alone. */
void htmt__stencil_case_at(enum htmt__stencil_case which, const struct htmt__stencil_gas *gas,
                           const uint32_t cells[3], const uint32_t cell[3], double t, double decay,
                           double u[HTMT__STENCIL_FIELDS]);
/* Of the fields at the beginning, or more: the largest c + |u_a| of any cell and axis. And the
 * least density, or less. */
void htmt__stencil_case_bounds(enum htmt__stencil_case which, const struct htmt__stencil_gas *gas,
                               double *speed, double *density);
/* What the wave decays by in time t on that grid: exp(-nu K t), K the symbol of D2 at its k. */
double htmt__stencil_shear_decay(const struct htmt__stencil_gas *gas, uint32_t cells_y, double t);

#endif

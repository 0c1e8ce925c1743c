/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/stencil/stage.h"

#define MARGIN HTMT__STENCIL_MARGIN

void htmt__stencil_stage(int b, const struct htmt__stencil_gas *g, unsigned stage, double dt,
                         const double *u, double *next, double *scratch, double *most)
{
    const size_t n = (size_t)b + 2 * MARGIN, of_gradient = 3 * (size_t)b * n * n;
    const double h_inv = 1 / g->h;
    double *q = scratch, *gx = q + HTMT__STENCIL_STATES * n * n * n, *gy = gx + of_gradient,
           *gz = gy + of_gradient, *d = gz + of_gradient,
           *f = gx; /* when the energy is done nobody reads gradients any more */
    htmt__stencil_primitive(b, g->gamma, g->cv, u, q);
    if (stage == 0)
        *most = htmt__stencil_courant(b, g->gamma, g->h, q, *most);
    htmt__stencil_no_density(b, d);
    htmt__stencil_gradient_x(b, h_inv, q, gx);
    htmt__stencil_gradient_y(b, h_inv, q, gy);
    htmt__stencil_gradient_z(b, h_inv, q, gz);
    htmt__stencil_momentum_x(b, h_inv, g->eta, q, gy, gz, d);
    htmt__stencil_momentum_y(b, h_inv, g->eta, q, gx, gz, d);
    htmt__stencil_momentum_z(b, h_inv, g->eta, q, gx, gy, d);
    htmt__stencil_energy(b, h_inv, g->eta, g->lambda, q, gx, gy, gz, d);
    htmt__stencil_flux_x(b, h_inv, u, q, f);
    htmt__stencil_flux_y(b, h_inv, u, q, f);
    htmt__stencil_flux_z(b, h_inv, u, q, f);
    htmt__stencil_end_stage(b, stage, dt, u, d, f, next);
}

void htmt__stencil_end_stage(int b, unsigned stage, double dt, const double *u, const double *d,
                             const double *f, double *next)
{
    static const double old_part[] = {0, 3. / 4, 1. / 3}, part[] = {1, 1. / 4, 2. / 3};
    htmt__stencil_update(b, old_part[stage], part[stage], dt, u, d, f, next);
}

void htmt__stencil_sums(size_t b, const double *u, size_t row, size_t plane,
                        double sums[HTMT__STENCIL_SUMS])
{
    for (size_t k = 0; k < b; k++)
        for (size_t j = 0; j < b; j++)
            for (size_t i = 0; i < b; i++) {
                const double *at = u + HTMT__STENCIL_FIELDS * (k * plane + j * row + i);
                for (unsigned f = 0; f < HTMT__STENCIL_FIELDS; f++)
                    sums[f] += at[f];
                sums[5] += (at[1] * at[1] + at[2] * at[2] + at[3] * at[3]) / (2 * at[0]);
            }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/stencil/cases.h"

#include <math.h>
#include <stddef.h>

#define TURN (2 * M_PI)

#define SHEAR_SPEED  1e-4
#define VORTEX_FLOW  0.5
#define VORTEX_SPEED 0.2
#define RADII        16 /* of the vortex, in the box */

const char *const htmt__stencil_case_words[] = {"shear", "vortex", "manufactured", NULL};

double htmt__stencil_case_edge(enum htmt__stencil_case which)
{
    return which == HTMT__STENCIL_MANUFACTURED ? TURN : 1;
}

/* rho, u, v, w, p to rho, rho u, rho v, rho w, rho E. */
static void conserve(const struct htmt__stencil_gas *gas, const double s[5],
                     double u[HTMT__STENCIL_FIELDS])
{
    u[0] = s[0];
    for (unsigned a = 1; a <= 3; a++)
        u[a] = s[0] * s[a];
    u[4] = s[4] / (gas->gamma - 1) + s[0] / 2 * (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
}

/* Into [-1/2, 1/2): the nearest image in the periodic box. */
static double nearest(double x)
{
    return x - floor(x + 0.5);
}

static void vortex(const struct htmt__stencil_gas *gas, double x, double y, double height, double t,
                   double s[5])
{
    const double rx = nearest(x - 0.5 - VORTEX_FLOW * t) * RADII,
                 ry = nearest(y / height - 0.5) * height * RADII;
    const double bell = exp((1 - rx * rx - ry * ry) / 2);
    /* By the speed of sound 1, T / T0 = 1 - (gamma - 1) / 2 (speed)^2 at r = 1. */
    const double heat = 1 - (gas->gamma - 1) / 2 * VORTEX_SPEED * VORTEX_SPEED * bell * bell;
    s[0] = pow(heat, 1 / (gas->gamma - 1));
    s[1] = VORTEX_FLOW - VORTEX_SPEED * ry * bell;
    s[2] = VORTEX_SPEED * rx * bell;
    s[3] = 0;
    s[4] = pow(heat, gas->gamma / (gas->gamma - 1)) / gas->gamma;
}

void htmt__stencil_case_at(enum htmt__stencil_case which, const struct htmt__stencil_gas *gas,
                           const uint32_t cells[3], const uint32_t cell[3], double t, double decay,
                           double u[HTMT__STENCIL_FIELDS])
{
    /* Of a turn along each axis. */
    const double x = TURN * (cell[0] + 0.5) / cells[0], y = TURN * (cell[1] + 0.5) / cells[1],
                 z = TURN * (cell[2] + 0.5) / cells[2];
    double s[5] = {1, 0, 0, 0, 1 / gas->gamma};
    switch (which) {
    case HTMT__STENCIL_VORTEX:
        vortex(gas, (cell[0] + 0.5) * gas->h, (cell[1] + 0.5) * gas->h, cells[1] * gas->h, t, s);
        break;
    case HTMT__STENCIL_MANUFACTURED:
        s[0] = 1 + 0.1 * sin(x) * cos(y) * cos(z);
        s[1] = 0.2 * sin(x) * cos(y) + 0.1 * cos(z);
        s[2] = 0.2 * cos(x) * sin(z) - 0.1 * sin(y);
        s[3] = 0.1 * sin(y) * cos(x) + 0.2 * sin(z);
        s[4] = (1 + 0.1 * cos(x) * sin(y) * sin(z)) / gas->gamma;
        break;
    default:
        s[1] = SHEAR_SPEED * decay * sin(y);
    }
    conserve(gas, s, u);
}

/* r exp((1 - r^2) / 2) is at most 1, and temperature, density and pressure of the vortex are least
 * at its centre, where bell^2 is e. */
void htmt__stencil_case_bounds(enum htmt__stencil_case which, const struct htmt__stencil_gas *gas,
                               double *speed, double *density)
{
    switch (which) {
    case HTMT__STENCIL_VORTEX:
        *speed = 1 + VORTEX_FLOW + VORTEX_SPEED;
        *density =
            pow(1 - (gas->gamma - 1) / 2 * VORTEX_SPEED * VORTEX_SPEED * M_E, 1 / (gas->gamma - 1));
        break;
    case HTMT__STENCIL_MANUFACTURED:
        *speed = sqrt(1.1 / 0.9) + 0.3;
        *density = 0.9;
        break;
    default:
        *speed = 1 + SHEAR_SPEED;
        *density = 1;
    }
}

double htmt__stencil_shear_decay(const struct htmt__stencil_gas *gas, uint32_t cells_y, double t)
{
    static const double c[] = {8. / 5, -1. / 5, 8. / 315, -1. / 560};
    double symbol = 205. / 72;
    for (unsigned l = 1; l <= 4; l++)
        symbol -= 2 * c[l - 1] * cos(TURN * l / cells_y);
    return exp(-gas->eta * symbol / (gas->h * gas->h) * t);
}

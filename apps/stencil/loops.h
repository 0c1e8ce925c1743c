/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops of a right-hand side of the compressible Navier-Stokes equations, order 8 in space, and
 * of a stage of the Runge-Kutta method. loops.c is a plain C source: `htmt analyze` reads it, and
 * costs/stencil.yaml is what it finds there.
 *
 * A block has b^3 cells and a margin of HTMT__STENCIL_MARGIN on each side, n = b + 8 cells along an
 * edge. Arrays lie [z][y][x][component]. Axis 0 is x. All words are doubles.
 *
 *   u      n^3 of 5     rho, rho u, rho v, rho w, rho E
 *   q      n^3 of 6     rho, u, v, w, p, T
 *   g[a]   of 3         derivatives of u, v, w along axis a: b cells along a, n along the others
 *   d      b^3 of 5     the viscous part of the right-hand side
 *   f      b^3 of 5     the hyperbolic part
 *
 * Mixed derivatives need margins at the faces and edges of a block. Corners are computed all the
 * same, and nothing that is written outside of them depends on what they hold.
 */
#ifndef HTMT_APPS_STENCIL_LOOPS_H
#define HTMT_APPS_STENCIL_LOOPS_H

#include <stdint.h>

#define HTMT__STENCIL_MARGIN 4
#define HTMT__STENCIL_FIELDS 5 /* components of u, d, f */
#define HTMT__STENCIL_STATES 6 /* components of q */

/* An ideal gas of constant viscosity and conductivity on cells of edge h. */
struct htmt__stencil_gas {
    double gamma, cv;   /* p = (gamma - 1) rho e, T = e / cv */
    double eta, lambda; /* viscosity, conductivity of heat */
    double h;
};

/* Operations of a cell of each loop, as they are charged: `htmt analyze` counts the same in the
 * source, a test counts the same while they run, and the sheet of ExaSAT's authors has them. */

/* q of u, on all n^3 cells. 4 add, 10 mul, 2 div. */
void htmt__stencil_primitive(int b, double gamma, double cv, const double *u, double *q);
/* The largest (c + |u_a|) / h over the b^3 cells and the axes, c the speed of sound; never less
 * than `most`. 3 add, 1 mul, 4 div, 1 sqrt. */
double htmt__stencil_courant(int b, double gamma, double h, const double *q, double most);
/* d of the density := 0. */
void htmt__stencil_no_density(int b, double *d);
/* g[a] of q, h_inv = 1 / h. 21 add, 15 mul each. */
void htmt__stencil_gradient_x(int b, double h_inv, const double *q, double *gx);
void htmt__stencil_gradient_y(int b, double h_inv, const double *q, double *gy);
void htmt__stencil_gradient_z(int b, double h_inv, const double *q, double *gz);
/* d of the momentum along an axis: eta (4/3 D2_a u_a + D2_b u_a + D2_c u_a + 1/3 (D1_a D1_b u_b +
 * D1_a D1_c u_c)). 42 add, 34 mul each. */
void htmt__stencil_momentum_x(int b, double h_inv, double eta, const double *q, const double *gy,
                              const double *gz, double *d);
void htmt__stencil_momentum_y(int b, double h_inv, double eta, const double *q, const double *gx,
                              const double *gz, double *d);
void htmt__stencil_momentum_z(int b, double h_inv, double eta, const double *q, const double *gx,
                              const double *gy, double *d);
/* d of the energy, behind the three of momentum: lambda sum D2 T + tau : D1 u + u . d. 43 add, 36
 * mul. */
void htmt__stencil_energy(int b, double h_inv, double eta, double lambda, const double *q,
                          const double *gx, const double *gy, const double *gz, double *d);
/* f := - D1_x of the fluxes along x; f -= those along y; f -= those along z. 51 add, 65 mul; 56,
 * 65; 56, 65. */
void htmt__stencil_flux_x(int b, double h_inv, const double *u, const double *q, double *f);
void htmt__stencil_flux_y(int b, double h_inv, const double *u, const double *q, double *f);
void htmt__stencil_flux_z(int b, double h_inv, const double *u, const double *q, double *f);
/* next := old_part next + part (u + dt (d + f)), on the b^3 cells. 15 add, 15 mul. */
void htmt__stencil_update(int b, double old_part, double part, double dt, const double *u,
                          const double *d, const double *f, double *next);

#endif

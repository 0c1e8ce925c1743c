/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The particles of a plasma: what the parcel program, the serial reference and the files share.
 *
 * Grid. nx x ny x nz cells of side 1, periodic. Cell (i, j, k) is [i, i+1) x [j, j+1) x [k, k+1)
 * and has number (k ny + j) nx + i; its one grid point is its centre. So the nearest point of a
 * particle is that of its cell, and the quadratic spline reaches the cell's neighbours only: with
 * d = x - (i + 1/2) in [-1/2, 1/2) the weights of points i-1, i, i+1 are
 *     (1/2 - d)^2 / 2,   3/4 - d^2,   (1/2 + d)^2 / 2.
 *
 * Units. Lengths in cells, times in 1/omega_p, with omega_p the plasma frequency of a species of
 * charge -1, mass 1, density 1: div E = rho, dv/dt = (charge / mass) E.
 *
 * Particles. A position lies in [0, n) on each axis; velocities are those of half a step before it,
 * except at the very start, when they are of the same time. In a program that keeps particles by
 * cell no order within a cell is promised: sums agree to rounding.
 */
#ifndef HTMT_APPS_PIC_IO_PARTICLES_H
#define HTMT_APPS_PIC_IO_PARTICLES_H

#include <stdint.h>

#define HTMT__PIC_SPECIES_MAX 4

/* Six words: what moves between memories, mailboxes and files. */
struct htmt__pic_particle {
    double x, y, z, vx, vy, vz;
};

/* One species. Charge and mass are those of one simulated particle, which stands for many. */
struct htmt__pic_species {
    uint64_t count;
    double charge, mass;
    struct htmt__pic_particle *at;
};

struct htmt__pic_particles {
    uint32_t species; /* their number */
    struct htmt__pic_species of[HTMT__PIC_SPECIES_MAX];
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The atoms of the beginning: a lattice, or a file of positions, and velocities.
 */
#ifndef HTMT_APPS_MD_INPUT_H
#define HTMT_APPS_MD_INPUT_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct htmt__md_atoms {
    uint64_t count;
    double *x, *v;    /* three numbers an atom */
    uint64_t outside; /* atoms of the file that lay outside the box */
    bool moving;      /* the file has velocities */
};

void htmt__md_atoms_destroy(struct htmt__md_atoms *a);

/* A file XYZ: the number of atoms, a line of any text, then a line of each atom: a word, x, y, z
 * and, where all lines have them, its velocity. Atoms outside the box [0, box) come into it.
 * Errors: HTMT_ENOENT, HTMT_EIO, HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__md_read(const char *path, const double box[3], struct htmt__md_atoms *a,
                  struct htmt_fault *fault);

/* Four atoms in each of cells[] cubes of edge `a`: (1, 1, 1), (1, 3, 3), (3, 1, 3), (3, 3, 1) in
 * units of a / 4. Atom 4 i + k is atom k of cube i. HTMT_ENOMEM. */
int htmt__md_lattice(const uint32_t cells[3], double a, struct htmt__md_atoms *atoms);
/* Coordinate of plane `half` of a lattice along an axis: there are two in each cube. */
static inline double htmt__md_plane(double a, uint64_t half)
{
    return a * ((double)half / 2 + 0.25);
}

/* Velocities of a seed, nearly normally distributed, without total momentum, of that temperature: 2
 * K / (3 (N - 1)). */
void htmt__md_heat(struct htmt__md_atoms *a, double temperature, uint64_t seed);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the force kernel, for numbers of type REAL: double in the program, numbers that count
 * their operations in a test. It gives TEXT(name) of each function.
 *
 * A cell. The atoms of a cell and of the 26 around it are candidates of each of its atoms. They are
 * written side by side first, in the order of cells along x, y and z, so that the distances of all
 * of them are one loop over three arrays. Of most candidates nothing more is needed: a sphere of
 * r_c has a sixth to a ninth of the volume of 27 cells. The numbers of the others are kept, in
 * their order, and a second loop runs over these.
 *
 * A pair. With s = 1 / r^2 and c = s^3 the energy is 4 c (c - 1), and the force on an atom 48 c (c
 * - 1/2) s times the vector to it. The factors 4 and 48 are multiplied to the sums. Each pair is
 * met from both sides, so an atom has half of its energy and half of its virial r F.
 *
 * The order of a sum is that of candidates, whatever slices and blocks there are, and with LANES
 * accumulators that take pairs in turn, which are added in their order at the end. So a trajectory
 * has the same bits on any number of slices, as long as these make the same cells. With LANES = 1
 * nothing is added but pairs: that is what the kernel counts.
 *
 * What it costs: a candidate 8 flop, of the nearest image 15 more (difference, quotient, rounding,
 * product and difference along each axis); a pair 17: quotient, s^3 by 2, energy by 3, force by 3,
 * virial by 2, sums by 6; an atom 5. By hand, a dimer in two cells next to each other: 2 atoms, 2
 * candidates each, itself and the other, one pair each: 4 * 8 + 2 * 17 + 2 * 5 = 76 flop.
 */
#include <stddef.h>
#include <stdint.h>

/* Candidates of a cell, with room for LANES more behind the last one. */
struct TEXT(near) {
    REAL *x[3], *far2;
    uint32_t *kept;
    size_t count;
};

/* Of a block: energies and virials are sums over its atoms. */
struct TEXT(sums) {
    REAL energy, virial;
    uint64_t candidates, within;
};

INLINE void TEXT(distances)(struct TEXT(near) * n, const REAL at[3])
{
    const REAL *restrict x = n->x[0], *restrict y = n->x[1], *restrict z = n->x[2];
    REAL *restrict far2 = n->far2;
    for (size_t j = 0; j < n->count; j++) {
        const REAL dx = at[0] - x[j], dy = at[1] - y[j], dz = at[2] - z[j];
        far2[j] = dx * dx + dy * dy + dz * dz;
    }
}

/* Numbers of those within the cut, but for atom `self`; behind them LANES of a candidate that is
 * there for that, so far away that it adds nothing. */
INLINE size_t TEXT(keep)(struct TEXT(near) * n, size_t self, REAL cut2)
{
    size_t kept = 0;
    n->far2[self] = cut2;
    for (size_t j = 0; j < n->count; j++) {
        n->kept[kept] = (uint32_t)j;
        kept += n->far2[j] < cut2;
    }
    for (size_t j = 0; j < LANES; j++)
        n->kept[kept + j] = (uint32_t)n->count;
    return kept;
}

/* force[] of an atom; energy and virial of its pairs are added. */
INLINE void TEXT(atom)(const struct TEXT(near) * n, size_t kept, const REAL at[3], REAL force[3],
                       struct TEXT(sums) * sums)
{
    REAL f[3][LANES] = {{0}}, e[LANES] = {0}, w[LANES] = {0};
    for (size_t i = 0; i < kept; i += LANES) {
        REAL d[3][LANES], r2[LANES];
        for (size_t l = 0; l < LANES; l++) {
            const uint32_t j = n->kept[i + l];
            for (unsigned a = 0; a < 3; a++)
                d[a][l] = n->x[a][j];
            r2[l] = n->far2[j];
        }
        for (size_t l = 0; l < LANES; l++) {
            const REAL s = 1 / r2[l], c = s * s * s, g = c * (c - 0.5) * s;
            e[l] += c * (c - 1);
            w[l] += g * r2[l];
            for (unsigned a = 0; a < 3; a++)
                f[a][l] += g * (at[a] - d[a][l]);
        }
    }
    for (size_t l = 1; l < LANES; l++) {
        e[0] += e[l];
        w[0] += w[l];
        for (unsigned a = 0; a < 3; a++)
            f[a][0] += f[a][l];
    }
    for (unsigned a = 0; a < 3; a++)
        force[a] = 48 * f[a][0];
    sums->energy += e[0];
    sums->virial += w[0];
}

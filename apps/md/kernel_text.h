/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the kernels that compute, for numbers of type REAL: double in the program, numbers
 * that count their operations in a test. It gives TEXT(name) of each function.
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
 * product and difference along each axis); a pair 20: quotient, s^3 by 2, energy by 3, force by 3,
 * virial by 2, the differences again and the sums by 9; an atom 5. By hand, a dimer in two cells
 * next to each other: 2 atoms, 2 candidates each, itself and the other, one pair each: 4 * 8 + 2 *
 * 20 + 2 * 5 = 82 flop.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Candidates of a cell, with room for LANES more behind the last one, and for 64 bytes. */
struct TEXT(near) {
    REAL *x[3], *far2;
    uint8_t *hit; /* whether it is within the cut */
    uint32_t *kept;
    size_t count;
};

/* Of a block: energies and virials are sums over its atoms. */
struct TEXT(sums) {
    REAL energy, virial;
    uint64_t candidates, within;
};

INLINE void TEXT(distances)(struct TEXT(near) * n, const REAL at[3], REAL cut2)
{
    const REAL *restrict x = n->x[0], *restrict y = n->x[1], *restrict z = n->x[2];
    REAL *restrict far2 = n->far2;
    uint8_t *restrict hit = n->hit;
    const size_t count = n->count; /* bytes may be anything, even this number */
    const REAL here[3] = {at[0], at[1], at[2]};
    for (size_t j = 0; j < count; j++) {
        const REAL dx = here[0] - x[j], dy = here[1] - y[j], dz = here[2] - z[j];
        far2[j] = dx * dx + dy * dy + dz * dz;
    }
    for (size_t j = 0; j < count; j++)
        hit[j] = far2[j] < cut2;
    memset(hit + count, 0, 64);
}

/* 64 bytes of 0 or 1 as bits. The product moves byte k of eight to bit 56 + k. */
INLINE uint64_t TEXT(bits)(const uint8_t hit[64])
{
    uint64_t all = 0;
    for (unsigned k = 0; k < 8; k++) {
        uint64_t eight;
        memcpy(&eight, hit + 8 * k, sizeof eight);
        all |= (eight * UINT64_C(0x0102040810204080) >> 56) << 8 * k;
    }
    return all;
}

/* Numbers of those within the cut, but for atom `self`; behind them LANES of a candidate that is
 * there for that, so far away that it adds nothing. By 64 at a time a loop over hits ends where the
 * processor has not foreseen it a few times, not once for each hit. */
INLINE size_t TEXT(keep)(struct TEXT(near) * n, size_t self)
{
    uint32_t *restrict to = n->kept;
    const uint8_t *hit = n->hit;
    const size_t count = n->count;
    size_t kept = 0;
    n->hit[self] = 0;
    for (size_t j = 0; j < count; j += 64)
        for (uint64_t hits = TEXT(bits)(hit + j); hits; hits &= hits - 1)
            to[kept++] = (uint32_t)(j + (size_t)__builtin_ctzll(hits));
    for (size_t j = 0; j < LANES; j++)
        to[kept + j] = (uint32_t)count;
    return kept;
}

/* LANES numbers at once. */
#if LANES > 1
typedef REAL TEXT(lanes) __attribute__((vector_size(8 * LANES)));
#define LANE(v, l) (v)[l]
#else
typedef REAL TEXT(lanes);
#define LANE(v, l) (v)
#endif

INLINE REAL TEXT(total)(const TEXT(lanes) * v)
{
    REAL sum = LANE(*v, 0);
    for (int l = 1; l < LANES; l++)
        sum += LANE(*v, l);
    return sum;
}

/* force[] of an atom; energy and virial of its pairs are added. */
INLINE void TEXT(atom)(const struct TEXT(near) * n, size_t kept, const REAL at[3], REAL force[3],
                       struct TEXT(sums) * sums)
{
    TEXT(lanes) fx = {0}, fy = {0}, fz = {0}, e = {0}, w = {0}, x = {0}, y = x, z = x, r2 = x;
    for (size_t i = 0; i < kept; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            const uint32_t j = n->kept[i + (size_t)l];
            LANE(x, l) = n->x[0][j];
            LANE(y, l) = n->x[1][j];
            LANE(z, l) = n->x[2][j];
            LANE(r2, l) = n->far2[j];
        }
        const TEXT(lanes) s = 1 / r2, c = s * s * s, g = c * (c - 0.5) * s;
        e += c * (c - 1);
        w += g * r2;
        fx += g * (at[0] - x);
        fy += g * (at[1] - y);
        fz += g * (at[2] - z);
    }
    force[0] = 48 * TEXT(total)(&fx);
    force[1] = 48 * TEXT(total)(&fy);
    force[2] = 48 * TEXT(total)(&fz);
    sums->energy += TEXT(total)(&e);
    sums->virial += TEXT(total)(&w);
}
#undef LANE

/* ---- motion ---------------------------------------------------------------------------------- */

/* Factors of a step. */
struct TEXT(motion) {
    REAL scale, end, begin, dt; /* of velocities; half kicks; the drift */
};

/* Sums over atoms, and the largest squared displacement. */
struct TEXT(moved) {
    REAL twice, momentum[3], farthest2; /* twice the kinetic energy */
};

/* An atom. 39 flop: scaling 3, two half kicks 12, momentum 3, kinetic energy 6, drift 9, the square
 * of the displacement 6. */
INLINE void TEXT(move_atom)(const struct TEXT(motion) * m, const REAL f[3], REAL x[3], REAL v[3],
                            REAL d[3], struct TEXT(moved) * sums)
{
    REAL far2 = 0;
    for (unsigned a = 0; a < 3; a++) {
        v[a] = v[a] * m->scale + m->end * f[a];
        sums->twice += v[a] * v[a];
        sums->momentum[a] += v[a];
        v[a] += m->begin * f[a];
        const REAL by = m->dt * v[a];
        x[a] += by;
        d[a] += by;
        far2 += d[a] * d[a];
    }
    sums->farthest2 = far2 <= sums->farthest2 ? sums->farthest2 : far2; /* no number stays */
}

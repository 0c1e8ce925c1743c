/* SPDX-License-Identifier: BSD-3-Clause
 *
 * With d from the target to the source and R^2 = d^2 + eps^2,
 *
 *     a = m d / R^3,         phi = -m / R = -(m / R^3) R^2,
 *
 * and a cell whose quadrupole about its centre of mass is Q adds, with y = d,
 *
 *     phi = -(y Q y) / (2 R^5),      a = -Q y / R^5 + 5/2 (y Q y) y / R^7.
 *
 * The inner loop goes over targets, which are independent, so a compiler makes vectors of it
 * without changing the order of any sum.
 */
#include "apps/nbody/forces.h"

#include "parcels/kernel.h"

#include <math.h>
#include <stdbool.h>

void htmt__nbody_targets_load(struct htmt__nbody_targets *t, unsigned n, const double *source,
                              const double *pull)
{
    for (unsigned i = 0; i < n; i++, source += 4, pull += 4)
        for (unsigned c = 0; c < 4; c++) {
            t->pull[c][i] = pull[c];
            if (c < 3)
                t->x[c][i] = source[1 + c];
        }
}

void htmt__nbody_targets_store(const struct htmt__nbody_targets *t, unsigned n, double *pull)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < 4; c++)
            pull[4 * i + c] = t->pull[c][i];
}

/* One source. */
static inline void pull_one(struct htmt__nbody_targets *restrict t, unsigned lanes,
                            const double *source, bool meets, int64_t self, double eps2)
{
    const double m = source[0], x = source[1], y = source[2], z = source[3];
    for (unsigned i = 0; i < lanes; i++) {
        const double dx = x - t->x[0][i], dy = y - t->x[1][i], dz = z - t->x[2][i];
        const double r2 = dx * dx + dy * dy + dz * dz + eps2;
        const double f = meets && self == (int64_t)i ? 0 : m / (r2 * sqrt(r2));
        t->pull[0][i] += f * dx;
        t->pull[1][i] += f * dy;
        t->pull[2][i] += f * dz;
        t->pull[3][i] -= f * r2;
    }
}

HTMT_CLONES("avx512f", "avx2", "default")
void htmt__nbody_pull(struct htmt__nbody_targets *t, unsigned targets, const double *source,
                      size_t count, int64_t self, double eps2)
{
    const unsigned lanes = (targets + 7) & ~7u;
    for (size_t j = 0; j < count; j++) {
        const int64_t i = (int64_t)j - self;
        if (i >= 0 && i < (int64_t)targets)
            pull_one(t, lanes, source + 4 * j, true, i, eps2);
        else
            pull_one(t, lanes, source + 4 * j, false, 0, eps2);
    }
}

HTMT_CLONES("avx512f", "avx2", "default")
void htmt__nbody_pull_quad(struct htmt__nbody_targets *restrict t, unsigned targets,
                           const double *cell, size_t count, double eps2)
{
    const unsigned lanes = (targets + 7) & ~7u;
    for (size_t j = 0; j < count; j++, cell += HTMT__NBODY_QUAD_WORDS) {
        const double m = cell[0], x = cell[1], y = cell[2], z = cell[3], xx = cell[4], xy = cell[5],
                     xz = cell[6], yy = cell[7], yz = cell[8], zz = cell[9];
        for (unsigned i = 0; i < lanes; i++) {
            const double dx = x - t->x[0][i], dy = y - t->x[1][i], dz = z - t->x[2][i];
            const double r2 = dx * dx + dy * dy + dz * dz + eps2;
            const double inv = 1 / sqrt(r2), inv2 = inv * inv, inv3 = inv * inv2,
                         inv5 = inv3 * inv2;
            const double qx = xx * dx + xy * dy + xz * dz, qy = xy * dx + yy * dy + yz * dz,
                         qz = xz * dx + yz * dy + zz * dz;
            const double h = 0.5 * (dx * qx + dy * qy + dz * qz) * inv5;
            const double g = m * inv3 + 5 * h * inv2;
            t->pull[0][i] += g * dx - inv5 * qx;
            t->pull[1][i] += g * dy - inv5 * qy;
            t->pull[2][i] += g * dz - inv5 * qz;
            t->pull[3][i] -= m * inv + h;
        }
    }
}

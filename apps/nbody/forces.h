/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What bodies and cells pull: the loops of the SPELL. Targets lie side by side, so that a vector
 * has several of them, and each target adds its sources in their order: the sum does not depend on
 * how many targets there are, nor on where a list of sources is cut.
 */
#ifndef HTMT_APPS_NBODY_FORCES_H
#define HTMT_APPS_NBODY_FORCES_H

#include <stddef.h>
#include <stdint.h>

#define HTMT__NBODY_LANES 64 /* targets at once */

struct htmt__nbody_targets {
    double x[3][HTMT__NBODY_LANES];
    double pull[4][HTMT__NBODY_LANES]; /* acceleration, potential */
};

/* `n` of them from bodies (m, x) and from pulls so far; and the pulls back. */
void htmt__nbody_targets_load(struct htmt__nbody_targets *t, unsigned n, const double *source,
                              const double *pull);
void htmt__nbody_targets_store(const struct htmt__nbody_targets *t, unsigned n, double *pull);

/* flop of a target and a source: additions, products, quotients and roots, one each. */
#define HTMT__NBODY_BODY_FLOP 20
#define HTMT__NBODY_CELL_FLOP 55 /* with its quadrupole */

#define HTMT__NBODY_QUAD_WORDS 10 /* m, x, and Qxx, Qxy, Qxz, Qyy, Qyz, Qzz */

/* Sources of four words. Target i is source self + i itself, which does not pull it; self may be
 * far outside of the sources. */
void htmt__nbody_pull(struct htmt__nbody_targets *t, unsigned targets, const double *source,
                      size_t count, int64_t self, double eps2);
/* Cells of ten words. Q = sum of m (3 x x^T - x^2 1) about the centre of mass. */
void htmt__nbody_pull_quad(struct htmt__nbody_targets *t, unsigned targets, const double *cell,
                           size_t count, double eps2);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program: the same method on one processor, without parcels and without their kernels.
 */
#ifndef HTMT_APPS_NBODY_REFERENCE_H
#define HTMT_APPS_NBODY_REFERENCE_H

#include "apps/nbody/plan.h"

/* The pull on body i of n, by direct sum. */
void htmt__nbody_reference_pull_one(const struct htmt__nbody_body *body, uint64_t n, uint64_t i,
                                    double eps, double pull[HTMT__NBODY_PULL_WORDS]);
/* `steps` of leapfrog by direct sum; pull: those at the end, HTMT__NBODY_PULL_WORDS each. */
void htmt__nbody_reference_run(const struct htmt__nbody_plan *p, struct htmt__nbody_body *body,
                               double *pull);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same by a plain serial program, which shares no kernel with the parcels: each pair is met
 * once, in lists of its own. It judges runs.
 */
#ifndef HTMT_APPS_MD_REFERENCE_H
#define HTMT_APPS_MD_REFERENCE_H

#include "apps/md/program.h"

struct htmt__md_reference;

/* A copy of the atoms. HTMT_ENOMEM. */
int htmt__md_reference_create(const struct htmt__md_plan *plan, const struct htmt__md_atoms *atoms,
                              struct htmt__md_reference **reference, struct htmt_fault *fault);
void htmt__md_reference_destroy(struct htmt__md_reference **reference);
/* Steps 0 to `steps` with their forces, kicks and drift; the records of all of them. */
void htmt__md_reference_run(struct htmt__md_reference *r, uint32_t steps,
                            struct htmt__md_record *series);
/* Of the end, in the box: three numbers an atom. */
const double *htmt__md_reference_places(struct htmt__md_reference *r);
const double *htmt__md_reference_velocities(const struct htmt__md_reference *r);
/* Pairs of atoms whose distance is from k most / bins to (k + 1) most / bins, k below bins; at most
 * half the shortest edge. */
void htmt__md_count_pairs(const struct htmt__md_plan *plan, const double *x, double most,
                          unsigned bins, uint64_t *pairs);

#endif

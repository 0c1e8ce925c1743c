/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program: fields, parcels, exchange of margins, coordinators.
 */
#ifndef HTMT_APPS_STENCIL_PROGRAM_H
#define HTMT_APPS_STENCIL_PROGRAM_H

#include "apps/lib/per_slice.h"
#include "apps/stencil/plan.h"
#include "apps/stencil/stage.h"

struct htmt__stencil_program;

/* The emulator owns what the program creates in it. `sums`: each step begins with the sums of the
 * fields. Errors: those of objects and types (the emulator has the line), HTMT_ENOMEM. */
int htmt__stencil_program_create(struct htmt_emulator *e, const struct htmt__stencil_plan *plan,
                                 bool sums, bool named, struct htmt__stencil_program **program);
void htmt__stencil_program_destroy(struct htmt__stencil_program **program);
/* After the run, in all ranks alike: all cells, HTMT__STENCIL_FIELDS doubles each, [z][y][x]. */
int htmt__stencil_program_gather(const struct htmt__stencil_program *p, double *fields);
/* The same of the largest (c + |u_a|) / h at the beginning of the last step; in other ranks *most
 * stays. */
int htmt__stencil_program_largest(const struct htmt__stencil_program *p, double *most);
/* The same of the sums at the beginning of each step, HTMT__STENCIL_SUMS numbers a step: of all
 * slices, in their order. Only in the rank that gathers. */
int htmt__stencil_program_sums(const struct htmt__stencil_program *p, double *sums);

#endif

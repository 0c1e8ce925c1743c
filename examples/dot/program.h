/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of a dot product.
 *
 *   Block   a block of x and of y, DRAM to CRAM; multiplied there; one word, the partial sum, back
 *   Sum     an activation in DRAM of each slice: adds the partial sums when all are there, then
 *           joins an all-reduce, which leaves the dot product in every slice
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), result, destroy.
 */
#ifndef HTMT_EXAMPLES_DOT_PROGRAM_H
#define HTMT_EXAMPLES_DOT_PROGRAM_H

#include "examples/dot/plan.h"
#include "parcels/htmt.h"

struct htmt__dot_program;

/* x and y: plan->size elements; NULL in a model run. The caller destroys *program. Errors: those
 * of the emulator, HTMT_ENOMEM. */
int htmt__dot_program_create(struct htmt_emulator *e, const struct htmt__dot_plan *plan, double *x,
                             double *y, struct htmt__dot_program **program,
                             struct htmt_fault *fault);
/* What each slice holds after a run. Errors: those of htmt_frame_gather(). */
int htmt__dot_program_results(const struct htmt__dot_program *p, double *of_slice);
void htmt__dot_program_destroy(struct htmt__dot_program **program); /* clears it; NULL accepted */

#endif

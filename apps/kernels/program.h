/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program: a service for each size, on one processor, one after another. With the clock
 * beside, each size has a second one of a single turn: what the other turns of the first take is
 * the time of a turn that finds in the caches what the one before left.
 */
#ifndef HTMT_APPS_KERNELS_PROGRAM_H
#define HTMT_APPS_KERNELS_PROGRAM_H

#include "apps/kernels/plan.h"

struct htmt__kernels_program;

/* Errors: those of the emulator, HTMT_ENOMEM. The caller destroys *program. */
int htmt__kernels_program_create(struct htmt_emulator *e, const struct htmt__kernels_plan *plan,
                                 struct htmt__kernels_program **program, struct htmt_fault *fault);
void htmt__kernels_program_destroy(struct htmt__kernels_program **program);

/* After the run, of size number i: what is in its block; turns that were made; fs of a turn, -1:
 * unknown. */
const struct htmt__kernels_loop_data *htmt__kernels_block(const struct htmt__kernels_program *p,
                                                          unsigned i, char **block);
uint64_t htmt__kernels_turns(const struct htmt__kernels_program *p, unsigned i);
double htmt__kernels_turn_fs(const struct htmt__kernels_program *p, unsigned i);
/* Of a plan with the clock: a turn of the shorter service, whose caches are cold at first. */
double htmt__kernels_first_fs(const struct htmt__kernels_program *p, unsigned i);

#endif

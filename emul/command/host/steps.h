/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instructions of a call, counted by the processor's own traps.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_STEPS_H
#define HTMT_EMUL_COMMAND_HOST_STEPS_H

#include <stdbool.h>
#include <stdint.h>

typedef void htmt__host_once_fn(double x);

/* How many more instructions once(x) has than none(x), a comparison and the branch that is fused
 * with it counted once. 0: this processor cannot say. One thread at a time. */
unsigned htmt__host_steps(htmt__host_once_fn *once, htmt__host_once_fn *none, double x);

#endif

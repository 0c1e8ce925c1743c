/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ten shapes of the application kernels with flags that the user gives.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_SHAPES_H
#define HTMT_EMUL_COMMAND_HOST_SHAPES_H

#include "emul/lib/verbs/verb.h"
#include "emul/validate/against_clock.h"

/* Compiles, predicts and times each shape at its first `sizes` sizes, of three. Errors: those of
 * htmt__predict(), HTMT_ESYSTEM. */
int htmt__host_shapes(struct htmt__command *program, const char *machine, const char *flags,
                      unsigned sizes, htmt__against_progress_fn *progress, void *user,
                      struct htmt__against_clock *against, struct htmt_fault *fault);

#endif

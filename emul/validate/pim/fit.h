/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two constants of a program, instructions an element and start, out of two measured kernels: the
 * model runs until it agrees with both.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_FIT_H
#define HTMT_EMUL_VALIDATE_PIM_FIT_H

#include "apps/lib/task_parts.h"
#include "emul/validate/pim/measured.h"

/* Fit the rows "ID,ID,...", two of each program, and write a cost file: the constants of these
 * programs, which name their rows, and those of the shipped file. `data`: a folder with rows, NULL:
 * the shipped ones. Errors: HTMT_EUSAGE (a row twice, no kernel, not two rows of a program, the
 * smaller work above a quarter of the larger), HTMT_ENOENT (no such row), HTMT_ERANGE (no constants
 * fit), those of the readers and of runtime/base/whole_file.h. */
int htmt__pim_fit(const char *data, const char *rows, const char *out,
                  const struct htmt_app *const *apps, struct htmt_fault *fault);

#endif

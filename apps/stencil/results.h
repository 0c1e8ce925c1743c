/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run writes: the fields as an array, a picture of a plane of them, energies over time.
 */
#ifndef HTMT_APPS_STENCIL_RESULTS_H
#define HTMT_APPS_STENCIL_RESULTS_H

#include "apps/stencil/program.h"

/* Can the files that the options name be written later? Errors: HTMT_EUSAGE (endings), those of
 * runtime/base/whole_file.h. */
int htmt__stencil_results_check(struct htmt_task *task);
/* `fields`: of the end; `sums`: of the beginning of each step, NULL: not asked for. Errors: as
 * above, HTMT_ENOMEM. */
int htmt__stencil_results_write(struct htmt_task *task, const struct htmt__stencil_plan *p,
                                const double *fields, const double *sums);

#endif

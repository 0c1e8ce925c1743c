/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run finds and writes: energies, temperature, pressure, g(r), atoms.
 */
#ifndef HTMT_APPS_MD_RESULTS_H
#define HTMT_APPS_MD_RESULTS_H

#include "apps/md/program.h"

/* Can the files that the options name be written later? Errors: HTMT_EUSAGE (endings), those of
 * runtime/base/whole_file.h. */
int htmt__md_results_check(struct htmt_task *task, const struct htmt__md_plan *p);
/* last: atoms of the end; series: records of steps 0 to p->steps. Errors: as above, HTMT_ENOMEM. */
int htmt__md_results_write(struct htmt_task *task, const struct htmt__md_plan *p,
                           const struct htmt__md_atoms *last, const struct htmt__md_record *series);
/* Figures of the report. */
int htmt__md_results_found(struct htmt_task *task, const struct htmt__md_plan *p,
                           const struct htmt__md_record *series);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the rows of a study, computing the points that its store does not have.
 */
#ifndef HTMT_EMUL_STUDY_WORKERS_H
#define HTMT_EMUL_STUDY_WORKERS_H

#include "emul/study/store.h"
#include "emul/study/table.h"

#define HTMT__JOBS_MOST 256

/* Opens the table and fills it, in `jobs` processes; the caller's thread waits. What ends a process
 * is the result of its point, and does not go into the store. *computed: points that were not
 * there. Errors: those of the table and the store, HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__study_compute(struct htmt__study *study, struct htmt__study_table *table,
                        const struct htmt__study_place *place, unsigned jobs, uint64_t *computed,
                        struct htmt_fault *fault);

#endif

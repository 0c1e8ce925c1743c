/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the rows of a study, computing the points that its store does not have.
 */
#ifndef HTMT_EMUL_STUDY_WORKERS_H
#define HTMT_EMUL_STUDY_WORKERS_H

#include "emul/study/store.h"
#include "emul/study/table.h"

#define HTMT__JOBS_MOST 256

/* In `jobs` processes, the caller's thread waits. What ended a process is the result of its point,
 * and does not go into the store: *ended gets the signal by point, UINT8_MAX if it ended by itself,
 * 0 of all others; the caller frees it. *computed: points that were not there. Errors: those of the
 * store, HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__study_compute(struct htmt__study *study, struct htmt__study_table *table,
                        const struct htmt__study_part *part, const char *path, unsigned jobs,
                        unsigned char **ended, uint64_t *computed, struct htmt_fault *fault);

#endif

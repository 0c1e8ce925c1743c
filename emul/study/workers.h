/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the rows of a study, computing the points that its store does not have.
 */
#ifndef HTMT_EMUL_STUDY_WORKERS_H
#define HTMT_EMUL_STUDY_WORKERS_H

#include "emul/study/store.h"
#include "emul/study/table.h"
#include "layers/file/search.h"
#include "runtime/base/temporary.h"

#define HTMT__JOBS_MOST 256

/* Where results are kept. */
struct htmt__study_place {
    const struct htmt__study_part *part;
    const char *path;
    char own[HTMT_PATH_MAX];
    struct htmt__temporary temporary;
};

/* The file; NULL: one of its own, which goes when the place is closed, also if a signal ends the
 * command. `verb` is for messages. The place must stay where it is. Errors: HTMT_EIO, those of
 * loading the part. */
int htmt__study_place_open(const char *verb, const char *file, struct htmt__study_place *place,
                           struct htmt_fault *fault);
void htmt__study_place_close(struct htmt__study_place *place);

/* Opens the table and fills it, in `jobs` processes; the caller's thread waits. What ends a process
 * is the result of its point, and does not go into the store. *computed: points that were not
 * there. Errors: those of the table and the store, HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__study_compute(struct htmt__study *study, struct htmt__study_table *table,
                        const struct htmt__study_place *place, unsigned jobs, uint64_t *computed,
                        struct htmt_fault *fault);

#endif

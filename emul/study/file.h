/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A study as a file: `htmt sweep study.yaml` (docs/experiments.md).
 */
#ifndef HTMT_EMUL_STUDY_FILE_H
#define HTMT_EMUL_STUDY_FILE_H

#include "emul/lib/plugin/applications.h"
#include "emul/study/table.h"

/* What the words of a command line or a file ask for. Texts belong to argv or to the file. */
struct htmt__sweep {
    struct htmt__study study;
    struct htmt__study_table table;
    const char *store, *csv, *json, *plot, *front, *jobs, *sample, *seed;
    const char *column[HTMT__COLUMNS_MOST];
    const char *where[HTMT__STUDY_AXES], *vary[HTMT__STUDY_AXES]; /* "--vary", or "FILE:LINE" */
    unsigned columns, axes;
    struct htmt_yaml *tree; /* of a file */
    char place[HTMT__STUDY_AXES][128];
};

/* Adds a case; `words` may be NULL, else it is what argv points into, and both become the study's.
 * Errors: HTMT_EUSAGE (no such verb, or an option that studies do not have), HTMT_ENOMEM. */
int htmt__sweep_case(struct htmt__sweep *sweep, struct htmt__applications *apps, const char *name,
                     const char *verb, const char *app, char *words, char **argv, int argc,
                     struct htmt_fault *fault);

/* Errors: those of reading, HTMT_EFORMAT, and as above. */
int htmt__sweep_read(struct htmt__sweep *sweep, struct htmt__applications *apps, const char *path,
                     struct htmt_fault *fault);

/* Either, of the words behind `htmt VERB`: a study file, or predict, model or run, an application
 * and its options. Errors: as above. */
int htmt__sweep_words(struct htmt__sweep *sweep, struct htmt__applications *apps, const char *verb,
                      int count, char **words, struct htmt_fault *fault);

#endif

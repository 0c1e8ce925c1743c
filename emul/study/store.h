/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of points in one SQLite file, which only studies load: study.so has the functions. Any
 * number of processes may use a file at once; a process that is killed leaves what it had stored.
 */
#ifndef HTMT_EMUL_STUDY_STORE_H
#define HTMT_EMUL_STUDY_STORE_H

#include "runtime/base/error.h"

#define HTMT__STUDY_PART "htmt_study"

struct htmt__store;

struct htmt__study_part {
    /* Made where it is not there. Errors: HTMT_EFORMAT (no such file of this command), HTMT_EIO,
     * HTMT_ENOMEM. The caller closes it. */
    int (*open)(const char *path, struct htmt__store **store, struct htmt_fault *fault);
    /* *result, NULL where there is none of that key; the caller frees it. Errors: HTMT_EIO,
     * HTMT_ENOMEM. */
    int (*get)(struct htmt__store *store, const char *key, char **result, struct htmt_fault *fault);
    /* The first result of a key stays. It is in the file when flush returns. Errors: as above. */
    int (*put)(struct htmt__store *store, const char *key, const char *result,
               struct htmt_fault *fault);
    int (*flush)(struct htmt__store *store, struct htmt_fault *fault);
    void (*close)(struct htmt__store **store);
};
extern const struct htmt__study_part htmt_study __attribute__((visibility("default")));

#endif

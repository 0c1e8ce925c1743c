/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of points in one SQLite file, which only studies load: study.so has the functions. Any
 * number of processes may use a file at once; a process that is killed leaves what it had stored.
 */
#ifndef HTMT_EMUL_STUDY_STORE_H
#define HTMT_EMUL_STUDY_STORE_H

#include "layers/file/search.h"
#include "runtime/base/error.h"
#include "runtime/base/temporary.h"

#define HTMT__STUDY_PART "htmt_study"

struct htmt__store;

struct htmt__study_part {
    /* Made where it is not there. Errors: HTMT_EFORMAT (no such file of this command), HTMT_EIO,
     * HTMT_ENOMEM. The caller closes it. One that is not lasting does not wait for the disk: it is
     * whole when the command is killed, but not when the host is. */
    int (*open)(const char *path, bool lasting, struct htmt__store **store,
                struct htmt_fault *fault);
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

/* Where results are kept. */
struct htmt__study_place {
    const struct htmt__study_part *part;
    const char *path;
    char own[HTMT_PATH_MAX];
    struct htmt__temporary temporary;
};

/* A lasting file; NULL: one of its own, which goes when the place is closed, also if a signal ends
 * the command. `verb` is for messages. The place must stay where it is. Errors: HTMT_EIO, those of
 * loading the part. */
int htmt__study_place_open(const char *verb, const char *file, struct htmt__study_place *place,
                           struct htmt_fault *fault);
void htmt__study_place_close(struct htmt__study_place *place);

int htmt__study_place_store(const struct htmt__study_place *place, struct htmt__store **store,
                            struct htmt_fault *fault);

#endif

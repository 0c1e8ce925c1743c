/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Another program, which this process waits for.
 */
#ifndef HTMT_RUNTIME_BASE_CHILD_H
#define HTMT_RUNTIME_BASE_CHILD_H

#include "runtime/base/error.h"

#include <stddef.h>

struct htmt__child {
    const char *const *words; /* up to NULL; the first one without a slash is looked for in PATH */
    const char *said;         /* the file that gets its standard error; NULL: where ours goes */
    const char *wrote;        /* the same of its standard output */
};

struct htmt__child_end {
    int status;      /* of its exit; -1: a signal ended it */
    int signal;      /* 0: none */
    double computed; /* seconds that it had a processor */
};

/* Errors: HTMT_EUSAGE (there is no such program), HTMT_ESYSTEM (it cannot be started), HTMT_ENOMEM;
 * whatever becomes of it then is no error. */
int htmt__child_run(const struct htmt__child *child, struct htmt__child_end *end,
                    struct htmt_fault *fault);

/* The first line of what it said; "it says nothing". */
void htmt__child_said(const char *path, char *line, size_t room);

#endif

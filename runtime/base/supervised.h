/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work that libraries of others do, in a process of its own.
 *
 * libclang, fontconfig, cairo and libxlsxwriter end the process where input is hostile or memory is
 * refused, or take time without end; nothing that they return could prevent it. So they work in a
 * child, with limits of time and memory. What the child made is a file, whole or not there, and one
 * line if it failed; a signal that ended it becomes a line here, and the run that the file belongs
 * to keeps its results, its report and its other files.
 *
 * A fork copies the page tables of this process, and a page only where one of the two writes it.
 */
#ifndef HTMT_RUNTIME_BASE_SUPERVISED_H
#define HTMT_RUNTIME_BASE_SUPERVISED_H

#include "runtime/base/error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_limits {
    unsigned seconds; /* of a processor; of the clock ten times as many */
    uint64_t bytes;   /* of memory, beyond what this process has; no limit under a sanitizer */
};

/* work(context) in a child; its code, with its line in *fault. `what`, the subject of the line if
 * the child is ended: "x.svg: drawing". Errors beside those of work: HTMT_ESYSTEM. */
int htmt_supervise(const char *what, const struct htmt_limits *limits,
                   int (*work)(void *context, struct htmt_fault *fault), void *context,
                   struct htmt_fault *fault);

/* A program in a child, as execv() starts it, with `errors` as its standard error; *status is its
 * exit status. Errors: HTMT_ESYSTEM. */
int htmt_supervise_program(const char *what, const struct htmt_limits *limits, const char *path,
                           char *const *argv, int errors, int *status, struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reasons to doubt the input or the result of a request that is carried out all the same. With
 * --strict they end it. Those of a task are htmt_task_warnings(); a reader of files that works
 * before there is a task, or in a verb without one, collects its own.
 */
#ifndef HTMT_APPS_LIB_WARNINGS_H
#define HTMT_APPS_LIB_WARNINGS_H

#include "runtime/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_warnings;

/* The caller destroys *warnings; a NULL pointer is accepted there. Errors: HTMT_ENOMEM. */
int htmt_warnings_create(struct htmt_warnings **warnings, struct htmt_fault *fault);
void htmt_warnings_destroy(struct htmt_warnings **warnings);

/* Adds a warning. `name` is for programs ("centroid", below 32 bytes), the text for people (below
 * 300 bytes); what is longer is cut off. There is room for 16: of more the last text says how many
 * were left out. NULL: the warning goes nowhere. */
void htmt_warn(struct htmt_warnings *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds those of another list. Either may be NULL. */
void htmt_warnings_add(struct htmt_warnings *w, const struct htmt_warnings *more);

/* How many there are, and the text of each, which belongs to the list; NULL: there is none. */
unsigned htmt_warnings_count(const struct htmt_warnings *w);
const char *htmt_warnings_text(const struct htmt_warnings *w, unsigned index);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The temporary files of the process, for a signal handler to remove. A signal belongs to the
 * process, and so does this list: it is a global variable, one of the few (docs/architecture.md).
 * All threads may use it.
 */
#ifndef HTMT_RUNTIME_BASE_TEMPORARY_H
#define HTMT_RUNTIME_BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/* A member of a struct of the owner; `path` must stay. */
struct htmt__temporary {
    const char *path;
    struct htmt__temporary *next, **from;
};

/* Creates the file, which must not exist, and keeps it in the list, in one step as signals see it.
 * Returns a file descriptor, or -1 and errno. */
int htmt__temporary_create(struct htmt__temporary *temporary);

/* Renames the file to `path`, or removes it if `path` is NULL, and takes it out of the list.
 * Returns 0, or -1 and errno; the file is then removed. */
int htmt__temporary_end(struct htmt__temporary *temporary, const char *path);

/* Whether the list has one whose path begins so. */
bool htmt__temporary_is_listed(const char *begin);

/* In a child that was forked: those of the parent are the parent's. */
void htmt__temporaries_forget(void);

/* A child with temporary files of its own, which it removes at SIGTERM: it begins, or is over.
 * htmt__temporaries_remove() ends it and waits for that, so that no file is left when this process
 * ends. Of more than eight at once the others end a moment later, with this process. */
void htmt__temporaries_child(pid_t child, bool runs);

/* Removes all of them, for ever: no temporary file is created or renamed from now on. The process
 * must end. Safe in a signal handler. */
void htmt__temporaries_remove(void);

#endif

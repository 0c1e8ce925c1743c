/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Output files that appear whole or not at all: what is written goes to a temporary file beside the
 * target, which is flushed to the disk and renamed. A device or a pipe is written to as it is: a
 * rename would put a file in its place. A symbolic link stays: the file that it points to is
 * replaced. The new file has the mode of the older one. Other hard links keep the older contents.
 *
 *     struct htmt_whole_file *f = NULL;
 *     if ((rc = htmt_whole_file_open(path, &f, fault)))
 *         return rc;
 *     if ((rc = draw(htmt_whole_file_stream(f))))
 *         htmt_whole_file_abandon(&f);
 *     return rc ? rc : htmt_whole_file_commit(&f, fault);
 */
#ifndef HTMT_RUNTIME_BASE_WHOLE_FILE_H
#define HTMT_RUNTIME_BASE_WHOLE_FILE_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_whole_file;

/* Could `path` be written later? To be asked before a long run. The line starts with the path.
 * Errors: HTMT_ENOENT (no such folder), HTMT_EINVAL (no name, too long a name, a folder, or no
 * permission), HTMT_ENOMEM. */
int htmt_whole_file_check(const char *path, struct htmt_fault *fault);

/* Where `path` leads: itself, or, if it is a symbolic link, the end of the chain of links, which
 * need not exist. The caller frees *target. Errors: HTMT_EINVAL (a circle), HTMT_ENOMEM. */
int htmt_whole_file_target(const char *path, char **target, struct htmt_fault *fault);

/* The folder of a path: "." if it names none. The caller frees it; NULL: out of memory. */
char *htmt_whole_file_folder(const char *path);

/* On success the caller owns *file and ends it by commit or abandon.
 * Errors: as the check, HTMT_EIO. */
int htmt_whole_file_open(const char *path, struct htmt_whole_file **file, struct htmt_fault *fault);

/* Where to write; belongs to the file. Failed writes are found at commit. */
FILE *htmt_whole_file_stream(struct htmt_whole_file *file);

/* Put the file in its place; *file is cleared whatever comes of it. A signal that ends the process
 * removes the temporary file; only SIGKILL and a crash of the host leave it. Errors: HTMT_EIO; then
 * nothing is left behind and an older file is untouched, unless it was the folder that could not be
 * flushed after the rename. */
int htmt_whole_file_commit(struct htmt_whole_file **file, struct htmt_fault *fault);

/* Leave no trace and clear *file. NULL and cleared pointers are accepted. */
void htmt_whole_file_abandon(struct htmt_whole_file **file);

/* All at once. Errors: as open and commit. */
int htmt_whole_file_write(const char *path, const void *bytes, size_t length,
                          struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif

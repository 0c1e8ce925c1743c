/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Output files that appear whole or not at all.
 */
#ifndef HTMT_EMUL_WHOLE_FILE_H
#define HTMT_EMUL_WHOLE_FILE_H

#include "runtime/error.h"

#include <stddef.h>

/* Could `path` be written later? To be asked before the work starts; `name` is the option, for the
 * message. Errors: HTMT_ENOENT (no such folder), HTMT_EINVAL (a folder, or no permission). */
int htmt__whole_file_check(const char *name, const char *path, struct htmt_fault *fault);

/* A temporary file in the same folder is written, flushed to the disk and renamed; a device or a
 * pipe is written to as it is.
 * Errors: HTMT_EIO, HTMT_ENOMEM; then nothing is left behind and an older file is untouched. */
int htmt__whole_file_write(const char *path, const char *text, size_t length,
                           struct htmt_fault *fault);

#endif

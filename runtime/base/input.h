/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input files. This is the only place where a file is opened for reading: tests/house/list says so
 * and the house test proves it. An input is a regular file and no larger than its kind may be. What
 * the host fails to do is told apart from what the user named wrongly.
 *
 * The lines in *fault start with the path. Errors of all of them: HTMT_ENOENT (no such file, or no
 * permission), HTMT_EFORMAT (a folder, pipe or device; too large), HTMT_ENOMEM, HTMT_ESYSTEM (no
 * descriptors left), HTMT_EIO, HTMT_EUSAGE (an output is to be written over it).
 */
#ifndef HTMT_RUNTIME_BASE_INPUT_H
#define HTMT_RUNTIME_BASE_INPUT_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* XX(kind, most bytes, the same for a person, what it is) */
#define HTMT_INPUT_MAP(XX)                                                                         \
    XX(TEXT, UINT64_C(1) << 20, "1 MiB", "description")                                            \
    XX(LIST, UINT64_C(1) << 26, "64 MiB", "list of numbers")                                       \
    XX(DATA, UINT64_C(1) << 40, "1 TiB", "data file")

enum htmt_input_kind {
#define HTMT_INPUT_ENUM(kind, most, size, what) HTMT_INPUT_##kind,
    HTMT_INPUT_MAP(HTMT_INPUT_ENUM)
#undef HTMT_INPUT_ENUM
};

/* "PATH: cannot WHAT: reason" of an errno, with the code that belongs to it. */
int htmt_input_failed(const char *path, const char *what, int error, struct htmt_fault *fault);

/* On success the caller closes *fd. */
int htmt_input_open(const char *path, enum htmt_input_kind kind, int *fd, struct htmt_fault *fault);

/* On success the caller gives *in to fclose(). */
int htmt_input_stream(const char *path, enum htmt_input_kind kind, FILE **in,
                      struct htmt_fault *fault);

/* The whole file, with a NUL after it; the caller frees *text. */
int htmt_input_read(const char *path, enum htmt_input_kind kind, char **text, size_t *length,
                    struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif

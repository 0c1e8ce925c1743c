/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of folders in environment variables, and what lies in folders.
 */
#ifndef HTMT_LAYERS_FILE_FOLDERS_H
#define HTMT_LAYERS_FILE_FOLDERS_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Call visit for every folder of a list divided by ':', in order, until one call gives non-zero,
 * which is returned; else 0. Empty and too long names are skipped. */
int htmt__folders_visit(const char *list, int (*visit)(const char *folder, void *context),
                        void *context);

bool htmt__folder_exists(const char *path);

/* What is there and cannot be used exists, too: opening it tells why. */
bool htmt__path_exists(const char *path);

/* A new folder in TMPDIR or /tmp, for the caller to empty and remove; its path has at most room -
 * 16 letters. Errors: HTMT_ESYSTEM. */
int htmt__folder_temporary(char *path, size_t room, struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where this code lies: the shared library that a program loaded, or the program that has the code
 * in itself.
 */
#ifndef HTMT_LAYERS_FILE_OWN_PATH_H
#define HTMT_LAYERS_FILE_OWN_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* An absolute path without links: of the shared library, false where the program has no library of
 * this code, or it lies there no more. */
bool htmt__own_library(char *path, size_t room);

/* The same of the running program, which may be another's, as Python is. */
bool htmt__own_program(char *path, size_t room);

#endif

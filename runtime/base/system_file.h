/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files in which the kernel tells about the host, below `root`: "" or a folder of a test's.
 */
#ifndef HTMT_RUNTIME_BASE_SYSTEM_FILE_H
#define HTMT_RUNTIME_BASE_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller frees it; NULL: no such file. */
char *htmt__system_text(const char *root, const char *path);

/* The number behind `key` at the start of a line; "": that at the start of the file. */
bool htmt__system_number(const char *root, const char *path, const char *key, uint64_t *number);

/* Calls visit with the folder, below root, of each control group of this process for the controller
 * ("cpu"), and of each group above it. second: of version 2. */
void htmt__system_groups(const char *root, const char *controller,
                         void (*visit)(const char *root, const char *folder, bool second,
                                       void *user),
                         void *user);

/* Processors' worth of time that control groups leave this process, the least of all; INFINITY:
 * none says anything. */
double htmt__system_quota(const char *root);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host memory that is left: what the kernel calls available, and no more than the limits of control
 * groups (versions 1 and 2) and of the process (RLIMIT_AS, RLIMIT_DATA) allow.
 */
#ifndef HTMT_RUNTIME_BASE_MEMORY_H
#define HTMT_RUNTIME_BASE_MEMORY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_MEMORY_TEXT 100

/* Is so much left? If not, text says "the host has 1.50 GiB left (free memory)". */
bool htmt_memory_holds(double bytes, char text[HTMT_MEMORY_TEXT]);

#ifdef __cplusplus
}
#endif

#endif

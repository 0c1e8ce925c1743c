/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host memory that is left: what the kernel calls available, and no more than the limits of control
 * groups (versions 1 and 2) and of the process (RLIMIT_AS, RLIMIT_DATA) allow.
 */
#ifndef HTMT_RUNTIME_BASE_MEMORY_H
#define HTMT_RUNTIME_BASE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_MEMORY_TEXT 100

/* Is so much left? If not, text says "the host has 1.50 GiB left (free memory)". */
bool htmt_memory_holds(double bytes, char text[HTMT_MEMORY_TEXT]);

struct htmt__memory_state {
    uint64_t bytes;
    const char *bound; /* what allows no more: "free memory", "control group", "ulimit -v" */
};

struct htmt__memory_state htmt__memory_left(void);

/* The same with proc/ and sys/ below another folder than the root: for tests. */
struct htmt__memory_state htmt__memory_left_below(const char *root);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much host memory is left, and what allows no more (runtime/base/memory.h).
 */
#ifndef HTMT_RUNTIME_BASE_MEMORY_LEFT_H
#define HTMT_RUNTIME_BASE_MEMORY_LEFT_H

#include <stdint.h>

struct htmt__memory_state {
    uint64_t bytes;
    const char *bound; /* what allows no more: "free memory", "control group", "ulimit -v" */
};

struct htmt__memory_state htmt__memory_left(void);

/* The same with proc/ and sys/ below another folder than the root: for tests. */
struct htmt__memory_state htmt__memory_left_below(const char *root);

#endif

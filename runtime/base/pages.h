/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cleared memory for tables and records, and the hook by which a test lets an allocation fail.
 */
#ifndef HTMT_RUNTIME_BASE_PAGES_H
#define HTMT_RUNTIME_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* A test may define this one to make an allocation or the start of a thread fail (true). */
extern bool htmt__fault_hook(void) __attribute__((weak));

static inline bool htmt__fault_injected(void)
{
    return htmt__fault_hook && htmt__fault_hook();
}

/* A large cleared table, huge pages where the system has them; NULL: out of memory. Freed with the
 * size it was made with. */
void *htmt__table_alloc(size_t count, size_t size);
void htmt__table_free(void *table, size_t count, size_t size);

/* Small cleared records outside any arena, aligned to a cache line; given back by free(). NULL: out
 * of memory. */
void *htmt__record_alloc(size_t size);

#endif

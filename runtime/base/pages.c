/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of two kinds. A table is large and lies in whole pages of 2 MiB where the kernel gives
 * them: its first touches cost 512 times fewer faults, and lookups fewer misses of the translation.
 * A record is one or more lines of 64 bytes, so that two threads that write two records never write
 * one line. Both are zero at first, and both can be made to fail by tests.
 */
#include "runtime/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE 64
#define HUGE ((size_t)2 << 20)

/* In whole huge pages, so that the last ones count too. */
static size_t table_size(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE)
        return 0;
    return (bytes + HUGE - 1) & ~(HUGE - 1);
}

void *htmt__table_alloc(size_t count, size_t size)
{
    size_t bytes = table_size(count, size);
    if (htmt__fault_injected() || !bytes)
        return NULL;
    void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED)
        return NULL;
    if (bytes > HUGE) /* a wish */
        (void)madvise(table, bytes, MADV_HUGEPAGE);
    return table;
}

void htmt__table_free(void *table, size_t count, size_t size)
{
    if (table)
        munmap(table, table_size(count, size));
}

void *htmt__record_alloc(size_t size)
{
    size_t rounded;
    if (htmt__fault_injected() || __builtin_add_overflow(size, (size_t)LINE - 1, &rounded))
        return NULL;
    rounded &= ~(size_t)(LINE - 1);
    void *record = aligned_alloc(LINE, rounded);
    return record ? memset(record, 0, rounded) : NULL;
}

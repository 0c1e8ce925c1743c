/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/arena.h"

#include "runtime/base/error.h"

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

#if HTMT__PLAIN_PAGES

int htmt__arena_create(unsigned *arena)
{
    *arena = 0;
    return htmt__fault_injected() ? HTMT_ENOMEM : 0;
}

void htmt__arena_destroy(unsigned arena)
{
    (void)arena;
}

void *htmt__arena_alloc(unsigned arena, size_t alignment, size_t size, bool zeroed)
{
    (void)arena;
    void *bytes = htmt__fault_injected() ? NULL : aligned_alloc(alignment, size);
    return bytes && zeroed ? memset(bytes, 0, size) : bytes;
}

void htmt__arena_free(unsigned arena, void *bytes)
{
    (void)arena;
    free(bytes);
}

#else

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>

int htmt__arena_create(unsigned *arena)
{
    size_t size = sizeof *arena;
    if (htmt__fault_injected())
        return HTMT_ENOMEM;
    switch (mallctl("arenas.create", arena, &size, NULL, 0)) {
    case 0:
        return 0;
    case EAGAIN:
    case ENOMEM:
        return HTMT_ENOMEM;
    default:
        return HTMT_ESYSTEM;
    }
}

/* Nothing can be done about an arena that will not go: its pages stay with the process. */
void htmt__arena_destroy(unsigned arena)
{
    char name[32];
    snprintf(name, sizeof name, "arena.%u.destroy", arena);
    (void)mallctl(name, NULL, NULL, NULL, 0);
}

/* No thread cache: storages are kept warm by their own free lists, and a cache would outlive the
 * arena. */
static int flags(unsigned arena)
{
    return (int)(MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE);
}

void *htmt__arena_alloc(unsigned arena, size_t alignment, size_t size, bool zeroed)
{
    bool huge = size >= 2 * HUGE;
    if (htmt__fault_injected())
        return NULL;
    void *bytes = mallocx(size, flags(arena) | MALLOCX_ALIGN(huge ? HUGE : alignment) |
                                    (zeroed ? MALLOCX_ZERO : 0));
    if (bytes && huge) /* a wish: first touches cost 512 times fewer faults */
        (void)madvise(bytes, size / HUGE * HUGE, MADV_HUGEPAGE);
    return bytes;
}

void htmt__arena_free(unsigned arena, void *bytes)
{
    if (bytes)
        dallocx(bytes, flags(arena));
}

#endif

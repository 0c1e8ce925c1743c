/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/arena.h"
#include "runtime/base/pages.h"

#include "runtime/base/error.h"

#if HTMT__PLAIN_PAGES

#include <stdlib.h>
#include <string.h>

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
#include <sys/mman.h>

#define HUGE ((size_t)2 << 20)

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

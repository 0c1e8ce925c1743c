/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/arena.h"
#include "runtime/base/pages.h"

#include "runtime/base/error.h"

#if HTMT__PLAIN_PAGES

#include <stdlib.h>
#include <string.h>

enum htmt__heap htmt__arena_heap(void)
{
    return HTMT__HEAP_PLAIN;
}

const char *htmt__arena_version(void)
{
    return NULL;
}

int htmt__arena_create(struct htmt__arena *arena)
{
    *arena = (struct htmt__arena){0};
    return htmt__fault_injected() ? HTMT_ENOMEM : 0;
}

void htmt__arena_destroy(struct htmt__arena *arena)
{
    (void)arena;
}

void *htmt__arena_alloc(struct htmt__arena *arena, size_t alignment, size_t size, bool zeroed)
{
    (void)arena;
    void *bytes = htmt__fault_injected() ? NULL : aligned_alloc(alignment, size);
    return bytes && zeroed ? memset(bytes, 0, size) : bytes;
}

void htmt__arena_free(struct htmt__arena *arena, void *bytes, size_t alignment, size_t size)
{
    (void)arena;
    (void)alignment;
    (void)size;
    free(bytes);
}

#else

#include "runtime/host/pages_pool.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Weak: they are NULL in a process without jemalloc, and ask for no library when a program is
 * linked. */
#pragma weak mallctl
#pragma weak mallocx
#pragma weak dallocx

/* All three: a program may define one of them for itself. */
static bool has_jemalloc(void)
{
    return &mallctl && &mallocx && &dallocx;
}

enum htmt__heap htmt__arena_heap(void)
{
    return has_jemalloc() ? HTMT__HEAP_JEMALLOC : HTMT__HEAP_POOLS;
}

const char *htmt__arena_version(void)
{
    const char *version = NULL;
    size_t size = sizeof version;
    if (has_jemalloc())
        (void)mallctl("version", &version, &size, NULL, 0);
    return version;
}

/* ---- where the pages of an arena of jemalloc's come from ---------------------------------------
 */

/* By itself jemalloc gives no address back to the system. Of each arena that has gone it would keep
 * the 2 MiB in which its own records were, and tables for these addresses. */
struct htmt__arena_hooks {
    extent_hooks_t table; /* the first member: jemalloc hands its address to each function */
    bool going;
};

static void *map_pages(extent_hooks_t *table, void *wanted, size_t size, size_t alignment,
                       bool *zero, bool *commit, unsigned arena)
{
    (void)table, (void)arena;
    void *pages = wanted ? NULL : htmt__pages_map(alignment, size);
    if (pages)
        *zero = *commit = true;
    return pages;
}

/* true: jemalloc keeps them. While the arena is there it may use them again. */
static bool give_pages(extent_hooks_t *table, void *pages, size_t size, bool committed,
                       unsigned arena)
{
    (void)committed, (void)arena;
    return !((struct htmt__arena_hooks *)table)->going || munmap(pages, size);
}

static void unmap_pages(extent_hooks_t *table, void *pages, size_t size, bool committed,
                        unsigned arena)
{
    (void)table, (void)committed, (void)arena;
    munmap(pages, size);
}

static bool purge_pages(extent_hooks_t *table, void *pages, size_t size, size_t offset,
                        size_t length, unsigned arena)
{
    (void)table, (void)size, (void)arena;
    return madvise((char *)pages + offset, length, MADV_DONTNEED) != 0;
}

static bool split_pages(extent_hooks_t *table, void *pages, size_t size, size_t size_a,
                        size_t size_b, bool committed, unsigned arena)
{
    (void)table, (void)pages, (void)size, (void)size_a, (void)size_b, (void)committed, (void)arena;
    return false;
}

static bool merge_pages(extent_hooks_t *table, void *a, size_t size_a, void *b, size_t size_b,
                        bool committed, unsigned arena)
{
    (void)table, (void)a, (void)size_a, (void)b, (void)size_b, (void)committed, (void)arena;
    return false;
}

static const extent_hooks_t pages_of_its_own = {
    .alloc = map_pages,
    .dalloc = give_pages,
    .destroy = unmap_pages,
    .purge_forced = purge_pages,
    .split = split_pages,
    .merge = merge_pages,
};

/* ---- arenas ------------------------------------------------------------------------------------
 */

static int create_pool(struct htmt__arena *arena)
{
    arena->pool = htmt__pages_pool_create();
    return arena->pool ? 0 : HTMT_ENOMEM;
}

static int jemalloc_arena(struct htmt__arena *arena)
{
    size_t size = sizeof arena->index;
    arena->hooks = htmt__record_alloc(sizeof *arena->hooks);
    if (!arena->hooks)
        return ENOMEM;
    arena->hooks->table = pages_of_its_own;
    extent_hooks_t *table = &arena->hooks->table;
    int rc = mallctl("arenas.create", &arena->index, &size, &table, sizeof(extent_hooks_t *));
    if (rc) {
        free(arena->hooks);
        arena->hooks = NULL;
    }
    return rc;
}

/* A jemalloc before its version 5 has another name for this. */
int htmt__arena_create(struct htmt__arena *arena)
{
    *arena = (struct htmt__arena){0};
    if (htmt__fault_injected())
        return HTMT_ENOMEM;
    switch (has_jemalloc() ? jemalloc_arena(arena) : ENOENT) {
    case 0:
        return 0;
    case ENOENT:
        return create_pool(arena);
    case EAGAIN:
    case ENOMEM:
        return HTMT_ENOMEM;
    default:
        return HTMT_ESYSTEM;
    }
}

/* Nothing can be done about an arena that will not go: its pages stay with the process. */
void htmt__arena_destroy(struct htmt__arena *arena)
{
    char name[32];
    if (arena->pool) {
        htmt__pages_pool_destroy(arena->pool);
        return;
    }
    snprintf(name, sizeof name, "arena.%u.destroy", arena->index);
    arena->hooks->going = true;
    if (!mallctl(name, NULL, NULL, NULL, 0))
        free(arena->hooks);
}

/* No thread cache: storages are kept warm by their own free lists, and a cache would outlive the
 * arena. */
static int flags(const struct htmt__arena *arena)
{
    return (int)(MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE);
}

static void *jemalloc_pages(const struct htmt__arena *arena, size_t alignment, size_t size,
                            bool zeroed)
{
    bool huge = size >= 2 * HTMT__HUGE_PAGE;
    void *bytes = mallocx(size, flags(arena) | MALLOCX_ALIGN(huge ? HTMT__HUGE_PAGE : alignment) |
                                    (zeroed ? MALLOCX_ZERO : 0));
    if (bytes && huge) /* as in a pool */
        (void)madvise(bytes, size / HTMT__HUGE_PAGE * HTMT__HUGE_PAGE, MADV_HUGEPAGE);
    return bytes;
}

void *htmt__arena_alloc(struct htmt__arena *arena, size_t alignment, size_t size, bool zeroed)
{
    if (htmt__fault_injected())
        return NULL;
    return arena->pool ? htmt__pages_pool_alloc(arena->pool, alignment, size, zeroed)
                       : jemalloc_pages(arena, alignment, size, zeroed);
}

void htmt__arena_free(struct htmt__arena *arena, void *bytes, size_t alignment, size_t size)
{
    if (!bytes)
        return;
    if (arena->pool)
        htmt__pages_pool_free(arena->pool, bytes, alignment, size);
    else
        dallocx(bytes, flags(arena));
}

#endif

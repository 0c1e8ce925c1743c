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
#include <stdatomic.h>
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
 *
 * By itself jemalloc gives no address back to the system. Of each arena that has gone it would keep
 * the 2 MiB in which its own records were, and tables for these addresses. So each arena maps its
 * pages through hooks of its own, and unmaps all of them when it goes.
 *
 * When they may be unmapped is the hard part. jemalloc cuts a mapping into pieces (its extents) and
 * joins neighbours that are free. One table of the process tells which piece an address belongs to,
 * for all arenas. Two pieces with adjacent addresses may be of different arenas, each with its own
 * lock and its own heap of free pieces, and must never be joined. jemalloc (with `opt.retain`, as
 * is usual) tells them apart by one bit alone: the first piece of a mapping is its head, and
 * nothing is joined to a head behind it. This holds while mappings are disjoint, that is, while
 * every piece that jemalloc knows lies in a mapping that is whole.
 *
 * Its hooks `dalloc` and `destroy` invite us to break this: they hand over one piece after another
 * while the arena still has others of the same mapping. If they unmap it, this can happen:
 *
 *     arena A      | head, 3 MiB             | free, 512 KiB |    A goes
 *     munmap       .                         | free, 512 KiB |    its first piece has gone
 *     arena B      .   | head, used | free   | free, 512 KiB |    B maps pages in the hole
 *
 * B's free piece looks at its neighbour, which is free and no head, and takes it out of B's heap of
 * free pieces, where it never was: A's is the one that has it. Both heaps are broken, without a
 * lock; most often a write to a null pointer ends the process. A `merge` hook that refuses comes
 * too late, because jemalloc asks it after the neighbour has left the heap.
 *
 * So both hooks are absent. jemalloc then keeps every piece until its arena goes. The hook that
 * maps pages notes each mapping, and all of them are unmapped when `arena.N.destroy` has returned:
 * by then the table has none of their addresses. So whoever maps pages in a hole, another arena or
 * one of jemalloc's own, has no neighbour that was cut from what lay there. It costs a page for an
 * arena, with room for 255 mappings (there are few, since jemalloc makes each larger than the one
 * before), and one call of munmap() for each. What jemalloc loses when memory ends is unmapped,
 * too.
 *
 * Notes lie in pages from the system, and take no lock. Two threads can be in a hook at once where
 * jemalloc has threads in the background. And a hook must not call malloc(): jemalloc calls it with
 * locks of our arena, while fork() in another thread takes the locks of all arenas, the first one's
 * before ours. Each would wait for the other. */
enum { NOTES = 255 };

struct notes {
    struct notes *next;
    _Atomic size_t used; /* may go beyond NOTES: by those who came when it was full */
    struct {
        void *pages;
        size_t size;
    } of[NOTES];
};

struct htmt__arena_hooks {
    extent_hooks_t table; /* the first member: jemalloc hands its address to each function */
    _Atomic(struct notes *) notes;
};

/* false: out of memory. */
static bool note(struct htmt__arena_hooks *hooks, void *pages, size_t size)
{
    for (;;) {
        struct notes *first = atomic_load(&hooks->notes);
        size_t i = first ? atomic_fetch_add(&first->used, 1) : NOTES;
        if (i < NOTES) {
            first->of[i].pages = pages;
            first->of[i].size = size;
            return true;
        }
        struct notes *more = htmt__pages_map(1, sizeof *more);
        if (!more)
            return false;
        more->next = first;
        if (!atomic_compare_exchange_strong(&hooks->notes, &first, more))
            munmap(more, sizeof *more); /* another thread was faster */
    }
}

static void *map_pages(extent_hooks_t *table, void *wanted, size_t size, size_t alignment,
                       bool *zero, bool *commit, unsigned arena)
{
    (void)arena;
    void *pages = wanted ? NULL : htmt__pages_map(alignment, size);
    if (!pages)
        return NULL;
    if (!note((struct htmt__arena_hooks *)table, pages, size)) {
        munmap(pages, size);
        return NULL;
    }
    *zero = *commit = true;
    return pages;
}

/* jemalloc knows no address of the arena any more. */
static void unmap_all(struct htmt__arena_hooks *hooks)
{
    for (struct notes *n = atomic_load(&hooks->notes), *next; n; n = next) {
        const size_t used = atomic_load(&n->used);
        for (size_t i = 0; i < used && i < NOTES; i++)
            munmap(n->of[i].pages, n->of[i].size);
        next = n->next;
        munmap(n, sizeof *n);
    }
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
    .purge_forced = purge_pages,
    .split = split_pages,
    .merge = merge_pages,
};

/* ---- arenas ------------------------------------------------------------------------------------
 */

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
        unmap_all(arena->hooks);
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
        arena->pool = htmt__pages_pool_create();
        return arena->pool ? 0 : HTMT_ENOMEM;
    case EAGAIN:
    case ENOMEM:
        return HTMT_ENOMEM;
    default:
        return HTMT_ESYSTEM;
    }
}

/* Nothing can be done about an arena that will not go: its pages and hooks stay with the process.
 */
void htmt__arena_destroy(struct htmt__arena *arena)
{
    char name[32];
    if (arena->pool) {
        htmt__pages_pool_destroy(arena->pool);
        return;
    }
    snprintf(name, sizeof name, "arena.%u.destroy", arena->index);
    if (mallctl(name, NULL, NULL, NULL, 0))
        return;
    unmap_all(arena->hooks);
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

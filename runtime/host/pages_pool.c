/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pieces of up to 64 KiB out of slabs of 1 MiB, each with pieces of one size; larger ones are
 * mappings of their own.
 *
 * A slab begins on a multiple of its size, so the address of a piece tells its slab, and no piece
 * needs a header. A slab stands in the bin of its size while it has room, else among the full ones;
 * taking and giving back is O(1). Pieces that were never used lie behind `fresh`, untouched and
 * therefore zero, so a zeroed piece costs nothing until it is touched. A slab without pieces in use
 * is unmapped, unless it is the only one of its bin: who takes and gives back one piece again and
 * again would map it each time.
 */
#include "runtime/host/pages_pool.h"

#include "runtime/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNIT      ((size_t)64)
#define EDGE_MAX  ((size_t)4096) /* alignment of pieces, at most */
#define SLAB      ((size_t)1 << 20)
#define SMALL_MAX ((size_t)64 << 10) /* larger ones would waste too much at the end of a slab */
#define BINS      (SMALL_MAX / UNIT)

struct piece {
    struct piece *next;
};

struct slab {
    struct slab *next, *previous; /* of the bin where a piece is left, else of `full` */
    struct piece *freed;
    size_t fresh; /* where the untouched bytes begin */
    size_t live;  /* pieces in use */
};

struct htmt__pages_pool {
    struct slab *full, *bin[BINS]; /* bin n: pieces of n + 1 units */
};

/* ---- mappings ------------------------------------------------------------------------------- */

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) & ~(page - 1);
}

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The system puts a mapping below the one before, so most are aligned when their neighbours are.
 * Else it maps more, and gives back what lies before and behind. */
void *htmt__pages_map(size_t alignment, size_t bytes)
{
    char *at = map(bytes);
    if (!at || !((uintptr_t)at & (alignment - 1)))
        return at;
    munmap(at, bytes);
    at = map(bytes + alignment);
    if (!at)
        return NULL;
    size_t before = -(uintptr_t)at & (alignment - 1);
    if (before)
        munmap(at, before);
    munmap(at + before + bytes, alignment - before);
    return at + before;
}

static void *map_large(size_t alignment, size_t size)
{
    bool huge = size >= 2 * HTMT__HUGE_PAGE;
    size_t edge = huge && alignment < HTMT__HUGE_PAGE ? HTMT__HUGE_PAGE : alignment;
    if (size > SIZE_MAX / 2 || edge > SIZE_MAX / 4)
        return NULL;
    void *bytes = htmt__pages_map(edge, whole_pages(size));
    if (bytes && huge) /* a wish: first touches cost 512 times fewer faults */
        (void)madvise(bytes, size / HTMT__HUGE_PAGE * HTMT__HUGE_PAGE, MADV_HUGEPAGE);
    return bytes;
}

/* ---- slabs ---------------------------------------------------------------------------------- */

static void enlist(struct slab **list, struct slab *s)
{
    s->previous = NULL;
    s->next = *list;
    if (s->next)
        s->next->previous = s;
    *list = s;
}

static void unlist(struct slab **list, struct slab *s)
{
    if (s->next)
        s->next->previous = s->previous;
    if (s->previous)
        s->previous->next = s->next;
    else
        *list = s->next;
}

static bool is_full(const struct slab *s, size_t size)
{
    return !s->freed && s->fresh + size > SLAB;
}

/* The first piece lies behind the slab's record, where every piece is aligned to the largest power
 * of two in its size. */
static void *take(struct htmt__pages_pool *pool, size_t size, bool zeroed)
{
    struct slab **bin = &pool->bin[size / UNIT - 1], *s = *bin;
    if (!s) {
        size_t edge = size & -size;
        edge = edge < EDGE_MAX ? edge : EDGE_MAX;
        s = htmt__pages_map(SLAB, SLAB);
        if (!s)
            return NULL;
        s->fresh = (sizeof *s + edge - 1) & ~(edge - 1);
        enlist(bin, s);
    }
    void *piece = s->freed;
    if (piece) {
        s->freed = s->freed->next;
        if (zeroed)
            memset(piece, 0, size);
    } else {
        piece = (char *)s + s->fresh;
        s->fresh += size;
    }
    s->live++;
    if (is_full(s, size)) {
        unlist(bin, s);
        enlist(&pool->full, s);
    }
    return piece;
}

static void give_back(struct htmt__pages_pool *pool, void *bytes, size_t size)
{
    struct slab **bin = &pool->bin[size / UNIT - 1];
    struct slab *s = (struct slab *)(void *)((char *)bytes - ((uintptr_t)bytes & (SLAB - 1)));
    struct piece *piece = bytes;
    if (is_full(s, size)) {
        unlist(&pool->full, s);
        enlist(bin, s);
    }
    piece->next = s->freed;
    s->freed = piece;
    if (--s->live || (*bin == s && !s->next))
        return;
    unlist(bin, s);
    munmap(s, SLAB);
}

static void unmap_all(struct slab *s)
{
    for (struct slab *next; s; s = next) {
        next = s->next;
        munmap(s, SLAB);
    }
}

/* ---- pools ---------------------------------------------------------------------------------- */

struct htmt__pages_pool *htmt__pages_pool_create(void)
{
    return htmt__record_alloc(sizeof(struct htmt__pages_pool));
}

void htmt__pages_pool_destroy(struct htmt__pages_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < BINS; i++)
        unmap_all(pool->bin[i]);
    unmap_all(pool->full);
    free(pool);
}

static bool is_small(size_t alignment, size_t size)
{
    return size <= SMALL_MAX && alignment <= EDGE_MAX;
}

void *htmt__pages_pool_alloc(struct htmt__pages_pool *pool, size_t alignment, size_t size,
                             bool zeroed)
{
    return is_small(alignment, size) ? take(pool, size, zeroed) : map_large(alignment, size);
}

void htmt__pages_pool_free(struct htmt__pages_pool *pool, void *bytes, size_t alignment,
                           size_t size)
{
    if (!bytes)
        return;
    if (is_small(alignment, size))
        give_back(pool, bytes, size);
    else
        munmap(bytes, whole_pages(size));
}

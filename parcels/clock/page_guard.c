/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/page_guard.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <sys/mman.h>

#define NONE  UINT32_MAX
#define ALIGN 64u

struct htmt__guard {
    char *pages;
    uint32_t slices;
    uint32_t inside; /* the slice that plays; NONE: all are open */
    size_t used[];   /* of each slice */
};

int htmt__guard_create(struct htmt__guard **guard, uint32_t slices)
{
    struct htmt__guard *g = calloc(1, sizeof *g + slices * sizeof g->used[0]);
    if (!g)
        return HTMT_ENOMEM;
    void *pages = mmap(NULL, slices * HTMT__GUARD_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        free(g);
        return HTMT_ENOMEM;
    }
    g->pages = pages;
    g->slices = slices;
    g->inside = NONE;
    *guard = g;
    return 0;
}

void htmt__guard_destroy(struct htmt__guard **guard)
{
    struct htmt__guard *g = *guard;
    if (!g)
        return;
    munmap(g->pages, g->slices * HTMT__GUARD_BYTES);
    free(g);
    *guard = NULL;
}

char *htmt__guard_pages(const struct htmt__guard *guard)
{
    return guard->pages;
}

void *htmt__guard_alloc(struct htmt__guard *guard, uint32_t slice, size_t size)
{
    size_t at = guard->used[slice], end = at + (size + ALIGN - 1) / ALIGN * ALIGN;
    if (end > HTMT__GUARD_BYTES)
        return NULL;
    guard->used[slice] = end;
    return guard->pages + slice * HTMT__GUARD_BYTES + at;
}

bool htmt__guard_slice(const struct htmt__guard *guard, const void *at, uint32_t *slice)
{
    uintptr_t first = (uintptr_t)guard->pages, here = (uintptr_t)at;
    if (here < first || here >= first + guard->slices * HTMT__GUARD_BYTES)
        return false;
    *slice = (uint32_t)((here - first) / HTMT__GUARD_BYTES);
    return true;
}

#define PAGE 4096u

/* Of a slice, the pages that it has used. It fails only if the kernel has no room for its map: then
 * the check is off. */
static void set(const struct htmt__guard *g, uint32_t slice, int access)
{
    size_t bytes = (g->used[slice] + PAGE - 1) / PAGE * PAGE;
    mprotect(g->pages + slice * HTMT__GUARD_BYTES, bytes, access);
}

void htmt__guard_enter(struct htmt__guard *guard, uint32_t slice)
{
    if (guard->inside == slice)
        return;
    for (uint32_t i = 0; guard->inside == NONE && i < guard->slices; i++)
        set(guard, i, PROT_NONE);
    if (guard->inside != NONE)
        set(guard, guard->inside, PROT_NONE);
    set(guard, slice, PROT_READ | PROT_WRITE);
    guard->inside = slice;
}

void htmt__guard_open(struct htmt__guard *guard)
{
    for (uint32_t i = 0; guard->inside != NONE && i < guard->slices; i++)
        set(guard, i, PROT_READ | PROT_WRITE);
    guard->inside = NONE;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory straight from the system, for one owner: small pieces of one size from slabs, large ones
 * as mappings of their own. A slab goes back when its last piece does, but for one of each size
 * that stays warm. One thread at a time may use a pool; two pools share nothing.
 */
#ifndef HTMT_RUNTIME_HOST_PAGES_POOL_H
#define HTMT_RUNTIME_HOST_PAGES_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* What is at least twice as large begins on a huge page, and asks for them. */
#define HTMT__HUGE_PAGE ((size_t)2 << 20)

struct htmt__pages_pool;

/* NULL: out of memory. */
struct htmt__pages_pool *htmt__pages_pool_create(void);
/* Gives all slabs back. Everything must have been freed. */
void htmt__pages_pool_destroy(struct htmt__pages_pool *pool);

/* New pages from the system, cleared, for munmap(). alignment: a power of two. NULL: out of memory.
 */
void *htmt__pages_map(size_t alignment, size_t bytes);

/* alignment: a power of two, at least 64. size: a multiple of it, not 0. NULL: out of memory. */
void *htmt__pages_pool_alloc(struct htmt__pages_pool *pool, size_t alignment, size_t size,
                             bool zeroed);
/* With the alignment and size it was made with. */
void htmt__pages_pool_free(struct htmt__pages_pool *pool, void *bytes, size_t alignment,
                           size_t size);

#endif

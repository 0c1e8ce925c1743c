/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the host's memory comes from: pages of a jemalloc arena of its own, so that two hosts in
 * one process share nothing and all pages go back at once. Under a sanitizer, which has its own
 * allocator, plain aligned allocation stands in.
 */
#ifndef HTMT_RUNTIME_HOST_ARENA_H
#define HTMT_RUNTIME_HOST_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HTMT__PLAIN_PAGES 1
#else
#define HTMT__PLAIN_PAGES 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define HTMT__POISON(bytes, size)   __asan_poison_memory_region((bytes), (size))
#define HTMT__UNPOISON(bytes, size) __asan_unpoison_memory_region((bytes), (size))
#else
#define HTMT__POISON(bytes, size)   ((void)(bytes), (void)(size))
#define HTMT__UNPOISON(bytes, size) ((void)(bytes), (void)(size))
#endif

/* A test may define this one to make an allocation or the start of a thread fail (true). */
extern bool htmt__fault_hook(void) __attribute__((weak));

static inline bool htmt__fault_injected(void)
{
    return htmt__fault_hook && htmt__fault_hook();
}

/* Errors: HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__arena_create(unsigned *arena);
/* Everything allocated from it must have been freed, or is lost to its users now. */
void htmt__arena_destroy(unsigned arena);

/* alignment: a power of two. size: a multiple of it. NULL: out of memory. */
void *htmt__arena_alloc(unsigned arena, size_t alignment, size_t size, bool zeroed);
void htmt__arena_free(unsigned arena, void *bytes);

/* A large cleared table, huge pages where the system has them; NULL: out of memory. Freed with the
 * size it was made with. */
void *htmt__table_alloc(size_t count, size_t size);
void htmt__table_free(void *table, size_t count, size_t size);

/* Small cleared records outside any arena, aligned to a cache line. */
void *htmt__record_alloc(size_t size);

#endif

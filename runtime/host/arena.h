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

/* Errors: HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__arena_create(unsigned *arena);
/* Everything allocated from it must have been freed, or is lost to its users now. */
void htmt__arena_destroy(unsigned arena);

/* alignment: a power of two. size: a multiple of it. NULL: out of memory. */
void *htmt__arena_alloc(unsigned arena, size_t alignment, size_t size, bool zeroed);
void htmt__arena_free(unsigned arena, void *bytes);

#endif

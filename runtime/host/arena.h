/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the host's memory comes from: pages of an arena of its own, so that two hosts in one
 * process share nothing and all pages go back at once. It is an arena of jemalloc's where the
 * program brings jemalloc, as the command does; else pages of the system
 * (runtime/host/pages_pool.h). No object names jemalloc in a way that needs it: one set of objects
 * serves both. Under a sanitizer, which has its own allocator, plain aligned allocation stands in.
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

struct htmt__pages_pool;
struct htmt__arena_hooks;

struct htmt__arena {
    struct htmt__pages_pool *pool;   /* NULL: the index is jemalloc's */
    struct htmt__arena_hooks *hooks; /* by which jemalloc gets its pages */
    unsigned index;
};

enum htmt__heap { HTMT__HEAP_POOLS, HTMT__HEAP_JEMALLOC, HTMT__HEAP_PLAIN };

/* Which of them this process has. */
enum htmt__heap htmt__arena_heap(void);
/* jemalloc's own version, "5.3.0-0-g54eaed..."; NULL: the process has none. */
const char *htmt__arena_version(void);

/* Errors: HTMT_ESYSTEM, HTMT_ENOMEM. */
int htmt__arena_create(struct htmt__arena *arena);
/* Everything allocated from it must have been freed. */
void htmt__arena_destroy(struct htmt__arena *arena);

/* alignment: a power of two, at least 64. size: a multiple of it, not 0. NULL: out of memory. One
 * thread at a time may use an arena. */
void *htmt__arena_alloc(struct htmt__arena *arena, size_t alignment, size_t size, bool zeroed);
/* With the alignment and size it was made with. NULL accepted. */
void htmt__arena_free(struct htmt__arena *arena, void *bytes, size_t alignment, size_t size);

#endif

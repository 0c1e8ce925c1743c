/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What every arena does, whichever allocator serves it: the test programs of both include this.
 */
#ifndef HTMT_TESTS_RUNTIME_ARENAS_H
#define HTMT_TESTS_RUNTIME_ARENAS_H

#include "runtime/base/error.h"
#include "runtime/base/pages.h"
#include "runtime/host/arena.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* In units of 64 bytes. */
static const size_t arenas_sizes[] = {1, 2, 3, 5, 8, 100, 1000, 1024, 1025, 4096, 70000};
enum { ARENAS_SIZES = sizeof arenas_sizes / sizeof *arenas_sizes, ARENAS_EACH = 40 };

static bool arenas_fail;

bool htmt__fault_hook(void)
{
    return arenas_fail;
}

static struct htmt__arena arenas_open(void)
{
    struct htmt__arena a;
    cr_assert_eq(htmt__arena_create(&a), 0);
    return a;
}

static bool arenas_all(const unsigned char *bytes, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static size_t arenas_size(size_t i, size_t alignment)
{
    return (arenas_sizes[i] * 64 + alignment - 1) / alignment * alignment;
}

/* No two blocks overlap: each keeps its own value until it is freed. */
static void arenas_align_and_keep(size_t alignment)
{
    struct htmt__arena a = arenas_open();
    unsigned char *block[ARENAS_SIZES][8];
    for (size_t k = 0; k < 8; k++)
        for (size_t i = 0; i < ARENAS_SIZES; i++) {
            size_t size = arenas_size(i, alignment);
            block[i][k] = htmt__arena_alloc(&a, alignment, size, false);
            cr_assert_not_null(block[i][k]);
            cr_assert_eq((uintptr_t)block[i][k] % alignment, 0, "%zu bytes", size);
            memset(block[i][k], (int)(i * 8 + k + 1), size);
        }
    for (size_t k = 0; k < 8; k++)
        for (size_t i = 0; i < ARENAS_SIZES; i++) {
            size_t size = arenas_size(i, alignment);
            cr_assert(arenas_all(block[i][k], size, (unsigned char)(i * 8 + k + 1)));
            htmt__arena_free(&a, block[i][k], alignment, size);
        }
    htmt__arena_destroy(&a);
}

/* Also where a block used these bytes before. */
static void arenas_zero(void)
{
    struct htmt__arena a = arenas_open();
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < ARENAS_SIZES; i++) {
            size_t size = arenas_size(i, 64);
            unsigned char *block[ARENAS_EACH];
            for (size_t k = 0; k < ARENAS_EACH; k++) {
                block[k] = htmt__arena_alloc(&a, 64, size, true);
                cr_assert(block[k] && arenas_all(block[k], size, 0));
                memset(block[k], 0xa5, size);
            }
            for (size_t k = 0; k < ARENAS_EACH; k++)
                htmt__arena_free(&a, block[k], 64, size);
        }
    htmt__arena_destroy(&a);
}

#if !HTMT__PLAIN_PAGES
static void arenas_limit(size_t more)
{
    unsigned long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    cr_assert(in && fscanf(in, "%lu", &pages) == 1);
    fclose(in);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = more ? pages * (rlim_t)sysconf(_SC_PAGESIZE) + more : limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Blocks of that size until there is no memory, all freed; returns their number. */
static size_t arenas_exhaust(struct htmt__arena *a, size_t size)
{
    void *first = NULL, *bytes;
    size_t count = 0;
    for (; (bytes = htmt__arena_alloc(a, 64, size, true)) && count < 1000000; count++) {
        memcpy(bytes, &first, sizeof first);
        first = bytes;
    }
    while ((bytes = first)) {
        memcpy(&first, bytes, sizeof first);
        htmt__arena_free(a, bytes, 64, size);
    }
    return count;
}

/* The end of memory is NULL, and what was freed can be had again; from a pool in another size,
 * too. */
static void arenas_end(void)
{
    struct htmt__arena a = arenas_open();
    size_t pieces, large, again;
    arenas_limit(64 * MIB);
    pieces = arenas_exhaust(&a, 4 * KIB);
    large = arenas_exhaust(&a, 5 * MIB);
    again = arenas_exhaust(&a, 4 * KIB);
    arenas_limit(0);
    cr_assert(pieces > 8000 && pieces < 16384, "%zu pieces of 4 KiB in 64 MiB", pieces);
    cr_assert_geq(again, pieces * 9 / 10);
    cr_assert(htmt__arena_version() || (large >= 8 && large < 13), "%zu blocks of 5 MiB", large);
    htmt__arena_destroy(&a);
}
#endif

/* Blocks of one go, those of the other stay. */
static void arenas_apart(void)
{
    struct htmt__arena a = arenas_open(), b = arenas_open();
    unsigned char *of_a[ARENAS_EACH], *of_b[ARENAS_EACH];
    for (size_t k = 0; k < ARENAS_EACH; k++) {
        of_a[k] = htmt__arena_alloc(&a, 64, 6400, false);
        of_b[k] = htmt__arena_alloc(&b, 64, 6400, false);
        cr_assert(of_a[k] && of_b[k]);
        memset(of_a[k], 1, 6400);
        memset(of_b[k], 2, 6400);
    }
    for (size_t k = 0; k < ARENAS_EACH; k++)
        htmt__arena_free(&a, of_a[k], 64, 6400);
    htmt__arena_destroy(&a);
    for (size_t k = 0; k < ARENAS_EACH; k++) {
        cr_assert(arenas_all(of_b[k], 6400, 2));
        htmt__arena_free(&b, of_b[k], 64, 6400);
    }
    htmt__arena_destroy(&b);
}

/* One of several threads whose arenas come and go, each with blocks of 64 bytes to 2 MiB. Returns
 * NULL if all kept their bytes. */
static void *arenas_come_and_go(void *value)
{
    for (size_t round = 0; round < 100; round++) {
        struct htmt__arena a;
        unsigned char *block[16];
        if (htmt__arena_create(&a))
            return value;
        for (size_t k = 0; k < 16; k++) {
            if (!(block[k] = htmt__arena_alloc(&a, 64, (size_t)64 << k, false)))
                return value;
            memset(block[k], *(char *)value, 64);
        }
        for (size_t k = 0; k < 16; k++) {
            if (!arenas_all(block[k], 64, *(unsigned char *)value))
                return value;
            htmt__arena_free(&a, block[k], 64, (size_t)64 << k);
        }
        htmt__arena_destroy(&a);
    }
    return NULL;
}

static void arenas_of_threads(void)
{
    char value[] = {1, 2, 3, 4};
    pthread_t thread[4];
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, arenas_come_and_go, &value[i]), 0);
    for (size_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        cr_assert_null(wrong, "thread %zu", i);
    }
}

#if !HTMT__PLAIN_PAGES
/* Memory of the process, from /proc/self/statm. */
struct arenas_process {
    size_t addresses, resident;
};

static struct arenas_process arenas_process(void)
{
    unsigned long pages = 0, resident = 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    FILE *in = fopen("/proc/self/statm", "r");
    cr_assert(in && fscanf(in, "%lu %lu", &pages, &resident) == 2);
    fclose(in);
    return (struct arenas_process){pages * page, resident * page};
}

static size_t arenas_resident(void)
{
    return arenas_process().resident;
}

/* 128 MiB, one half in pieces. */
static void arenas_go_back(void)
{
    size_t before = arenas_resident();
    struct htmt__arena a = arenas_open();
    unsigned char *large = htmt__arena_alloc(&a, 64, 64 * MIB, false), *piece[1024];
    cr_assert_not_null(large);
    memset(large, 1, 64 * MIB);
    for (size_t k = 0; k < 1024; k++) {
        piece[k] = htmt__arena_alloc(&a, 64, 64 * KIB, false);
        cr_assert_not_null(piece[k]);
        memset(piece[k], 1, 64 * KIB);
    }
    cr_assert_gt(arenas_resident(), before + 120 * MIB);
    for (size_t k = 0; k < 1024; k++)
        htmt__arena_free(&a, piece[k], 64, 64 * KIB);
    htmt__arena_free(&a, large, 64, 64 * MIB);
    htmt__arena_destroy(&a);
    cr_assert_lt(arenas_resident(), before + 4 * MIB);
}

static void arenas_pass(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct htmt__arena a = arenas_open();
        unsigned char *bytes = htmt__arena_alloc(&a, 64, 64 * KIB, false);
        cr_assert_not_null(bytes);
        memset(bytes, 1, 64 * KIB);
        htmt__arena_free(&a, bytes, 64, 64 * KIB);
        htmt__arena_destroy(&a);
    }
}

/* 2000 arenas, one after another, once the allocator has what it needs. */
static void arenas_leave_nothing(void)
{
    arenas_pass(50);
    struct arenas_process before = arenas_process();
    arenas_pass(2000);
    struct arenas_process after = arenas_process();
    cr_assert_lt(after.addresses, before.addresses + 16 * MIB, "%zu MiB of addresses more",
                 (after.addresses - before.addresses) / MIB);
    cr_assert_lt(after.resident, before.resident + MIB, "%zu KiB more",
                 (after.resident - before.resident) / KIB);
}
#endif

static void arenas_injected(void)
{
    struct htmt__arena a = arenas_open(), b;
    arenas_fail = true;
    cr_assert_null(htmt__arena_alloc(&a, 64, 64, false));
    cr_assert_eq(htmt__arena_create(&b), HTMT_ENOMEM);
    arenas_fail = false;
    void *bytes = htmt__arena_alloc(&a, 64, 64, false);
    cr_assert_not_null(bytes);
    htmt__arena_free(&a, bytes, 64, 64);
    htmt__arena_free(&a, NULL, 64, 64);
    htmt__arena_destroy(&a);
}

#endif

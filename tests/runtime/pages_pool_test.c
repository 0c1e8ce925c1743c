/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/pages_pool.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

enum { MANY = 200 };

/* Address space of the process, in KiB: mapped or not, whatever the host's memory says. */
static unsigned long mapped(void)
{
    unsigned long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    cr_assert(in && fscanf(in, "%lu", &pages) == 1);
    fclose(in);
    return pages * 4;
}

Test(pages_pool, a_freed_piece_is_the_next_one_of_its_size)
{
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    void *a = htmt__pages_pool_alloc(pool, 64, 320, false);
    void *b = htmt__pages_pool_alloc(pool, 64, 320, false);
    cr_assert(a && b && a != b);
    htmt__pages_pool_free(pool, a, 64, 320);
    cr_assert_neq(htmt__pages_pool_alloc(pool, 64, 384, false), a, "another size");
    cr_assert_eq(htmt__pages_pool_alloc(pool, 64, 320, false), a);
    htmt__pages_pool_destroy(pool);
}

Test(pages_pool, a_slab_without_pieces_goes_back_but_for_one)
{
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    void *piece[MANY];
    unsigned long before = mapped();
    for (size_t i = 0; i < MANY; i++)
        piece[i] = htmt__pages_pool_alloc(pool, 64, 64 * KIB, false);
    cr_assert_geq(mapped(), before + MANY * 64);
    for (size_t i = 0; i < MANY; i++) /* one of a slab after one of another */
        htmt__pages_pool_free(pool, piece[i * 17 % MANY], 64, 64 * KIB);
    cr_assert_leq(mapped(), before + 1024);
    htmt__pages_pool_destroy(pool);
    cr_assert_leq(mapped(), before);
}

Test(pages_pool, a_large_block_goes_back_at_once)
{
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    unsigned long before = mapped();
    void *bytes = htmt__pages_pool_alloc(pool, 64, 40 * MIB + 64, true);
    cr_assert_geq(mapped(), before + 40 * 1024);
    htmt__pages_pool_free(pool, bytes, 64, 40 * MIB + 64);
    cr_assert_leq(mapped(), before);
    htmt__pages_pool_destroy(pool);
}

Test(pages_pool, blocks_of_two_huge_pages_begin_on_one)
{
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    for (size_t size = 4 * MIB; size < 12 * MIB; size += MIB + 4096) {
        void *bytes = htmt__pages_pool_alloc(pool, 64, size, false);
        cr_assert_eq((uintptr_t)bytes % HTMT__HUGE_PAGE, 0);
        htmt__pages_pool_free(pool, bytes, 64, size);
    }
    htmt__pages_pool_destroy(pool);
}

Test(pages_pool, an_alignment_above_a_page_is_kept)
{
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    for (size_t alignment = 64; alignment <= 8 * MIB; alignment *= 2)
        for (size_t times = 1; times < 4; times++) {
            char *bytes = htmt__pages_pool_alloc(pool, alignment, times * alignment, true);
            cr_assert_eq((uintptr_t)bytes % alignment, 0);
            bytes[times * alignment - 1] = 1;
            htmt__pages_pool_free(pool, bytes, alignment, times * alignment);
        }
    htmt__pages_pool_destroy(pool);
}

Test(pages_pool, more_than_any_memory_is_null)
{
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    for (size_t size = SIZE_MAX - 63; size > (size_t)1 << 60; size = size / 128 * 64)
        cr_assert_null(htmt__pages_pool_alloc(pool, 64, size, false));
    htmt__pages_pool_destroy(pool);
}

Test(pages_pool, the_end_of_nothing_is_nothing)
{
    htmt__pages_pool_destroy(NULL);
    struct htmt__pages_pool *pool = htmt__pages_pool_create();
    htmt__pages_pool_free(pool, NULL, 64, 64);
    htmt__pages_pool_destroy(pool);
}

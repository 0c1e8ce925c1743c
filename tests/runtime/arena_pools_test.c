/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arenas in a process without jemalloc; the Makefile links it so.
 */
#include "tests/runtime/arenas.h"

Test(arena_pools, the_allocator_is_the_one_that_the_process_has)
{
    enum htmt__heap wanted = HTMT__PLAIN_PAGES ? HTMT__HEAP_PLAIN : HTMT__HEAP_POOLS;
    struct htmt__arena a = arenas_open();
    cr_assert_eq(htmt__arena_heap(), wanted);
    cr_assert_eq(!!htmt__arena_version(), wanted == HTMT__HEAP_JEMALLOC);
    cr_assert_eq(!!a.pool, wanted == HTMT__HEAP_POOLS);
    htmt__arena_destroy(&a);
}

Test(arena_pools, blocks_are_aligned_and_keep_their_bytes)
{
    for (size_t alignment = 64; alignment <= 4096; alignment *= 8)
        arenas_align_and_keep(alignment);
}

Test(arena_pools, zeroed_blocks_are_zero_also_where_others_were_before)
{
    arenas_zero();
}

Test(arena_pools, two_arenas_side_by_side_share_nothing)
{
    arenas_apart();
}

Test(arena_pools, arenas_of_several_threads_come_and_go)
{
    arenas_of_threads();
}

Test(arena_pools, an_injected_fault_is_no_memory_once)
{
    arenas_injected();
}

#if !HTMT__PLAIN_PAGES
Test(arena_pools, the_end_of_memory_is_null_and_freed_bytes_can_be_had_again)
{
    arenas_end();
}

Test(arena_pools, all_pages_go_back_at_the_end)
{
    arenas_go_back();
}

Test(arena_pools, arenas_that_are_gone_leave_nothing_behind)
{
    arenas_leave_nothing();
}
#endif

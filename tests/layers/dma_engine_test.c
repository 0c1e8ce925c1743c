/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The DMA engine, by hand: a cycle is 10 ns, a copy takes 34.6 cycles and a cycle for 2 bytes, its
 * thread waits 42.4 more.
 */
#include "layers/bank/dma_engine.h"

#include <criterion/criterion.h>

#define TENTH INT64_C(1000000) /* of a cycle */

static const struct htmt__dma_figures engine = {.startup = {346000000, 1},
                                                .read = {424000000, 1},
                                                .write = {100000000, 1},
                                                .byte = {5000000, 1},
                                                .largest = 2048,
                                                .align = 8};

Test(dma_engine, two_reads_of_64_bytes_queue_by_hand)
{
    struct htmt__dma_engine e = {0};
    htmt_time free;
    cr_expect_eq(htmt__dma_book(&engine, &e, 0, 64, false, &free), 1090 * TENTH);
    cr_expect_eq(free, 666 * TENTH);
    cr_expect_eq(htmt__dma_book(&engine, &e, 0, 64, false, &free), 1756 * TENTH);
    cr_expect_eq(free, 1332 * TENTH);
    cr_expect_eq(e.busy, 1332 * TENTH);
}

Test(dma_engine, a_write_waits_for_a_read_and_has_a_latency_of_its_own)
{
    struct htmt__dma_engine e = {0};
    cr_assert_eq(htmt__dma_book(&engine, &e, 0, 64, false, NULL), 1090 * TENTH);
    cr_expect_eq(htmt__dma_book(&engine, &e, 100 * TENTH, 2048, true, NULL),
                 (666 + 346 + 10240 + 100) * TENTH);
}

Test(dma_engine, an_idle_engine_serves_at_once)
{
    struct htmt__dma_engine e = {0};
    cr_assert_eq(htmt__dma_book(&engine, &e, 0, 8, false, NULL), (346 + 40 + 424) * TENTH);
    cr_expect_eq(htmt__dma_book(&engine, &e, 5000 * TENTH, 8, false, NULL),
                 (5000 + 346 + 40 + 424) * TENTH);
    cr_expect_eq(e.busy, 2 * 386 * TENTH);
}

Test(dma_engine, a_charge_is_rounded_once)
{
    const struct htmt__dma_figures third = {.startup = {1, 3}, .byte = {1, 3}, .read = {0, 1}};
    cr_expect_eq(htmt__dma_time(&third, 1), 1); /* 2/3 */
    cr_expect_eq(htmt__dma_time(&third, 3), 1); /* 4/3 */
    cr_expect_eq(htmt__dma_time(&third, 4), 2); /* 5/3 */
}

Test(dma_engine, an_overflow_books_nothing)
{
    struct htmt__dma_engine e = {.free = HTMT_TIME_MAX - 5};
    cr_expect_eq(htmt__dma_book(&engine, &e, 0, 64, false, NULL), -1);
    cr_expect_eq(e.free, HTMT_TIME_MAX - 5);
    cr_expect_eq(htmt__dma_time(&engine, UINT64_MAX), -1);
}

Test(dma_engine, large_and_unaligned_copies_are_refused)
{
    uint64_t bound;
    cr_expect_null(htmt__dma_refusal(&engine, 64, 8, 2048, &bound));
    cr_expect_str_eq(htmt__dma_refusal(&engine, 0, 0, 2056, &bound), "larger than");
    cr_expect_eq(bound, 2048);
    cr_expect_str_eq(htmt__dma_refusal(&engine, 4, 0, 8, &bound), "not a multiple of");
    cr_expect_str_eq(htmt__dma_refusal(&engine, 0, 4, 8, &bound), "not a multiple of");
    cr_expect_str_eq(htmt__dma_refusal(&engine, 0, 0, 12, &bound), "not a multiple of");
    cr_expect_eq(bound, 8);
}

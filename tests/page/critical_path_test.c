/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/critical_path.h"

#include "tests/page/numbers.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Pieces of 1, 2, 3, 1, ... fs, the last one first. */
static struct htmt__trace_path make(uint64_t count)
{
    struct htmt__trace_path path = {.piece = calloc(count, sizeof *path.piece), .count = count};
    for (uint64_t i = count; i-- > 0;) {
        path.piece[i] =
            (struct htmt__path_piece){.interval = htmt_trace_ref_of(1, i),
                                      .from = path.total,
                                      .to = path.total + 1 + (htmt_time)(i % 3),
                                      .step = (uint32_t)(i % 5),
                                      .place = i % 7 ? HTMT_PATH_SERVED : HTMT_PATH_FLYING};
        path.total = path.piece[i].to;
    }
    return path;
}

static void follow(const struct htmt__trace_path *path, const struct htmt__bytes *bytes,
                   uint64_t count)
{
    const uint8_t *at = bytes->byte;
    htmt_time end = path->total;
    for (uint64_t i = 0; i < count; i++) {
        cr_assert_eq(take_number(&at), 1);
        uint64_t number = take_number(&at);
        cr_assert_lt(number, path->count);
        cr_assert_eq(take_number(&at), 2 * (number % 5) + (number % 7 == 0));
        htmt_time from = (htmt_time)take_number(&at), length = (htmt_time)take_number(&at);
        cr_assert_eq(from + length, end, "piece %d", (int)i);
        cr_assert(from <= path->piece[number].from && path->piece[number].to <= end);
        end = from;
    }
    cr_assert_eq(end, 0);
    cr_assert_eq(at, bytes->byte + bytes->count);
}

static uint64_t encode(uint64_t pieces, const struct htmt__page_options *o)
{
    struct htmt__trace_path path = make(pieces);
    struct htmt__bytes bytes = {0};
    uint64_t count = htmt__page_path_encode(&path, o, &bytes);
    follow(&path, &bytes, count);
    htmt__bytes_clear(&bytes);
    free(path.piece);
    return count;
}

Test(critical_path, a_short_path_keeps_every_piece)
{
    const struct htmt__page_options all = {0};
    cr_expect_eq(encode(1, &all), 1);
    cr_expect_eq(encode(1000, &all), 1000);
    cr_expect_eq(encode(HTMT__PAGE_PATH_MOST, &all), HTMT__PAGE_PATH_MOST);
}

Test(critical_path, of_a_long_path_neighbours_become_one)
{
    const struct htmt__page_options all = {0};
    uint64_t count = encode(10 * HTMT__PAGE_PATH_MOST, &all);
    cr_expect_leq(count, HTMT__PAGE_PATH_MOST / 2 + 1);
    cr_expect_geq(count, HTMT__PAGE_PATH_MOST / 4);
}

Test(critical_path, pieces_in_the_window_stay_single)
{
    const struct htmt__page_options all = {0},
                                    some = {.windowed = true, .from = 10000, .to = 20000};
    uint64_t joined = encode(10 * HTMT__PAGE_PATH_MOST, &all);
    cr_expect_geq(encode(10 * HTMT__PAGE_PATH_MOST, &some), joined + 4000);
}

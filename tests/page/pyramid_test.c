/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/pyramid.h"

#include "tests/page/numbers.h"

#include <criterion/criterion.h>

enum { BINS = 37, ROWS = 3, SPANS = 5000 };

static const htmt_time end = 12345677;

/* The part of [from, to) that lies in bin i. */
static htmt_time part(htmt_time from, htmt_time to, int i, htmt_time bin)
{
    htmt_time a = from > i * bin ? from : i * bin;
    htmt_time b = to < (i + 1) * bin ? to : (i + 1) * bin;
    return a < b ? b - a : 0;
}

static struct htmt__pyramid *make(htmt_wide sum[BINS])
{
    uint64_t seed = 11;
    htmt_time bin = htmt__pyramid_bin(end, BINS);
    struct htmt__pyramid *p = htmt__pyramid_create(ROWS, BINS, bin);
    for (int n = 0; n < SPANS; n++) {
        htmt_time from = (htmt_time)draw_below(&seed, (uint64_t)end);
        htmt_time to = from + (htmt_time)draw_below(&seed, (uint64_t)(end - from) + 1);
        htmt__pyramid_add(p, 1, HTMT__WAITING, from, to);
        for (int i = 0; i < BINS; i++)
            sum[i] += part(from, to, i, bin);
    }
    return p;
}

Test(pyramid, a_bin_has_the_part_of_each_span_that_lies_in_it)
{
    htmt_wide sum[BINS] = {0};
    struct htmt__pyramid *p = make(sum);
    for (uint32_t i = 0; i < BINS; i++) {
        cr_expect(htmt__pyramid_sum(p, 1, HTMT__WAITING, i) == sum[i]);
        cr_expect(htmt__pyramid_sum(p, 1, HTMT__BUSY, i) == 0);
        cr_expect(htmt__pyramid_sum(p, 2, HTMT__WAITING, i) == 0);
    }
    htmt__pyramid_destroy(&p);
}

Test(pyramid, its_bytes_are_its_sums)
{
    htmt_wide sum[BINS] = {0};
    struct htmt__pyramid *p = make(sum);
    struct htmt__bytes bytes = {0};
    htmt__pyramid_encode(p, 1, &bytes);
    const uint8_t *at = bytes.byte;
    for (int i = 0; i < BINS; i++) {
        cr_expect(take_sum(&at) == 0);
        cr_expect(take_sum(&at) == sum[i]);
        cr_expect(take_sum(&at) == 0);
    }
    cr_expect_eq(at, bytes.byte + bytes.count);
    htmt__bytes_clear(&bytes);
    htmt__pyramid_destroy(&p);
}

/* Half a million waits of a tenth of the longest time there is. */
Test(pyramid, sums_may_pass_64_bits)
{
    enum { WAITS = 500000 };
    htmt_time late = HTMT_TIME_MAX / 10;
    struct htmt__pyramid *p = htmt__pyramid_create(1, 2, htmt__pyramid_bin(late, 2));
    for (int i = 0; i < WAITS; i++)
        htmt__pyramid_add(p, 0, HTMT__BLOCKED, 1, late);
    htmt_wide sum = htmt__pyramid_sum(p, 0, HTMT__BLOCKED, 0);
    sum += htmt__pyramid_sum(p, 0, HTMT__BLOCKED, 1);
    cr_expect(sum == (htmt_wide)WAITS * (late - 1));
    htmt__pyramid_destroy(&p);
}

Test(pyramid, bins_cover_all_of_the_time)
{
    cr_expect_eq(htmt__pyramid_bin(0, 16), 1);
    cr_expect_eq(htmt__pyramid_bin(16, 16), 1);
    cr_expect_eq(htmt__pyramid_bin(17, 16), 2);
    cr_expect_eq(htmt__pyramid_bin(HTMT_TIME_MAX, 2), HTMT_TIME_MAX / 2 + 1);
}

Test(fill, a_bin_has_the_level_that_it_begins_with)
{
    struct htmt__fill *f = htmt__fill_create(2, 4, 10);
    struct htmt__bytes bytes = {0};
    const uint64_t expected[] = {0, 7, 5, 5, 2, 9, 3, 3};
    htmt__fill_add(f, 1, 3, 7);
    htmt__fill_add(f, 1, 9, 5);
    htmt__fill_add(f, 1, 20, 2);
    htmt__fill_add(f, 1, 21, 9);
    htmt__fill_add(f, 1, 29, 3);
    htmt__fill_encode(f, 0, &bytes);
    htmt__fill_encode(f, 1, &bytes);
    const uint8_t *at = bytes.byte;
    for (int i = 0; i < 8; i++)
        cr_expect_eq(take_number(&at), 0);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(take_number(&at), expected[i], "value %d", i);
    htmt__bytes_clear(&bytes);
    htmt__fill_destroy(&f);
}

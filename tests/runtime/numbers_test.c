/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers of variable length, pseudo-random ones, sums as digits, steps of axes, widths of vectors.
 */
#include "parcels/observe/digits.h"
#include "runtime/base/axis.h"
#include "runtime/base/leb128.h"
#include "runtime/base/operation.h"
#include "runtime/base/random.h"
#include "runtime/base/ratio.h"

#include <criterion/criterion.h>

Test(numbers, leb128_goes_there_and_back)
{
    const uint64_t values[] = {0, 1, 127, 128, 300, 16383, 16384, UINT64_MAX / 2, UINT64_MAX};
    uint8_t bytes[HTMT__LEB128_MOST];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const uint8_t *at = bytes, *end = htmt__leb128_put(bytes, values[i]);
        uint64_t found = 0;
        cr_assert(htmt__leb128_take(&at, end, &found));
        cr_assert_eq(found, values[i]);
        cr_assert_eq(at, end);
        at = bytes;
        cr_assert_not(htmt__leb128_take(&at, end - 1, &found), "it is cut off");
    }
    htmt__leb128_put(bytes, 300);
    cr_assert(bytes[0] == 0xac && bytes[1] == 0x02);
}

Test(numbers, leb128_of_more_than_64_bits_is_refused)
{
    const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0};
    const uint8_t *at = bytes;
    uint64_t found;
    cr_assert_not(htmt__leb128_take(&at, bytes + sizeof bytes, &found));
}

Test(numbers, zigzag_keeps_small_ones_small)
{
    cr_assert_eq(htmt__zigzag(0), 0);
    cr_assert_eq(htmt__zigzag(-1), 1);
    cr_assert_eq(htmt__zigzag(1), 2);
    cr_assert_eq(htmt__zigzag(INT64_MIN), UINT64_MAX);
}

/* Of the authors' own program. */
Test(numbers, splitmix64_is_the_published_one)
{
    uint64_t state = 0;
    cr_assert_eq(htmt__random_of(0), UINT64_C(0xe220a8397b1dcdaf));
    cr_assert_eq(htmt__random_next(&state), UINT64_C(0xe220a8397b1dcdaf));
    cr_assert_eq(htmt__random_next(&state), UINT64_C(0x6e789e6aa1b965f4));
    for (int i = 0; i < 100; i++)
        cr_assert_lt(htmt__random_below(htmt__random_next(&state), 7), 7);
}

Test(numbers, greatest_common_divisors)
{
    cr_assert_eq(htmt__gcd(12, 18), 6);
    cr_assert_eq(htmt__gcd(0, 5), 5);
    cr_assert_eq(htmt__gcd(UINT64_MAX, UINT64_MAX - 1), 1);
}

Test(numbers, sums_beyond_64_bits_have_every_digit)
{
    htmt_wide large = (htmt_wide)INT64_MAX * 1000000000 + 7;
    cr_expect_str_eq(htmt__digits(0).s, "0");
    cr_expect_str_eq(htmt__digits(large).s, "9223372036854775807000000007");
    cr_expect_str_eq(htmt__digits(-large).s, "-9223372036854775807000000007");
}

Test(numbers, the_least_and_the_greatest_sum_fit)
{
    htmt_wide least = (htmt_wide)((htmt_uwide)1 << 127);
    cr_expect_str_eq(htmt__digits(least).s, "-170141183460469231731687303715884105728");
    cr_expect_str_eq(htmt__digits(-(least + 1)).s, "170141183460469231731687303715884105727");
}

/* The least of 1, 2, 5 and 10 times a power of ten that gives no more ticks than wanted. */
Test(numbers, an_axis_has_the_finest_round_step_with_as_many_ticks_as_wanted)
{
    for (double span = 0.37; span < 1e6; span *= 1.031)
        for (unsigned wanted = 2; wanted < 12; wanted++) {
            double fine = 1e-9;
            const double next[] = {2, 2.5, 2};
            for (int i = 0; span / fine > wanted * (1 + 1e-9); i++)
                fine *= next[i % 3];
            cr_assert_float_eq(htmt__axis_step(span, wanted) / fine, 1, 1e-6, "%g, %u", span,
                               wanted);
        }
}

Test(numbers, a_vector_has_as_many_lanes_as_were_asked_for)
{
    for (uint32_t lanes = 1; lanes <= HTMT_LANES_MAX; lanes *= 2) {
        const enum htmt_type_of_operand v = htmt_operand_vector(HTMT_F64, lanes);
        cr_expect_eq(htmt_operand_lanes(v), lanes);
        cr_expect_eq(htmt_operand_lane(v), HTMT_F64);
    }
    cr_expect_eq(htmt_operand_lanes(htmt_operand_vector(HTMT_F64, 2 * HTMT_LANES_MAX)),
                 HTMT_LANES_MAX);
}

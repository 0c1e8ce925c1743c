/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/ratio.h"

#include "runtime/base/error.h"

#include <criterion/criterion.h>

/* xorshift64 (Marsaglia 2003). */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void expect(int code, struct htmt_ratio r, uint64_t num, uint64_t den)
{
    cr_assert_eq(code, 0);
    cr_assert_eq(r.num, num, "%lu/%lu, not %lu/%lu", r.num, r.den, num, den);
    cr_assert_eq(r.den, den, "%lu/%lu, not %lu/%lu", r.num, r.den, num, den);
}

Test(ratio, decimals_come_in_lowest_terms)
{
    struct htmt_ratio r;
    expect(htmt_ratio_decimal(256, 9, &r), r, 256000000000, 1);
    expect(htmt_ratio_decimal(97, -2, &r), r, 97, 100);
    expect(htmt_ratio_decimal(125, -3, &r), r, 1, 8);
    expect(htmt_ratio_decimal(1500, -3, &r), r, 3, 2);
    expect(htmt_ratio_decimal(0, -2000000000, &r), r, 0, 1);
    expect(htmt_ratio_decimal(0, 2000000000, &r), r, 0, 1);
    expect(htmt_ratio_decimal(UINT64_MAX, 0, &r), r, UINT64_MAX, 1);
    expect(htmt_ratio_decimal(UINT64_C(10000000000000000000), -19, &r), r, 1, 1);
    /* 5^27 < 2^63 < 5^28: beyond ten to the 19th a denominator of fives still fits. */
    expect(htmt_ratio_decimal(UINT64_C(1) << 27, -27, &r), r, 1, UINT64_C(7450580596923828125));
}

Test(ratio, what_does_not_fit_is_refused_and_leaves_the_result_alone)
{
    struct htmt_ratio r = {7, 9};
    cr_assert_eq(htmt_ratio_decimal(2, 19, &r), HTMT_ERANGE);
    cr_assert_eq(htmt_ratio_decimal(1, -20, &r), HTMT_ERANGE);
    cr_assert_eq(htmt_ratio_decimal(UINT64_C(1) << 28, -28, &r), HTMT_ERANGE);
    cr_assert_eq(htmt_ratio_decimal(1, INT32_MIN, &r), HTMT_ERANGE);
    cr_assert_eq(htmt_ratio_mul((struct htmt_ratio){UINT64_MAX, 1}, (struct htmt_ratio){2, 1}, &r),
                 HTMT_ERANGE);
    cr_assert_eq(htmt_ratio_mul((struct htmt_ratio){1, UINT64_MAX}, (struct htmt_ratio){1, 2}, &r),
                 HTMT_ERANGE);
    cr_assert_eq(htmt_ratio_div((struct htmt_ratio){1, 2}, (struct htmt_ratio){0, 1}, &r),
                 HTMT_ERANGE);
    expect(0, r, 7, 9);
}

Test(ratio, a_product_that_fits_after_reduction_is_found)
{
    struct htmt_ratio r;
    struct htmt_ratio a = {UINT64_MAX, 3}, b = {9, UINT64_MAX};
    expect(htmt_ratio_mul(a, b, &r), r, 3, 1);
    expect(htmt_ratio_div(a, a, &r), r, 1, 1);
    expect(htmt_ratio_mul((struct htmt_ratio){0, 1}, b, &r), r, 0, 1);
}

Test(ratio, dividing_undoes_multiplying)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        struct htmt_ratio a = {(draw(&state) >> 33) + 1, (draw(&state) >> 33) + 1};
        struct htmt_ratio b = {(draw(&state) >> 33) + 1, (draw(&state) >> 33) + 1};
        struct htmt_ratio one = {1, 1}, product, back;
        cr_assert_eq(htmt_ratio_mul(a, one, &a) | htmt_ratio_mul(a, b, &product), 0);
        cr_assert_eq(htmt_ratio_div(product, b, &back), 0);
        cr_assert_eq(htmt_ratio_cmp(back, a), 0);
    }
}

Test(ratio, comparison_is_exact_where_doubles_are_not)
{
    struct htmt_ratio a = {UINT64_MAX, UINT64_MAX - 1}, b = {UINT64_MAX - 1, UINT64_MAX - 2};
    cr_assert_eq(htmt_ratio_cmp(a, b), -1);
    cr_assert_eq(htmt_ratio_cmp(b, a), 1);
    cr_assert_eq(htmt_ratio_cmp(a, a), 0);
    cr_assert_eq(htmt_ratio_value(a), htmt_ratio_value(b));
}

Test(ratio, charges_round_half_up_once)
{
    cr_assert_eq(htmt_charge_time((struct htmt_ratio){1, 2}, 1), 1);
    cr_assert_eq(htmt_charge_time((struct htmt_ratio){1, 3}, 1), 0);
    cr_assert_eq(htmt_charge_time((struct htmt_ratio){2, 3}, 1), 1);
    /* 256 GHz is 3906.25 fs a cycle: a million cycles lose nothing. */
    cr_assert_eq(htmt_charge_time((struct htmt_ratio){15625, 4}, 1000000), 3906250000);
    cr_assert_eq(htmt_charge_time((struct htmt_ratio){0, 1}, UINT64_MAX), 0);
}

/* |t * den - n * num| <= den / 2, in arithmetic that cannot overflow here. */
Test(ratio, a_charge_is_the_nearest_femtosecond)
{
    uint64_t state = 99;
    for (int i = 0; i < 100000; i++) {
        struct htmt_ratio r = {draw(&state) >> (draw(&state) % 63),
                               (draw(&state) >> (draw(&state) % 63)) | 1};
        uint64_t n = draw(&state) >> (draw(&state) % 63);
        htmt_time t = htmt_charge_time(r, n);
        htmt_uwide exact = (htmt_uwide)n * r.num;
        if (t < 0) {
            cr_assert_gt(exact / r.den, (htmt_uwide)HTMT_TIME_MAX - 1);
            continue;
        }
        htmt_uwide charged = (htmt_uwide)(uint64_t)t * r.den;
        htmt_uwide off = charged > exact ? charged - exact : exact - charged;
        cr_assert_leq(off, r.den / 2);
    }
}

Test(ratio, the_last_charge_that_fits_is_time_max)
{
    struct htmt_ratio one = {1, 1};
    cr_assert_eq(htmt_charge_time(one, INT64_MAX), HTMT_TIME_MAX);
    cr_assert_eq(htmt_charge_time(one, (uint64_t)INT64_MAX + 1), -1);
    cr_assert_eq(htmt_charge_time((struct htmt_ratio){UINT64_MAX, UINT64_MAX}, INT64_MAX),
                 HTMT_TIME_MAX);
}

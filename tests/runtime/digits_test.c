/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/digits.h"

#include <criterion/criterion.h>

Test(digits, sums_beyond_64_bits_have_every_digit)
{
    htmt_wide large = (htmt_wide)INT64_MAX * 1000000000 + 7;
    cr_expect_str_eq(htmt__digits(0).s, "0");
    cr_expect_str_eq(htmt__digits(large).s, "9223372036854775807000000007");
    cr_expect_str_eq(htmt__digits(-large).s, "-9223372036854775807000000007");
}

Test(digits, the_least_and_the_greatest_sum_fit)
{
    htmt_wide least = (htmt_wide)((htmt_uwide)1 << 127);
    cr_expect_str_eq(htmt__digits(least).s, "-170141183460469231731687303715884105728");
    cr_expect_str_eq(htmt__digits(-(least + 1)).s, "170141183460469231731687303715884105727");
}

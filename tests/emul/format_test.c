/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/format.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define IS(number, text) cr_assert_str_eq((number).s, text)

Test(format, every_prefix_has_four_digits)
{
    IS(htmt__format_si(1.23456e-15, "s"), "1.235 fs");
    IS(htmt__format_si(12.3456e-12, "s"), "12.35 ps");
    IS(htmt__format_si(123.456e-9, "s"), "123.5 ns");
    IS(htmt__format_si(1.5e-6, "s"), "1.500 us");
    IS(htmt__format_si(2.5e-3, "s"), "2.500 ms");
    IS(htmt__format_si(2.5, "s"), "2.500 s");
    IS(htmt__format_si(131072, "word"), "131.1 kword");
    IS(htmt__format_si(1e12, "flop/s"), "1.000 Tflop/s");
    IS(htmt__format_si(4e18, "flop/s"), "4.000 Eflop/s");
}

Test(format, whole_numbers_below_a_thousand_stay_whole)
{
    IS(htmt__format_si(0, "s"), "0 s");
    IS(htmt__format_si(64, "flop"), "64 flop");
    IS(htmt__format_si(64, ""), "64");
    IS(htmt__format_si(0.01584, "words"), "0.01584 words");
}

Test(format, rounding_up_moves_to_the_next_prefix)
{
    IS(htmt__format_si(999.96e-9, "s"), "1.000 us");
    IS(htmt__format_si(8 / 8e-9, "flop/s"), "1.000 Gflop/s");
    IS(htmt__format_si(9.99999e-9, "s"), "10.00 ns");
    IS(htmt__format_si(999.94, "s"), "999.9 s");
}

/* What is read back from the text is within half a unit of the fourth digit, whatever the size. */
Test(format, text_reads_back_to_the_value)
{
    static const char *const names = "fpnum kMGTPE";
    for (double x = 1.0001e-15; x < 9e18; x *= 1.7) {
        char prefix = '\0';
        double mantissa;
        cr_assert_eq(sscanf(htmt__format_si(x, "s").s, "%lf %c", &mantissa, &prefix), 2);
        bool plain =
            strstr(htmt__format_si(x, "s").s, " s") && !strstr(htmt__format_si(x, "s").s, " ss");
        int power = plain ? 0 : (int)(strchr(names, prefix) - names) - 5;
        double back = mantissa * pow(1000, power);
        cr_assert_float_eq(back / x, 1, 0.0005000001, "%g printed as %s", x,
                           htmt__format_si(x, "s").s);
        cr_assert(mantissa >= 1 && mantissa < 1000);
    }
}

Test(format, outside_the_prefixes_stand_exponents)
{
    IS(htmt__format_si(2e-19, "s"), "2.000e-19 s");
    IS(htmt__format_si(2e22, "flop"), "2.000e+22 flop");
    IS(htmt__format_si(NAN, "s"), "-");
    IS(htmt__format_si(INFINITY, "s"), "-");
    IS(htmt__format_si(-1.5e-6, "s"), "-1.500 us");
}

Test(format, counts_are_grouped_by_three)
{
    IS(htmt__format_count(0), "0");
    IS(htmt__format_count(999), "999");
    IS(htmt__format_count(1000), "1,000");
    IS(htmt__format_count(UINT64_MAX), "18,446,744,073,709,551,615");
}

Test(format, femtoseconds_become_seconds_beyond_64_bits)
{
    IS(htmt__format_fs(HTMT_SECOND), "1 s");
    IS(htmt__format_fs((htmt_wide)HTMT_SECOND * 1000000), "1.000 Ms");
}

Test(format, a_small_share_is_not_shown_as_none)
{
    IS(htmt__format_share(0), "0.0 %");
    IS(htmt__format_share(0.0001), "<0.1 %");
    IS(htmt__format_share(0.9876), "98.8 %");
    IS(htmt__format_share(NAN), "-");
}

Test(format, a_hash_keeps_its_leading_zeros)
{
    IS(htmt__format_hash(0xab), "00000000000000ab");
}

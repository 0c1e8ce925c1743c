/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/units.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct good {
    char text[32];
    enum htmt_dimension dimension;
    char noun[8];
    struct htmt_ratio value; /* reckoned by hand, in the unit of the dimension */
    enum htmt_basis basis;
};

ParameterizedTestParameters(units, a_quantity_is_read_exactly)
{
    static struct good list[] = {
        {"128", HTMT_UNIT_COUNT, "", {128, 1}, HTMT_PER_ITEM},
        {"18446744073709551615", HTMT_UNIT_COUNT, "", {UINT64_MAX, 1}, HTMT_PER_ITEM},
        {"1e3", HTMT_UNIT_COUNT, "", {1000, 1}, HTMT_PER_ITEM},
        {"0.88", HTMT_UNIT_SHARE, "", {22, 25}, HTMT_PER_ITEM},
        {"50 %", HTMT_UNIT_SHARE, "", {1, 2}, HTMT_PER_ITEM},
        {"0", HTMT_UNIT_SHARE, "", {0, 1}, HTMT_PER_ITEM},
        {"256 GHz", HTMT_UNIT_FREQUENCY, "", {256000000000, 1}, HTMT_PER_ITEM},
        {"500MHz", HTMT_UNIT_FREQUENCY, "", {500000000, 1}, HTMT_PER_ITEM},
        {"1 MiB", HTMT_UNIT_SIZE, "", {131072, 1}, HTMT_PER_ITEM},
        {"4 MB", HTMT_UNIT_SIZE, "", {500000, 1}, HTMT_PER_ITEM},
        {"128 kword", HTMT_UNIT_SIZE, "", {128000, 1}, HTMT_PER_ITEM},
        {"32 Mword", HTMT_UNIT_SIZE, "", {32000000, 1}, HTMT_PER_ITEM},
        {"32 Miword", HTMT_UNIT_SIZE, "", {33554432, 1}, HTMT_PER_ITEM},
        {"32 Gwords", HTMT_UNIT_SIZE, "", {32000000000, 1}, HTMT_PER_ITEM},
        {"173576 bytes", HTMT_UNIT_SIZE, "", {21697, 1}, HTMT_PER_ITEM},
        {"0.5 MiB", HTMT_UNIT_SIZE, "", {65536, 1}, HTMT_PER_ITEM},
        {"10 Gword/s", HTMT_UNIT_RATE, "", {100000, 1}, HTMT_PER_ITEM},
        {"512 GB/s", HTMT_UNIT_RATE, "", {15625, 1}, HTMT_PER_ITEM},
        {"64.1 Gword/s", HTMT_UNIT_RATE, "", {10000000, 641}, HTMT_PER_ITEM},
        {"16.7 Gword/s", HTMT_UNIT_RATE, "", {10000000, 167}, HTMT_PER_ITEM},
        {"85 ns", HTMT_UNIT_TIME, "", {85000000, 1}, HTMT_PER_ITEM},
        {"15 ps", HTMT_UNIT_TIME, "", {15000, 1}, HTMT_PER_ITEM},
        {"1.5 fs", HTMT_UNIT_OPERATION, "flop", {3, 2}, HTMT_PER_ITEM},
        {"3 ps/flop", HTMT_UNIT_OPERATION, "flop", {3000, 1}, HTMT_PER_ITEM},
        {"1 flop/cycle", HTMT_UNIT_OPERATION, "flop", {1, 1}, HTMT_IN_CYCLES},
        {"4 op/cycle", HTMT_UNIT_OPERATION, "iop", {1, 4}, HTMT_IN_CYCLES},
        {"2 cycles/word", HTMT_UNIT_OPERATION, "word", {2, 1}, HTMT_IN_CYCLES},
        {"0.97 ns/word", HTMT_UNIT_ACCESS, "", {970000, 1}, HTMT_PER_WORD},
        {"4 ns/access", HTMT_UNIT_ACCESS, "", {4000000, 1}, HTMT_PER_ITEM},
        {"7 cycles at 450 MHz", HTMT_UNIT_ACCESS, "", {140000000, 9}, HTMT_PER_ITEM},
        {"140500 cycles", HTMT_UNIT_CYCLES, "", {140500, 1}, HTMT_IN_CYCLES},
        {"200 flop", HTMT_UNIT_OPERATIONS, "flop", {200, 1}, HTMT_PER_ITEM},
    };
    return cr_make_param_array(struct good, list, sizeof list / sizeof list[0]);
}

ParameterizedTest(struct good *g, units, a_quantity_is_read_exactly)
{
    struct htmt_quantity q = {0};
    char why[200] = "";
    const char *noun = *g->noun ? g->noun : NULL;
    int rc = htmt_quantity_read(g->text, g->dimension, noun, &q, why, sizeof why);
    cr_assert_eq(rc, 0, "%s: %s", g->text, why);
    cr_expect(q.value.num == g->value.num && q.value.den == g->value.den,
              "%s: %" PRIu64 "/%" PRIu64, g->text, q.value.num, q.value.den);
    cr_expect_eq(q.basis, g->basis, "%s", g->text);
}

struct bad {
    char text[40];
    enum htmt_dimension dimension;
    int code;
    char why[120];
};

ParameterizedTestParameters(units, what_is_wrong_is_refused_with_what_was_found)
{
    static struct bad list[] = {
        {"256", HTMT_UNIT_FREQUENCY, HTMT_EUNIT, "found '256', expected a rate such as '256 GHz'"},
        {"256 GB", HTMT_UNIT_FREQUENCY, HTMT_EUNIT,
         "found '256 GB', expected a rate such as '256 GHz'"},
        {"1 KiHz", HTMT_UNIT_FREQUENCY, HTMT_EUNIT,
         "found '1 KiHz', expected a rate such as '256 GHz'"},
        {"fast", HTMT_UNIT_FREQUENCY, HTMT_EFORMAT,
         "found 'fast', expected a rate such as '256 GHz'"},
        {"-3 GHz", HTMT_UNIT_FREQUENCY, HTMT_ERANGE, "found '-3 GHz', expected no negative value"},
        {"1 kb", HTMT_UNIT_SIZE, HTMT_EUNIT,
         "found '1 kb', expected a size such as '1 MiB' or '32 Mword'"},
        {"9 bytes", HTMT_UNIT_SIZE, HTMT_ERANGE,
         "found '9 bytes', expected a whole number of 8-byte words"},
        {"0.1 word", HTMT_UNIT_SIZE, HTMT_ERANGE,
         "found '0.1 word', expected a whole number of 8-byte words"},
        {"0.5 fs", HTMT_UNIT_TIME, HTMT_ERANGE,
         "found '0.5 fs', expected a whole number of femtoseconds"},
        {"85 Ns", HTMT_UNIT_TIME, HTMT_EUNIT, "found '85 Ns', expected a time such as '85 ns'"},
        {"1.5", HTMT_UNIT_COUNT, HTMT_ERANGE, "found '1.5', expected a whole number"},
        {"3 GHz", HTMT_UNIT_COUNT, HTMT_EUNIT,
         "found '3 GHz', expected a whole number without a unit such as '128'"},
        {"99999999999999999999", HTMT_UNIT_COUNT, HTMT_ERANGE,
         "found '99999999999999999999', which is too large or has too many digits"},
        {"1e99", HTMT_UNIT_COUNT, HTMT_ERANGE,
         "found '1e99', which is too large or has too many digits"},
        {"1e19 TiB", HTMT_UNIT_SIZE, HTMT_ERANGE,
         "found '1e19 TiB', which is too large or too fine to be held exactly"},
        {"7 cycles at 0 Hz", HTMT_UNIT_ACCESS, HTMT_ERANGE,
         "found '7 cycles at 0 Hz', which is too large or too fine to be held exactly"},
        {"7 turns at 1 Hz", HTMT_UNIT_ACCESS, HTMT_EUNIT,
         "found '7 turns at 1 Hz', expected an access time such as '0.97 ns/word' or '7 cycles at "
         "450 MHz'"},
        {"85 ns", HTMT_UNIT_ACCESS, HTMT_EUNIT,
         "found '85 ns', expected an access time such as '0.97 ns/word' or '7 cycles at 450 MHz'"},
    };
    return cr_make_param_array(struct bad, list, sizeof list / sizeof list[0]);
}

ParameterizedTest(struct bad *b, units, what_is_wrong_is_refused_with_what_was_found)
{
    struct htmt_quantity q = {{7, 7}, HTMT_PER_WORD};
    char why[200] = "";
    cr_expect_eq(htmt_quantity_read(b->text, b->dimension, NULL, &q, why, sizeof why), b->code);
    cr_expect_str_eq(why, b->why);
    cr_expect_eq(q.value.num, 7, "a refused quantity leaves the result alone");
}

Test(units, the_noun_of_another_operation_is_no_unit)
{
    struct htmt_quantity q;
    char why[200];
    cr_expect_eq(htmt_quantity_read("3 ps/flop", HTMT_UNIT_OPERATION, "word", &q, why, sizeof why),
                 HTMT_EUNIT);
    cr_expect_eq(htmt_quantity_read("3 ps/word", HTMT_UNIT_OPERATION, "word", &q, why, sizeof why),
                 0);
}

Test(units, every_size_prefix_is_the_power_that_its_name_says)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti"};
    char text[32], why[200];
    struct htmt_quantity q;
    for (uint64_t i = 0, words = 1; i < 6; i++, words *= 1000) {
        snprintf(text, sizeof text, "1 %sword", prefix[i]);
        cr_assert_eq(htmt_quantity_read(text, HTMT_UNIT_SIZE, NULL, &q, why, sizeof why), 0);
        cr_expect_eq(q.value.num, words, "%s", text);
    }
    for (uint64_t i = 1, words = 128; i < 5; i++, words *= 1024) {
        snprintf(text, sizeof text, "1 %sB", binary[i]);
        cr_assert_eq(htmt_quantity_read(text, HTMT_UNIT_SIZE, NULL, &q, why, sizeof why), 0);
        cr_expect_eq(q.value.num, words, "%s", text);
    }
}

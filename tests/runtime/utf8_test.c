/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/utf8.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

Test(utf8, characters_of_each_length_are_known_and_broken_ones_are_not)
{
    cr_expect_eq(htmt__utf8_character("a"), 1);
    cr_expect_eq(htmt__utf8_character("\u00e9"), 2);
    cr_expect_eq(htmt__utf8_character("\u20ac"), 3);
    cr_expect_eq(htmt__utf8_character("\U0001f300"), 4);
    static const char *const broken[] = {"\xff",
                                         "\xe9t",
                                         "\x80",
                                         "\xc0\xaf",
                                         "\xe0\x80\xaf",
                                         "\xed\xa0\x80",
                                         "\xf4\x90\x80\x80",
                                         "\xe2\x82",
                                         "\xf0\x9f\x8c"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        cr_expect(!htmt__utf8_valid(broken[i]), "number %zu", i);
}

Test(utf8, repaired_text_is_valid_and_keeps_what_was)
{
    char text[] = "caf\xe9 \u00e9\xe2\x82";
    htmt__utf8_repair(text);
    cr_expect_str_eq(text, "caf? \u00e9??");
}

/* All texts of three bytes out of the borders of the encoding. */
Test(utf8, the_library_that_writes_json_agrees)
{
    static const unsigned char border[] = {0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                           0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
                                           0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
    enum { N = sizeof border };
    for (unsigned i = 0; i < N * N * N; i++) {
        const char end[2] = {0, '\x80'};
        for (unsigned k = 0; k < 2; k++) {
            char text[] = {(char)border[i % N], (char)border[i / N % N], (char)border[i / N / N],
                           end[k], 0};
            json_t *string = json_string(text);
            cr_assert_eq(htmt__utf8_valid(text), string != NULL, "number %u, %u", i, k);
            json_decref(string);
        }
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/printable.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *text, const char *want)
{
    char out[200];
    size_t length = htmt_printable(text, out, sizeof out);
    cr_expect_str_eq(out, want);
    cr_expect_eq(length, strlen(want));
}

Test(printable, controls_are_escaped_and_letters_of_all_scripts_stay)
{
    expect("plain text", "plain text");
    expect("\x1b]0;title\a", "\\x1b]0;title\\x07");
    expect("a\r\n\tb", "a\\x0d\\n\\x09b");
    expect("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    expect("\xc2\x9b"
           "2J",
           "\\xc2\\x9b2J");
}

Test(printable, what_hides_or_turns_the_text_behind_it_is_escaped)
{
    expect("a\x7f", "a\\x7f");
    expect("\xe2\x80\xae"
           "cod.exe",
           "\\xe2\\x80\\xaecod.exe");
    expect("\xe2\x80\x8e\xe2\x81\xa6\xef\xbb\xbf", "\\xe2\\x80\\x8e\\xe2\\x81\\xa6\\xef\\xbb\\xbf");
    expect("\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81");
    expect("\xd8\x9c\xe2\x80\xa8", "\\xd8\\x9c\\xe2\\x80\\xa8");
    expect("\xd8\xb1\xe2\x80\x93\xe2\x80\x8d", "\xd8\xb1\xe2\x80\x93\xe2\x80\x8d");
}

/* Long forms, surrogates, what is beyond Unicode, characters that are cut off. */
Test(printable, bytes_that_are_no_utf8_are_escaped)
{
    expect("\xc0\x80", "\\xc0\\x80");
    expect("\xe0\x80\x80", "\\xe0\\x80\\x80");
    expect("\xed\xa0\x80", "\\xed\\xa0\\x80");
    expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    expect("\xff-\x9b", "\\xff-\\x9b");
    expect("\xe2\x82", "\\xe2\\x82");
}

Test(printable, what_does_not_fit_is_left_out_by_whole_characters)
{
    char out[6];
    cr_expect_eq(htmt_printable("abc\x1b", out, sizeof out), 3);
    cr_expect_str_eq(out, "abc");
    cr_expect_eq(htmt_printable("abcd\xc3\xa9", out, sizeof out), 4);
    cr_expect_str_eq(out, "abcd");
}

/* Every cut of a text gives the same stream. */
Test(printable, a_stream_may_be_cut_anywhere)
{
    static const char text[] = "a\xc3\xa9\n\xf0\x9f\x98\x80\x1b\xc2\x9b\t.";
    static const char want[] = "a\xc3\xa9\n\xf0\x9f\x98\x80\\x1b\\xc2\\x9b\t.";
    size_t length = strlen(text);
    for (size_t cut = 0; cut <= length; cut++) {
        char out[100], *to = out;
        size_t rest = 0;
        to += htmt_printable_piece(text, cut, to, 64, &rest);
        to += htmt_printable_piece(text + cut - rest, length - cut + rest, to, 64, &rest);
        *to = '\0';
        cr_expect_str_eq(out, want);
        cr_expect_eq(rest, 0);
    }
}

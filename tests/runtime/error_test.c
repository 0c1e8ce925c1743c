/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/error.h"
#include "runtime/base/suggest.h"

#include <criterion/criterion.h>
#include <string.h>

Test(error, names_follow_the_enum)
{
    cr_assert_str_eq(htmt_err_name(HTMT_EINVAL), "EINVAL");
    cr_assert_str_eq(htmt_err_name(HTMT_ENONDET), "ENONDET");
    cr_assert_str_eq(htmt_err_name(0), "OK");
    cr_assert_str_eq(htmt_err_name(-1000), "EUNKNOWN");
    cr_assert_str_eq(htmt_err_name(1), "EUNKNOWN");
}

/* The figures of the command's documented exit statuses, not of the table. */
Test(error, exit_status_tells_wrong_use_model_and_host_apart)
{
    cr_assert_eq(htmt_exit_status(0), 0);
    cr_assert_eq(htmt_exit_status(HTMT_EWRONG), 1);
    cr_assert_eq(htmt_exit_status(HTMT_EUNIT), 2);
    cr_assert_eq(htmt_exit_status(HTMT_EDEADLOCK), 3);
    cr_assert_eq(htmt_exit_status(HTMT_ENOMEM), 4);
    cr_assert_eq(htmt_exit_status(12345), 4);
}

Test(error, codes_are_negative_and_distinct)
{
#define CODE(name, value, status, text) HTMT_##name,
    const int codes[] = {HTMT_ERR_MAP(CODE)};
#undef CODE
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        cr_assert_lt(codes[i], 0);
        cr_assert_gt(strlen(htmt_strerror(codes[i])), 0);
        for (size_t j = 0; j < i; j++)
            cr_assert_neq(codes[i], codes[j]);
    }
}

Test(error, first_fault_stays)
{
    struct htmt_fault f = {0};
    cr_assert_eq(htmt_fault_set(&f, HTMT_EUNIT, "a.yaml:%d: no unit", 7), HTMT_EUNIT);
    cr_assert_eq(htmt_fault_set(&f, HTMT_EIO, "later"), HTMT_EUNIT);
    cr_assert_eq(f.code, HTMT_EUNIT);
    cr_assert_str_eq(f.text, "a.yaml:7: no unit");
}

Test(error, fault_may_be_absent)
{
    cr_assert_eq(htmt_fault_set(NULL, HTMT_EIO, "nobody reads %s", "this"), HTMT_EIO);
}

Test(error, a_fault_is_one_printable_line_whatever_the_names_hold)
{
    struct htmt_fault f = {0};
    htmt_fault_set(&f, HTMT_EINVAL, "%s: bad", "a\nb\r\a\x1b[31m\xff\xc2\x9b\xc3\xa9");
    cr_assert_str_eq(f.text, "a\\nb\\x0d\\x07\\x1b[31m\\xff\\xc2\\x9b\xc3\xa9: bad");
}

Test(error, cut_off_line_ends_in_dots)
{
    struct htmt_fault f = {0};
    char text[sizeof f.text + 1];
    memset(text, 'x', sizeof text);
    text[sizeof f.text - 1] = '\0';
    htmt_fault_set(&f, HTMT_EINVAL, "%s", text);
    cr_assert_str_eq(f.text, text, "a line that just fits is not cut");

    struct htmt_fault g = {0};
    text[sizeof f.text - 1] = 'x';
    text[sizeof f.text] = '\0';
    htmt_fault_set(&g, HTMT_EINVAL, "%s", text);
    cr_assert_eq(strlen(g.text), sizeof g.text - 1);
    cr_assert_str_eq(g.text + strlen(g.text) - 4, "x...");
}

Test(error, what_is_unlike_all_that_is_allowed_is_answered_by_the_list)
{
    const char *const allowed[] = {"overlap", "paper", "none"};
    char text[80];
    cr_expect(htmt__suggest("ovrlap", allowed, 3, text, sizeof text));
    cr_expect_str_eq(text, "did you mean 'overlap'?");
    cr_expect_not(htmt__suggest("zzzzzzzz", allowed, 3, text, sizeof text));
    cr_expect_str_eq(text, "expected one of 'overlap', 'paper', 'none'");
    cr_expect_not(htmt__suggest("zzzzzzzz", allowed, 1, text, sizeof text));
    cr_expect_str_eq(text, "expected 'overlap'");
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/expression.h"

#include <criterion/criterion.h>
#include <string.h>

/* Its length. */
static int length_of(void *user, const char *name, double *value, struct htmt_fault *fault)
{
    (void)user;
    if (!strcmp(name, "nobody"))
        return htmt_fault_set(fault, HTMT_EINVAL, "nobody is known");
    *value = (double)strlen(name);
    return 0;
}

static double evaluate(const char *text)
{
    double result = 0;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__expression(text, length_of, NULL, &result, &fault), 0, "%s", fault.text);
    return result;
}

Test(expression, operators_take_all_that_stands_before_them)
{
    cr_expect_float_eq(evaluate("3"), 3, 0);
    cr_expect_float_eq(evaluate("1 + 2 * 3"), 9, 0);
    cr_expect_float_eq(evaluate("8 / 2 / 2"), 2, 0);
    cr_expect_float_eq(evaluate("1e-3 - 5"), -4.999, 1e-15);
}

Test(expression, brackets_come_first)
{
    cr_expect_float_eq(evaluate("1 + [2 * 3]"), 7, 0);
    cr_expect_float_eq(evaluate("12 / [1 + [1 + 2]]"), 3, 0);
}

Test(expression, names_may_have_blanks_commas_and_parentheses)
{
    cr_expect_float_eq(evaluate("T, paper"), 8, 0);
    cr_expect_float_eq(evaluate("mean (put) put on rti / 3"), 7, 0);
    cr_expect_float_eq(evaluate("a-b / 3"), 1, 0, "an operator has blanks beside it");
}

static void refuse(const char *text, int code)
{
    double result;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__expression(text, length_of, NULL, &result, &fault), code, "%s", text);
    cr_expect_eq(fault.code, code);
}

Test(expression, what_is_missing_or_unknown_is_refused)
{
    refuse("", HTMT_EFORMAT);
    refuse("1 + ", HTMT_EFORMAT);
    refuse("1 / nobody", HTMT_EINVAL);
}

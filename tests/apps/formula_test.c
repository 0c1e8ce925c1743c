/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/formula.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct htmt_exact exact;

static const htmt_wide most = ~((htmt_wide)1 << 127); /* 2^127 - 1 */

static int read_name(void *user, const char *name, exact *value, struct htmt_fault *fault)
{
    static const struct {
        const char *name;
        int64_t num, den;
    } known[] = {{"b_c", 125, 1},       {"block multiply", 7, 3}, {"D_t[A]", 11, 1},
                 {"T, paper", 1000, 1}, {"accesses-c", 13, 1},    {"t.2", 17, 1}};
    (void)user;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) {
            *value = (exact){known[i].num, known[i].den};
            return 0;
        }
    if (!strcmp(name, "most"))
        *value = (exact){most, 1};
    else if (!strcmp(name, "least"))
        *value = (exact){1, most};
    else
        return htmt_fault_set(fault, HTMT_EINVAL, "nothing is called '%s'", name);
    return 0;
}

static void is(const char *text, htmt_wide num, htmt_wide den)
{
    exact value = {0, 1};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__formula(text, read_name, NULL, &value, &fault), 0, "%s", fault.text);
    cr_expect(value.num == num && value.den == den, "%s: %.20Lg / %.20Lg", text,
              (long double)value.num, (long double)value.den);
}

Test(formula, products_come_before_sums_and_equals_go_from_left_to_right)
{
    is("1 + 2 * 3", 7, 1);
    is("(1 + 2) * 3", 9, 1);
    is("8 / 2 / 2", 2, 1);
    is("8 - 2 - 3", 3, 1);
    is("2 - 3 * 4 / 6 + 1", 1, 1);
    is("((7))", 7, 1);
}

Test(formula, names_have_blanks_and_hyphens_inside_and_others_stand_in_quotes)
{
    is("b_c * b_c", 15625, 1);
    is("block multiply - 1", 4, 3);
    is("D_t[A]+b_c", 136, 1);
    is("2 * 'T, paper' / b_c", 16, 1);
    is("accesses-c - t.2", -4, 1);
}

Test(formula, numbers_and_quotients_are_exact)
{
    is("0.1 + 0.2", 3, 10);
    is("1 / 3 + 1 / 6", 1, 2);
    is("1 / 3 * 3", 1, 1);
    is("0 - 0.5", -1, 2);
    is("4 / (0 - 6)", -2, 3);
    is("12345678901234567890 * 10000000000 / 12345678901234567890", 10000000000, 1);
}

Test(formula, max_min_and_ceil)
{
    is("max(1, 3, 2)", 3, 1);
    is("min(block multiply, 2, 5 / 2)", 2, 1);
    is("max(1 - 3, min(0, 4) - 1)", -1, 1);
    is("ceil(7 / 2)", 4, 1);
    is("ceil(4)", 4, 1);
    is("ceil(8 / 2)", 4, 1);
    is("ceil(0 - 7 / 2)", -3, 1);
    is("ceil(0 - 4)", -4, 1);
    is("ceil(1 / 1000000)", 1, 1);
    is("ceil(0 - 1 / 1000000)", 0, 1);
}

Test(formula, only_a_value_that_does_not_fit_128_bits_overflows)
{
    is("most - 1 + 1", most, 1);
    is("most / 6 * 6", most, 1);
    is("most / 7 * 7", most, 1);
    is("most * least", 1, 1);
    is("0 - most", -most, 1);
    is("max(most, most - 1)", most, 1);
    is("max(least, 2 * least)", 2, most);
    is("min(1 / most, 1 / (most - 1))", 1, most);
}

static void refuse(const char *text, int code, const char *line)
{
    exact value = {42, 1};
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__formula(text, read_name, NULL, &value, &fault), code, "%s", text);
    cr_expect_eq(fault.code, code);
    cr_expect(strstr(fault.text, line), "%s: %s", text, fault.text);
    cr_expect(value.num == 42, "a value after a failure");
}

Test(formula, overflow_and_division_by_zero_are_lines)
{
    refuse("most + 1", HTMT_EOVERFLOW, "'most + 1': an intermediate value takes more than 128");
    refuse("most * 2", HTMT_EOVERFLOW, "128 bits");
    refuse("0 - most - 1", HTMT_EOVERFLOW, "128 bits");
    refuse("least / 2", HTMT_EOVERFLOW, "128 bits");
    refuse("170141183460469231731687303715884105728", HTMT_EOVERFLOW, "128 bits");
    refuse("1 / (b_c - 125)", HTMT_ERANGE, "division by zero");
}

Test(formula, mistakes_are_lines)
{
    refuse("1 + nobody", HTMT_EINVAL, "'nobody'");
    refuse("", HTMT_EFORMAT, "expected a name");
    refuse("1 + ", HTMT_EFORMAT, "expected a name");
    refuse("(1 + 2", HTMT_EFORMAT, "expected ')'");
    refuse("max(1, 2", HTMT_EFORMAT, "expected ',' or ')'");
    refuse("ceil(1, 2)", HTMT_EFORMAT, "expected ')'");
    refuse("floor(1)", HTMT_EFORMAT, "max, min or ceil");
    refuse("2 b_c", HTMT_EFORMAT, "found 'b_c', expected an operator");
    refuse("'T, paper", HTMT_EFORMAT, "quote");
    refuse("b_c ^ 2", HTMT_EFORMAT, "found '^ 2', expected an operator");
    refuse("-1", HTMT_EFORMAT, "expected a name");
}

Test(formula, rounding_of_negatives_and_halves)
{
    cr_expect(htmt_exact_round((exact){1, 2}) == 1);
    cr_expect(htmt_exact_round((exact){-1, 2}) == 0);
    cr_expect(htmt_exact_round((exact){-3, 2}) == -1);
    cr_expect(htmt_exact_round((exact){7, 3}) == 2);
    cr_expect(htmt_exact_round((exact){most, 1}) == most);
    cr_expect(htmt_exact_floor((exact){-7, 2}) == -4);
    cr_expect(htmt_exact_floor((exact){7, 2}) == 3);
}

Test(formula, a_double_becomes_its_very_value)
{
    struct htmt_exact x = htmt_exact_double(-0.75);
    cr_expect(x.num == -3 && x.den == 4);
    x = htmt_exact_double(0x1p100 * 3);
    cr_expect(x.num == (htmt_wide)3 << 100 && x.den == 1);
    x = htmt_exact_double(0);
    cr_expect(x.num == 0 && x.den == 1);
    cr_expect(htmt_exact_value(htmt_exact_double(0.1)) == (long double)0.1);
}

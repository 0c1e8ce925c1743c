/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Curves: exact at and between points, refused or held outside.
 */
#include "layers/file/curve.h"

#include <criterion/criterion.h>

static struct htmt_curve_point line_points[] = {{2, 0, {10, 1}}, {4, 0, {20, 1}}, {10, 0, {21, 1}}};
static struct htmt_curve_point grid_points[] = {
    {1, 8, {1, 1}}, {1, 64, {8, 1}}, {4, 16, {10, 1}}, {4, 32, {30, 1}}, {4, 64, {40, 1}}};

static struct htmt_curve line(bool hold)
{
    return (struct htmt_curve){.arguments = 1, .count = 3, .hold = hold, .point = line_points};
}

static struct htmt_curve grid(bool hold)
{
    return (struct htmt_curve){.arguments = 2, .count = 5, .hold = hold, .point = grid_points};
}

static void expect(const struct htmt_curve *c, uint64_t x, uint64_t y, uint64_t num, uint64_t den)
{
    struct htmt_ratio value = {0, 1};
    bool held = false;
    cr_assert_eq(htmt__curve_at(c, x, y, &value, &held), 0);
    cr_expect_not(held);
    cr_expect(value.num == num && value.den == den, "(%lu, %lu): %lu/%lu, expected %lu/%lu", x, y,
              value.num, value.den, num, den);
}

Test(curve, a_line_is_exact_at_and_between_its_points)
{
    const struct htmt_curve c = line(false);
    expect(&c, 2, 0, 10, 1);
    expect(&c, 3, 99, 15, 1);
    expect(&c, 4, 0, 20, 1);
    expect(&c, 5, 0, 121, 6);
    expect(&c, 10, 0, 21, 1);
}

/* Along the second argument first, at 1 and at 4, whose points differ; then along the first. */
Test(curve, a_grid_is_linear_along_both_arguments)
{
    const struct htmt_curve c = grid(false);
    expect(&c, 1, 8, 1, 1);
    expect(&c, 1, 36, 9, 2);
    expect(&c, 4, 24, 20, 1);
    expect(&c, 2, 24, (3 * 2 + 20) / 2 * 2, 3); /* at 1: 3; at 4: 20; a third of the way: 26/3 */
    expect(&c, 3, 64, 88, 3);
}

Test(curve, outside_it_refuses_or_holds_and_says_so)
{
    struct htmt_curve c = line(false);
    struct htmt_ratio value = {5, 1};
    bool held = false;
    cr_expect_eq(htmt__curve_at(&c, 1, 0, &value, &held), HTMT__CURVE_OUTSIDE);
    cr_expect_eq(htmt__curve_at(&c, 11, 0, &value, &held), HTMT__CURVE_OUTSIDE);
    cr_expect(value.num == 5 && !held);
    c = line(true);
    cr_assert_eq(htmt__curve_at(&c, 1, 0, &value, &held), 0);
    cr_expect(value.num == 10 && held);
    held = false;
    cr_assert_eq(htmt__curve_at(&c, 99, 0, &value, &held), 0);
    cr_expect(value.num == 21 && held);
    c = grid(false);
    cr_expect_eq(htmt__curve_at(&c, 2, 8, &value, NULL), HTMT__CURVE_OUTSIDE, "4 begins at 16");
    c = grid(true);
    held = false;
    cr_assert_eq(htmt__curve_at(&c, 2, 8, &value, &held), 0);
    cr_expect(value.num == 4 && value.den == 1 && held); /* 1 and 10 */
}

/* Where a value is asked for and there is none, and nowhere else; both ends of the range have one.
 */
static void refuses_alike(const struct htmt_curve *c, uint64_t x, uint64_t y)
{
    struct htmt_ratio value;
    uint64_t least = 0, most = 0;
    int outside = htmt__curve_refuses(c, x, y, &least, &most);
    cr_assert_eq(outside != 0, htmt__curve_at(c, x, y, &value, NULL) != 0, "(%lu, %lu)", x, y);
    if (!outside)
        return;
    uint64_t at = outside == 1 ? x : y;
    cr_expect(at < least || at > most, "(%lu, %lu) is between %lu and %lu", x, y, least, most);
    if (outside == 2)
        cr_expect(!htmt__curve_at(c, x, least, &value, NULL) &&
                      !htmt__curve_at(c, x, most, &value, NULL) &&
                      htmt__curve_at(c, x, least - 1, &value, NULL) &&
                      htmt__curve_at(c, x, most + 1, &value, NULL),
                  "at %lu not %lu to %lu", x, least, most);
    else
        cr_expect(least == c->point[0].x && most == c->point[c->count - 1].x);
}

Test(curve, what_it_refuses_is_told_with_the_range)
{
    const struct htmt_curve all[] = {line(false), line(true), grid(false), grid(true)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t x = 0; x < 12; x++)
            for (uint64_t y = 0; y < 70; y++)
                refuses_alike(&all[i], x, y);
}

Test(curve, a_plain_value_holds_everywhere_and_an_empty_one_nowhere)
{
    struct htmt_curve_point point = {0, 0, {3, 2}};
    const struct htmt_curve plain = {.count = 1, .point = &point}, empty = {.count = 0};
    struct htmt_ratio value;
    expect(&plain, 77, 12, 3, 2);
    cr_expect_eq(htmt__curve_at(&empty, 1, 1, &value, NULL), HTMT__CURVE_OUTSIDE);
}

/* Numerators near 2^64 cannot be held exactly; the value stays within 2^-62. */
Test(curve, huge_numbers_stay_within_the_bound)
{
    struct htmt_curve_point far[] = {{0, 0, {UINT64_MAX, 3}}, {UINT32_MAX, 0, {UINT64_MAX, 7}}};
    const struct htmt_curve c = {.arguments = 1, .count = 2, .point = far};
    struct htmt_ratio value;
    cr_assert_eq(htmt__curve_at(&c, UINT32_MAX / 3, 0, &value, NULL), 0);
    long double exact = (long double)UINT64_MAX * (2.0L / 9 + 1.0L / 21);
    cr_expect_float_eq((double)((long double)value.num / value.den / exact), 1, 1e-15);
}

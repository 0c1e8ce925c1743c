/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/task_parts.h"
#include "apps/lib/term_tree.h"

#include <criterion/criterion.h>
#include <string.h>

static struct htmt_prediction out;

static struct htmt_term_tree *tree_of(const struct htmt_term_row *rows)
{
    struct htmt_term_tree *t;
    cr_assert_eq(htmt_term_tree_create(NULL, &t, NULL), 0);
    htmt_term_tree_add(t, NULL, 0, rows);
    htmt_term_tree_set_count(t, NULL, "n", 3);
    return t;
}

static void refuse(const struct htmt_term_row *rows, int code, const char *line)
{
    struct htmt_term_tree *t = tree_of(rows);
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_term_tree_evaluate(t, &fault), code);
    cr_expect(strstr(fault.text, line), "%s", fault.text);
    htmt_term_tree_destroy(&t);
}

static htmt_time double_it(const void *user, unsigned server, uint64_t count)
{
    (void)user;
    (void)server;
    return count < 100 ? (htmt_time)(2 * count) : -1;
}

Test(term_tree, a_row_is_evaluated_printed_and_explained)
{
    static const struct htmt_term_row rows[] = {
        {.name = "T", .meaning = "all", .unit = "s", .text = "n * part + half"},
        {1, "part", "one", "s", "n * n", "words, up", double_it, 0, HTMT_TERM_EXACT, false},
        {HTMT_TERM_HIDDEN, "half", "", "s", "n / 2", NULL, NULL, 0, HTMT_TERM_DOWN, false},
        {.name = "share", .meaning = "of it", .unit = "%", .text = "part / T"},
        {.name = "rate", .meaning = "of it", .unit = "1/s", .text = "n / T"},
        {.name = "known", .meaning = "else", .unit = "1", .by = "some_function"},
        {.name = NULL}};
    struct htmt_term_tree *t = tree_of(rows);
    struct htmt_fault fault = {0};
    htmt_term_tree_set_count(t, NULL, "known", 42);
    cr_assert_eq(htmt_term_tree_evaluate(t, &fault), 0, "%s", fault.text);
    out.count = 0;
    htmt_term_tree_tell(t, &out);
    cr_assert_eq(out.count, 5);
    cr_expect(htmt_term_tree_whole(t, "T") == 55);
    cr_expect_eq(out.term[0].value, 1e-15 * 55);
    cr_expect_str_eq(out.term[0].expression, "n * part + half");
    cr_expect_str_eq(out.term[0].values, "n = 3; part = 18 fs; half = 1 fs (n / 2: rounded down);");
    cr_expect_str_eq(out.term[1].expression, "n * n: words, up");
    cr_expect_eq(out.term[1].depth, 1);
    cr_expect_float_eq(out.term[2].value, 100.0 * 18 / 55, 1e-13);
    cr_expect_float_eq(out.term[3].value, 3e15 / 55, 1);
    cr_expect_str_eq(out.term[4].expression, "computed: some_function");
    cr_expect_eq(out.term[4].value, 42);
    htmt_term_tree_destroy(&t);
}

Test(term_tree, a_scope_comes_before_what_is_outside)
{
    static const struct htmt_term_row rows[] = {{.name = "T", .unit = "1", .text = "'A, x' * x"},
                                                {.name = "x", .unit = "1", .text = "n"},
                                                {.name = NULL}},
                                      inner[] = {{.name = "x", .unit = "1", .text = "n * n"},
                                                 {.name = "", .unit = "1", .text = "x + 1"},
                                                 {.name = NULL}};
    struct htmt_term_tree *t = tree_of(rows);
    struct htmt_fault fault = {0};
    htmt_term_tree_add(t, "A", 0, inner);
    cr_assert_eq(htmt_term_tree_evaluate(t, &fault), 0, "%s", fault.text);
    cr_expect(htmt_term_tree_whole(t, "T") == 27);
    cr_expect(htmt_term_tree_whole(t, "A") == 10);
    htmt_term_tree_destroy(&t);
}

Test(term_tree, rounds_as_the_row_says)
{
    static const struct htmt_term_row rows[] = {
        {.name = "up", .unit = "s", .text = "n / 2", .rounding = HTMT_TERM_HALF_UP},
        {.name = "down", .unit = "s", .text = "n / 2", .rounding = HTMT_TERM_DOWN},
        {.name = "exact", .unit = "s", .text = "n / 2"},
        {.name = NULL}};
    struct htmt_term_tree *t = tree_of(rows);
    cr_assert_eq(htmt_term_tree_evaluate(t, NULL), 0);
    cr_expect(htmt_term_tree_whole(t, "up") == 2);
    cr_expect(htmt_term_tree_whole(t, "down") == 1);
    cr_expect(htmt_term_tree_value(t, "exact").den == 2);
    htmt_term_tree_destroy(&t);
}

Test(term_tree, division_by_zero_is_nothing_only_where_a_row_says_so)
{
    static const struct htmt_term_row
        may[] = {{.name = "x", .unit = "%", .text = "1 / (n - 3)", .may_divide_by_zero = true},
                 {.name = NULL}},
        not [] = {{.name = "x", .unit = "%", .text = "1 / (n - 3)"}, {.name = NULL}};
    struct htmt_term_tree *t = tree_of(may);
    cr_expect_eq(htmt_term_tree_evaluate(t, NULL), 0);
    cr_expect(htmt_term_tree_whole(t, "x") == 0);
    htmt_term_tree_destroy(&t);
    refuse(not, HTMT_ERANGE, "'1 / (n - 3)': division by zero");
}

Test(term_tree, mistakes_are_lines)
{
    static const struct htmt_term_row
        unknown[] = {{.name = "x", .unit = "s", .text = "n * nobody"}, {.name = NULL}},
        circle[] = {{.name = "x", .unit = "s", .text = "y"},
                    {.name = "y", .unit = "s", .text = "x"},
                    {.name = NULL}},
        unset[] = {{.name = "x", .unit = "s", .by = "f"}, {.name = NULL}},
        long_service[] = {{0, "x", "a move", "s", "n * 100", "words", double_it, 0, 0, false},
                          {.name = NULL}},
        broken_count[] = {{0, "x", "a move", "s", "n / 2", "words", double_it, 0, 0, false},
                          {.name = NULL}};
    refuse(unknown, HTMT_EINVAL, "nothing is called 'nobody'");
    refuse(circle, HTMT_EINVAL, "x needs itself");
    refuse(unset, HTMT_EINVAL, "x has no value");
    refuse(long_service, HTMT_EOVERFLOW, "x, a move, takes more than 9223 s");
    refuse(broken_count, HTMT_EOVERFLOW, "x: found 1.5 = n / 2, expected below 2^63 and whole");
}

Test(term_tree, rows_and_values_that_find_no_place_are_lines)
{
    static const struct htmt_term_row
        twice[] = {{.name = "x", .unit = "s", .text = "n"},
                   {.name = "x", .unit = "s", .text = "n"},
                   {.name = NULL}},
        taken[] = {{.name = "n", .unit = "s", .text = "7"}, {.name = NULL}},
        bare[] = {{.name = "x", .text = "n"}, {.name = NULL}},
        lengthy[] = {{.name = "a name that is longer than any line of a closed form has room for",
                      .unit = "s",
                      .text = "n"},
                     {.name = NULL}};
    refuse(twice, HTMT_EINVAL, "closed form: 'x' is there twice");
    refuse(taken, HTMT_EINVAL, "closed form: 'n' has a formula already");
    refuse(bare, HTMT_EINVAL, "closed form: 'x' has no unit");
    refuse(lengthy, HTMT_EINVAL, "is too long a name");
}

Test(term_tree, more_rows_and_values_than_there_is_room_for_are_a_line)
{
    static const struct htmt_term_row none[] = {{.name = NULL}};
    struct htmt_term_tree *t = tree_of(none);
    struct htmt_fault fault = {0};
    for (unsigned i = 0; i < 512; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%u", i);
        htmt_term_tree_set_count(t, NULL, name, i);
    }
    cr_expect_eq(htmt_term_tree_evaluate(t, &fault), HTMT_EINVAL);
    cr_expect_str_eq(fault.text, "closed form: 'v511' has no place behind 512 rows and values");
    htmt_term_tree_destroy(&t);
}

Test(term_tree, a_text_too_long_for_its_line_is_cut_off)
{
    static char sum[400] = "n";
    const struct htmt_term_row rows[] = {
        {.name = "the name of a term, of fifty bytes and four for once", .unit = "1", .text = sum},
        {.name = NULL}};
    struct htmt_term_tree *t = tree_of(rows);
    struct htmt_fault fault = {0};
    while (strlen(sum) + 5 < sizeof sum)
        strcat(sum, " + n");
    out = (struct htmt_prediction){.count = 0};
    cr_assert_eq(htmt_term_tree_evaluate(t, &fault), 0, "%s", fault.text);
    htmt_term_tree_tell(t, &out);
    cr_assert_eq(out.count, 1);
    cr_expect_eq(strlen(out.term[0].name), sizeof out.term[0].name - 1);
    cr_expect_eq(strlen(out.term[0].expression), sizeof out.term[0].expression - 1);
    cr_expect_str_eq(out.term[0].meaning, "");
    htmt_term_tree_destroy(&t);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Axes of studies: what is written, what it means, what is refused; samples.
 * Class: unit.
 */
#include "emul/study/study.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct htmt__axis read_axis(const char *given)
{
    struct htmt__axis a;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__axis_read("--vary", given, &a, &fault), 0, "%s", fault.text);
    return a;
}

static void expect(const char *given, enum htmt__axis_kind kind, const char *key, unsigned count,
                   const char *const *text)
{
    struct htmt__axis a = read_axis(given);
    cr_expect_eq(a.kind, kind);
    cr_expect_str_eq(htmt__axis_key(&a), key);
    cr_assert_eq(a.count, count, "%s: %u values", given, a.count);
    for (unsigned i = 0; i < count; i++)
        cr_expect_str_eq(a.text[i], text[i], "%s: %s", given, a.text[i]);
    htmt__axis_fini(&a);
}

Test(axis, lists_and_ranges_have_the_values_that_they_name)
{
    expect("opt:size=1024,2048", HTMT__AXIS_OPTION, "size", 2,
           (const char *const[]){"1024", "2048"});
    expect("costs:problem.t=13,26,52", HTMT__AXIS_COSTS, "problem.t", 3,
           (const char *const[]){"13", "26", "52"});
    expect("machine:htmt-2007,./mine.yaml", HTMT__AXIS_MACHINE, "machine", 2,
           (const char *const[]){"htmt-2007", "./mine.yaml"});
    expect("a.flop=1 ps..3 ps:5", HTMT__AXIS_FIGURE, "a.flop", 5,
           (const char *const[]){"1 ps", "1.5 ps", "2 ps", "2.5 ps", "3 ps"});
    expect("a.flop=1ps..100ps:log3", HTMT__AXIS_FIGURE, "a.flop", 3,
           (const char *const[]){"1 ps", "10 ps", "100 ps"});
    expect("a.*=0.5x..2x:3", HTMT__AXIS_FIGURE, "a.*", 3,
           (const char *const[]){"0.5x", "1x", "2x"});
    expect("opt:size=10..40:log3", HTMT__AXIS_OPTION, "size", 3,
           (const char *const[]){"10", "20", "40"});
    expect("opt:size=10..40:4", HTMT__AXIS_OPTION, "size", 4,
           (const char *const[]){"10", "20", "30", "40"});
    struct htmt__axis a = read_axis("each:networks.*=0.5x,2x");
    cr_expect(a.each && a.factors && a.number[1] == 2);
    htmt__axis_fini(&a);
    a = read_axis("k=0.8x..1.25x");
    cr_expect(a.sampled && a.least == 0.8 && a.most == 1.25);
    htmt__axis_fini(&a);
}

Test(axis, what_is_no_axis_gets_a_line_that_says_what_was_expected)
{
    static const struct {
        const char *given, *words;
    } rows[] = {{"k", "expected KEY=VALUES"},
                {"k=", "expected KEY=VALUES"},
                {"=1", "expected KEY=VALUES"},
                {"opt:=1", "expected a key behind"},
                {"k=1,,2", "none of them empty"},
                {"k=1,2,1", "each value once"},
                {"k=1 ps..2 ns:3", "one unit"},
                {"k=2..1:3", "smaller end first"},
                {"k=0..1:log3", "above 0"},
                {"k=1..2:1", "from 2 to 100000"},
                {"k=1..2:x", "from 2 to 100000"},
                {"k=1..2", "a range such as"},
                {"k=1x,2", "factors such as 0.5x alone"},
                {"k=1 ps,2,3 ps", "found '2', expected a unit"},
                {"k=0x,2x", "a factor above 0"},
                {"each:k=1,2", "factors such as 0.5x for each"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htmt__axis a;
        struct htmt_fault fault = {0};
        cr_expect_eq(htmt__axis_read("--vary", rows[i].given, &a, &fault), HTMT_EUSAGE, "%s",
                     rows[i].given);
        cr_expect(strstr(fault.text, rows[i].words), "%s: %s", rows[i].given, fault.text);
        htmt__axis_fini(&a);
    }
}

Test(axis, a_figure_times_a_factor_keeps_its_unit_and_what_is_whole)
{
    static const struct {
        const char *value;
        double factor;
        const char *scaled;
    } rows[] = {{"10 Gword/s", 1.25, "12.5 Gword/s"},
                {"4", 0.3, "1"},
                {"7", 1.5, "11"},
                {"85 ns", 0.70710678, "60104076 fs"},
                {"85 ns", 0.5, "42.5 ns"},
                {"3 words", 0.5, "2 words"},
                {"1 MiB", 2, "2 MiB"},
                {"1 flop/cycle", 0.5, "0.5 flop/cycle"}};
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(htmt__axis_scaled(rows[i].value, rows[i].factor, text, sizeof text));
        cr_expect_str_eq(text, rows[i].scaled, "%s: %s", rows[i].value, text);
    }
    cr_expect_not(htmt__axis_scaled("0 ns", 2, text, sizeof text));
    cr_expect_not(htmt__axis_scaled("not-modelled", 2, text, sizeof text));
}

/* 1 ns / 7 is 142,857.14 fs, 1 MiB / 7 is 18,724.6 words, and a rate is what its nine digits say.
 */
Test(axis, the_quotient_of_a_scaled_text_is_the_factor_that_it_came_to)
{
    const struct {
        const char *value;
        double factor, wanted;
    } rows[] = {
        {"1 ns", 1.0 / 7, 142857e-6},         {"3 ps", 1.0001, 1},
        {"1 MiB", 1.0 / 7, 18725.0 / 131072}, {"1.25 Gword/s", 1 / 1.0001, 1.24987501 / 1.25},
        {"3 ps/flop", 1.0001, 1.0001},        {"7", 0.5, 4.0 / 7}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        cr_assert(htmt__axis_scaled(rows[i].value, rows[i].factor, text, sizeof text));
        cr_expect_float_eq(htmt__axis_quotient(text, rows[i].value), rows[i].wanted, 1e-15,
                           "%s: %s", rows[i].value, text);
    }
}

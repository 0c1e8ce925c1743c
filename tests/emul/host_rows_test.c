/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed operations of compiled code against those that a measured machine has.
 */
#include "emul/command/host/host.h"
#include "layers/node/tape/tape.h"
#include "runtime/base/library.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool measured(const char *name)
{
    for (unsigned i = 0; htmt__host_row(i); i++)
        if (strcmp(htmt__host_row(i), name) == 0)
            return true;
    return false;
}

Test(host_rows, every_typed_operation_of_compiled_code_is_measured)
{
    unsigned typed = 0;
    char name[40];
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = HTMT_I32; t < HTMT_OPERAND_TYPES; t++) {
#if !defined __x86_64__ /* whose vectors are not measured */
            if (t > HTMT_F64)
                continue;
#endif
            if (htmt__operation_untyped((enum htmt_operation)o) ||
                !htmt__tape_has((enum htmt_operation)o, (enum htmt_type_of_operand)t))
                continue;
            snprintf(name, sizeof name, "%s-%s", htmt_operation_name((enum htmt_operation)o),
                     htmt_operand_name((enum htmt_type_of_operand)t));
            cr_expect(measured(name), "%s", name);
            typed++;
        }
#if defined __x86_64__
    const unsigned vectors = 3 * (10 * 4 + 3 * 2 + 2);
#else
    const unsigned vectors = 0;
#endif
    cr_expect_eq(typed, 8 * 4 + 12 * 2 + 2 * 2 + 26 * 2 + vectors);
    cr_expect(measured("call"));
}

/* By their names in C, written out here once more. */
Test(host_rows, functions_that_loops_call_have_rows_of_their_own)
{
    static const char *const numbers[] = {
        "sin",   "cos",   "tan",   "asin",  "acos",  "atan",     "atan2", "sinh",   "cosh",
        "tanh",  "asinh", "acosh", "atanh", "exp",   "exp2",     "expm1", "log",    "log2",
        "log10", "log1p", "pow",   "cbrt",  "hypot", "erf",      "erfc",  "lgamma", "tgamma",
        "floor", "round", "fdim",  "ldexp", "logb",  "nextafter"};
    static const char *const like[][2] = {
        {"sqrt", "sqrt"},    {"fmod", "rem"},    {"fabs", "logic"},   {"copysign", "logic"},
        {"fmin", "cmp"},     {"fmax", "cmp"},    {"ceil", "floor"},   {"trunc", "floor"},
        {"rint", "floor"},   {"lrint", "floor"}, {"lround", "round"}, {"llround", "round"},
        {"scalbn", "ldexp"}, {"ilogb", "logb"},  {"exp10", "exp"}};
    static const char *const lengths[][2] = {
        {"memcpy", "memcpy"}, {"memmove", "memcpy"}, {"memset", "memset"},
        {"strlen", "strlen"}, {"memchr", "strlen"},  {"strchr", "strlen"},
        {"memcmp", "memcmp"}, {"strcmp", "strcmp"},  {"strncmp", "strcmp"}};
    enum htmt_operation o;
    enum htmt_type_of_operand t;
    enum htmt__library_bytes bytes;
    char name[24], row[24];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int single = 0; single < 2; single++) {
            snprintf(name, sizeof name, "%s%s", numbers[i], single ? "f" : "");
            snprintf(row, sizeof row, "%s-%s", numbers[i], single ? "f32" : "f64");
            cr_assert(htmt__library_operation(name, &o, &t), "%s", name);
            cr_expect_str_eq(htmt_operation_name(o), numbers[i]);
            cr_expect_eq(t, single ? HTMT_F32 : HTMT_F64);
            cr_expect(measured(row), "%s", row);
        }
    for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
        cr_assert(htmt__library_operation(like[i][0], &o, &t), "%s", like[i][0]);
        cr_expect_str_eq(htmt_operation_name(o), like[i][1]);
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cr_assert(htmt__library_length(lengths[i][0], &o, &bytes), "%s", lengths[i][0]);
        cr_expect_str_eq(htmt_operation_name(o), lengths[i][1]);
        cr_expect(measured(lengths[i][1]));
    }
    cr_expect_not(htmt__library_operation("qsort", &o, &t));
    cr_expect_not(htmt__library_length("qsort", &o, &bytes));
}

Test(host_rows, arguments_have_ranges_by_their_size)
{
    cr_expect_eq(htmt__library_range(0), 0);
    cr_expect_eq(htmt__library_range(-0.1), 0);
    cr_expect_eq(htmt__library_range(1), 5);
    cr_expect_eq(htmt__library_range(-1.3), 6);
    cr_expect_eq(htmt__library_range(1e300), HTMT__LIBRARY_RANGES - 1);
    for (unsigned i = 0; i + 1 < HTMT__LIBRARY_RANGES; i++) {
        const double middle = (htmt__library_range_from(i) + htmt__library_range_from(i + 1)) / 2;
        cr_expect_eq(htmt__library_range(htmt__library_range_from(i)), i);
        cr_expect_eq(htmt__library_range(middle), i);
    }
    cr_expect(htmt__library_has_range(HTMT_REM, HTMT_F64));
    cr_expect_not(htmt__library_has_range(HTMT_REM, HTMT_I64));
    cr_expect_not(htmt__library_has_range(HTMT_MEMCPY, HTMT_I64));
    cr_expect_not(htmt__library_has_range(HTMT_SIN, HTMT_F64X2));
}

Test(host_rows, bytes_of_a_call_end_where_the_function_stops_to_read)
{
    const char text[16] = "mermaid", other[16] = "merge";
    const uint64_t with = (uint64_t)(uintptr_t)other;
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_STRING, text, 0, 0), 8);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_STRINGN, text, 0, 5), 5);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_BYTE, text, 'a', 16), 5);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_LETTER, text, 'z', 0), 8);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_COMPARE, text, with, 16), 4);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_COMPARE, text, with, 2), 2);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_ORDER, text, (uint64_t)(uintptr_t)text, 0), 8);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_ORDERN, text, with, 9), 4);
    cr_expect_eq(htmt__library_reach(HTMT__BYTES_COPY, text, with, 7), 7);
}

Test(host_rows, what_is_measured_has_a_name_that_machines_know_and_fits)
{
    unsigned n = 0;
    for (; htmt__host_row(n); n++) {
        enum htmt_operation o;
        enum htmt_type_of_operand t;
        cr_expect(htmt_operation_of(htmt__host_row(n), &o, &t), "%s", htmt__host_row(n));
        for (unsigned k = 0; k < n; k++)
            cr_expect_str_neq(htmt__host_row(k), htmt__host_row(n));
    }
    cr_expect_leq(n, HTMT__HOST_RATES);
}

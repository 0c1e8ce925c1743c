/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts of calls, and whether they match a function in LLVM's IR.
 */
#include "emul/command/host/call.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

static struct htmt__call call;

static int read_text(const char *text, struct htmt_fault *fault)
{
    *fault = (struct htmt_fault){0};
    return htmt__call_read(text, &call, fault);
}

Test(call, sizes_are_expressions_of_numbers_of_the_call)
{
    static const struct {
        const char *text;
        uint64_t count;
    } list[] = {{"f(n=10, a[n])", 10},         {"f( n = 10 , a [ n ] [ 3 ] )", 30},
                {"f(n=10,m=3,a[n-m*2+1])", 5}, {"f(n=10,a[(n+2)*(n-8)/5])", 4},
                {"f(n=7,a[n/2/1])", 3},        {"f(x=1.5e3,n=2,a[n])", 2},
                {"f(m=3,a[2*n][m],n=5)", 30}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct htmt_fault fault;
        cr_assert_eq(read_text(list[i].text, &fault), 0, "%s: %s", list[i].text, fault.text);
        uint64_t count = 0;
        for (unsigned k = 0; k < call.count; k++)
            count += call.argument[k].array ? call.argument[k].count : 0;
        cr_expect_eq(count, list[i].count, "%s", list[i].text);
    }
    struct htmt_fault fault;
    cr_assert_eq(read_text("f()", &fault), 0);
    cr_expect_eq(call.count, 0);
}

Test(call, what_is_no_call_is_refused_where_it_ends)
{
    static const char *const list[] = {"",
                                       "f",
                                       "f(",
                                       "f)",
                                       "f(n)",
                                       "f(n=)",
                                       "f(n=x)",
                                       "f(n=1",
                                       "f(n=1,)",
                                       "f(n=1) g",
                                       "f(a[0])",
                                       "f(a[n])",
                                       "f(a[1)",
                                       "f(n=1.5,a[n])",
                                       "f(a[2],b[a])",
                                       "f(n=0x10)",
                                       "f(n=nan)",
                                       "f(n=1,n=2)",
                                       "1f()",
                                       "f(a[9223372036854775807*2])",
                                       "f(a[65536][65536])",
                                       "f(a[1/0])",
                                       "f(a[((((((((((((((((("};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct htmt_fault fault;
        cr_expect_eq(read_text(list[i], &fault), HTMT_EUSAGE, "%s", list[i]);
        cr_expect_eq(strncmp(fault.text, "--call: found '", 15), 0, "%s: %s", list[i], fault.text);
    }
}

static int match(const char *text, const char *parameters)
{
    char ir[600];
    struct htmt_fault fault = {0};
    cr_assert_eq(read_text(text, &fault), 0, "%s: %s", text, fault.text);
    snprintf(ir, sizeof ir,
             "%%struct.s = type { float, [2 x %%struct.in], double, i1 }\n"
             "%%struct.in = type { double, i16 }\n%%struct.l = type { double, %%struct.l* }\n"
             "%%struct.long = type { [65 x i32] }\n%%struct.none = type opaque\n"
             "declare void @f(i32)\ndefine internal double @g(i32 %%0) #0 {\n"
             "define dso_local void @f(%s) #0 !dbg !7 {\n",
             parameters);
    FILE *in = fmemopen(ir, strlen(ir), "r");
    int rc = htmt__call_match(&call, "f.c", in, &fault);
    fclose(in);
    return rc;
}

Test(call, arguments_match_the_types_of_the_definition)
{
    cr_expect_eq(match("f(n=1, x=2, a[4], b[2][2])",
                       "i32 noundef signext %0, double noundef %1, float* noundef %2, "
                       "[2 x double]* noundef %3"),
                 0);
    static const enum htmt__call_type types[] = {HTMT__CALL_I32, HTMT__CALL_F64, HTMT__CALL_F32,
                                                 HTMT__CALL_F64};
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(call.argument[i].member[0].type, types[i], "%u", i);
    cr_expect_eq(match("f(a[8])", "[4 x [2 x i16]]* %0"), 0);
    cr_expect_eq(call.argument[0].member[0].type, HTMT__CALL_I16);
    cr_expect_eq(match("f()", ""), 0);
    static const char *const wrong[] = {"i32 %0, i32 %1",  "",
                                        "double* %0",      "%struct.s* %0",
                                        "x86_fp80 %0",     "double** %0",
                                        "<2 x double> %0", "void ()* %0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(match("f(n=1)", wrong[i]), HTMT_EUSAGE, "%s", wrong[i]);
    cr_expect_eq(match("f(a[4])", "double** %0"), HTMT_EUSAGE);
    cr_expect_eq(match("f(a[4])", "double %0"), HTMT_EUSAGE);
    cr_expect_eq(match("f(x=0.5)", "i64 %0"), HTMT_EUSAGE);
    cr_expect_eq(match("f(a[134217729])", "double* %0"), HTMT_EUSAGE);
}

/* Offsets are those that C gives the same struct here. */
Test(call, members_of_structs_lie_as_the_language_lays_them)
{
    struct in {
        double x;
        short y;
    };
    struct s {
        float x;
        struct in in[2];
        double z;
        bool last;
    };
    static const unsigned at[] = {offsetof(struct s, x),       offsetof(struct s, in[0].x),
                                  offsetof(struct s, in[0].y), offsetof(struct s, in[1].x),
                                  offsetof(struct s, in[1].y), offsetof(struct s, z),
                                  offsetof(struct s, last)};
    const unsigned all = sizeof at / sizeof *at;
    cr_assert_eq(match("f(n=3, p[n])", "i32 %0, %struct.s* nocapture %1"), 0);
    const struct htmt__call_argument *a = &call.argument[1];
    cr_assert_eq(a->members, all);
    for (unsigned i = 0; i < all; i++)
        cr_expect_eq(a->member[i].at, at[i], "%u", i);
    cr_expect_eq(a->bytes, sizeof(struct s));
    cr_expect_eq(a->member[all - 1].type, HTMT__CALL_I1);
    cr_expect_eq(match("f(z[3])", "{ double, double }* %0"), 0);
    cr_expect_eq(call.argument[0].bytes, 16);
    cr_expect_eq(match("f(v[3])", "<4 x float>* %0"), 0);
    static const char *const wrong[] = {"%struct.l* %0", "%struct.long* %0", "%struct.none* %0",
                                        "%struct.no* %0", "{ i32, i32* }* %0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(match("f(p[3])", wrong[i]), HTMT_EUSAGE, "%s", wrong[i]);
}

Test(call, pointers_to_rows_want_two_brackets)
{
    cr_expect_eq(match("f(n=4, a[n][2*n][3])", "i32 %0, double** %1"), 0);
    cr_expect(call.argument[1].rows);
    cr_expect_eq(call.argument[1].first, 4);
    cr_expect_eq(call.argument[1].count, 96);
    cr_expect_eq(match("f(a[4])", "double** %0"), HTMT_EUSAGE);
    cr_expect_eq(match("f(a[4][4])", "double*** %0"), HTMT_EUSAGE);
}

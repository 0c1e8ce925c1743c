/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Cannon as an application: what a request gives, and what it refuses.
 */
#include "apps/cannon/check.h"
#include "apps/cannon/io/matrix.h"
#include "tests/cannon/asked.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(app, every_check_calls_a_right_product_right)
{
    static const char *const checks[] = {"freivalds", "full", "exact"};
    for (int i = 0; i < 3; i++) {
        struct asked a;
        ask(&a, "htmt-oct98", 16, HTMT_RUN, NULL,
            GIVEN("size", "203", "check", checks[i], "entries", "integers"));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_expect_eq(a.outcome.correct, 1, "%s", checks[i]);
        cr_expect_leq(a.outcome.check.value, a.outcome.check.tolerance);
        cr_expect_eq(a.outcome.flops, 2.0 * 203 * 203 * 203);
        cr_expect_gt(a.outcome.wall.emulate_s, 0);
        cr_expect_geq(a.outcome.wall.total_s, a.outcome.wall.setup_s + a.outcome.wall.emulate_s);
        cr_expect_str_eq(a.outcome.precision, "double");
        cr_expect_eq(strncmp(a.outcome.kernel_set, "OpenBLAS ", 9), 0);
        cr_expect(strstr(a.outcome.notes[0], "overlap saves"));
        done(&a);
    }
}

Test(app, without_a_check_nothing_is_called_right)
{
    struct asked a;
    ask(&a, "htmt-oct98", 4, HTMT_RUN, NULL, GIVEN("size", "30", "check", "none"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_expect_eq(a.outcome.correct, -1);
    done(&a);
}

/* Rectangles in files, padded inside: C is written in its own shape. */
Test(app, files_of_any_shape_give_the_file_of_their_product)
{
    struct place p = place("");
    char path[3][64];
    struct htmt__cannon_matrix a, b, c, r;
    struct htmt__cannon_check check;
    struct htmt_fault f = {0};
    struct asked asked;
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%c.npy", p.folder, "abc"[i]);
    cr_assert_eq(htmt__cannon_matrix_generate(&a, 17, 33, HTMT__INTEGERS, 5, 0, &f), 0);
    cr_assert_eq(htmt__cannon_matrix_generate(&b, 33, 5, HTMT__INTEGERS, 5, 1, &f), 0);
    cr_assert_eq(htmt__cannon_matrix_write(path[0], &a, &f), 0);
    cr_assert_eq(htmt__cannon_matrix_write(path[1], &b, &f), 0);
    ask(&asked, "small-htmt", 4, HTMT_RUN, NULL,
        GIVEN("a", path[0], "b", path[1], "out", path[2], "check", "exact"));
    cr_assert_eq(run(&asked), 0, "%s", asked.fault.text);
    cr_expect_eq(asked.outcome.correct, 1);
    cr_assert_eq(htmt__cannon_matrix_read(path[2], &c, &f), 0, "%s", f.text);
    cr_assert_eq(htmt__cannon_reference_product(&a, &b, &r, &f), 0);
    cr_assert_eq(htmt__cannon_check_exact(&c, &r, &check, &f), 0, "%s", f.text);
    cr_expect(check.pass);
    place_remove(&p);
    htmt__cannon_matrix_destroy(&a);
    htmt__cannon_matrix_destroy(&b);
    htmt__cannon_matrix_destroy(&c);
    htmt__cannon_matrix_destroy(&r);
    done(&asked);
}

/* A file's matrix times itself: the default check of a product that underflows, and of one that
 * overflows, which it hands over to the full one. */
Test(app, products_that_underflow_or_overflow_are_not_called_wrong)
{
    static const struct {
        double factor;
        const char *by;
    } rows[] = {{1e-161, "freivalds"}, {1e153, "freivalds"}, {1e200, "elements"}};
    for (int i = 0; i < 3; i++) {
        char path[] = "/tmp/htmt-app-XXXXXX";
        struct htmt__cannon_matrix m;
        struct asked a;
        close(mkstemp(path));
        cr_assert_eq(htmt__cannon_matrix_generate(&m, 40, 40, HTMT__GAUSSIAN, 5, 0, NULL), 0);
        for (int k = 0; k < 1600; k++)
            m.at[k] *= rows[i].factor;
        cr_assert_eq(htmt__cannon_matrix_write(path, &m, NULL), 0);
        ask(&a, "htmt-oct98", 4, HTMT_RUN, NULL, GIVEN("a", path, "b", path));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_expect_eq(a.outcome.correct, 1);
        cr_expect_str_eq(a.outcome.check.name, rows[i].by);
        done(&a);
        unlink(path);
        htmt__cannon_matrix_destroy(&m);
    }
}

Test(app, the_overlap_note_is_the_difference_of_the_two_schedules)
{
    htmt_time time[2];
    double said = 0, whole = 0;
    for (int i = 0; i < 2; i++) {
        struct asked a;
        ask(&a, "htmt-2007", 16, HTMT_MODEL, NULL,
            GIVEN("size", "2000", "block", "125", "schedule", i ? "paper" : "overlap"));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        time[i] = htmt_predicted(a.outcome.emulator);
        cr_assert_eq(sscanf(a.outcome.notes[0], "overlap saves %lg ms of %lg ms (", &said, &whole),
                     2, "%s", a.outcome.notes[0]);
        cr_expect(strstr(a.outcome.notes[0], "emulated too"));
        cr_expect_float_eq(1e-15 * (double)time[i], a.outcome.closed_form_s,
                           0.01 * a.outcome.closed_form_s);
        done(&a);
    }
    cr_expect_float_eq(1e-3 * said, 1e-15 * (double)(time[1] - time[0]), 5e-4 * 1e-3 * said);
    cr_expect_float_eq(1e-3 * whole, 1e-15 * (double)time[1], 5e-4 * 1e-3 * whole);
}

Test(app, the_overlap_note_says_both_times_in_one_unit)
{
    struct asked a;
    ask(&a, "htmt-oct98", 4, HTMT_MODEL, NULL, GIVEN("size", "64"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_expect(strstr(a.outcome.notes[0], "overlap saves 0 us of 1.694 us"), "%s",
              a.outcome.notes[0]);
    done(&a);
}

static void refuse(const char *machine, uint32_t slices, enum htmt_mode mode, int code,
                   const char *text, const char *const *given)
{
    struct asked a;
    ask(&a, machine, slices, mode, NULL, given);
    cr_expect_eq(run(&a), code, "expected %s, %s", htmt_err_name(code), a.fault.text);
    cr_expect(strstr(a.fault.text, text), "'%s' lacks '%s'", a.fault.text, text);
    done(&a);
}

Test(app, what_cannot_be_is_refused_in_one_line)
{
    refuse("htmt-oct98", 4, HTMT_RUN, HTMT_EUSAGE, "'overlap', 'paper'", GIVEN("schedule", "fast"));
    refuse("htmt-oct98", 4, HTMT_RUN, HTMT_EUSAGE, "whole number", GIVEN("size", "1e3"));
    refuse("htmt-oct98", 4, HTMT_RUN, HTMT_ERANGE, "1 to 2147483648", GIVEN("size", "0"));
    refuse("htmt-oct98", 4, HTMT_RUN, HTMT_EUSAGE, "--a without --b", GIVEN("a", "x.npy"));
    refuse("htmt-oct98", 4, HTMT_RUN, HTMT_ENOENT, "x.npy", GIVEN("a", "x.npy", "b", "y.npy"));
    refuse("htmt-oct98", 6, HTMT_RUN, HTMT_EINVAL, "6 slices make no grid of 4 rows",
           GIVEN("size", "9", "grid-rows", "4"));
    refuse("htmt-oct98", 6, HTMT_MODEL, HTMT_EUSAGE,
           "found a grid of 2 x 3 slices, expected a square",
           GIVEN("size", "9", "grid-rows", "2", "schedule", "paper"));
    refuse("htmt-oct98", 4, HTMT_RUN, HTMT_ENOENT, "nowhere", GIVEN("out", "/nowhere/c.npy"));
    refuse("htmt-oct98", 400, HTMT_RUN, HTMT_EINVAL,
           "found padding from 1 to q t s b_c = 1 x 1 x 20 x 1", GIVEN("size", "1"));
}

Test(app, blocks_too_large_for_cram_are_refused_with_the_arithmetic)
{
    refuse(
        "htmt-2007", 4, HTMT_RUN, HTMT_ECAPACITY,
        "7 subblocks of 126 x 126 words = 111132 words, CRAM has 131072 - 21697 reserve = 109375",
        GIVEN("size", "252", "block", "126"));
}

Test(app, a_run_larger_than_the_host_is_refused_with_the_arithmetic_and_modelled)
{
    refuse("htmt-2007", 64, HTMT_RUN, HTMT_EHOSTFIT, "the host has", GIVEN("size", "400000"));
    struct asked a;
    ask(&a, "htmt-oct98", 4, HTMT_MODEL, NULL, GIVEN("size", "6000"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_expect_eq(a.outcome.correct, -1);
    cr_expect_str_eq(a.outcome.kernel_set, "none");
    done(&a);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/io/transfer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char soft[] = "opacity:\n"
                           "  - [0, 0]\n"
                           "  - [40, 0]\n"
                           "  - [80, 0.02]\n"
                           "  - [255, 0.2]\n"
                           "grey: [[0, 0], [255, 1]]\n";

static const char dyed[] = "opacity: [[10, 0.1], [20.25, 0.6], [21, 0]]\n"
                           "colour: [[0, 1, 0.5, 0], [30, 0, 0.5, 1]]\n";

static struct htmt__volume_transfer transfer(const char *text)
{
    struct htmt__volume_transfer t;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_transfer_parse("t.yaml", text, strlen(text), &t, &fault), 0, "%s",
                 fault.text);
    return t;
}

Test(transfer, levels_are_linear_between_knots_and_constant_outside)
{
    struct htmt__volume_transfer t = transfer(soft), c = transfer(dyed);
    double colour[3];
    cr_expect_eq(htmt__volume_transfer_opacity(&t, -5), 0);
    cr_expect_float_eq(htmt__volume_transfer_opacity(&t, 50), 0.005, 1e-15);
    cr_expect_eq(htmt__volume_transfer_opacity(&t, 80), 0.02);
    cr_expect_float_eq(htmt__volume_transfer_opacity(&t, 167.5), 0.11, 1e-15);
    cr_expect_eq(htmt__volume_transfer_opacity(&t, 1000), 0.2);
    htmt__volume_transfer_colour(&t, 51, colour);
    cr_expect_float_eq(colour[0], 0.2, 1e-15);
    htmt__volume_transfer_colour(&c, 15, colour);
    cr_expect(c.channels == 3 && fabs(colour[0] - 0.5) < 1e-15 && fabs(colour[1] - 0.5) < 1e-15 &&
              fabs(colour[2] - 0.5) < 1e-15);
    htmt__volume_transfer_destroy(&t);
    htmt__volume_transfer_destroy(&c);
}

Test(transfer, without_a_colour_grey_rises_over_the_knots_of_opacity)
{
    struct htmt__volume_transfer t = transfer("opacity: [[100, 0], [200, 0.5], [300, 0.1]]\n");
    double grey[3];
    htmt__volume_transfer_colour(&t, 150, grey);
    cr_expect_eq(t.channels, 1);
    cr_expect_float_eq(grey[0], 0.25, 1e-15);
    htmt__volume_transfer_destroy(&t);
    t = transfer("opacity: [[7, 0.5]]\n");
    htmt__volume_transfer_colour(&t, 1, grey);
    cr_expect(grey[0] == 1 && htmt__volume_transfer_opacity(&t, 9) == 0.5);
    htmt__volume_transfer_destroy(&t);
}

static void refuse(const char *text, int code, const char *line)
{
    struct htmt__volume_transfer t;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__volume_transfer_parse("t.yaml", text, strlen(text), &t, &fault), code,
                 "%s: %s", text, fault.text);
    cr_expect(strstr(fault.text, line), "'%s' is not in '%s'", line, fault.text);
}

Test(transfer, what_shows_nothing_or_is_no_function_is_refused_with_its_line)
{
    refuse("opacity: []\n", HTMT_EFORMAT, "t.yaml:1: found no knots of opacity");
    refuse("grey: [[0, 1]]\n", HTMT_EFORMAT, "opacity");
    refuse("opacity:\n  - [0, 0]\n  - [9, 0]\n", HTMT_EFORMAT, "an opacity of 0 everywhere");
    refuse("opacity:\n  - [0, 0]\n  - [9, 1.5]\n", HTMT_ERANGE, "t.yaml:3: found 1.5 for opacity");
    refuse("opacity:\n  - [0, 0]\n  - [9, -1]\n", HTMT_ERANGE, "t.yaml:3: found -1 for opacity");
    refuse("opacity:\n  - [0, 0]\n  - [0, 1]\n", HTMT_EFORMAT, "t.yaml:3: found a knot of opacity");
    refuse("opacity: [[0, 0, 1]]\n", HTMT_EFORMAT, "found 3 numbers in a knot of opacity");
    refuse("opacity: [[0, much]]\n", HTMT_EFORMAT, "found 'much'");
    refuse("opacity: [[nan, 1]]\n", HTMT_EFORMAT, "found 'nan'");
    refuse("opacity: [[0, 1]]\ncolour: [[0, 1]]\n", HTMT_EFORMAT, "t.yaml:2: found 2 numbers");
    refuse("opacity: [[0, 1]]\ncolour: [[0, 1, 1, 1]]\ngrey: [[0, 1]]\n", HTMT_EFORMAT,
           "t.yaml:2: found 'colour' beside 'grey'");
    refuse("opacity: [[0, 1]]\ncolor: [[0, 1, 1, 1]]\n", HTMT_EFORMAT, "colour");
    refuse("", HTMT_EFORMAT, "t.yaml");
}

Test(transfer, shipped_functions_are_found_by_name)
{
    static const char *const names[] = {"soft", "dense", "tissue"};
    struct htmt__volume_transfer t;
    struct htmt_fault fault = {0};
    for (int n = 0; n < 3; n++) {
        cr_assert_eq(htmt__volume_transfer_read(names[n], &t, &fault), 0, "%s", fault.text);
        cr_expect_eq(t.channels, n == 2 ? 3 : 1);
        htmt__volume_transfer_destroy(&t);
    }
    cr_expect_eq(htmt__volume_transfer_read("hard", &t, &fault), HTMT_ENOENT);
    cr_expect(strstr(fault.text, "no transfer function 'hard'"), "%s", fault.text);
}

/* ---- tables --------------------------------------------------------------------------------- */

static struct htmt__volume_transfer_table table(const struct htmt__volume_transfer *t,
                                                const struct htmt__volume *v, double step,
                                                struct htmt__volume_window window)
{
    struct htmt__volume_transfer_table l;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_transfer_table_create(t, v, &window, step, HTMT__TRANSFER_TABLE_BYTES,
                                                    &l, &fault),
                 0, "%s", fault.text);
    return l;
}

/* As transfer.h tells. */
static double look_up(const struct htmt__volume_transfer_table *l, float stored, unsigned level)
{
    float x = fminf(fmaxf(stored * l->gain + l->bias, 0), (float)l->last);
    uint32_t n = (uint32_t)x;
    const float *row = l->row + 2 * (1 + l->channels) * n;
    return (double)(row[level] + (x - (float)n) * row[1 + l->channels + level]);
}

static void compare(const char *text, const struct htmt__volume *v, double step, float low,
                    float high)
{
    struct htmt__volume_transfer t = transfer(text);
    struct htmt__volume_transfer_table l = table(&t, v, step, (struct htmt__volume_window){0});
    for (int n = 0; n <= 5000; n++) {
        float stored = low + (high - low) * (float)n / 5000;
        double value = v->slope * (double)stored + v->intercept, colour[3];
        double alpha = 1 - pow(1 - htmt__volume_transfer_opacity(&t, value), step);
        htmt__volume_transfer_colour(&t, value, colour);
        cr_expect_float_eq(look_up(&l, stored, 0), alpha, 2e-6 + 4e-6 * alpha, "%g", value);
        for (unsigned c = 0; c < t.channels; c++)
            cr_expect_float_eq(look_up(&l, stored, 1 + c), alpha * colour[c], 2e-6 + 4e-6 * alpha);
    }
    htmt__volume_transfer_table_destroy(&l);
    htmt__volume_transfer_destroy(&t);
}

Test(transfer, a_table_keeps_to_its_function_for_any_step_and_scale)
{
    struct htmt__volume v = {.type = HTMT__UINT8, .slope = 1};
    compare(soft, &v, 0.5, -10, 270);
    compare(soft, &v, 3, -10, 270);
    compare(dyed, &v, 0.25, 0, 40);
    v.slope = -0.01, v.intercept = 200;
    compare(soft, &v, 0.5, -10000, 30000);
}

Test(transfer, a_table_is_exact_for_whole_values)
{
    struct htmt__volume v = {.type = HTMT__UINT8, .slope = 1};
    struct htmt__volume_transfer t = transfer(soft);
    struct htmt__volume_transfer_table l = table(&t, &v, 0.5, (struct htmt__volume_window){0});
    for (int n = 0; n < 256; n++) {
        double alpha = 1 - sqrt(1 - htmt__volume_transfer_opacity(&t, n));
        cr_expect_float_eq(look_up(&l, (float)n, 0), alpha, 0x1p-24 * alpha + 1e-16, "%d", n);
        cr_expect_float_eq(look_up(&l, (float)n, 1), alpha * n / 255, 0x1p-24 * alpha + 1e-16);
    }
    htmt__volume_transfer_table_destroy(&l);
    htmt__volume_transfer_destroy(&t);
}

/* What no table can follow gets the largest one; its rows are met, its steps are that wide. */
Test(transfer, a_steep_function_has_a_bounded_table)
{
    struct htmt__volume v = {.type = HTMT__FLOAT32, .slope = 1};
    struct htmt__volume_transfer t =
        transfer("opacity: [[0, 0], [100, 0], [100.0001, 1], [101, 0], [256, 0]]\n"
                 "colour: [[0, 1, 0, 0], [256, 0, 0, 1]]\n");
    struct htmt__volume_transfer_table l = table(&t, &v, 0.3, (struct htmt__volume_window){0});
    cr_expect((l.last + 1) * 8 * sizeof(float) <= 262144 + 32, "%u rows", l.last + 1);
    for (float value = 0; value < 256; value += 0.25f) {
        double alpha = 1 - pow(1 - htmt__volume_transfer_opacity(&t, (double)value), 0.3);
        cr_expect_float_eq(look_up(&l, value, 0), alpha, 1e-6, "%g", (double)value);
    }
    cr_expect_eq(look_up(&l, 99.9f, 0), 0);
    cr_expect_gt(look_up(&l, 100.1f, 0), 0.4);
    htmt__volume_transfer_table_destroy(&l);
    htmt__volume_transfer_destroy(&t);
}

static double error_of(const char *text, uint64_t bytes, uint32_t *rows)
{
    struct htmt__volume v = {.type = HTMT__FLOAT32, .slope = 1};
    struct htmt__volume_transfer t = transfer(text);
    struct htmt__volume_transfer_table l;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_transfer_table_create(&t, &v, &(struct htmt__volume_window){0}, 1,
                                                    bytes, &l, &fault),
                 0, "%s", fault.text);
    double error = l.error;
    *rows = l.last + 1;
    htmt__volume_transfer_table_destroy(&l);
    htmt__volume_transfer_destroy(&t);
    return error;
}

Test(transfer, a_table_keeps_within_its_bytes_and_tells_how_far_off_it_is)
{
    uint32_t rows;
    double last = 0;
    cr_expect_eq(error_of(soft, HTMT__TRANSFER_TABLE_BYTES, &rows), 0);
    for (uint64_t bytes = 16384; bytes >= 128; bytes /= 2) {
        double error = error_of(soft, bytes, &rows);
        cr_expect_leq(rows * 4 * sizeof(float), bytes);
        cr_expect_geq(error, last, "%u rows: %g after %g", rows, error, last);
        last = error;
    }
    cr_expect_gt(last, 1e-3);
}

/* Rows 128 apart: the peak at 128 lies between two of them that show nothing. */
Test(transfer, knots_far_from_the_values_make_a_coarse_table_that_says_so)
{
    uint32_t rows;
    double error = error_of("opacity: [[-1e6, 0], [100, 0], [128, 0.9], [156, 0], [1e6, 0]]\n",
                            HTMT__TRANSFER_TABLE_BYTES, &rows);
    cr_expect(error > 0.4 && error <= 0.9, "%g in %u rows", error, rows);
}

static void refuse_span(const char *text, double slope)
{
    struct htmt__volume v = {.type = HTMT__FLOAT32, .slope = slope};
    struct htmt__volume_transfer t = transfer(text);
    struct htmt__volume_transfer_table l;
    cr_expect_eq(htmt__volume_transfer_table_create(&t, &v, &(struct htmt__volume_window){0}, 1,
                                                    HTMT__TRANSFER_TABLE_BYTES, &l, NULL),
                 HTMT_ERANGE, "%s", text);
    htmt__volume_transfer_destroy(&t);
}

Test(transfer, knots_too_far_apart_or_too_close_are_refused)
{
    refuse_span("opacity: [[-1e308, 0], [1e308, 1]]\n", 1);
    refuse_span("opacity: [[0, 0], [1e-320, 1]]\n", 1);
    refuse_span("opacity: [[0, 0], [1e-20, 1]]\n", 1e30);
}

Test(transfer, a_window_becomes_0_to_255)
{
    struct htmt__volume v = {.type = HTMT__INT16, .slope = 2, .intercept = -1000};
    struct htmt__volume_transfer t = transfer(soft);
    struct htmt__volume_transfer_table l =
        table(&t, &v, 1, (struct htmt__volume_window){true, -500, 1500});
    double alpha = 0.02; /* at 80 */
    double stored = (-500 + 2000.0 * 80 / 255 + 1000) / 2;
    cr_expect_float_eq(look_up(&l, (float)stored, 0), alpha, 1e-6);
    htmt__volume_transfer_table_destroy(&l);
    cr_expect_eq(htmt__volume_transfer_table_create(&t, &v,
                                                    &(struct htmt__volume_window){true, 5, 5}, 1,
                                                    HTMT__TRANSFER_TABLE_BYTES, &l, NULL),
                 HTMT_ERANGE);
    htmt__volume_transfer_destroy(&t);
}

/* Nothing that shows is called invisible; what is far from showing is. */
Test(transfer, invisible_ranges_have_no_opacity_at_any_value_in_them)
{
    struct htmt__volume v = {.type = HTMT__FLOAT32, .slope = -1, .intercept = 100};
    struct htmt__volume_transfer t =
        transfer("opacity: [[10, 0], [20, 0.5], [30, 0], [70, 0], [71, 1]]\n");
    struct htmt__volume_transfer_table l = table(&t, &v, 0.5, (struct htmt__volume_window){0});
    unsigned found = 0;
    for (int low = 0; low < 100; low++)
        for (int high = low; high < 100; high++) {
            double most = 0;
            for (int n = low * 16; n <= high * 16; n++)
                most = fmax(most, htmt__volume_transfer_opacity(&t, 100 - n / 16.0));
            bool invisible = htmt__volume_transfer_table_invisible(&l, (float)low, (float)high);
            cr_expect(!invisible || most == 0, "%d to %d", low, high);
            found += invisible;
        }
    cr_expect(found > 500, "%u", found);
    cr_expect(htmt__volume_transfer_table_invisible(&l, 35, 65) &&
              htmt__volume_transfer_table_invisible(&l, 95, 1e6f));
    htmt__volume_transfer_table_destroy(&l);
    htmt__volume_transfer_destroy(&t);
}

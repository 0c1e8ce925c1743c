/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/plot.h"
#include "apps/formats/plot_axis.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <png.h>
#include <string.h>
#include <unistd.h>

enum { POINTS = 200 };

struct data {
    double x[POINTS], y[POINTS];
};

static struct data growing(void)
{
    struct data d;
    for (int i = 0; i < POINTS; i++) {
        d.x[i] = 1e-7 * i;
        d.y[i] = 1e-9 * exp(0.05 * i);
    }
    return d;
}

static void write_to(const char *path, const struct htmt__plot *plot)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__plot_write(path, plot, &fault), 0, "%s", fault.text);
}

static void expect_same_bytes(const char *name, const struct htmt__plot *plot)
{
    struct place a = place(name), b = place(name);
    size_t n, m;
    write_to(a.path, plot);
    write_to(b.path, plot);
    char *x = file_content(a.path, &n), *y = file_content(b.path, &m);
    cr_expect(n == m && memcmp(x, y, n) == 0, "%s differs", name);
    free(x);
    free(y);
    place_clear(&a);
    place_clear(&b);
}

Test(plot, the_same_points_give_the_same_bytes_as_png_and_svg)
{
    struct data d = growing();
    struct htmt__plot_curve c[] = {{"energy", HTMT__PLOT_LINE, POINTS, d.x, d.y},
                                   {"theory", HTMT__PLOT_DASHED, POINTS, d.x, d.y},
                                   {"samples", HTMT__PLOT_POINTS, POINTS, d.x, d.y},
                                   {NULL, HTMT__PLOT_DENSITY, POINTS, d.x, d.y}};
    struct htmt__plot plot = {.title = "Growth",
                              .x_label = "time (s)",
                              .y_label = "energy (J)",
                              .log_y = true,
                              .curves = c,
                              .count = 4};
    expect_same_bytes("a.png", &plot);
    expect_same_bytes("a.svg", &plot);
    plot.log_y = false;
    expect_same_bytes("a.svg", &plot);
}

/* 8-bit RGB of the whole picture; the caller frees it. */
static unsigned char *pixels(const char *path, png_image *image)
{
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(image, path), "%s", image->message);
    image->format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(*image));
    cr_assert(png_image_finish_read(image, NULL, rgb, 0, NULL), "%s", image->message);
    return rgb;
}

/* Pixels of exactly this colour. */
static unsigned pixels_of(const char *path, const unsigned char *colour)
{
    png_image image;
    unsigned n = 0;
    unsigned char *rgb = pixels(path, &image);
    for (size_t i = 0; i < (size_t)image.width * image.height; i++)
        n += memcmp(rgb + 3 * i, colour, 3) == 0;
    free(rgb);
    return n;
}

/* Two bars: 1 and 3 upon it; 2 and 2. Areas are as the sums 3 and 5, but for edges. */
Test(plot, stacked_bars_stand_upon_each_other_and_have_areas_like_their_values)
{
    const double at[] = {1, 2}, low[] = {1, 2}, high[] = {3, 2};
    const struct htmt__plot_curve c[] = {{NULL, HTMT__PLOT_STACK, 2, at, low},
                                         {NULL, HTMT__PLOT_STACK, 2, at, high}};
    const char *const names[] = {"first\nof two", "second", NULL};
    const struct htmt__plot plot = {
        .x_least = 0.5, .x_most = 2.5, .y_most = 4, .curves = c, .count = 2, .bars = names};
    struct place p = place("a.png");
    write_to(p.path, &plot);
    const double lower = pixels_of(p.path, (const unsigned char[]){0, 115, 179});
    const double upper = pixels_of(p.path, (const unsigned char[]){215, 94, 0});
    cr_expect_gt(lower, 10000);
    cr_expect_float_eq(upper / lower, 5.0 / 3, 0.03, "areas %g and %g", lower, upper);
    place_clear(&p);
    expect_same_bytes("a.svg", &plot);
}

/* Of the first curve's colour: strongly blue. */
static unsigned blue_pixels(const char *path, unsigned width, unsigned height)
{
    png_image image;
    unsigned char *rgb = pixels(path, &image);
    unsigned n = 0;
    cr_assert(image.width == width && image.height == height);
    for (unsigned i = 0; i < width * height; i++)
        n += rgb[3 * i + 2] > rgb[3 * i] + 100;
    free(rgb);
    return n;
}

Test(plot, a_line_across_the_frame_is_as_long_as_the_frame)
{
    double x[] = {0, 10}, y[] = {0, 10}, broken[] = {0, NAN};
    struct place p = place("a.png");
    struct htmt__plot_curve c = {NULL, HTMT__PLOT_LINE, 2, x, y};
    struct htmt__plot plot = {.width = 400, .height = 300, .curves = &c, .count = 1};
    write_to(p.path, &plot);
    unsigned n = blue_pixels(p.path, 400, 300);
    cr_expect(n > 280 && n < 1500, "%u", n);
    c.y = broken;
    plot.x_most = plot.y_most = 10;
    write_to(p.path, &plot);
    cr_expect_lt(blue_pixels(p.path, 400, 300), 8, "nothing joins a point to what is no number");
    place_clear(&p);
}

/* Two frames of one width: the rows of the first are those of the plot alone. */
Test(plot, a_plot_below_another_adds_its_height_and_changes_nothing_above)
{
    double x[] = {0, 1}, y[] = {0.5, 0.5};
    struct place one = place("one.png"), two = place("two.png");
    struct htmt__plot_curve c = {NULL, HTMT__PLOT_LINE, 2, x, y};
    struct htmt__plot below = {.height = 200, .curves = &c, .count = 1};
    struct htmt__plot plot = {.width = 400, .height = 300, .curves = &c, .count = 1};
    write_to(one.path, &plot);
    unsigned alone = blue_pixels(one.path, 400, 300);
    plot.below = &below;
    write_to(two.path, &plot);
    unsigned both = blue_pixels(two.path, 400, 500);
    cr_expect_float_eq(both, 2 * alone, 2, "%u, not twice %u", both, alone);
    place_clear(&one);
    place_clear(&two);
}

Test(plot, what_cannot_be_plotted_is_one_line_and_no_file)
{
    double x[] = {1, NAN}, y[] = {-1, 2};
    struct place p = place("a.png");
    struct htmt_fault fault = {0}, name = {0};
    struct htmt__plot_curve c = {NULL, HTMT__PLOT_POINTS, 2, x, y};
    struct htmt__plot plot = {.log_y = true, .curves = &c, .count = 1};
    cr_expect_eq(htmt__plot_write(p.path, &plot, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "no point"), "%s", fault.text);
    cr_expect_eq(htmt__plot_write("/tmp/a.gif", &plot, &name), HTMT_EUSAGE);
    cr_expect(strstr(name.text, ".svg, .png or .pdf"), "%s", name.text);
    cr_expect_eq(htmt__plot_check("/tmp/no/such/a.svg", NULL), HTMT_ENOENT);
    cr_expect_eq(htmt__plot_check("a.svg", NULL), 0);
    cr_expect_eq(access(p.path, F_OK), -1);
    place_clear(&p);
}

static struct htmt__axis axis(bool log, double least, double most)
{
    struct htmt__axis a = htmt__axis_empty(log);
    htmt__axis_include(&a, least);
    htmt__axis_include(&a, most);
    cr_assert(htmt__axis_settle(&a, false));
    return a;
}

Test(plot, an_axis_holds_all_values_and_its_ticks_stand_where_they_say)
{
    static const double ends[][2] = {{0, 1},        {-3, 17},       {1e-9, 4e-7}, {5, 5},
                                     {-1e12, 2e12}, {0.1, 0.10001}, {-1e-3, 1e5}};
    struct htmt__tick tick[HTMT__TICKS_MAX];
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct htmt__axis a = axis(false, ends[i][0], ends[i][1]);
        cr_expect(a.least <= ends[i][0] && a.most >= ends[i][1]);
        unsigned n = htmt__axis_ticks(&a, 6, tick);
        cr_expect(n >= 3 && n <= 12, "%u ticks from %g to %g", n, a.least, a.most);
        for (unsigned k = 0; k < n; k++)
            cr_expect_float_eq(atof(tick[k].label) * pow(10, a.exponent), tick[k].at,
                               1e-9 * (a.most - a.least));
    }
}

Test(plot, a_logarithmic_axis_has_whole_decades)
{
    struct htmt__tick tick[HTMT__TICKS_MAX];
    struct htmt__axis a = axis(true, 3e-5, 20);
    cr_expect_float_eq(a.least, 1e-5, 1e-17);
    cr_expect_float_eq(a.most, 100, 1e-12);
    cr_expect_float_eq(htmt__axis_place(&a, 1e-5), 0, 1e-12);
    cr_expect_float_eq(htmt__axis_place(&a, 100), 1, 1e-12);
    unsigned n = htmt__axis_ticks(&a, 8, tick);
    cr_assert_eq(n, 8);
    for (unsigned k = 0; k < n; k++)
        cr_expect_eq(atoi(tick[k].label), (int)k - 5);
    cr_expect_not(htmt__axis_takes(&a, 0));
}

Test(plot, a_logarithmic_axis_of_a_decade_ends_at_1_2_or_5)
{
    static const double ends[][4] = {
        {0.6, 1.7, 0.5, 2}, {0.5, 2, 0.5, 2}, {3, 30, 2, 50}, {8.06e-4, 8.2e-4, 5e-4, 1e-3}};
    struct htmt__tick tick[HTMT__TICKS_MAX];
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct htmt__axis a = axis(true, ends[i][0], ends[i][1]);
        cr_expect_float_eq(a.least / ends[i][2], 1, 1e-9, "begins at %g", a.least);
        cr_expect_float_eq(a.most / ends[i][3], 1, 1e-9, "ends at %g", a.most);
        unsigned n = htmt__axis_ticks(&a, 6, tick), labels = 0;
        for (unsigned k = 0; k < n; k++) {
            labels += tick[k].label[0] != '\0';
            cr_expect(!tick[k].label[0] || fabs(atof(tick[k].label) / tick[k].at - 1) < 1e-9);
        }
        cr_expect(labels >= 2, "%u labels from %g to %g", labels, a.least, a.most);
    }
}

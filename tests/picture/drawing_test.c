/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of shapes as files, and the sheet that gathers them.
 */
#define _GNU_SOURCE /* memmem */
#include "emul/lib/picture/sheet.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <png.h>
#include <string.h>
#include <unistd.h>

static void fill(struct htmt__sheet *s, const char *text)
{
    htmt__sheet_box(s, 10, 10, 80, 30, 0x009E73)->thick = 1;
    htmt__sheet_box(s, 10, 50, 80, 30, 0xffffff)->hatched = true;
    htmt__sheet_line(s, 100, 10, 100, 80)->head = true;
    htmt__sheet_text(s, 110, 40, "%s", text)->room = 80;
    s->drawing.width = 200;
    s->drawing.height = 100;
    s->drawing.title = text;
    s->drawing.shape = s->shape;
}

static char *written(struct place *p, const char *text, size_t *length)
{
    struct htmt__sheet s = {0};
    struct htmt_fault fault = {0};
    fill(&s, text);
    cr_assert_eq(htmt__drawing_write(p->path, &s.drawing, &fault), 0, "%s", fault.text);
    htmt__sheet_clear(&s);
    return file_content(p->path, length);
}

Test(drawing, the_same_shapes_give_the_same_bytes_without_a_date)
{
    static const char *const name[] = {"a.svg", "a.png", "a.pdf"};
    for (unsigned i = 0; i < 3; i++) {
        struct place a = place(name[i]), b = place(name[i]);
        size_t n, m;
        char *x = written(&a, "same", &n), *y = written(&b, "same", &m);
        cr_expect(n == m && memcmp(x, y, n) == 0, "%s differs", name[i]);
        cr_expect_null(memmem(x, n, "CreationDate", 12), "%s has a date", name[i]);
        free(x);
        free(y);
        place_clear(&a);
        place_clear(&b);
    }
}

Test(drawing, a_png_has_two_pixels_for_each_of_an_svg)
{
    struct place p = place("a.png");
    png_image image = {.version = PNG_IMAGE_VERSION};
    size_t n;
    free(written(&p, "x", &n));
    cr_assert(png_image_begin_read_from_file(&image, p.path));
    cr_expect_eq(image.width, 400);
    cr_expect_eq(image.height, 200);
    png_image_free(&image);
    place_clear(&p);
}

Test(drawing, a_title_that_is_mark_up_is_escaped)
{
    struct place p = place("a.svg");
    size_t n;
    char *svg = written(&p, "</script><b a=\"x\">&\x01", &n);
    cr_expect_null(memmem(svg, n, "</script>", 9));
    cr_expect_not_null(
        memmem(svg, n, "<title>&#60;/script&#62;&#60;b a=&#34;x&#34;&#62;&#38;", 54));
    free(svg);
    place_clear(&p);
}

Test(drawing, an_ending_that_is_none_of_three_is_refused)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__drawing_check("a.gif", &fault), HTMT_EUSAGE);
    cr_expect(strstr(fault.text, ".svg, .png or .pdf"), "%s", fault.text);
}

Test(drawing, a_png_too_large_for_cairo_is_refused_an_svg_is_not)
{
    struct place png = place("a.png"), svg = place("a.svg");
    struct htmt__drawing d = {.width = 20000, .height = 10};
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__drawing_write(png.path, &d, &fault), HTMT_ERANGE);
    cr_expect(strstr(fault.text, "40000 pixels"), "%s", fault.text);
    cr_expect_eq(access(png.path, F_OK), -1);
    cr_expect_eq(htmt__drawing_write(svg.path, &d, &fault), 0);
    place_clear(&png);
    place_clear(&svg);
}

Test(sheet, texts_are_made_utf_8_without_control_characters)
{
    struct htmt__sheet s = {0};
    htmt__sheet_text(&s, 0, 0, "%s",
                     "a\xff"
                     "b\nc\u00e9");
    cr_expect_str_eq(s.shape[0].text, "a?b?c\u00e9");
    htmt__sheet_clear(&s);
}

Test(sheet, shapes_keep_their_order_however_many)
{
    struct htmt__sheet s = {0};
    for (int i = 0; i < 1000; i++)
        htmt__sheet_text(&s, i, 0, "%d", i);
    cr_assert_eq(s.drawing.count, 1000);
    cr_expect_str_eq(s.shape[999].text, "999");
    cr_expect_float_eq(s.shape[500].x, 500, 1e-9);
    htmt__sheet_clear(&s);
    cr_expect_null(s.shape);
}

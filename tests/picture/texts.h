/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions about the texts of a sheet. Widths are estimated from above for a sans-serif font.
 */
#ifndef HTMT_TESTS_PICTURE_TEXTS_H
#define HTMT_TESTS_PICTURE_TEXTS_H

#include "emul/lib/picture/sheet.h"
#include "runtime/base/utf8.h"

#include <criterion/criterion.h>
#include <string.h>

static inline bool is_text(const struct htmt__shape *s)
{
    return s->kind == HTMT__SHAPE_TEXT && *s->text;
}

static inline unsigned count_texts(const struct htmt__sheet *sheet, const char *part)
{
    unsigned count = 0;
    for (size_t i = 0; i < sheet->drawing.count; i++)
        count += is_text(&sheet->shape[i]) && strstr(sheet->shape[i].text, part);
    return count;
}

/* The first one that is `text`. */
static inline const struct htmt__shape *find_text(const struct htmt__sheet *sheet, const char *text)
{
    for (size_t i = 0; i < sheet->drawing.count; i++)
        if (is_text(&sheet->shape[i]) && !strcmp(sheet->shape[i].text, text))
            return &sheet->shape[i];
    cr_assert_fail("no text '%s'", text);
    return NULL;
}

struct extent {
    double left, right, top, bottom;
};

static inline struct extent extent_of(const struct htmt__shape *s)
{
    double width = 0;
    for (const char *at = s->text; *at; at += htmt__utf8_character(at))
        width += s->size * (s->bold ? 0.62 : 0.56);
    width = s->room > 0 && width > s->room ? s->room : width;
    double left = s->x - width * s->anchor / 2;
    return (struct extent){left, left + width, s->y - 0.72 * s->size, s->y + 0.1 * s->size};
}

static inline bool overlap(struct extent a, struct extent b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

static inline void expect_texts_apart(const struct htmt__sheet *sheet)
{
    const struct htmt__shape *s = sheet->shape;
    for (size_t i = 0; i < sheet->drawing.count; i++)
        for (size_t k = i + 1; is_text(&s[i]) && k < sheet->drawing.count; k++)
            cr_expect(!is_text(&s[k]) || !overlap(extent_of(&s[i]), extent_of(&s[k])),
                      "'%s' covers '%s'", s[k].text, s[i].text);
}

static inline void expect_texts_inside(const struct htmt__sheet *sheet)
{
    for (size_t i = 0; i < sheet->drawing.count; i++) {
        if (!is_text(&sheet->shape[i]))
            continue;
        struct extent e = extent_of(&sheet->shape[i]);
        cr_expect(e.left >= 0 && e.right <= sheet->drawing.width && e.top >= 0 &&
                      e.bottom <= sheet->drawing.height,
                  "'%s' leaves the sheet", sheet->shape[i].text);
    }
}

#endif

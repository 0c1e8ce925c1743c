/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A drawing is a list of boxes, lines and texts, painted in the order of the list. All of them are
 * in the same units from the upper left corner. A PNG gets two pixels a unit, since print needs
 * more than a screen; SVG and PDF keep the shapes.
 */
#include "apps/formats/drawing.h"

#include "apps/formats/surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCALE   2.0 /* pixels of a PNG: print needs more than a screen */
#define SPACING 5.0 /* of hatching lines, along x */
#define HATCH   1.1 /* their thickness */
#define DASH    4.0
#define HEAD    7.0 /* length of an arrow's head */
#define CUT_MAX 240 /* bytes of a text that is cut */

static void choose(cairo_t *cr, uint32_t colour)
{
    cairo_set_source_rgb(cr, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static void trace_box(cairo_t *cr, const struct htmt__shape *m)
{
    double r = m->round, right = m->x + m->width, bottom = m->y + m->height;
    if (r <= 0) {
        cairo_rectangle(cr, m->x, m->y, m->width, m->height);
        return;
    }
    cairo_new_sub_path(cr);
    cairo_arc(cr, right - r, m->y + r, r, -M_PI / 2, 0);
    cairo_arc(cr, right - r, bottom - r, r, 0, M_PI / 2);
    cairo_arc(cr, m->x + r, bottom - r, r, M_PI / 2, M_PI);
    cairo_arc(cr, m->x + r, m->y + r, r, M_PI, 3 * M_PI / 2);
    cairo_close_path(cr);
}

/* Hatching: lines at 45 degrees, up and to the right, cut off at the box. They stand at multiples
 * of the spacing of x + y in the picture, not in the box, so the hatchings of neighbours join. A
 * line that leaves the bottom, or its extension to the left, at x enters the box `skipped` further
 * on. */
static void draw_box(cairo_t *cr, const struct htmt__shape *m)
{
    const double from = m->x - m->height, bottom = m->y + m->height, right = m->x + m->width;
    if (m->fill != HTMT__NO_COLOUR) {
        trace_box(cr, m);
        choose(cr, m->fill);
        cairo_fill(cr);
    }
    if (m->hatched) {
        choose(cr, m->ink);
        cairo_set_line_width(cr, HATCH);
        for (double x = ceil((from + bottom) / SPACING) * SPACING - bottom; x < right;
             x += SPACING) {
            const double skipped = fmax(m->x - x, 0), length = fmin(m->height, right - x);
            if (length <= skipped)
                continue;
            cairo_move_to(cr, x + skipped, bottom - skipped);
            cairo_line_to(cr, x + length, bottom - length);
        }
        cairo_stroke(cr);
    }
    if (m->thick <= 0)
        return;
    trace_box(cr, m);
    choose(cr, m->ink);
    cairo_set_line_width(cr, m->thick);
    cairo_stroke(cr);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* A line with a head ends in the middle of it, so that its own end does not show. */
static void draw_line(cairo_t *cr, const struct htmt__shape *m)
{
    double dash = DASH, length = hypot(m->width, m->height);
    double share = m->head && length > HEAD ? 1 - HEAD / 2 / length : 1;
    choose(cr, m->ink);
    cairo_set_line_width(cr, m->thick);
    cairo_set_dash(cr, &dash, m->dashed, 0);
    cairo_move_to(cr, m->x, m->y);
    cairo_line_to(cr, m->x + share * m->width, m->y + share * m->height);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    if (!m->head)
        return;
    cairo_save(cr);
    cairo_translate(cr, m->x + m->width, m->y + m->height);
    cairo_rotate(cr, atan2(m->height, m->width));
    cairo_move_to(cr, 0, 0);
    cairo_line_to(cr, -HEAD, HEAD / 2);
    cairo_line_to(cr, -HEAD, -HEAD / 2);
    cairo_close_path(cr);
    cairo_fill(cr);
    cairo_restore(cr);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    return e.x_advance;
}

/* Characters go, and spaces before them, for three dots, until the text fits. A `rare` text is
 * dropped instead of being shortened. Empty: not even one character does. The bytes 0x80 to 0xbf
 * continue a character of UTF-8, so none is cut in the middle: "vortex out" becomes "vortex o...",
 * then "vortex..." without the space before the dots. */
static void cut(cairo_t *cr, const struct htmt__shape *m, char text[static CUT_MAX + 4])
{
    snprintf(text, CUT_MAX, "%s", m->text);
    while (*text && width_of(cr, text) > m->room) {
        if (m->rare || !strcmp(text, "\u2026")) {
            *text = '\0';
            break;
        }
        size_t n = strlen(text);
        n -= n > 3 && !strcmp(text + n - 3, "\u2026") ? 3 : 0;
        do
            n -= n > 0;
        while (n && ((text[n] & 0xC0) == 0x80 || text[n - 1] == ' '));
        strcpy(text + n, "\u2026");
    }
}

static void draw_text(cairo_t *cr, const struct htmt__shape *m)
{
    char shown[CUT_MAX + 4];
    const char *text = m->text;
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           m->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, m->size);
    if (m->room > 0) {
        cut(cr, m, shown);
        text = shown;
    }
    double width = width_of(cr, text);
    choose(cr, m->ink);
    cairo_move_to(cr, m->x - width * (int)m->anchor / 2, m->y);
    cairo_show_text(cr, text);
}

/* ---- the list ------------------------------------------------------------------------------- */

static int draw(cairo_t *cr, void *context)
{
    static void (*const draw_kind[])(cairo_t * cr, const struct htmt__shape *m) = {
        [HTMT__SHAPE_BOX] = draw_box,
        [HTMT__SHAPE_LINE] = draw_line,
        [HTMT__SHAPE_TEXT] = draw_text,
    };
    const struct htmt__drawing *d = context;
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    for (size_t i = 0; i < d->count; i++)
        draw_kind[d->shape[i].kind](cr, &d->shape[i]);
    return 0;
}

int htmt__drawing_check(const char *path, struct htmt_fault *fault)
{
    return htmt__surface_check(path, fault);
}

int htmt__drawing_write(const char *path, const struct htmt__drawing *drawing,
                        struct htmt_fault *fault)
{
    struct htmt__drawing copy = *drawing;
    struct htmt__surface surface = {.width = drawing->width,
                                    .height = drawing->height,
                                    .scale = SCALE,
                                    .title = drawing->title,
                                    .draw = draw,
                                    .context = &copy};
    return htmt__surface_write(path, &surface, fault);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT    13.0 /* pixels */
#define SMALL   9.0  /* exponents */
#define TICK    5.0
#define GAP     8.0
#define LEFT    72.0
#define RIGHT   24.0
#define BOTTOM  58.0
#define KEY     28.0 /* length of a line in the legend */
#define CELL    2.0  /* a side of what a density counts on */
#define DISC    1.8  /* radius of a point */
#define FAINT   0.15 /* ink of a density's emptiest cell that is not empty */
#define SPACING 1.6  /* of lines of text, in their height */
#define BAR     0.6  /* width of a bar; a place has 1 */

struct board {
    cairo_t *cr;
    const struct htmt__plot *plot;
    const struct htmt__axis *x, *y;
    double left, top, width, height; /* of the frame */
};

/* Okabe and Ito's colours, which the colour-blind tell apart. */
static const double palette[][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                    {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
                                    {0.00, 0.00, 0.00}, {0.95, 0.90, 0.25}, {0.60, 0.60, 0.60}};

static void choose_colour(cairo_t *cr, unsigned i, double ink)
{
    const double *c = palette[i % (sizeof palette / sizeof *palette)];
    cairo_set_source_rgb(cr, 1 - ink * (1 - c[0]), 1 - ink * (1 - c[1]), 1 - ink * (1 - c[2]));
}

static double place_x(const struct board *b, double x)
{
    return b->left + b->width * htmt__axis_place(b->x, x);
}

static double place_y(const struct board *b, double y)
{
    return b->top + b->height * (1 - htmt__axis_place(b->y, y));
}

static bool can_show(const struct board *b, const struct htmt__plot_curve *c, size_t i)
{
    return htmt__axis_takes(b->x, c->x[i]) && htmt__axis_takes(b->y, c->y[i]);
}

/* ---- text ----------------------------------------------------------------------------------- */

static double text_width(cairo_t *cr, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    return e.x_advance;
}

/* `share` of its width lies to the left of x. */
static void put_text(cairo_t *cr, double x, double y, double share, const char *text)
{
    cairo_move_to(cr, x - share * text_width(cr, text), y);
    cairo_show_text(cr, text);
}

/* A power of ten with its exponent raised; returns the width, and draws only if asked. */
static double power_of_ten(cairo_t *cr, double x, double y, const char *base, const char *exponent,
                           bool draw)
{
    double wide = text_width(cr, base);
    if (draw)
        put_text(cr, x, y, 0, base);
    cairo_set_font_size(cr, SMALL);
    if (draw)
        put_text(cr, x + wide, y - 0.45 * TEXT, 0, exponent);
    wide += text_width(cr, exponent);
    cairo_set_font_size(cr, TEXT);
    return wide;
}

static void put_label(cairo_t *cr, const struct htmt__axis *axis, const char *label, double x,
                      double y, double share)
{
    if (!axis->log) {
        put_text(cr, x, y, share, label);
        return;
    }
    double wide = power_of_ten(cr, 0, 0, "10", label, false);
    power_of_ten(cr, x - share * wide, y, "10", label, true);
}

/* ---- frame ---------------------------------------------------------------------------------- */

static void draw_line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

static void grid_colour(cairo_t *cr)
{
    cairo_set_source_rgb(cr, 0.88, 0.88, 0.88);
}

static void text_colour(cairo_t *cr)
{
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
}

static void draw_x_ticks(const struct board *b)
{
    struct htmt__tick tick[HTMT__TICKS_MAX];
    unsigned n = htmt__axis_ticks(b->x, (unsigned)(b->width / 90) + 1, tick);
    double bottom = b->top + b->height;
    for (unsigned i = 0; i < n; i++) {
        double x = round(place_x(b, tick[i].at)) + 0.5;
        grid_colour(b->cr);
        if (*tick[i].label)
            draw_line(b->cr, x, b->top, x, bottom);
        text_colour(b->cr);
        draw_line(b->cr, x, bottom, x, bottom + (*tick[i].label ? TICK : TICK / 2));
        if (*tick[i].label)
            put_label(b->cr, b->x, tick[i].label, x, bottom + TICK + TEXT + 2, 0.5);
    }
}

static void put_name(const struct board *b, double x, double y, const char *name)
{
    char line[160];
    const char *second = strchr(name, '\n');
    snprintf(line, sizeof line, "%.*s", (int)(second ? second - name : (long)sizeof line - 1),
             name);
    put_text(b->cr, x, y, 0.5, line);
    if (second)
        put_text(b->cr, x, y + SPACING * TEXT, 0.5, second + 1);
}

static void draw_bar_names(const struct board *b)
{
    text_colour(b->cr);
    for (unsigned i = 0; b->plot->bars[i]; i++)
        put_name(b, place_x(b, i + 1), b->top + b->height + TICK + TEXT + 2, b->plot->bars[i]);
}

static void draw_y_ticks(const struct board *b)
{
    struct htmt__tick tick[HTMT__TICKS_MAX];
    unsigned n = htmt__axis_ticks(b->y, (unsigned)(b->height / 55) + 1, tick);
    for (unsigned i = 0; i < n; i++) {
        double y = round(place_y(b, tick[i].at)) + 0.5;
        grid_colour(b->cr);
        if (*tick[i].label)
            draw_line(b->cr, b->left, y, b->left + b->width, y);
        text_colour(b->cr);
        draw_line(b->cr, b->left, y, b->left - (*tick[i].label ? TICK : TICK / 2), y);
        if (*tick[i].label)
            put_label(b->cr, b->y, tick[i].label, b->left - TICK - 3, y + 0.35 * TEXT, 1);
    }
}

/* "x 10^-6" where the labels leave it out. */
static void draw_scale(const struct board *b, const struct htmt__axis *axis, double x, double y,
                       double share)
{
    char exponent[12];
    if (axis->exponent == 0)
        return;
    snprintf(exponent, sizeof exponent, "%d", axis->exponent);
    double wide = power_of_ten(b->cr, 0, 0, "\u00d7 10", exponent, false);
    power_of_ten(b->cr, x - share * wide, y, "\u00d7 10", exponent, true);
}

static void draw_names(const struct board *b)
{
    const struct htmt__plot *p = b->plot;
    double bottom = b->top + b->height;
    text_colour(b->cr);
    if (p->x_label)
        put_text(b->cr, b->left + b->width / 2, bottom + BOTTOM - GAP, 0.5, p->x_label);
    draw_scale(b, b->x, b->left + b->width, bottom + BOTTOM - GAP, 1);
    draw_scale(b, b->y, GAP, b->top - GAP, 0);
    if (!p->y_label)
        return;
    cairo_save(b->cr);
    cairo_translate(b->cr, GAP + TEXT * 0.6, b->top + b->height / 2);
    cairo_rotate(b->cr, -M_PI / 2);
    put_text(b->cr, 0, 0, 0.5, p->y_label);
    cairo_restore(b->cr);
}

static void draw_frame(const struct board *b)
{
    cairo_set_line_width(b->cr, 1);
    if (b->plot->bars)
        draw_bar_names(b);
    else
        draw_x_ticks(b);
    draw_y_ticks(b);
    draw_names(b);
    cairo_rectangle(b->cr, b->left + 0.5, b->top + 0.5, b->width, b->height);
    text_colour(b->cr);
    cairo_stroke(b->cr);
}

/* ---- title and legend, from above ----------------------------------------------------------- */

static double entry_width(cairo_t *cr, const char *name)
{
    return KEY + GAP / 2 + text_width(cr, name) + 2 * GAP;
}

static void draw_key(cairo_t *cr, const struct htmt__plot_curve *c, unsigned i, double x, double y)
{
    double dash = 5;
    choose_colour(cr, i, 1);
    if (c->style == HTMT__PLOT_POINTS || c->style == HTMT__PLOT_DENSITY) {
        cairo_arc(cr, x + KEY / 2, y, 2 * DISC, 0, 2 * M_PI);
        cairo_fill(cr);
        return;
    }
    if (c->style == HTMT__PLOT_STACK) {
        cairo_rectangle(cr, x + KEY - TEXT, y - TEXT / 2, TEXT, TEXT);
        cairo_fill(cr);
        return;
    }
    cairo_set_line_width(cr, 2);
    cairo_set_dash(cr, &dash, c->style == HTMT__PLOT_DASHED, 0);
    draw_line(cr, x, y, x + KEY, y);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* Entries in rows from `top` on; returns where they end. */
static double draw_legend(const struct board *b, double top, double right)
{
    double x = b->left, y = top;
    bool any = false;
    for (unsigned i = 0; i < b->plot->count; i++) {
        const struct htmt__plot_curve *c = &b->plot->curves[i];
        if (!c->name)
            continue;
        double wide = entry_width(b->cr, c->name);
        if (any && x + wide > right) {
            x = b->left;
            y += SPACING * TEXT;
        }
        any = true;
        draw_key(b->cr, c, i, x, y + 0.6 * TEXT);
        text_colour(b->cr);
        put_text(b->cr, x + KEY + GAP / 2, y + TEXT, 0, c->name);
        x += wide;
    }
    return any ? y + SPACING * TEXT : y;
}

static double draw_head(const struct board *b, double width)
{
    double y = GAP;
    text_colour(b->cr);
    if (b->plot->title) {
        cairo_select_font_face(b->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_BOLD);
        put_text(b->cr, b->left, y + TEXT, 0, b->plot->title);
        cairo_select_font_face(b->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        y += SPACING * TEXT + 2;
    }
    y = draw_legend(b, y, width - RIGHT);
    return y + (b->y->exponent ? SPACING * TEXT : GAP);
}

/* ---- curves --------------------------------------------------------------------------------- */

static void draw_curve(const struct board *b, const struct htmt__plot_curve *c, unsigned colour)
{
    double dash = 5;
    bool pen_down = false;
    choose_colour(b->cr, colour, 1);
    cairo_set_line_width(b->cr, 1.6);
    cairo_set_line_join(b->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(b->cr, &dash, c->style == HTMT__PLOT_DASHED, 0);
    for (size_t i = 0; i < c->count; i++) {
        bool shown = can_show(b, c, i);
        if (shown && pen_down)
            cairo_line_to(b->cr, place_x(b, c->x[i]), place_y(b, c->y[i]));
        else if (shown)
            cairo_move_to(b->cr, place_x(b, c->x[i]), place_y(b, c->y[i]));
        pen_down = shown;
    }
    cairo_stroke(b->cr);
    cairo_set_dash(b->cr, NULL, 0, 0);
}

static void draw_points(const struct board *b, const struct htmt__plot_curve *c, unsigned colour)
{
    choose_colour(b->cr, colour, 1);
    for (size_t i = 0; i < c->count; i++) {
        if (!can_show(b, c, i))
            continue;
        cairo_arc(b->cr, place_x(b, c->x[i]), place_y(b, c->y[i]), DISC, 0, 2 * M_PI);
        cairo_fill(b->cr);
    }
}

double htmt__plot_base(const struct htmt__plot *plot, unsigned n, size_t i)
{
    double base = 0;
    for (unsigned k = 0; k < n; k++)
        if (plot->curves[k].style == HTMT__PLOT_STACK && i < plot->curves[k].count)
            base += plot->curves[k].y[i];
    return base;
}

static void draw_stack(const struct board *b, unsigned n)
{
    const struct htmt__plot_curve *c = &b->plot->curves[n];
    choose_colour(b->cr, n, 1);
    for (size_t i = 0; i < c->count; i++) {
        const double base = htmt__plot_base(b->plot, n, i), left = place_x(b, c->x[i] - BAR / 2);
        const double bottom = place_y(b, base), top = place_y(b, base + c->y[i]);
        cairo_rectangle(b->cr, left, top, place_x(b, c->x[i] + BAR / 2) - left, bottom - top);
        cairo_fill(b->cr);
    }
}

struct cells {
    unsigned columns, rows, most;
    unsigned *count;
};

static void count_points(const struct board *b, const struct htmt__plot_curve *c,
                         struct cells *cells)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!can_show(b, c, i))
            continue;
        double column = floor((place_x(b, c->x[i]) - b->left) / CELL);
        double row = floor((place_y(b, c->y[i]) - b->top) / CELL);
        if (!(column >= 0 && row >= 0 && column < cells->columns && row < cells->rows))
            continue;
        unsigned n = ++cells->count[(size_t)row * cells->columns + (size_t)column];
        cells->most = n > cells->most ? n : cells->most;
    }
}

/* Ink grows with the square root of the count: thin regions stay visible. */
static void draw_cells(const struct board *b, const struct cells *cells, unsigned colour)
{
    cairo_set_antialias(b->cr, CAIRO_ANTIALIAS_NONE);
    for (unsigned row = 0; row < cells->rows; row++)
        for (unsigned column = 0; column < cells->columns; column++) {
            unsigned n = cells->count[(size_t)row * cells->columns + column];
            if (!n)
                continue;
            choose_colour(b->cr, colour,
                          FAINT + (1 - FAINT) * sqrt((double)n / (double)cells->most));
            cairo_rectangle(b->cr, b->left + CELL * column, b->top + CELL * row, CELL, CELL);
            cairo_fill(b->cr);
        }
    cairo_set_antialias(b->cr, CAIRO_ANTIALIAS_DEFAULT);
}

static int draw_density(const struct board *b, const struct htmt__plot_curve *c, unsigned colour)
{
    struct cells cells = {(unsigned)ceil(b->width / CELL), (unsigned)ceil(b->height / CELL), 0,
                          NULL};
    cells.count = calloc((size_t)cells.columns * cells.rows, sizeof *cells.count);
    if (!cells.count)
        return HTMT_ENOMEM;
    count_points(b, c, &cells);
    draw_cells(b, &cells, colour);
    free(cells.count);
    return 0;
}

static int draw_curves(const struct board *b)
{
    int rc = 0;
    cairo_save(b->cr);
    cairo_rectangle(b->cr, b->left, b->top, b->width, b->height);
    cairo_clip(b->cr);
    for (unsigned i = 0; i < b->plot->count && !rc; i++) {
        const struct htmt__plot_curve *c = &b->plot->curves[i];
        if (c->style == HTMT__PLOT_DENSITY)
            rc = draw_density(b, c, i);
        else if (c->style == HTMT__PLOT_POINTS)
            draw_points(b, c, i);
        else if (c->style == HTMT__PLOT_STACK)
            draw_stack(b, i);
        else
            draw_curve(b, c, i);
    }
    cairo_restore(b->cr);
    return rc;
}

int htmt__plot_draw(cairo_t *cr, const struct htmt__plot *plot, const struct htmt__axis *x,
                    const struct htmt__axis *y, double width, double height)
{
    struct board b = {.cr = cr, .plot = plot, .x = x, .y = y, .left = LEFT};
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, TEXT);
    b.top = draw_head(&b, width);
    b.width = fmax(width - b.left - RIGHT, 10);
    b.height = fmax(height - b.top - BOTTOM, 10);
    draw_frame(&b);
    return draw_curves(&b);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plots of a file stand one below the other. Axes are settled first, since a plot without a
 * point that could be shown is refused before a file is made. Then each is drawn from above:
 *
 *     GAP    title
 *            key name   key name   ...      rows of the legend, as many as it needs
 *            x 10^3                         where the labels of y leave an exponent out
 *      LEFT +-------------------------+ RIGHT
 *         9 |                         |
 *         6 |       the curves        |     cut off at the frame
 *         3 |                         |
 *           +-------------------------+
 *           0       10       20
 *    BOTTOM         label of x   x 10^3
 *
 * Only the height of the legend depends on the curves, so the frame takes what the rows above and
 * the margins leave of the picture, but never less than 10 pixels.
 *
 * Stacks. Curves of the style STACK are bars on top of each other: bar i of a stack begins where
 * the stacks before it in the list add up to. The stacks of a plot therefore have their bars at the
 * same places of x; a stack with fewer bars adds nothing to the rest.
 */
#include "apps/formats/plot.h"

#include "apps/formats/plot_axis.h"
#include "apps/formats/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH   800
#define HEIGHT  500
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

int htmt__plot_check(const char *path, struct htmt_fault *fault)
{
    return htmt__surface_check(path, fault);
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* The plots of a file, from above. */
struct page {
    unsigned width, height, count;
    struct panel {
        const struct htmt__plot *plot;
        struct htmt__axis x, y;
        unsigned height;
    } panel[HTMT__PLOT_PANELS];
};

/* Where bar i of stack number n begins: what the stacks before it add up to. */
static double stack_base(const struct htmt__plot *plot, unsigned n, size_t i)
{
    double base = 0;
    for (unsigned k = 0; k < n; k++)
        if (plot->curves[k].style == HTMT__PLOT_STACK && i < plot->curves[k].count)
            base += plot->curves[k].y[i];
    return base;
}

static bool settle(struct htmt__axis *axis, double least, double most)
{
    bool fixed = least != 0 || most != 0;
    if (fixed) {
        axis->least = least;
        axis->most = most;
    }
    return htmt__axis_takes(axis, axis->least) && htmt__axis_settle(axis, fixed);
}

static bool make_axes(struct panel *panel)
{
    const struct htmt__plot *p = panel->plot;
    struct htmt__axis *x = &panel->x, *y = &panel->y;
    *x = htmt__axis_empty(p->log_x);
    *y = htmt__axis_empty(p->log_y);
    for (unsigned n = 0; n < p->count; n++) {
        const struct htmt__plot_curve *c = &p->curves[n];
        const bool stack = c->style == HTMT__PLOT_STACK;
        for (size_t i = 0; i < c->count; i++) {
            if (!stack && !(htmt__axis_takes(x, c->x[i]) && htmt__axis_takes(y, c->y[i])))
                continue;
            htmt__axis_include(x, c->x[i]);
            if (stack)
                htmt__axis_include(y, 0);
            htmt__axis_include(y, stack ? stack_base(p, n, i) + c->y[i] : c->y[i]);
        }
    }
    return settle(x, p->x_least, p->x_most) && settle(y, p->y_least, p->y_most);
}

/* ---- a plot -------------------------------------------------------------------------------- */

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

/* A power of ten with its exponent raised, `share` of its width to the left of x. */
static void put_power(cairo_t *cr, double x, double y, double share, const char *base,
                      const char *exponent)
{
    const double wide = text_width(cr, base);
    cairo_set_font_size(cr, SMALL);
    const double all = wide + text_width(cr, exponent);
    cairo_set_font_size(cr, TEXT);
    put_text(cr, x - share * all, y, 0, base);
    cairo_set_font_size(cr, SMALL);
    put_text(cr, x - share * all + wide, y - 0.45 * TEXT, 0, exponent);
    cairo_set_font_size(cr, TEXT);
}

static void put_label(cairo_t *cr, const struct htmt__axis *axis, const char *label, double x,
                      double y, double share)
{
    if (axis->log && !axis->narrow)
        put_power(cr, x, y, share, "10", label);
    else
        put_text(cr, x, y, share, label);
}

/* ---- frame ---------------------------------------------------------------------------------- */

static void draw_line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

static void text_colour(cairo_t *cr)
{
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
}

/* Labelled ticks have a line across the frame. */
static void draw_ticks(const struct board *b, bool vertical)
{
    const struct htmt__axis *axis = vertical ? b->y : b->x;
    const double bottom = b->top + b->height;
    struct htmt__tick tick[HTMT__TICKS_MAX];
    unsigned n =
        htmt__axis_ticks(axis, (unsigned)(vertical ? b->height / 55 : b->width / 90) + 1, tick);
    for (unsigned i = 0; i < n; i++) {
        const char *label = tick[i].label;
        const double length = *label ? TICK : TICK / 2;
        const double at = round(vertical ? place_y(b, tick[i].at) : place_x(b, tick[i].at)) + 0.5;
        cairo_set_source_rgb(b->cr, 0.88, 0.88, 0.88);
        if (*label && vertical)
            draw_line(b->cr, b->left, at, b->left + b->width, at);
        else if (*label)
            draw_line(b->cr, at, b->top, at, bottom);
        text_colour(b->cr);
        if (vertical)
            draw_line(b->cr, b->left, at, b->left - length, at);
        else
            draw_line(b->cr, at, bottom, at, bottom + length);
        if (*label && vertical)
            put_label(b->cr, axis, label, b->left - TICK - 3, at + 0.35 * TEXT, 1);
        else if (*label)
            put_label(b->cr, axis, label, at, bottom + TICK + TEXT + 2, 0.5);
    }
}

/* Of places 1, 2, ..: names of a line or two. */
static void draw_bar_names(const struct board *b)
{
    const double y = b->top + b->height + TICK + TEXT + 2;
    text_colour(b->cr);
    for (unsigned i = 0; b->plot->bars[i]; i++) {
        const char *name = b->plot->bars[i], *second = strchr(name, '\n');
        char line[160];
        snprintf(line, sizeof line, "%.*s", (int)(second ? second - name : (long)sizeof line - 1),
                 name);
        put_text(b->cr, place_x(b, i + 1), y, 0.5, line);
        if (second)
            put_text(b->cr, place_x(b, i + 1), y + SPACING * TEXT, 0.5, second + 1);
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
    put_power(b->cr, x, y, share, "\u00d7 10", exponent);
}

static void draw_frame(const struct board *b)
{
    const struct htmt__plot *p = b->plot;
    const double below = b->top + b->height + BOTTOM - GAP;
    cairo_set_line_width(b->cr, 1);
    if (p->bars)
        draw_bar_names(b);
    else
        draw_ticks(b, false);
    draw_ticks(b, true);
    text_colour(b->cr);
    if (p->x_label)
        put_text(b->cr, b->left + b->width / 2, below, 0.5, p->x_label);
    draw_scale(b, b->x, b->left + b->width, below, 1);
    draw_scale(b, b->y, GAP, b->top - GAP, 0);
    if (p->y_label) {
        cairo_save(b->cr);
        cairo_translate(b->cr, GAP + TEXT * 0.6, b->top + b->height / 2);
        cairo_rotate(b->cr, -M_PI / 2);
        put_text(b->cr, 0, 0, 0.5, p->y_label);
        cairo_restore(b->cr);
    }
    cairo_rectangle(b->cr, b->left + 0.5, b->top + 0.5, b->width, b->height);
    text_colour(b->cr);
    cairo_stroke(b->cr);
}

/* ---- title and legend, from above ----------------------------------------------------------- */

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

/* Title, and entries in rows; returns where the frame begins, above which the scale of y stands. */
static double draw_head(const struct board *b, double right)
{
    double x = b->left, y = GAP;
    bool any = false;
    text_colour(b->cr);
    if (b->plot->title) {
        cairo_select_font_face(b->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_BOLD);
        put_text(b->cr, x, y + TEXT, 0, b->plot->title);
        cairo_select_font_face(b->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        y += SPACING * TEXT + 2;
    }
    for (unsigned i = 0; i < b->plot->count; i++) {
        const struct htmt__plot_curve *c = &b->plot->curves[i];
        if (!c->name)
            continue;
        double wide = KEY + GAP / 2 + text_width(b->cr, c->name) + 2 * GAP;
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
    return y + (any ? SPACING * TEXT : 0) + (b->y->exponent ? SPACING * TEXT : GAP);
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

/* Points as discs, or the bars of a stack. */
static void draw_marks(const struct board *b, unsigned n)
{
    const struct htmt__plot_curve *c = &b->plot->curves[n];
    choose_colour(b->cr, n, 1);
    for (size_t i = 0; i < c->count; i++) {
        if (c->style == HTMT__PLOT_STACK) {
            const double base = stack_base(b->plot, n, i), left = place_x(b, c->x[i] - BAR / 2);
            const double bottom = place_y(b, base), top = place_y(b, base + c->y[i]);
            cairo_rectangle(b->cr, left, top, place_x(b, c->x[i] + BAR / 2) - left, bottom - top);
        } else if (can_show(b, c, i)) {
            cairo_arc(b->cr, place_x(b, c->x[i]), place_y(b, c->y[i]), DISC, 0, 2 * M_PI);
        } else {
            continue;
        }
        cairo_fill(b->cr);
    }
}

/* Points fall into cells, whose ink grows with the square root of their number: thin regions stay
 * visible beside thick ones. Of 1 point in a cell and 100 in another the first has 0.15 + 0.085 of
 * the ink, where a straight line would leave it 0.0085 more than none. */
static int draw_density(const struct board *b, const struct htmt__plot_curve *c, unsigned colour)
{
    const unsigned columns = (unsigned)ceil(b->width / CELL),
                   rows = (unsigned)ceil(b->height / CELL);
    unsigned *count = calloc((size_t)columns * rows, sizeof *count), most = 0;
    if (!count)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < c->count; i++) {
        if (!can_show(b, c, i))
            continue;
        double column = floor((place_x(b, c->x[i]) - b->left) / CELL);
        double row = floor((place_y(b, c->y[i]) - b->top) / CELL);
        if (!(column >= 0 && row >= 0 && column < columns && row < rows))
            continue;
        unsigned n = ++count[(size_t)row * columns + (size_t)column];
        most = n > most ? n : most;
    }
    cairo_set_antialias(b->cr, CAIRO_ANTIALIAS_NONE);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned column = 0; column < columns; column++) {
            unsigned n = count[(size_t)row * columns + column];
            if (!n)
                continue;
            choose_colour(b->cr, colour, FAINT + (1 - FAINT) * sqrt((double)n / (double)most));
            cairo_rectangle(b->cr, b->left + CELL * column, b->top + CELL * row, CELL, CELL);
            cairo_fill(b->cr);
        }
    cairo_set_antialias(b->cr, CAIRO_ANTIALIAS_DEFAULT);
    free(count);
    return 0;
}

/* Head, frame, and what the curves show inside of it. */
static int draw_plot(struct board *b, double width, double height)
{
    int rc = 0;
    cairo_set_source_rgb(b->cr, 1, 1, 1);
    cairo_paint(b->cr);
    cairo_select_font_face(b->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(b->cr, TEXT);
    b->left = LEFT;
    b->top = draw_head(b, width - RIGHT);
    b->width = fmax(width - b->left - RIGHT, 10);
    b->height = fmax(height - b->top - BOTTOM, 10);
    draw_frame(b);
    cairo_save(b->cr);
    cairo_rectangle(b->cr, b->left, b->top, b->width, b->height);
    cairo_clip(b->cr);
    for (unsigned i = 0; i < b->plot->count && !rc; i++) {
        const struct htmt__plot_curve *c = &b->plot->curves[i];
        if (c->style == HTMT__PLOT_DENSITY)
            rc = draw_density(b, c, i);
        else if (c->style == HTMT__PLOT_POINTS || c->style == HTMT__PLOT_STACK)
            draw_marks(b, i);
        else
            draw_curve(b, c, i);
    }
    cairo_restore(b->cr);
    return rc;
}

/* ---- the file ------------------------------------------------------------------------------ */

static int draw_panels(cairo_t *cr, void *context)
{
    const struct page *page = context;
    int rc = 0;
    for (unsigned i = 0; i < page->count && !rc; i++) {
        const struct panel *p = &page->panel[i];
        cairo_save(cr);
        if (page->count > 1) {
            cairo_rectangle(cr, 0, 0, page->width, p->height);
            cairo_clip(cr);
        }
        struct board b = {.cr = cr, .plot = p->plot, .x = &p->x, .y = &p->y};
        rc = draw_plot(&b, page->width, p->height);
        cairo_restore(cr);
        cairo_translate(cr, 0, p->height);
    }
    return rc;
}

int htmt__plot_write(const char *path, const struct htmt__plot *plot, struct htmt_fault *fault)
{
    struct page page = {.width = plot->width ? plot->width : WIDTH};
    int rc = htmt__surface_check(path, fault);
    if (rc)
        return rc;
    for (const struct htmt__plot *p = plot; p && page.count < HTMT__PLOT_PANELS; p = p->below) {
        struct panel *panel = &page.panel[page.count++];
        panel->plot = p;
        panel->height = p->height ? p->height : HEIGHT;
        page.height += panel->height;
        if (!make_axes(panel))
            return htmt_fault_set(fault, HTMT_EINVAL, "%s: there is no point that could be plotted",
                                  path);
    }
    struct htmt__surface surface = {.width = page.width,
                                    .height = page.height,
                                    .scale = 1,
                                    .draw = draw_panels,
                                    .context = &page};
    return htmt__surface_write(path, &surface, fault);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chart has a plot with two axes, and room around it for names and figures. Callers think in
 * values; htmt__chart_x() and htmt__chart_y() turn them into places, and everything is drawn by
 * four marks: texts, lines, bars and dots.
 */
#include "emul/lib/report/chart.h"

#include "emul/lib/report/markup.h"
#include "emul/lib/text/format.h"
#include "runtime/base/axis.h"

#include <math.h>
#include <string.h>

enum { TICKS = 6, DECADES = 8, LINE = 16, RADIUS = 6 };

void htmt__chart_begin(const struct htmt__chart *c, const char *name)
{
    htmt__markup(c->out,
                 "<div class=\"wide\"><svg viewBox=\"0 0 %.2f %.2f\" width=\"%.2f\" "
                 "height=\"%.2f\" role=\"img\" aria-label=\"%s\">\n",
                 c->left + c->width + c->right, c->top + c->height + c->bottom,
                 c->left + c->width + c->right, c->top + c->height + c->bottom, name);
}

void htmt__chart_end(const struct htmt__chart *c)
{
    fputs("</svg></div>\n", c->out);
}

/* 0 to 1 along the axis; a value beyond it lies at its end. */
static double share_of(const struct htmt__chart_axis *axis, double value)
{
    double share =
        axis->log && !(value > 0) ? 0 : htmt__axis_share(axis->from, axis->to, axis->log, value);
    return isfinite(share) ? fmin(fmax(share, 0), 1) : 0;
}

double htmt__chart_x(const struct htmt__chart *c, double value)
{
    return c->left + c->width * share_of(&c->x, value);
}

double htmt__chart_y(const struct htmt__chart *c, double value)
{
    return c->top + c->height * (1 - share_of(&c->y, value));
}

void htmt__chart_text(const struct htmt__chart *c, double x, double y, const char *anchor,
                      const char *class, const char *text)
{
    htmt__markup(c->out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" class=\"%s\">%s</text>\n",
                 x, y, anchor, class, text);
}

void htmt__chart_line(const struct htmt__chart *c, double x0, double y0, double x1, double y1,
                      const char *class)
{
    htmt__markup(c->out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" class=\"%s\"/>\n",
                 x0, y0, x1, y1, class);
}

void htmt__chart_bar(const struct htmt__chart *c, const struct htmt__box *b, const char *class,
                     const char *of, double value, const char *title)
{
    htmt__markup(c->out,
                 "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"%s\" "
                 "data-of=\"%s\" data-value=\"%.17g\"><title>%s</title></rect>\n",
                 b->x, b->y, fmax(b->width, 0), b->height, class, of, value, title);
}

void htmt__chart_dot(const struct htmt__chart *c, double x, double y, const char *class,
                     const char *of, const char *title)
{
    htmt__markup(c->out,
                 "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%d\" class=\"%s\" data-of=\"%s\" "
                 "data-x=\"%.17g\" data-y=\"%.17g\"><title>%s</title></circle>\n",
                 htmt__chart_x(c, x), htmt__chart_y(c, y), RADIUS, class, of, x, y, title);
}

/* ---- axes ------------------------------------------------------------------------------------ */

static struct htmt__number label_of(const struct htmt__chart_axis *axis, double value)
{
    struct htmt__number n;
    if (strcmp(axis->unit, "%") == 0)
        snprintf(n.s, sizeof n.s, "%.3g %%", 100 * value);
    else if (axis->unit[0] || value >= 1000)
        n = htmt__format_si(value, axis->unit);
    else
        snprintf(n.s, sizeof n.s, "%.3g", value);
    return n;
}

/* A line and a figure at each tick. Ticks of a logarithmic axis are powers of ten, every second or
 * third one if there are many. */
static void grid(const struct htmt__chart *c, const struct htmt__chart_axis *axis)
{
    const double first = log10(axis->from), last = log10(axis->to);
    const double right = c->left + c->width, foot = c->top + c->height;
    double step =
        axis->log ? ceil((last - first) / DECADES) : htmt__axis_step(axis->to - axis->from, TICKS);
    double from = axis->log ? first : axis->from, to = axis->log ? last : axis->to;
    for (double n = ceil(from / step - 1e-9); n * step <= to + 1e-9 * step; n++) {
        double value = axis->log ? pow(10, n * step) : n * step + 0.0; /* no -0 */
        double x = htmt__chart_x(c, value), y = htmt__chart_y(c, value);
        if (axis == &c->x) {
            htmt__chart_line(c, x, c->top, x, foot, "grid");
            htmt__chart_text(c, x, foot + LINE, "middle", "dim", label_of(axis, value).s);
        } else {
            htmt__chart_line(c, c->left, y, right, y, "grid");
            htmt__chart_text(c, c->left - 6, y + 4, "end", "dim", label_of(axis, value).s);
        }
    }
}

void htmt__chart_grid_x(const struct htmt__chart *c)
{
    grid(c, &c->x);
    htmt__chart_text(c, c->left + c->width / 2, c->top + c->height + 2.2 * LINE, "middle", "dim",
                     c->x.name);
}

void htmt__chart_grid_y(const struct htmt__chart *c)
{
    grid(c, &c->y);
    htmt__chart_text(c, 4, c->top - 12, "start", "dim", c->y.name);
}

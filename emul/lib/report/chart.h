/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Charts as SVG within a page; colours are those of the classes in the page's style. Marks carry
 * the figures that they show in `data-` attributes, and a title that browsers show on hovering.
 */
#ifndef HTMT_EMUL_LIB_REPORT_CHART_H
#define HTMT_EMUL_LIB_REPORT_CHART_H

#include <stdbool.h>
#include <stdio.h>

struct htmt__chart_axis {
    double from, to; /* from < to; of a logarithmic axis both above 0 */
    bool log;
    const char *unit; /* "s"; "%": shares; "" */
    const char *name; /* under the axis */
};

/* The plot lies `left` and `top` from the corner of a chart that is `left` + `width` + `right`
 * wide. */
struct htmt__chart {
    FILE *out;
    double left, top, width, height, right, bottom;
    struct htmt__chart_axis x, y;
};

/* A rectangle in the chart. */
struct htmt__box {
    double x, y, width, height;
};

void htmt__chart_begin(const struct htmt__chart *chart, const char *name);
void htmt__chart_end(const struct htmt__chart *chart);

/* Places of values; values beyond an axis lie at its end. */
double htmt__chart_x(const struct htmt__chart *chart, double value);
double htmt__chart_y(const struct htmt__chart *chart, double value);

/* Grid lines with figures, and the name of the axis. */
void htmt__chart_grid_x(const struct htmt__chart *chart);
void htmt__chart_grid_y(const struct htmt__chart *chart);

/* `anchor`: start, middle, end. */
void htmt__chart_text(const struct htmt__chart *chart, double x, double y, const char *anchor,
                      const char *class, const char *text);
void htmt__chart_line(const struct htmt__chart *chart, double x0, double y0, double x1, double y1,
                      const char *class);
/* A mark of `value` of the thing `of`. */
void htmt__chart_bar(const struct htmt__chart *chart, const struct htmt__box *box,
                     const char *class, const char *of, double value, const char *title);
/* A mark of a pair of values of the thing `of`. */
void htmt__chart_dot(const struct htmt__chart *chart, double x, double y, const char *class,
                     const char *of, const char *title);

#endif

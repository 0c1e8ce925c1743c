/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small plots by cairo: curves, scattered points and stacked bars over two axes, as SVG, PNG or PDF
 * by the ending of the file's name, whole or not at all. The same points give the same bytes.
 */
#ifndef HTMT_APPS_FORMATS_PLOT_H
#define HTMT_APPS_FORMATS_PLOT_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum htmt__plot_style {
    HTMT__PLOT_LINE,
    HTMT__PLOT_DASHED,  /* a theory beside what was computed */
    HTMT__PLOT_POINTS,  /* small discs */
    HTMT__PLOT_DENSITY, /* many points: each pixel is darker the more points fall on it */
    HTMT__PLOT_STACK,   /* bars upon those of the stacks before, which have the same places */
};

/* Points that are not finite, or not positive on a logarithmic axis, are left out and break a
 * line. */
struct htmt__plot_curve {
    const char *name; /* in the legend; NULL: not there */
    enum htmt__plot_style style;
    size_t count;
    const double *x, *y;
};

struct htmt__plot {
    const char *title, *x_label, *y_label; /* UTF-8; NULL: none */
    bool log_x, log_y;
    double x_least, x_most, y_least, y_most; /* both 0: as the points need */
    unsigned width, height;                  /* pixels; 0: 800 x 500 */
    const struct htmt__plot_curve *curves;
    unsigned count;
    const struct htmt__plot
        *below;              /* another plot of the same width in the same file; NULL: none */
    const char *const *bars; /* names of the places 1, 2, .., of a line or two, up to NULL; NULL:
                                the axis has figures */
};

/* Most plots in a file. */
#define HTMT__PLOT_PANELS 4

/* Errors: HTMT_EUSAGE (a path that ends in none of .svg, .png, .pdf), those of
 * runtime/base/whole_file.h, HTMT_EINVAL (nothing to be drawn, or an axis without extent),
 * HTMT_ENOMEM. */
int htmt__plot_write(const char *path, const struct htmt__plot *plot, struct htmt_fault *fault);

/* Is that a name that htmt__plot_write() takes, and can it be written later? Errors: as above. */
int htmt__plot_check(const char *path, struct htmt_fault *fault);

/* The same functions for who does not link cairo: what plot.so exports under this name. */
#define HTMT__PLOT_PART "htmt_plot"

struct htmt__plot_part {
    int (*check)(const char *path, struct htmt_fault *fault);
    int (*write)(const char *path, const struct htmt__plot *plot, struct htmt_fault *fault);
};
extern const struct htmt__plot_part htmt_plot __attribute__((visibility("default")));

#endif

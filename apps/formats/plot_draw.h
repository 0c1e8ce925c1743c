/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plot on a cairo context.
 */
#ifndef HTMT_APPS_FORMATS_PLOT_DRAW_H
#define HTMT_APPS_FORMATS_PLOT_DRAW_H

#include "apps/formats/plot.h"
#include "apps/formats/plot_axis.h"

#include <cairo.h>

/* Where bar i of stack number n begins: what the stacks before it add up to. */
double htmt__plot_base(const struct htmt__plot *plot, unsigned n, size_t i);

/* Axes are settled. Errors: HTMT_ENOMEM. */
int htmt__plot_draw(cairo_t *cr, const struct htmt__plot *plot, const struct htmt__axis *x,
                    const struct htmt__axis *y, double width, double height);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library and its plug-ins: the arithmetic of an axis, which plots, pictures and pages
 * share.
 */
#ifndef HTMT_RUNTIME_BASE_AXIS_H
#define HTMT_RUNTIME_BASE_AXIS_H

#include <stdbool.h>

/* The distance of ticks: 1, 2 or 5 times a power of ten, such that about `wanted` of them cover the
 * span. */
double htmt__axis_step(double span, unsigned wanted);

/* Where a value stands between the ends of an axis: 0 at `from`, 1 at `to`. Of a logarithmic axis
 * all three are positive. */
double htmt__axis_share(double from, double to, bool logarithmic, double value);

#endif

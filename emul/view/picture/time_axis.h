/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An axis of virtual time: where an instant stands, and its ticks, in a unit that keeps them short.
 */
#ifndef HTMT_EMUL_VIEW_PICTURE_TIME_AXIS_H
#define HTMT_EMUL_VIEW_PICTURE_TIME_AXIS_H

#include "emul/lib/picture/sheet.h"
#include "runtime/base/ratio.h"

struct htmt__time_axis {
    htmt_time from, to; /* from < to */
    double left, width;
};

double htmt__time_place(const struct htmt__time_axis *axis, htmt_time at);

/* Grid lines from `top` to `bottom`, then the ticks with their labels and the unit below. Where
 * labels would be long, they count from an instant that is given in full. It takes
 * HTMT__TIME_AXIS_HEIGHT below `bottom`. */
#define HTMT__TIME_AXIS_HEIGHT 44.0
void htmt__time_draw(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, double top,
                     double bottom);

#endif

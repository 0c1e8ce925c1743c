/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ends of an axis, and its ticks.
 *
 * Ticks stand at whole multiples of a step, so that they are round numbers wherever the axis
 * begins. Multiples are computed from their number, i * step, not by adding steps up: 0.1 added ten
 * times is not 1. What lies within 1e-9 of an end counts as on it.
 *
 * Ends that nobody fixed are moved outward to a multiple of the step of ten ticks, or to a decade
 * of a logarithmic axis. For example, values from 3.2 to 97 have steps of 10 and an axis from 0 to
 * 100; on a logarithmic one they have 1 to 100, ticks with labels at 1, 10 and 100, and small ones
 * at 2, 3, .., 9, 20, .., 90. Values from 0 to 250,000 are labelled 0, 50, .., 250 with "x 10^3"
 * beside the axis. Where decades would leave most of the frame empty, a logarithmic axis ends at 1,
 * 2 or 5 of a decade and has its labels there: from 0.6 to 1.7 it has 0.5, 1 and 2.
 */
#include "apps/formats/plot_axis.h"

#include "runtime/base/axis.h"

#include <math.h>
#include <stdio.h>

#define STEPS_ALL_DECADES 4  /* up to so many decades the steps 2 to 9 have small ticks */
#define NARROW            20 /* up to this quotient of the ends 2 and 5 have labels, too */

struct htmt__axis htmt__axis_empty(bool log)
{
    return (struct htmt__axis){.log = log, .least = INFINITY, .most = -INFINITY};
}

bool htmt__axis_takes(const struct htmt__axis *axis, double value)
{
    return isfinite(value) && (!axis->log || value > 0);
}

void htmt__axis_include(struct htmt__axis *axis, double value)
{
    if (!htmt__axis_takes(axis, value))
        return;
    axis->least = fmin(axis->least, value);
    axis->most = fmax(axis->most, value);
}

/* The nearest of 1, 2 and 5 times a power of ten that is not above, or not below, the value. */
static double round_log(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    const double decade = pow(10, floor(log10(value) + 1e-9)), near = up ? 1 - 1e-9 : 1 + 1e-9;
    unsigned i = 0;
    while (i < 3 && (up ? steps[i] * decade < value * near : steps[i + 1] * decade <= value * near))
        i++;
    return steps[i] * decade;
}

bool htmt__axis_settle(struct htmt__axis *a, bool fixed)
{
    if (!(a->least <= a->most))
        return false;
    if (!(a->least < a->most)) { /* a single value stands in the middle */
        double half = a->least != 0 ? 0.5 * fabs(a->least) : 1;
        a->least -= half;
        a->most += half;
    }
    a->narrow = !fixed && a->log && a->most / a->least < NARROW;
    if (a->narrow) {
        a->least = round_log(a->least, false);
        a->most = round_log(a->most, true);
    } else if (!fixed && a->log) {
        a->least = pow(10, floor(log10(a->least)));
        a->most = pow(10, ceil(log10(a->most)));
    } else if (!fixed) {
        double step = htmt__axis_step(a->most - a->least, 10);
        a->least = step * floor(a->least / step);
        a->most = step * ceil(a->most / step);
    }
    /* Where plain digits would be long, labels are in units of 10^3, 10^6, .. or 10^-3, .. */
    double largest = fmax(fabs(a->least), fabs(a->most));
    bool plain = a->log || (largest >= 0.01 && largest < 1e5);
    a->exponent = plain ? 0 : 3 * (int)floor(log10(largest) / 3);
    return a->least < a->most && isfinite(a->most - a->least);
}

double htmt__axis_place(const struct htmt__axis *axis, double value)
{
    return htmt__axis_share(axis->least, axis->most, axis->log, value);
}

static bool inside(const struct htmt__axis *a, double value)
{
    double place = htmt__axis_place(a, value);
    return place > -1e-9 && place < 1 + 1e-9;
}

static unsigned linear_ticks(const struct htmt__axis *a, unsigned wanted, struct htmt__tick *tick)
{
    double step = htmt__axis_step(a->most - a->least, wanted), scale = pow(10, a->exponent);
    int digits = (int)fmax(0, -floor(log10(step / scale) + 1e-9));
    unsigned n = 0;
    for (double i = ceil(a->least / step - 1e-9); n < HTMT__TICKS_MAX && inside(a, i * step); i++) {
        tick[n].at = i * step;
        snprintf(tick[n].label, sizeof tick[n].label, "%.*f", digits, i * step / scale + 0.0);
        n++;
    }
    return n;
}

/* Decades have the labels, of a narrow axis the steps 2 and 5, too; of few decades the steps 2 to 9
 * have small ticks. */
static unsigned log_ticks(const struct htmt__axis *a, unsigned wanted, struct htmt__tick *tick)
{
    int first = (int)floor(log10(a->least) + 1e-9), last = (int)ceil(log10(a->most) - 1e-9);
    bool few = last - first <= STEPS_ALL_DECADES;
    int every = few ? 1 : (last - first) / (int)wanted + 1;
    unsigned n = 0;
    for (int e = first; e <= last && n < HTMT__TICKS_MAX; e += every)
        for (int i = 1; i <= (few ? 9 : 1) && n < HTMT__TICKS_MAX; i++) {
            double at = i * pow(10, e);
            if (!inside(a, at))
                continue;
            tick[n] = (struct htmt__tick){.at = at};
            if (a->narrow && (i == 1 || i == 2 || i == 5))
                snprintf(tick[n].label, sizeof tick[n].label, "%g", at);
            else if (i == 1)
                snprintf(tick[n].label, sizeof tick[n].label, "%d", e);
            n++;
        }
    return n;
}

unsigned htmt__axis_ticks(const struct htmt__axis *axis, unsigned wanted,
                          struct htmt__tick tick[static HTMT__TICKS_MAX])
{
    return axis->log ? log_ticks(axis, wanted, tick) : linear_ticks(axis, wanted, tick);
}

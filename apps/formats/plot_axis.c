/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/plot_axis.h"

#include "runtime/base/axis.h"

#include <math.h>
#include <stdio.h>

#define STEPS_ALL_DECADES 4 /* up to so many decades the steps 2 to 9 have small ticks */

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

static void widen(struct htmt__axis *a)
{
    if (a->least < a->most)
        return;
    double half = a->least != 0 ? 0.5 * fabs(a->least) : 1;
    a->least -= half;
    a->most += half;
}

static void round_outward(struct htmt__axis *a)
{
    if (a->log) {
        a->least = pow(10, floor(log10(a->least)));
        a->most = pow(10, ceil(log10(a->most)));
        return;
    }
    double step = htmt__axis_step(a->most - a->least, 10);
    a->least = step * floor(a->least / step);
    a->most = step * ceil(a->most / step);
}

/* In steps of three, where plain digits would be long. */
static int label_exponent(const struct htmt__axis *a)
{
    double largest = fmax(fabs(a->least), fabs(a->most));
    if (a->log || (largest >= 0.01 && largest < 1e5))
        return 0;
    return 3 * (int)floor(log10(largest) / 3);
}

bool htmt__axis_settle(struct htmt__axis *axis, bool fixed)
{
    if (!(axis->least <= axis->most))
        return false;
    widen(axis);
    if (!fixed)
        round_outward(axis);
    axis->exponent = label_exponent(axis);
    return axis->least < axis->most && isfinite(axis->most - axis->least);
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

static unsigned decade(const struct htmt__axis *a, int exponent, int last, bool labelled,
                       struct htmt__tick *tick, unsigned n)
{
    for (int i = 1; i <= last && n < HTMT__TICKS_MAX; i++) {
        double at = i * pow(10, exponent);
        if (!inside(a, at))
            continue;
        tick[n] = (struct htmt__tick){.at = at};
        if (i == 1 && labelled)
            snprintf(tick[n].label, sizeof tick[n].label, "%d", exponent);
        n++;
    }
    return n;
}

static unsigned log_ticks(const struct htmt__axis *a, unsigned wanted, struct htmt__tick *tick)
{
    int first = (int)floor(log10(a->least) + 1e-9), last = (int)ceil(log10(a->most) - 1e-9);
    int every = (last - first) / (int)wanted + 1;
    int steps = last - first <= STEPS_ALL_DECADES ? 9 : 1;
    unsigned n = 0;
    for (int e = first; e <= last && n < HTMT__TICKS_MAX; e += steps == 9 ? 1 : every)
        n = decade(a, e, steps, true, tick, n);
    return n;
}

unsigned htmt__axis_ticks(const struct htmt__axis *axis, unsigned wanted,
                          struct htmt__tick tick[static HTMT__TICKS_MAX])
{
    return axis->log ? log_ticks(axis, wanted, tick) : linear_ticks(axis, wanted, tick);
}

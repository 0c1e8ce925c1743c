/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/axis.h"

#include <math.h>

/* 730 with 6 ticks wanted: 121.7 is 1.217 times 100, so the step is 200, and 4 ticks fit. */
double htmt__axis_step(double span, unsigned wanted)
{
    double rough = span / wanted, power = pow(10, floor(log10(rough))), digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

double htmt__axis_share(double from, double to, bool logarithmic, double value)
{
    return logarithmic ? log(value / from) / log(to / from) : (value - from) / (to - from);
}

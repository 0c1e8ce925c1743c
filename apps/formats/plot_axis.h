/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One axis of a plot: what it spans, where a value stands on it, and where its ticks are.
 */
#ifndef HTMT_APPS_FORMATS_PLOT_AXIS_H
#define HTMT_APPS_FORMATS_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define HTMT__TICKS_MAX 64

struct htmt__axis {
    bool log, narrow;   /* narrow: logarithmic, about a decade or less */
    double least, most; /* least < most; of a logarithmic axis both positive */
    int exponent;       /* linear: labels are in units of 10^exponent */
};

struct htmt__tick {
    double at;
    char label[24]; /* empty: a small tick; logarithmic, not narrow: the exponent of 10 */
};

/* Nothing yet: the first value that is shown makes it. */
struct htmt__axis htmt__axis_empty(bool log);

/* Can the value be shown? */
bool htmt__axis_takes(const struct htmt__axis *axis, double value);
void htmt__axis_include(struct htmt__axis *axis, double value);

/* Round the ends outward to ticks, so that no curve runs along the frame; `fixed` keeps them.
 * False: there is nothing to span. */
bool htmt__axis_settle(struct htmt__axis *axis, bool fixed);

/* 0 at least, 1 at most. */
double htmt__axis_place(const struct htmt__axis *axis, double value);

/* About `wanted` labelled ticks; returns how many in all. */
unsigned htmt__axis_ticks(const struct htmt__axis *axis, unsigned wanted,
                          struct htmt__tick tick[static HTMT__TICKS_MAX]);

#endif

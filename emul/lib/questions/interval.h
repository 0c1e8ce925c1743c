/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the clock is expected around a prediction for a measured host: the samples of each figure
 * had a spread, and the model leaves things out beside its figures (docs/host.md, "Intervals").
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_INTERVAL_H
#define HTMT_EMUL_LIB_QUESTIONS_INTERVAL_H

#include "layers/machine/machine.h"

/* Settings of a machine that make each measured time as long as its middle sample was. */
struct htmt__slow_figures {
    char (*text)[200];
    const char **set;
    unsigned n; /* 0: nothing of it was measured, or no sample took longer */
};

/* Errors: HTMT_ENOMEM. Freed in either case. */
int htmt__slow_figures(const struct htmt_machine *machine, struct htmt__slow_figures *figures);
void htmt__slow_figures_free(struct htmt__slow_figures *figures);

struct htmt__interval {
    double low, high;
};

/* Around a time by the model, in its unit. `slow` is the time with those settings; where it is not
 * above `fast`, the time of the same run without them, the figures widen nothing. */
struct htmt__interval htmt__interval(double model, double fast, double slow);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the clock is expected around a prediction for a measured host: the samples of each figure
 * had a spread, and the model leaves things out beside its figures (docs/host.md, "Intervals").
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_INTERVAL_H
#define HTMT_EMUL_LIB_QUESTIONS_INTERVAL_H

#include "layers/machine/machine.h"
#include "layers/node/figures.h"
#include "parcels/emulator.h"

/* Settings of a machine that make each measured time as long as its middle sample was. */
struct htmt__slow_figures {
    char (*text)[200];
    const char **set;
    unsigned n; /* 0: nothing of it was measured, or no sample took longer */
};

/* Errors: HTMT_ENOMEM. Freed in either case. */
int htmt__slow_figures(const struct htmt_machine *machine, struct htmt__slow_figures *figures);
void htmt__slow_figures_free(struct htmt__slow_figures *figures);

/* How much of a time each bound made; all 0: nobody knows. */
struct htmt__shares {
    double of[HTMT__NODE_BOUNDS];
    double instructions; /* and its parts: each cycle the processor begins so many, 1: all it can */
};

/* Adds `times` times the fs of services. */
void htmt__shares_add(struct htmt__shares *shares, const struct htmt_operations_report *report,
                      double times);
/* Of what the longer service took on the inside beyond the shorter one, as parts of 1. Time in
 * which operations waited for others is of missed branches where these are much of it, of issue
 * where it was busy, and of chains elsewhere. */
struct htmt__shares htmt__shares_between(const struct htmt__node_figures *inside,
                                         const struct htmt__shares *shorter,
                                         const struct htmt__shares *longer);

/* By the model's time, of each bound: where nine of ten loops are expected. */
struct htmt__calibration {
    double low[HTMT__NODE_BOUNDS], high[HTMT__NODE_BOUNDS];
};
/* What `htmt host measure` found when it tried the file of the machine; of bounds that it did not
 * find, and of other machines, HTMT__OFF_LOW and HTMT__OFF_HIGH. */
struct htmt__calibration htmt__calibration_of(const struct htmt_machine *machine);
#define HTMT__OFF_LOW  0.75
#define HTMT__OFF_HIGH 1.5

#define HTMT__TRIED_MOST 100
/* A loop that was tried: clock / model, and what bounds it by the model. */
struct htmt__tried {
    double ratio; /* 0: not known */
    struct htmt__shares shares;
};
/* What n of them, at most HTMT__TRIED_MOST, tell; whether they tell of each bound. */
void htmt__calibrate(const struct htmt__tried *tried, unsigned n,
                     struct htmt__calibration *calibration, bool known[HTMT__NODE_BOUNDS]);

struct htmt__interval {
    double low, high;
};

/* Around a time by the model, in its unit. `slow` is the time with those settings; where it is not
 * above `fast`, the time of the same run without them, the figures widen nothing. */
struct htmt__interval htmt__interval(double model, double fast, double slow,
                                     const struct htmt__shares *shares,
                                     struct htmt__calibration calibration);

#endif

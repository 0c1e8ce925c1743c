/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the times of a run say: latencies of messages and iterations, and the period that the
 * network sustains.
 */
#ifndef HTMT_APPS_TRAFFIC_RESULTS_H
#define HTMT_APPS_TRAFFIC_RESULTS_H

#include "apps/traffic/plan.h"
#include "apps/traffic/program.h"

/* fs; count 0: nothing was timed. */
struct htmt__traffic_range {
    uint64_t count;
    htmt_time least, most;
    double mean;
};

struct htmt__traffic_results {
    struct htmt__traffic_range message, iteration;
    double apart; /* fs from the end of an iteration to the next one's, in the second half; -1:
                     there are fewer than 4 */
};

/* From the times that were gathered. */
struct htmt__traffic_results htmt__traffic_results_of(const struct htmt__traffic_plan *plan,
                                                      const struct htmt__traffic_program *program);

/* From the first begin of a node that begins by itself to the last end; -1: it has not ended. */
htmt_time htmt__traffic_iteration(const struct htmt__traffic_plan *plan,
                                  const struct htmt__traffic_program *program, uint64_t i,
                                  htmt_time *began);

/* The least period of all sources that the network sustains: with it, iterations do not take longer
 * and longer. Found by emulating 32 iterations of some twelve periods, to a part in 2000. fs; -1:
 * it cannot be had. */
htmt_time htmt__traffic_least_period(const struct htmt_machine *m,
                                     const struct htmt__traffic_settings *s);

/* A line for each iteration and each message that was timed. Errors: HTMT_EIO. */
int htmt__traffic_write_times(const char *path, const struct htmt__traffic_plan *plan,
                              const struct htmt__traffic_program *program,
                              struct htmt_fault *fault);

#endif

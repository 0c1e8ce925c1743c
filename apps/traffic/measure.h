/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pattern of a rate, measured: latencies of the messages that are born in a window of time, and
 * what the network accepts meanwhile. Model runs alone.
 */
#ifndef HTMT_APPS_TRAFFIC_MEASURE_H
#define HTMT_APPS_TRAFFIC_MEASURE_H

#include "apps/traffic/plan.h"
#include "parcels/htmt.h"

struct htmt__traffic_measure;

/* When sources stop: as soon as the last message of the window has come, which a trial finds out.
 * Where it has not come in time (a hopeless load), the end of the longest trial. */
htmt_time htmt__traffic_measure_until(const struct htmt_machine *m,
                                      const struct htmt__traffic_plan *p);

/* As htmt__traffic_program_create(); the plan outlives it. Messages born at `until` and later are
 * not sent. */
int htmt__traffic_measure_create(struct htmt_emulator *e, const struct htmt__traffic_plan *p,
                                 htmt_time until, struct htmt__traffic_measure **measure,
                                 struct htmt_fault *fault);
void htmt__traffic_measure_destroy(struct htmt__traffic_measure **measure);

/* After the run, in all ranks alike: brings what slices noted to rank 0. Errors: HTMT_ENOMEM,
 * HTMT_ESYSTEM. */
int htmt__traffic_measure_gather(struct htmt__traffic_measure *measure, struct htmt_emulator *e);

/* Loads are shares of a port's rate, means over the nodes that send, or hear. Times are fs. */
struct htmt__traffic_measured {
    uint64_t messages;     /* of the window; below: their latencies */
    double mean, interval; /* half of the 95 % interval, by batches; < 0: too few messages */
    htmt_time median, p95, p99, most;
    double offered;            /* born in the window */
    double sent, least_sent;   /* left their sources in the window: the mean, the worst source */
    double heard, least_heard; /* came in the window: the mean, the worst target */
    uint64_t late;             /* messages of the window that came when sources had stopped */
};

/* After that, in rank 0. Errors: HTMT_ENOMEM. */
int htmt__traffic_measure_results(const struct htmt__traffic_measure *measure,
                                  struct htmt__traffic_measured *results);

/* A line for each message of the window. Errors: HTMT_EIO. */
int htmt__traffic_measure_write(const char *path, const struct htmt__traffic_measure *measure,
                                struct htmt_fault *fault);

#endif

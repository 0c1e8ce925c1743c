/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times of loops on a host that others use, too: many short samples, each between two looks at the
 * core (apps/lib/host_clock.h). A sample counts where the core was at its best before and after it.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_SAMPLE_H
#define HTMT_EMUL_COMMAND_HOST_SAMPLE_H

#include "apps/lib/host_clock.h"
#include "emul/command/host/host.h"

/* A loop of n turns. */
typedef void htmt__host_loop_fn(void *user, uint64_t n);

/* An addition of its chain is a cycle. */
struct htmt__host_clock {
    struct htmt_host_core core;
};

void htmt__host_clock_start(struct htmt__host_clock *clock);
double htmt__host_cycle(const struct htmt__host_clock *clock); /* ns */

/* Cycles of a turn; a sample takes about `least` ns, or a turn. */
struct htmt__host_figure htmt__host_sample(struct htmt__host_clock *clock, htmt__host_loop_fn *loop,
                                           void *user, double least);
/* `samples` of n turns each. */
struct htmt__host_figure htmt__host_samples(struct htmt__host_clock *clock,
                                            htmt__host_loop_fn *loop, void *user, uint64_t n,
                                            unsigned samples);

/* a - b, a / by: with the larger spread, disturbed as one of them is. */
struct htmt__host_figure htmt__host_less(struct htmt__host_figure a, struct htmt__host_figure b);
struct htmt__host_figure htmt__host_part_of(struct htmt__host_figure a, double by);
/* *best becomes f where f is the faster one of a still core, or of none yet. */
void htmt__host_keep(struct htmt__host_figure *best, struct htmt__host_figure f);

/* Latency and throughput of operations, of the branch and of the issue: fills rate, issue, branch,
 * load and store. */
void htmt__host_operations(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                           htmt__host_progress_fn *progress, void *user);
/* Latency of the levels of memory by pointer chases, their throughput by streams: fills level.
 * Errors: HTMT_ENOMEM. */
int htmt__host_memory(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                      htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault);

#endif

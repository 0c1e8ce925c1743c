/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency of the levels of memory by pointer chases, their throughput by streams.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_MEMORY_H
#define HTMT_EMUL_COMMAND_HOST_MEMORY_H

#include "emul/command/host/sample.h"

/* Fills level. Errors: HTMT_ENOMEM. */
int htmt__host_memory(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                      htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault);

#endif

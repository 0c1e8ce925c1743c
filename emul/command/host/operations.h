/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency and throughput of operations, of the branch and of the issue.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_OPERATIONS_H
#define HTMT_EMUL_COMMAND_HOST_OPERATIONS_H

#include "emul/command/host/sample.h"

/* Fills rate, issue, branch, load and store. */
void htmt__host_operations(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                           htmt__host_progress_fn *progress, void *user);

#endif

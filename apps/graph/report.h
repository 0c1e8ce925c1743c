/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a report says of the graph and of the run.
 */
#ifndef HTMT_APPS_GRAPH_REPORT_H
#define HTMT_APPS_GRAPH_REPORT_H

#include "apps/graph/program.h"

void htmt__graph_describe(struct htmt_task *task, const struct htmt__graph_plan *p);

/* After the run. Errors: those of the results' calls. */
int htmt__graph_conclude(struct htmt_task *task, const struct htmt__graph_run *r,
                         const struct htmt__graph_results *results);

/* After a run whose cells were watched: how many were active over time. Errors: those of
 * htmt__plot_write(). */
int htmt__graph_plot_cells(const char *path, const struct htmt__graph_run *r,
                           struct htmt_fault *fault);

#endif

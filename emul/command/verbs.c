/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verbs of the command, in the order in which help lists them.
 */
#include "emul/command/command.h"

#include <stddef.h>

const struct htmt__verb *const htmt__command_verbs[] = {
    &htmt__verb_row_run,        &htmt__verb_row_model,       &htmt__verb_row_predict,
    &htmt__verb_row_sweep,      &htmt__verb_row_sensitivity, &htmt__verb_row_compare,
    &htmt__verb_row_report,     &htmt__verb_row_timeline,    &htmt__verb_row_pipeline,
    &htmt__verb_row_validate,   &htmt__verb_row_fit,         &htmt__verb_row_analyze,
    &htmt__verb_row_bound,      &htmt__verb_row_machine,     &htmt__verb_row_trace,
    &htmt__verb_row_traffic,    &htmt__verb_row_graph,       &htmt__verb_row_ops,
    &htmt__verb_row_host,       &htmt__verb_row_doctor,      &htmt__verb_row_new,
    &htmt__verb_row_completion, &htmt__verb_row_help,        NULL,
};

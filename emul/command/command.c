/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/command.h"

#include "emul/command/analyze.h"
#include "emul/command/bound.h"
#include "emul/command/completion.h"
#include "emul/command/fit.h"
#include "emul/command/host.h"
#include "emul/command/new.h"
#include "emul/command/ops.h"
#include "emul/command/pipeline.h"
#include "emul/command/report.h"
#include "emul/command/timeline.h"
#include "emul/command/traffic.h"
#include "emul/command/validate.h"

#include <stddef.h>

const struct htmt__verb *const htmt__command_verbs[] = {
    &htmt__verb_row_run,      &htmt__verb_row_model,
    &htmt__verb_row_predict,  &htmt__verb_row_report,
    &htmt__verb_row_timeline, &htmt__verb_row_pipeline,
    &htmt__verb_row_validate, &htmt__verb_row_fit,
    &htmt__verb_row_analyze,  &htmt__verb_row_bound,
    &htmt__verb_row_machine,  &htmt__verb_row_trace,
    &htmt__verb_row_traffic,  &htmt__verb_row_ops,
    &htmt__verb_row_host,     &htmt__verb_row_doctor,
    &htmt__verb_row_new,      &htmt__verb_row_completion,
    &htmt__verb_row_help,     NULL};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command.h"

#include "emul/verbs/analyze.h"
#include "emul/verbs/bound.h"
#include "emul/verbs/completion.h"
#include "emul/verbs/fit.h"
#include "emul/verbs/host.h"
#include "emul/verbs/new.h"
#include "emul/verbs/ops.h"
#include "emul/verbs/pipeline.h"
#include "emul/verbs/report.h"
#include "emul/verbs/timeline.h"
#include "emul/verbs/traffic.h"
#include "emul/verbs/validate.h"

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

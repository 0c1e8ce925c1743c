/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a trace and the slack beside it, for people and as JSON; docs/cli.md and
 * docs/json.md explain the columns and the keys.
 */
#ifndef HTMT_EMUL_LIB_TRACE_PATH_REPORT_H
#define HTMT_EMUL_LIB_TRACE_PATH_REPORT_H

#include "emul/lib/trace/slack.h"

#include <jansson.h>
#include <stdio.h>

struct htmt__path_report {
    const struct htmt_trace_info *info;
    struct htmt_path path;
    struct htmt__gains gains;
};

/* Of all of the trace, which stays open as long as the report is used. The caller gives *r to
 * htmt__path_report_clear(), after an error, too. Errors: those of htmt__trace_path_find() and
 * htmt__gains_find(). */
int htmt__path_report_make(struct htmt_trace *t, struct htmt__path_report *r,
                           struct htmt_fault *fault);
void htmt__path_report_clear(struct htmt__path_report *r);

/* Errors: HTMT_ENOMEM; those of `out` stay in its ferror(). */
int htmt__path_report_print(const struct htmt__path_report *r, FILE *out);
/* NULL: out of memory. */
json_t *htmt__path_report_json(const struct htmt__path_report *r);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt report`: the report of runs that are over, from their JSON; the command's own.
 */
#ifndef HTMT_EMUL_COMMAND_REPORT_H
#define HTMT_EMUL_COMMAND_REPORT_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_report;

#endif

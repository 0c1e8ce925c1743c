/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sections of a report, one for each question of emul/lib/questions that has an answer of its own.
 * Each prints its heading first. Errors: HTMT_ENOMEM; errors of `out` stay in its ferror().
 */
#ifndef HTMT_EMUL_LIB_REPORT_ANSWERS_H
#define HTMT_EMUL_LIB_REPORT_ANSWERS_H

#include "emul/lib/questions/answers.h"
#include "emul/lib/questions/explanation.h"
#include "emul/lib/questions/lint.h"
#include "emul/lib/questions/summary.h"

int htmt__explanation_print(const struct htmt__explanation *x, FILE *out);
int htmt__lint_print(const struct htmt__lint *lint, FILE *out);
int htmt__largest_print(const struct htmt__largest *rows, unsigned count, FILE *out);
int htmt__summary_print(const struct htmt__summary *s, FILE *out);

/* The term, the terms below it, and the figures that it depends on. `term` must exist. */
int htmt__origin_print(const struct htmt_prediction *prediction, const char *term,
                       const struct htmt__origin *rows, unsigned count, FILE *out);

/* The gap between clock and closed form in one line: "2.500 us more = fill 3.1 us + stall 0.4 us -
 * 1 us that the closed form counts beside the work", or "1.390 ns more = fill 420.0 ps + drain
 * 970.0 ps, each beyond the closed form's". */
void htmt__explanation_line(const struct htmt__explanation *x, char *line, size_t room);

const char *htmt__summary_group_name(enum htmt__summary_group group); /* "words" */

/* The summary as comma-separated values, one line per row, in full precision. The file is written
 * atomically. Errors: HTMT_ENOMEM, HTMT_EIO. */
int htmt__summary_write_csv(const struct htmt__summary *s, const char *path,
                            struct htmt_fault *fault);

#endif

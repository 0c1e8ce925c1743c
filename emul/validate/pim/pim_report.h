/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a judgement of measured rows for people, as CSV and as a picture.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_PIM_REPORT_H
#define HTMT_EMUL_VALIDATE_PIM_PIM_REPORT_H

#include "emul/validate/pim/judge.h"

#include <stdio.h>

/* Every row, unless `brief`; then groups, rows without a prediction, what was held, and figures
 * that are not used or quoted from memory. */
void htmt__pim_print(const struct htmt__pim_judgement *judgement, bool brief, FILE *out);

/* A line for each row; the file appears whole or not at all. Errors: those of
 * runtime/base/whole_file.h. */
int htmt__pim_csv(const struct htmt__pim_judgement *judgement, const char *path,
                  struct htmt_fault *fault);

/* Whether a picture can be written there; the picture: predicted over measured. Errors: as
 * htmt__plot_write(). */
int htmt__pim_plot_check(const char *path, struct htmt_fault *fault);
int htmt__pim_plot(const struct htmt__pim_judgement *judgement, const char *path,
                   struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Points of the figures of the ExaSAT paper: ids E.S.F7. to E.S.F20.
 */
#ifndef HTMT_EMUL_VALIDATE_SHEET_FIGURES_H
#define HTMT_EMUL_VALIDATE_SHEET_FIGURES_H

#include "emul/validate/sheet_question.h"

/* By the first word of the id, "F7". Errors: HTMT_EINVAL (no such figure), HTMT_ENOENT (a nest file
 * is not there), those of bounds. */
int htmt__sheet_figure(struct htmt__sheet_question *q, double *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the paper on ExaSAT: loops of the shipped nest file exasat-table1, bounded by the
 * authors' rule on the machine exasat-listing1 in blocks of 16 x 16 rows; its Listing 1;
 * costs/exasat.yaml; and the authors' spreadsheets (sheets.h).
 */
#ifndef HTMT_EMUL_VALIDATE_LOOPS_H
#define HTMT_EMUL_VALIDATE_LOOPS_H

#include "emul/validate/sheets.h"

/* Whether a row is one of these. */
bool htmt__loops_answer(const struct htmt__golden_row *row);

/* Its value, in its unit. Errors: HTMT_ENOENT (it cannot be judged: a nest file is not there),
 * HTMT_EINVAL (no such loop or quantity), those of reading files and of bounds. */
int htmt__loops_value(struct htmt__sheets *sheets, const struct htmt__golden_table *table,
                      const struct htmt__golden_row *row, double *value, struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the paper on ExaSAT: loops of the shipped nest file exasat-table1, bounded on the
 * machine exasat-listing1 in blocks of 16 x 16 rows; its Listing 1; and costs/exasat.yaml.
 */
#ifndef HTMT_EMUL_VALIDATE_LOOPS_H
#define HTMT_EMUL_VALIDATE_LOOPS_H

#include "emul/validate/golden.h"

/* Whether a row is one of these. */
bool htmt__loops_answer(const struct htmt__golden_row *row);

/* Its value, in its unit. Errors: HTMT_EINVAL (no such loop or quantity), those of reading files
 * and of bounds. */
int htmt__loops_value(const struct htmt__golden_row *row, double *value, struct htmt_fault *fault);

#endif

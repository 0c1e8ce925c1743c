/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the spreadsheets that ExaSAT's authors publish (ids E.S.*): loops, sums, messages, and
 * the figures of the paper that their scripts draw, by --rule exasat on nest files.
 */
#ifndef HTMT_EMUL_VALIDATE_SHEETS_H
#define HTMT_EMUL_VALIDATE_SHEETS_H

#include "emul/validate/golden.h"

struct htmt__sheets; /* nest files and machines that rows have asked for */

/* Nest files are looked for in `golden`'s folder nests, then among the shipped ones. Errors:
 * HTMT_ENOMEM. */
int htmt__sheets_make(const struct htmt__golden *golden, struct htmt__sheets **sheets);
void htmt__sheets_destroy(struct htmt__sheets **sheets);

bool htmt__sheets_answer(const struct htmt__golden_row *row);

/* The value of a table's row, in its unit. Errors: HTMT_ENOENT (nothing tells it: the nest file is
 * not there; the row cannot be judged), HTMT_EINVAL (no such figure), those of reading files and of
 * bounds. */
int htmt__sheets_value(struct htmt__sheets *sheets, const struct htmt__golden_table *table,
                       const struct htmt__golden_row *row, double *value, struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Golden tables: what the papers print, one file for each table or list of claims, in
 * emul/validate/golden of the source tree and share/htmt/golden of an installed one (or the folders
 * of HTMT_GOLDEN_PATH).
 *
 * A file starts with a line "# TITLE" and a line of column names; then a row for each figure:
 *   id          unique: paper, table, row, column
 *   value       as printed; its digits carry the printed precision; empty: not printed
 *   recomputed  what the paper's own rules give; empty: an input, or nothing to compute with
 *   use         predict, model, input, arithmetic, misprint or reference
 *   machine     on which it holds, "-": on none; "NAME+2cram": with twice the CRAM
 *   tolerance   "0.05abs", "1pp", "1e-3", "0"; "-": none
 */
#ifndef HTMT_EMUL_VALIDATE_GOLDEN_H
#define HTMT_EMUL_VALIDATE_GOLDEN_H

#include "runtime/base/error.h"

#include <stdbool.h>

enum htmt__golden_use {
    HTMT__PREDICT,    /* the closed form must give it */
    HTMT__MODEL,      /* the emulation, too */
    HTMT__INPUT,      /* a machine or cost file must hold it */
    HTMT__ARITHMETIC, /* follows from other rows; nothing is asked */
    HTMT__MISPRINT,   /* no application follows its rule */
    HTMT__REFERENCE,  /* nothing to compute it with */
    HTMT__USES
};

struct htmt__golden_row {
    const char *id, *quantity, *value, *recomputed, *unit, *machine, *tolerance, *note;
    enum htmt__golden_use use;
};

struct htmt__golden_table {
    char name[64]; /* "hereld-table6-pic" */
    char *text;    /* of the whole file; the rows point into it */
    const char *title;
    unsigned count, room;
    struct htmt__golden_row *row;
};

struct htmt__golden {
    unsigned count;
    struct htmt__golden_table *table; /* by name */
};

const char *htmt__golden_use_name(enum htmt__golden_use use); /* "predict" */

/* Reads all tables of the first folder that has any. Errors: HTMT_ENOENT (no table anywhere),
 * HTMT_EFORMAT (with file and line), HTMT_EIO, HTMT_ENOMEM. On success the caller gives *golden to
 * htmt__golden_clear(). */
int htmt__golden_load(struct htmt__golden *golden, struct htmt_fault *fault);
void htmt__golden_clear(struct htmt__golden *golden);

/* NULL: no table has it. */
const struct htmt__golden_row *htmt__golden_find(const struct htmt__golden *golden, const char *id);

/* Its printed value, else the recomputed one; NAN: it has neither. */
double htmt__golden_value(const struct htmt__golden_row *row);

/* What a prediction is compared with, and how far it may be off, both in the unit of the row:
 * "abs" is about the printed value, all others about the recomputed one; "0" leaves half a unit of
 * the seventh digit, which is all that the tables have. */
double htmt__golden_target(const struct htmt__golden_row *row);
double htmt__golden_allowed(const struct htmt__golden_row *row);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Golden tables hold the figures that the papers print: one file for each table or list of paper
 * figures, in emul/validate/golden of the sources and share/htmt/golden of an installation (or the
 * folders of HTMT_GOLDEN_PATH).
 *
 * A file starts with a line "# TITLE", which may be missing, and a line of column names, in any
 * order and with others between them; then a row for each figure:
 *   id          unique: paper, table, row, column
 *   value       as printed; its digits carry the printed precision; empty: not printed
 *   recomputed  by the rules of the paper; empty: an input, or not computable
 *   use         predict, model, input, arithmetic, misprint or reference
 *   machine     of the figure; "-": none; "NAME+2cram": with twice the CRAM
 *   tolerance   "0.05abs", "1pp", "1e-3", "0"; "-": none
 *   inputs      settings that the figure holds for, "bx=16; by=16"; the column may be missing
 */
#ifndef HTMT_EMUL_VALIDATE_GOLDEN_H
#define HTMT_EMUL_VALIDATE_GOLDEN_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum htmt__golden_use {
    HTMT__PREDICT,    /* the closed form must predict the value */
    HTMT__MODEL,      /* the emulation must show it, too */
    HTMT__INPUT,      /* a machine or cost file must hold the value */
    HTMT__ARITHMETIC, /* follows from other rows; not judged */
    HTMT__MISPRINT,   /* no application follows the misprinted rule */
    HTMT__REFERENCE,  /* not computable */
    HTMT__USES
};

struct htmt__golden_row {
    const char *id, *quantity, *value, *recomputed, *unit, *machine, *tolerance, *note, *inputs;
    enum htmt__golden_use use;
};

struct htmt__golden_table {
    char name[64]; /* "hereld-table6-pic" */
    char *text;    /* the whole file; the rows point into it */
    const char *title;
    unsigned count;
    size_t room;
    struct htmt__golden_row *row;
};

struct htmt__golden {
    unsigned count;
    size_t room;
    struct htmt__golden_table *table; /* by name */
    char folder[1024];                /* of tables that are not shipped; else empty */
};

const char *htmt__golden_use_name(enum htmt__golden_use use); /* "predict" */

/* Reads all tables of that folder; NULL: of the first one that has any. Errors: HTMT_ENOENT (no
 * table in any folder), HTMT_EFORMAT (with file and line), HTMT_EIO, HTMT_ENOMEM. On success the
 * caller calls htmt__golden_clear(). */
int htmt__golden_load(struct htmt__golden *golden, const char *folder, struct htmt_fault *fault);
void htmt__golden_clear(struct htmt__golden *golden);

/* NULL: no table has this id. */
const struct htmt__golden_row *htmt__golden_find(const struct htmt__golden *golden, const char *id);

/* The printed value, else the recomputed one; NAN: the row has neither. */
double htmt__golden_value(const struct htmt__golden_row *row);

/* The value that a prediction is compared with, and the allowed difference, in the unit of the row.
 * A tolerance with "abs" refers to the printed value, all others to the recomputed one. "0" allows
 * half a unit of the seventh digit, because the tables have seven digits. */
double htmt__golden_target(const struct htmt__golden_row *row);
double htmt__golden_allowed(const struct htmt__golden_row *row);

#endif

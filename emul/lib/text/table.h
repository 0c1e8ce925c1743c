/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Aligned tables of a report, as wide as the page (emul/lib/text/page.h): when the cells need
 * more, the widest left-aligned columns are narrowed and their cells continue on the next line.
 */
#ifndef HTMT_EMUL_LIB_TEXT_TABLE_H
#define HTMT_EMUL_LIB_TEXT_TABLE_H

#include "runtime/base/error.h"

#include <stdint.h>
#include <stdio.h>

#define HTMT__TABLE_COLUMNS 12
#define HTMT__TABLE_CELL    160

struct htmt__table {
    unsigned columns;
    const char *head[HTMT__TABLE_COLUMNS];
    unsigned left; /* bit i: column i is aligned to the left */
    unsigned rows;
    size_t room;
    char (*cell)[HTMT__TABLE_CELL]; /* row after row */
};

/* Appends a row of `columns` cells. The cells are copied, control characters as "\xNN"; longer ones
 * are cut to HTMT__TABLE_CELL - 1 bytes. Errors: HTMT_ENOMEM. */
int htmt__table_row(struct htmt__table *table, const char *const *cells);

/* The same of cells that are listed. */
#define htmt__table_add(table, ...) htmt__table_row(table, (const char *const[]){__VA_ARGS__})

/* The end of a section: if nothing failed and there are rows, prints an empty line, the title and
 * the table. Frees the rows and returns `rc`, what adding them returned. */
int htmt__table_end(struct htmt__table *table, int rc, const char *title, FILE *out);

/* Prints heads and rows; two blanks precede each cell. Errors of `out` stay in its ferror(). */
void htmt__table_print(const struct htmt__table *table, FILE *out);

/* Frees the rows. The table may then be filled again. */
void htmt__table_clear(struct htmt__table *table);

#endif

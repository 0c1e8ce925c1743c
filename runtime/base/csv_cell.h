/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells of CSV files that hold text of somebody else: names of types, nests, tables.
 */
#ifndef HTMT_RUNTIME_BASE_CSV_CELL_H
#define HTMT_RUNTIME_BASE_CSV_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of a cell with its NUL, at most, of a text of so many. */
#define HTMT__CSV_CELL(length) (2 * (length) + 4)

/* The cell of a text by RFC 4180: between quotes if it is to be `quoted` or has a comma, quote or
 * line break; a quote in it is doubled. Spreadsheets compute a cell that begins with = + - @, a tab
 * or a return, also between quotes, and a formula can open a file or an address: an apostrophe
 * before it makes it text. A number stays as it is. Returns the length. */
size_t htmt__csv_cell(const char *text, bool quoted, char *out);
/* The same, printed. */
void htmt__csv_put(FILE *out, const char *text, bool quoted);

#endif

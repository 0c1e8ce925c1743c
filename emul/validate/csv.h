/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables as CSV: golden ones of papers, and measured rows. A folder's tables are its files *.csv,
 * in the order of their names.
 */
#ifndef HTMT_EMUL_VALIDATE_CSV_H
#define HTMT_EMUL_VALIDATE_CSV_H

#include "runtime/base/error.h"

#include <stdbool.h>

/* A line of a file that is being read. */
struct htmt__csv_place {
    const char *file;
    int line;
    struct htmt_fault *fault;
};

/* "FILE:LINE: found '...', expected ..." */
int htmt__csv_refuse(const struct htmt__csv_place *place, int code, const char *found,
                     const char *expected);

/* Calls `take` for each line of the text, which is changed, until it refuses one. Errors: those of
 * `take`, HTMT_EFORMAT (no UTF-8). */
int htmt__csv_lines(char *text, struct htmt__csv_place *place,
                    int (*take)(void *context, char *line), void *context);

/* Splits a line into columns and returns how many: at most `most`, more if there are more or a
 * quote is not closed. Where `quotes`, they enclose a column with commas; two of
 * them there are one. */
int htmt__csv_cut(char *line, char **column, int most, bool quotes);

struct htmt__csv_search {
    int (*take)(void *context, const char *folder, const char *file, struct htmt_fault *fault);
    void *context;
    struct htmt_fault *fault;
    int rc;
    char tried[500]; /* folders */
};

/* Calls search->take for each table of the folder; 0: it has none. For htmt_search_folders(). */
int htmt__csv_folder(const char *folder, void *search);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A workbook that bounds write: its cells, and the supervised child that writes it.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_WORKBOOK_H
#define HTMT_EMUL_LOOPS_BOUND_WORKBOOK_H

#include "runtime/base/error.h"

#include <xlsxwriter.h>

struct htmt__workbook {
    lxw_workbook *book;
    lxw_format *head; /* of what stands above columns */
    int rc;           /* HTMT_EIO, HTMT_ENOMEM: a cell or a sheet could not be written */
};

void htmt__workbook_text(struct htmt__workbook *to, lxw_worksheet *w, unsigned row, unsigned column,
                         const char *what, lxw_format *format);
void htmt__workbook_number(struct htmt__workbook *to, lxw_worksheet *w, unsigned row,
                           unsigned column, double value);
/* A formula with the value that it has now. */
void htmt__workbook_formula(struct htmt__workbook *to, lxw_worksheet *w, unsigned row,
                            unsigned column, const char *what, double value);
/* A sheet more, whose first row has these words; NULL ends them. NULL: out of memory. */
lxw_worksheet *htmt__workbook_sheet(struct htmt__workbook *to, const char *name,
                                    const char *const *head);

typedef void htmt__workbook_filler(struct htmt__workbook *to, const void *report);
/* The file of --sheet, whole or not at all. Errors: those of runtime/base/whole_file.h and
 * htmt_supervise(). */
int htmt__workbook_write(htmt__workbook_filler *fill, const void *report, const char *path,
                         struct htmt_fault *fault);

#endif

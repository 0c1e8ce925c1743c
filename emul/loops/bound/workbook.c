/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/bound/workbook.h"

#include "emul/loops/bound/scratch.h"
#include "runtime/base/supervised.h"

#include <unistd.h>

void htmt__workbook_text(struct htmt__workbook *to, lxw_worksheet *w, unsigned row, unsigned column,
                         const char *what, lxw_format *format)
{
    if (worksheet_write_string(w, row, (lxw_col_t)column, what, format))
        to->rc = HTMT_EIO;
}

void htmt__workbook_number(struct htmt__workbook *to, lxw_worksheet *w, unsigned row,
                           unsigned column, double value)
{
    if (worksheet_write_number(w, row, (lxw_col_t)column, value, NULL))
        to->rc = HTMT_EIO;
}

void htmt__workbook_formula(struct htmt__workbook *to, lxw_worksheet *w, unsigned row,
                            unsigned column, const char *what, double value)
{
    if (worksheet_write_formula_num(w, row, (lxw_col_t)column, what, NULL, value))
        to->rc = HTMT_EIO;
}

lxw_worksheet *htmt__workbook_sheet(struct htmt__workbook *to, const char *name,
                                    const char *const *head)
{
    lxw_worksheet *w = workbook_add_worksheet(to->book, name);
    for (unsigned i = 0; w && head[i]; i++)
        htmt__workbook_text(to, w, 0, i, head[i], to->head);
    if (!w)
        to->rc = HTMT_ENOMEM;
    return w;
}

struct writing {
    htmt__workbook_filler *fill;
    const void *report;
    const char *path;
};

static int write_book(void *context, struct htmt_fault *fault)
{
    const struct writing *of = context;
    char name[40];
    int scratch = htmt__bound_scratch();
    snprintf(name, sizeof name, "/proc/self/fd/%d", scratch);
    struct htmt__workbook to = {.book = scratch < 0 ? NULL : workbook_new(name)};
    int rc = to.book ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "--sheet: out of memory");
    if (!rc) {
        to.head = workbook_add_format(to.book);
        format_set_bold(to.head);
        of->fill(&to, of->report);
        lxw_error error = workbook_close(to.book);
        if (to.rc || error)
            rc = htmt_fault_set(fault, HTMT_EIO, "--sheet: %s",
                                error ? lxw_strerror(error) : "a cell could not be written");
    }
    if (!rc)
        rc = htmt__bound_scratch_save(scratch, of->path, fault);
    if (scratch >= 0)
        close(scratch);
    return rc;
}

int htmt__workbook_write(htmt__workbook_filler *fill, const void *report, const char *path,
                         struct htmt_fault *fault)
{
    static const struct htmt_limits limits = {.seconds = 60, .bytes = UINT64_C(4) << 30};
    char what[200];
    snprintf(what, sizeof what, "--sheet %.150s: writing by libxlsxwriter", path);
    return htmt_supervise(what, &limits, write_book, &(struct writing){fill, report, path}, fault);
}

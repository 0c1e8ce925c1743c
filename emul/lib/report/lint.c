/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/answers.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <string.h>

static int add_row(struct htmt__table *table, const struct htmt__lint *lint,
                   const struct htmt_departure_report *d)
{
    double slice = (double)d->time / (double)HTMT_SECOND / lint->slices;
    return htmt__table_row(
        table, (const char *const[]){d->type, htmt__lint_kind(d->kind), d->declared ? "yes" : "NO",
                                     htmt__format_count(d->count).s,
                                     htmt__format_si((double)d->words, "words").s,
                                     htmt__format_si(slice, "s").s});
}

static int add_what_if(struct htmt__table *table, const struct htmt__lint *lint,
                       const struct htmt__what_if *c)
{
    if (c->fault.code)
        return htmt__table_row(table,
                               (const char *const[]){htmt__lint_kind(c->kinds), "refused", "", ""});
    htmt_time more = c->predicted - lint->kept;
    char percent[32];
    snprintf(percent, sizeof percent, "%.1f %%", 100 * (double)more / (double)lint->kept);
    return htmt__table_row(table, (const char *const[]){htmt__lint_kind(c->kinds),
                                                        htmt__format_fs(c->predicted).s,
                                                        htmt__format_fs(more).s, percent});
}

/* A reason that several refusals share is printed once. */
static void print_refusals(const struct htmt__lint *lint, FILE *out)
{
    const char *last = "";
    for (unsigned i = 0; i < lint->what_if_count; i++) {
        const struct htmt_fault *fault = &lint->what_if[i].fault;
        if (fault->code && strcmp(fault->text, last) != 0)
            htmt__report_item(out, "refused", "%s: %s", htmt__lint_kind(lint->what_if[i].kinds),
                              fault->text);
        if (fault->code)
            last = fault->text;
    }
}

/* The time of the same run with the moves of each kind, then with all moves. */
static int print_what_ifs(const struct htmt__lint *lint, FILE *out)
{
    struct htmt__table table = {
        .columns = 4, .head = {"what-if moves (emulated)", "time", "more", ""}, .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < lint->what_if_count && !rc; i++)
        rc = add_what_if(&table, lint, &lint->what_if[i]);
    if (!rc && table.rows) {
        fputc('\n', out);
        htmt__table_print(&table, out);
        if (lint->kept != lint->predicted)
            htmt__report_item(out, "compared", "with %s of a model run without what-if moves",
                              htmt__format_fs(lint->kept).s);
        print_refusals(lint, out);
    }
    htmt__table_clear(&table);
    return rc;
}

int htmt__lint_print(const struct htmt__lint *lint, FILE *out)
{
    struct htmt__table table = {
        .columns = 6,
        .head = {"type", "departs by", "declared", "times", "saves", "moved, a slice"},
        .left = 0x7};
    int rc = 0;
    unsigned unknown = 0;
    fprintf(out,
            "\nDEPARTURES from the percolation model (virtual clock; moved: charges of the moves "
            "saved)\n");
    for (unsigned i = 0; i < lint->count && !rc; i++) {
        rc = add_row(&table, lint, &lint->departure[i]);
        unknown += lint->departure[i].count && !lint->departure[i].declared;
    }
    if (!rc && table.rows)
        htmt__table_print(&table, out);
    if (!table.rows)
        htmt__report_item(out, "none", "every parcel came with all that it needed");
    if (unknown)
        htmt__report_item(out, "UNDECLARED", "%u, marked NO", unknown);
    htmt__table_clear(&table);
    return rc ? rc : print_what_ifs(lint, out);
}

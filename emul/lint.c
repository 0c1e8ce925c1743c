/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lint.h"

#include "emul/format.h"
#include "emul/report.h"
#include "emul/table.h"

#include <stdlib.h>

const char *htmt__lint_kind(enum htmt_departure kind)
{
    return kind == HTMT_DEPARTS_RESIDENT ? "resident state"
           : kind == HTMT_DEPARTS_OPEN   ? "incomplete closure"
                                         : "exchange between slices";
}

int htmt__lint_make(const struct htmt_emulator *e, struct htmt__lint *lint)
{
    uint32_t n = htmt_departure_count(e);
    *lint = (struct htmt__lint){
        .made = true, .slices = htmt_emulator_slices(e), .predicted = htmt_predicted(e)};
    lint->departure = calloc(n + 1, sizeof *lint->departure);
    if (!lint->departure)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        struct htmt_departure_report *d = &lint->departure[lint->count];
        htmt_departure_at(e, i, d);
        lint->count += d->count != 0;
    }
    return 0;
}

void htmt__lint_clear(struct htmt__lint *lint)
{
    free(lint->departure);
    *lint = (struct htmt__lint){0};
}

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

static void print_carried(const struct htmt__lint *lint, FILE *out)
{
    if (!lint->has_carried) {
        if (lint->tried)
            htmt__report_item(out, "carried",
                              "what closures name in the innermost memory has no room "
                              "there in copies");
        return;
    }
    htmt__report_item(
        out, "carried",
        "%s, %s more, when each parcel carries what its closure names in the innermost "
        "memory (emulated)",
        htmt__format_fs(lint->carried).s, htmt__format_fs(lint->carried - lint->predicted).s);
}

int htmt__lint_print(const struct htmt__lint *lint, FILE *out)
{
    struct htmt__table table = {
        .columns = 6,
        .head = {"type", "departs by", "declared", "times", "saves", "moved, a slice"},
        .left = 0x7};
    int code = 0;
    unsigned unknown = 0;
    fprintf(out,
            "\nDEPARTURES from the percolation model (virtual clock; moved: charges of the moves "
            "saved)\n");
    for (unsigned i = 0; i < lint->count && !code; i++) {
        code = add_row(&table, lint, &lint->departure[i]);
        unknown += lint->departure[i].count && !lint->departure[i].declared;
    }
    if (!code && table.rows)
        htmt__table_print(&table, out);
    if (!table.rows)
        htmt__report_item(out, "none", "every parcel came with all that it needed");
    if (unknown)
        htmt__report_item(out, "UNDECLARED", "%u, marked NO", unknown);
    print_carried(lint, out);
    htmt__table_clear(&table);
    return code;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The emulator counts departures while it runs, by type and kind. Only kinds that saved words have
 * a price, so only those are asked for in what-if runs.
 */
#include "emul/lib/questions/lint.h"

#include <stdlib.h>

const char *htmt__lint_kind(unsigned kinds)
{
    return kinds == HTMT_DEPARTS_RESIDENT   ? "resident state"
           : kinds == HTMT_DEPARTS_OPEN     ? "incomplete closure"
           : kinds == HTMT_DEPARTS_EXCHANGE ? "exchange between slices"
                                            : "all";
}

unsigned htmt__lint_kinds(const struct htmt__lint *lint)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < lint->count; i++)
        kinds |= lint->departure[i].words ? lint->departure[i].kind : 0;
    return kinds;
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

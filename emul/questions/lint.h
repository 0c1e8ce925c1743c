/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where an application departs from the percolation model, and what that saves: each departure of
 * each type (enum htmt_departure), whether its type declares it, and its price: by the charges of
 * the moves that it saves, and by emulating the same command line with these moves
 * (htmt_options.carry), those of each kind alone and then all.
 */
#ifndef HTMT_EMUL_QUESTIONS_LINT_H
#define HTMT_EMUL_QUESTIONS_LINT_H

#include "apps/lib/app.h"

#include <stdbool.h>

/* The same run, in which percolation's moves are made for these kinds of departures. */
struct htmt__what_if {
    unsigned kinds; /* of enum htmt_departure, or'ed */
    htmt_time predicted;
    struct htmt_fault fault; /* code not 0: it did not come to its end, and why */
};

struct htmt__lint {
    bool made;
    uint32_t slices;
    htmt_time predicted, kept; /* kept: by a model run that carries nothing */
    unsigned count;            /* of departures that were made */
    struct htmt_departure_report *departure;
    unsigned what_if_count; /* emulations beside */
    struct htmt__what_if what_if[HTMT_DEPARTURES + 1];
};

const char *htmt__lint_kind(unsigned kinds); /* "resident state"; of several "all" */
/* Those that saved words. */
unsigned htmt__lint_kinds(const struct htmt__lint *lint);

/* Of an emulator that ran with htmt_options.lint. The caller gives *lint to htmt__lint_clear().
 * Errors: HTMT_ENOMEM. */
int htmt__lint_make(const struct htmt_emulator *e, struct htmt__lint *lint);
void htmt__lint_clear(struct htmt__lint *lint);

#endif

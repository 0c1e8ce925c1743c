/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Departures of an application from the percolation model, and the time that they save. For each
 * departure (enum htmt_departure) of each type: whether the type declares it, and its price. The
 * price is given twice: as the charges of the saved moves, and as the time of the same command line
 * with these moves (htmt_options.what_if), for each kind of departure alone and for all together.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_LINT_H
#define HTMT_EMUL_LIB_QUESTIONS_LINT_H

#include "apps/lib/task_parts.h"

#include <stdbool.h>

/* The same run with the moves of the percolation model for these kinds of departures. */
struct htmt__what_if {
    unsigned kinds; /* bits of enum htmt_departure */
    htmt_time predicted;
    struct htmt_fault fault; /* code not 0: the run did not end, for this reason */
};

struct htmt__lint {
    bool made;
    uint32_t slices;
    htmt_time predicted, kept; /* kept: by a model run without these moves */
    unsigned count;            /* of departures that occurred */
    struct htmt_departure_report *departure;
    unsigned what_if_count; /* further emulations */
    struct htmt__what_if what_if[HTMT_DEPARTURES + 1];
};

const char *htmt__lint_kind(unsigned kinds); /* "resident state"; several kinds: "all" */
/* The kinds that saved words. */
unsigned htmt__lint_kinds(const struct htmt__lint *lint);

/* The emulator must have run with htmt_options.lint. The caller calls htmt__lint_clear().
 * Errors: HTMT_ENOMEM. */
int htmt__lint_make(const struct htmt_emulator *e, struct htmt__lint *lint);
void htmt__lint_clear(struct htmt__lint *lint);

#endif

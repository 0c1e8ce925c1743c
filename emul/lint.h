/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where an application departs from the percolation model, and what that saves: each departure of
 * each type (enum htmt_departure), whether its type declares it, and its price, by the charges of
 * the moves that it saves. Resident state is priced by a second emulation, too, in which every
 * parcel carries what it used in the innermost memory.
 */
#ifndef HTMT_EMUL_LINT_H
#define HTMT_EMUL_LINT_H

#include "apps/app.h"

#include <stdbool.h>

struct htmt__lint {
    bool made;
    uint32_t slices;
    htmt_time predicted;
    bool tried;        /* closures name resident state: there was a second emulation... */
    bool has_carried;  /* ...and it came to its end: copies have room */
    htmt_time carried; /* predicted by the second emulation */
    unsigned count;    /* of departures that were made */
    struct htmt_departure_report *departure;
};

const char *htmt__lint_kind(enum htmt_departure kind); /* "resident state" */

/* Of an emulator that ran with htmt_options.lint. The caller gives *lint to htmt__lint_clear().
 * Errors: HTMT_ENOMEM. */
int htmt__lint_make(const struct htmt_emulator *e, struct htmt__lint *lint);
void htmt__lint_clear(struct htmt__lint *lint);

/* Errors: HTMT_ENOMEM. */
int htmt__lint_print(const struct htmt__lint *lint, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases as tables and charts show them.
 */
#ifndef HTMT_EMUL_LIB_REPORT_FAMILIES_H
#define HTMT_EMUL_LIB_REPORT_FAMILIES_H

#include "emul/lib/questions/results.h"

/* So many phases are shown one by one. */
#define HTMT__PHASES_SHOWN 64u

/* Phases whose types differ in numbers alone, such as "Worker 0" to "Worker 4095". */
struct htmt__family {
    struct htmt__stage sum;            /* their parcels, their share; type: "Worker *" */
    unsigned members;                  /* 1: the phase itself */
    const struct htmt__stage *busiest; /* of them: the greatest share */
};

/* Of few phases each is a family. Of more than HTMT__PHASES_SHOWN, the families with the greatest
 * shares in their order; *left_out gets how many phases are in others. On success the caller frees
 * *all. Errors: HTMT_ENOMEM. */
int htmt__families_make(const struct htmt__results *r, struct htmt__family **all, unsigned *count,
                        unsigned *left_out);

#endif

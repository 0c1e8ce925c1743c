/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --check-determinism: the same run again with other host threads and random host delays. Every
 * event must be the same, and so must the predicted time, the history hash and the check's value.
 */
#ifndef HTMT_EMUL_QUESTIONS_DETERMINISM_H
#define HTMT_EMUL_QUESTIONS_DETERMINISM_H

#include "emul/questions/observer.h"

#include "apps/lib/app.h"

#define HTMT__DETERMINISM_RUNS 4

/* How one of the runs was made. */
struct htmt__variant {
    uint32_t threads;
    uint64_t delay_seed;
};

struct htmt__determinism {
    unsigned runs;   /* that were compared with the first */
    uint64_t events; /* of each */
    bool equal;
    struct htmt__variant variant[HTMT__DETERMINISM_RUNS];
    struct htmt__variant culprit;    /* of the run that differs... */
    uint64_t number;                 /* ...and its first event that does, from 0 */
    char first[240], differing[240]; /* that event in the first run and in the other */
};

/* `first` is the outcome of `request`, whose events `recorded` holds, finished. The observer serves
 * the runs made here. Errors: HTMT_ENONDET with the line in *fault, HTMT_ECANCELLED, HTMT_ENOMEM,
 * and what a run gives. *result is valid after 0 and HTMT_ENONDET. */
int htmt__determinism_check(const struct htmt_app *app, const struct htmt_request *request,
                            const struct htmt_outcome *first,
                            const struct htmt__event_digest *recorded,
                            struct htmt__observer *observer, struct htmt__determinism *result,
                            struct htmt_fault *fault);

#endif

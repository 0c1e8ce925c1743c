/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --check-determinism: repeats the run with other numbers of host threads and random host delays.
 * Every event, the predicted time, the history hash and the value of the check must be the same.
 */
#ifndef HTMT_EMUL_QUESTIONS_DETERMINISM_H
#define HTMT_EMUL_QUESTIONS_DETERMINISM_H

#include "emul/questions/observer.h"

#include "apps/lib/task_parts.h"

#define HTMT__DETERMINISM_RUNS 4

/* The settings of one run. */
struct htmt__variant {
    uint32_t threads;
    uint64_t delay_seed;
};

struct htmt__determinism {
    unsigned runs;   /* compared with the first run */
    uint64_t events; /* of each run */
    bool equal;
    struct htmt__variant variant[HTMT__DETERMINISM_RUNS];
    struct htmt__variant culprit;    /* settings of the run that differs */
    uint64_t number;                 /* its first different event, from 0 */
    char first[240], differing[240]; /* that event in the first run and in the other */
};

/* `first` is the outcome of `request`, and `recorded` the complete digest of its events. The
 * observer serves the repeated runs. Errors: HTMT_ENONDET with a message in *fault,
 * HTMT_ECANCELLED, HTMT_ENOMEM, those of a run. *result is valid after 0 and HTMT_ENONDET. */
int htmt__determinism_check(const struct htmt_app *app, const struct htmt_request *request,
                            const struct htmt_outcome *first,
                            const struct htmt__event_digest *recorded,
                            struct htmt__observer *observer, struct htmt__determinism *result,
                            struct htmt_fault *fault);

#endif

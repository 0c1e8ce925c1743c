/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --check-determinism: repeats the run of an application with other numbers of host threads and
 * random host delays, and a model run by windows. The value of the check must be the
 * same, too.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_DETERMINISM_H
#define HTMT_EMUL_LIB_QUESTIONS_DETERMINISM_H

#include "emul/lib/questions/comparison.h"
#include "emul/lib/questions/observer.h"

#include "apps/lib/task_parts.h"

/* `first` is the outcome of `request`, and `recorded` the complete digest of its events. The
 * observer serves the repeated runs. Errors: HTMT_ENONDET with a message in *fault,
 * HTMT_ECANCELLED, HTMT_ENOMEM, those of a run. *result is valid after 0 and HTMT_ENONDET. */
int htmt__determinism_check(const struct htmt_app *app, const struct htmt_request *request,
                            const struct htmt_outcome *first,
                            const struct htmt__event_digest *recorded,
                            struct htmt__observer *observer, struct htmt_determinism_report *result,
                            struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that an emulator tells of its run, complete or not, as plain data.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_ACCOUNT_H
#define HTMT_EMUL_LIB_QUESTIONS_ACCOUNT_H

#include "emul/lib/questions/explanation.h"
#include "emul/lib/questions/lint.h"
#include "emul/lib/questions/results.h"
#include "emul/lib/questions/summary.h"

struct htmt__account {
    const struct htmt_emulator *emulator;
    uint64_t threads;        /* of the host, the clock's included */
    struct htmt_fault fault; /* of the run or of its accounts; code 0: complete */
    struct htmt__results results;
    struct htmt__summary summary;
    struct htmt__lint lint;               /* made if it ran with htmt_options.lint */
    struct htmt__explanation explanation; /* made if it ran with htmt_options.explain */
};

/* Of an emulator whose run is over. On success the caller calls htmt__account_clear().
 * Errors: HTMT_EINVAL (NULL, or its run is not over), HTMT_ENOMEM. */
int htmt__account_ask(const struct htmt_emulator *e, struct htmt__account *x);
void htmt__account_clear(struct htmt__account *x);

#endif

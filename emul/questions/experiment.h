/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run or model run with everything that there is to tell about it.
 */
#ifndef HTMT_EMUL_QUESTIONS_EXPERIMENT_H
#define HTMT_EMUL_QUESTIONS_EXPERIMENT_H

#include "emul/options/record.h"
#include "emul/questions/determinism.h"
#include "emul/questions/explanation.h"
#include "emul/questions/lint.h"
#include "emul/questions/results.h"
#include "emul/questions/summary.h"

/* Events up to which a run is emulated once more as a model run; a model run makes some millions of
 * events a second. */
#define HTMT__EVENTS_TO_MODEL 4000000

/* What `htmt model` says for the command line of a run. */
struct htmt__beside {
    bool emulated; /* false: not a run, not complete, too long, or the model run failed */
    htmt_time predicted;
    uint64_t history_hash;
};

struct htmt__experiment {
    struct htmt__record record;
    struct htmt_outcome outcome;
    struct htmt__results results;
    bool has_results;        /* the virtual clock came to at least one event, or to the end */
    struct htmt_fault fault; /* of the run; code 0: it is complete */
    bool has_determinism;
    struct htmt__determinism determinism;
    struct htmt__beside model;
    struct htmt__explanation explanation; /* when asked for */
    struct htmt__summary summary;         /* when asked for */
    struct htmt__lint lint;               /* when asked for */
};

/* The model run has the same events as the run. */
bool htmt__experiment_agrees(const struct htmt__experiment *x);

/* 0 complete and correct or unchecked, HTMT_EWRONG, or the fault's code. */
int htmt__experiment_code(const struct htmt__experiment *x);

/* Run, compare with other runs when asked, audit the accounts, collect, model. Returns
 * htmt__experiment_code(). The outcome's emulator is still there when the run got that far. Give x
 * to htmt__experiment_clear(). */
int htmt__experiment_run(struct htmt__experiment *x, struct htmt__observer *observer);
void htmt__experiment_clear(struct htmt__experiment *x);

#endif

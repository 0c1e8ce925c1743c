/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run or model run with all answers about it.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_EXPERIMENT_H
#define HTMT_EMUL_LIB_QUESTIONS_EXPERIMENT_H

#include "emul/lib/options/provenance.h"
#include "emul/lib/questions/determinism.h"
#include "emul/lib/questions/explanation.h"
#include "emul/lib/questions/lint.h"
#include "emul/lib/questions/results.h"
#include "emul/lib/questions/summary.h"
#include "emul/lib/questions/walls.h"

/* A run with at most this number of events is emulated again as a model run, which makes some
 * million events per second. */
#define HTMT__EVENTS_TO_MODEL 4000000

/* The answer of `htmt model` to the command line of a run. */
struct htmt__model_of_run {
    unsigned by_run; /* 1: by the run itself, whose application says that it is the same */
    bool emulated;   /* false: no run, incomplete, too long, or the model run failed */
    htmt_time predicted;
    uint64_t history_hash;
    bool steered; /* it took counts of its own where the run goes by data */
    uint64_t parcels;
};

struct htmt__experiment {
    struct htmt__provenance record;
    struct htmt_outcome outcome;
    struct htmt__results results;
    bool has_results;        /* the virtual clock reached at least one event, or the end */
    struct htmt_fault fault; /* of the run; code 0: the run is complete */
    bool has_determinism;
    struct htmt_determinism_report determinism;
    struct htmt__model_of_run model;
    struct htmt__explanation explanation; /* when asked for */
    struct htmt__summary summary;         /* when asked for */
    struct htmt__lint lint;               /* when asked for */
    struct htmt__walls walls;             /* of the same kernels, when asked for */
};

/* Whether the model run has the same events as the run. */
bool htmt__experiment_agrees(const struct htmt__experiment *x);

/* 0: complete, and correct or unchecked. Else HTMT_EWRONG or the code of the fault. */
int htmt__experiment_code(const struct htmt__experiment *x);

/* Runs, compares with other runs if asked, audits the accounts, collects the results, and makes the
 * model run. Returns htmt__experiment_code(). outcome.emulator remains, if the run created one. The
 * caller calls htmt__experiment_clear(). */
int htmt__experiment_run(struct htmt__experiment *x, struct htmt__observer *observer);
void htmt__experiment_clear(struct htmt__experiment *x);

#endif

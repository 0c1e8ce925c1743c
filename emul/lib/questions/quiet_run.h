/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts and emulates a command line given as one text, without a report.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_QUIET_RUN_H
#define HTMT_EMUL_LIB_QUESTIONS_QUIET_RUN_H

#include "emul/lib/options/captured.h"

struct htmt__quiet_run {
    char *words;                        /* the text, split into words */
    char *argv[2 * HTMT__SETS_MAX];     /* point into words */
    struct htmt__options options;       /* of argv */
    struct htmt_machine *machine;       /* with all changed figures; NULL: not the run's own */
    struct htmt_request request;        /* a model run with one thread */
    struct htmt__captured captured;     /* that it plays */
    struct htmt_prediction *prediction; /* NULL: not asked for yet */
    struct htmt_outcome outcome;        /* outcome.emulator NULL: not asked for yet */
};

/* `options`: "--size 64 --fold"; a value ends before the next " --". `machine`: a name, followed by
 * "+2cram" for twice the CRAM; "-" or NULL: as in the options. `set`: more changes of figures of
 * the machine. Errors: those of options and machine files. After success and after errors, the
 * caller calls htmt__quiet_run_clear(). */
int htmt__quiet_run_prepare(const struct htmt_app *app, const char *options, const char *machine,
                            const char *const *set, unsigned set_count, struct htmt__quiet_run *run,
                            struct htmt_fault *fault);

/* The same on a machine that is loaded, and outlasts the run. */
int htmt__quiet_run_prepare_on(const struct htmt_app *app, const char *options,
                               const struct htmt_machine *machine, struct htmt__quiet_run *run,
                               struct htmt_fault *fault);

/* Loads only the machine of such a name; NULL for "-". Errors: those of machine files. */
int htmt__quiet_run_machine(const char *name, const char *const *set, unsigned set_count,
                            struct htmt_machine **machine, struct htmt_fault *fault);

/* Errors: those of the application. */
int htmt__quiet_run_predict(struct htmt__quiet_run *run, struct htmt_fault *fault);
int htmt__quiet_run_emulate(struct htmt__quiet_run *run, struct htmt_fault *fault);

void htmt__quiet_run_clear(struct htmt__quiet_run *run);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A command line of an application as a text: what it predicts and what its model run shows,
 * without a report.
 */
#ifndef HTMT_EMUL_QUESTIONS_QUIET_RUN_H
#define HTMT_EMUL_QUESTIONS_QUIET_RUN_H

#include "emul/options/options.h"

struct htmt__quiet_run {
    char *words;                        /* the text, cut */
    char *argv[2 * HTMT__SETS_MAX];     /* into it */
    struct htmt__options options;       /* of argv */
    struct htmt_machine *machine;       /* with all sets */
    struct htmt_request request;        /* a model run with one thread */
    struct htmt_prediction *prediction; /* NULL: not asked for yet */
    struct htmt_outcome outcome;        /* outcome.emulator NULL: not asked for yet */
};

/* `options`: "--size 64 --fold"; a value ends before the next " --". `machine`: a name, with
 * "+2cram" behind it twice the CRAM; "-" or NULL: what the options say. `set`: further figures of
 * the machine. Errors: those of options and machine files. Whatever comes of it, the caller gives
 * *run to htmt__quiet_run_clear(). */
int htmt__quiet_run_prepare(const struct htmt_app *app, const char *options, const char *machine,
                            const char *const *set, unsigned set_count, struct htmt__quiet_run *run,
                            struct htmt_fault *fault);

/* The machine of such a name alone; NULL for "-". Errors: those of machine files. */
int htmt__quiet_run_machine(const char *name, const char *const *set, unsigned set_count,
                            struct htmt_machine **machine, struct htmt_fault *fault);

/* Errors: of the application. */
int htmt__quiet_run_predict(struct htmt__quiet_run *run, struct htmt_fault *fault);
int htmt__quiet_run_emulate(struct htmt__quiet_run *run, struct htmt_fault *fault);

void htmt__quiet_run_clear(struct htmt__quiet_run *run);

#endif

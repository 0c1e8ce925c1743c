/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares runs of one program with other numbers of host threads and random host delays. Every
 * event, the predicted time, the history hash and the result must be the same.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_COMPARISON_H
#define HTMT_EMUL_LIB_QUESTIONS_COMPARISON_H

#include "emul/lib/questions/event_digest.h"
#include "emul/report/htmt_report.h"

/* The settings of one run. */
struct htmt__variant {
    uint32_t threads;
    uint64_t delay_seed;
    bool windows;           /* by windows; threads and delays stay */
    uint32_t clock_threads; /* of a run by windows */
};

/* NULL: the options stay. */
void htmt__variant_set(const struct htmt__variant *variant, struct htmt_options *options);

/* Whether the clock of a run with these options, which nobody observes, may be asked for windows.
 */
bool htmt__comparison_has_windows(const struct htmt_options *options);

/* One run of the program. */
struct htmt__rerun {
    struct htmt_emulator *emulator; /* NULL: there is none */
    uint64_t result[2];             /* bits that must be the same */
};

struct htmt__comparison {
    const struct htmt__event_digest *recorded; /* of the first run, complete */
    htmt_time predicted;                       /* of the first run, as are hash and result */
    uint64_t history_hash, result[2];
    const char *result_name; /* "the result's check" */
    bool windows;            /* more runs, which nobody observes, by windows */
    /* Runs the program; `variant` NULL: with the settings of the first run; `digest` NULL: nobody
     * observes. A run that stops because its digest is full has not failed. Errors: the line is in
     * *fault. */
    int (*run)(void *user, const struct htmt__variant *variant, struct htmt__event_digest *digest,
               struct htmt__rerun *rerun, struct htmt_fault *fault);
    /* Destroys the emulator of a run, also of one that failed, before the next run. */
    void (*destroy)(void *user, struct htmt__rerun *rerun);
    void *user;
};

/* Of a report that has no threads: which run by windows differs, "windows" or the like. */
const char *htmt__comparison_way(const struct htmt_determinism_report *report);

/* Makes the runs until one differs. Errors: HTMT_ENONDET with report->difference ("first in event
 * 3,
 * ..."), without a line in *fault; HTMT_ENOMEM and those of a run, with one. *report is valid after
 * 0 and HTMT_ENONDET. */
int htmt__comparison_make(const struct htmt__comparison *comparison,
                          struct htmt_determinism_report *report, struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observes a run: its events go into a digest, its progress to a terminal; Ctrl-C cancels it.
 */
#ifndef HTMT_EMUL_QUESTIONS_OBSERVER_H
#define HTMT_EMUL_QUESTIONS_OBSERVER_H

#include "emul/questions/event_digest.h"
#include "emul/questions/interrupt.h"

struct htmt__observer {
    struct htmt__interrupt *interrupt;
    struct htmt__event_digest *digest; /* NULL: no comparison */
    bool progress;                     /* show progress on standard error, a terminal */
    bool drawn;                        /* a line of progress is on the terminal */
    int64_t started, shown;            /* ns of the monotonic clock */
};

/* The monotonic clock of the host, in seconds. */
double htmt__observer_now(void);

/* Sets the observer in the options of a run, before it starts. The observer must outlive the run.
 */
void htmt__observer_attach(struct htmt__observer *observer, struct htmt_options *options);

/* Erases the line of progress. */
void htmt__observer_detach(struct htmt__observer *observer);

#endif

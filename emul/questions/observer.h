/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command hangs into a run: a digest of its events, its progress on a terminal, Ctrl-C.
 */
#ifndef HTMT_EMUL_QUESTIONS_OBSERVER_H
#define HTMT_EMUL_QUESTIONS_OBSERVER_H

#include "emul/questions/event_digest.h"
#include "emul/questions/interrupt.h"

struct htmt__observer {
    struct htmt__interrupt *interrupt;
    struct htmt__event_digest *digest; /* NULL: nobody compares */
    bool progress;                     /* standard error is a terminal and shall be used */
    bool drawn;                        /* a line of progress stands there */
    int64_t started, shown;            /* ns of the monotonic clock */
};

/* Host seconds of the monotonic clock. */
double htmt__observer_now(void);

/* Hand the observer to a run that is about to start; it must outlive the run. */
void htmt__observer_attach(struct htmt__observer *observer, struct htmt_options *options);

/* Wipe the line of progress. */
void htmt__observer_detach(struct htmt__observer *observer);

#endif

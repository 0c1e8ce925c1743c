/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observes a run: its events go into a digest, its progress to standard error; Ctrl-C cancels
 * it.
 *
 * Progress shows the step of the run. While the clock runs, it shows the share of the closed form's
 * time that is over, and when the rest is over at the same speed.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_OBSERVER_H
#define HTMT_EMUL_LIB_QUESTIONS_OBSERVER_H

#include "apps/lib/task_parts.h"
#include "emul/lib/questions/event_digest.h"
#include "emul/lib/questions/old_history.h"
#include "emul/lib/text/progress.h"

/* Who hears of every event of the first run. */
struct htmt__listener {
    void (*hear)(void *user, const struct htmt_event *event);
    void *user;
};

struct htmt__observer {
    const struct htmt__listener *listener; /* NULL: nobody */
    struct htmt__event_digest *digest;     /* NULL: no comparison */
    struct htmt__old_history *old;         /* of the first run; NULL: nobody asks */
    enum htmt__progress_kind progress;     /* on standard error */
    const char *where;                     /* "run cannon", for lines of progress */
    unsigned runs;                         /* attached so far */
    bool drawn;                            /* a line of progress is on the terminal */
    double share;                          /* of this run, the last one told; it does not go back */
    bool reports; /* an earlier run has a report: this one is never interrupted without it */
    const struct htmt_outcome *outcome; /* of this run, for its closed form */
    int64_t started, shown;             /* ns of the monotonic clock: of the step, of the line */
};

/* Sets the observer in the request of a run, before it starts. The observer and the outcome must
 * outlive the run. */
void htmt__observer_attach(struct htmt__observer *observer, struct htmt_request *request,
                           const struct htmt_outcome *outcome);

/* Erases the line of progress. From now on a signal ends the command at once. */
void htmt__observer_detach(struct htmt__observer *observer);

#endif

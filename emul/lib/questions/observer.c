/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One observer serves all runs of a command line: the run itself, those of --check-determinism,
 * model runs and what-if runs. It is attached anew to each, and told what the run is compared with.
 * Only the first run is told to listeners, and to the old history. The clock calls for progress
 * often; a line is written at most at the interval of its form.
 */
#include "emul/lib/questions/observer.h"

#include "emul/lib/questions/interrupt.h"

#include <math.h>
#include <time.h>

#define NANOSECOND 1e-9

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void observe(void *user, const struct htmt_event *event)
{
    struct htmt__observer *o = user;
    if (o->digest)
        htmt__event_digest_add(o->digest, event);
    if (o->old && o->runs == 1)
        htmt__old_history_add(o->old, event);
    const struct htmt__listener *listener = o->listener;
    if (listener && o->runs == 1)
        listener->hear(listener->user, event);
}

/* Of the time that the closed form expects; below 0: it says nothing. */
static double share_of(struct htmt__observer *o, htmt_time now)
{
    const struct htmt_outcome *of = o->outcome;
    double expected = of->expected_s > 0 ? of->expected_s : of->closed_form_s;
    if (!(expected > 0))
        return -1;
    o->share = fmax(o->share, (double)now / (expected * (double)HTMT_SECOND));
    return o->share;
}

static void progress(void *user, htmt_time now, uint64_t events)
{
    struct htmt__observer *o = user;
    int64_t at = now_ns();
    if (at - o->shown < htmt__progress_interval(o->progress))
        return;
    htmt__progress_write(o->progress, o->where,
                         &(struct htmt__progress_state){o->runs, "emulation", now, events,
                                                        (double)(at - o->started) * NANOSECOND,
                                                        share_of(o, now)});
    o->shown = at;
    o->drawn = o->progress == HTMT__PROGRESS_TERMINAL;
}

static bool begins(void *user, enum htmt_step step)
{
    static const char *const names[] = {
        [HTMT_STEP_INPUT] = "input",       [HTMT_STEP_SET_UP] = "set-up",
        [HTMT_STEP_EMULATE] = "emulation", [HTMT_STEP_CHECK] = "check",
        [HTMT_STEP_OUTPUT] = "output",     [HTMT_STEP_CONCLUDE] = "conclusion",
    };
    struct htmt__observer *o = user;
    o->started = o->shown = now_ns();
    o->share = 0;
    if (o->progress != HTMT__PROGRESS_LINES)
        htmt__progress_write(
            o->progress, o->where,
            &(struct htmt__progress_state){.run = o->runs, .step = names[step], .share = -1});
    o->drawn = o->progress == HTMT__PROGRESS_TERMINAL;
    htmt__interrupt_listen(step == HTMT_STEP_EMULATE || step == HTMT_STEP_CHECK || o->reports);
    return !htmt__interrupt_asked();
}

static bool cancelled(void *user)
{
    const struct htmt__observer *o = user;
    return htmt__interrupt_asked() || (o->digest && htmt__event_digest_full(o->digest));
}

void htmt__observer_attach(struct htmt__observer *observer, struct htmt_request *request,
                           const struct htmt_outcome *outcome)
{
    struct htmt_options *options = &request->emulator;
    observer->outcome = outcome;
    observer->runs++;
    request->begins = begins;
    bool heard = (observer->listener || observer->old) && observer->runs == 1;
    options->observe = observer->digest || heard ? observe : NULL;
    options->progress = observer->progress == HTMT__PROGRESS_OFF ? NULL : progress;
    options->cancelled = cancelled;
    options->user = observer;
}

void htmt__observer_detach(struct htmt__observer *observer)
{
    htmt__interrupt_listen(false);
    if (observer->drawn)
        htmt__progress_line("");
    observer->drawn = false;
}

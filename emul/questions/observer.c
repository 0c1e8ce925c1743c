/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/questions/observer.h"

#include "emul/text/format.h"

#include <stdio.h>
#include <time.h>

#define NANOSECOND 1e-9
enum { BETWEEN = 100000000 }; /* ns between two lines of progress */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double htmt__observer_now(void)
{
    return (double)now_ns() * NANOSECOND;
}

static void observe(void *user, const struct htmt_event *event)
{
    struct htmt__observer *o = user;
    htmt__event_digest_add(o->digest, event);
}

static void progress(void *user, htmt_time now, uint64_t events)
{
    struct htmt__observer *o = user;
    int64_t at = now_ns();
    if (at - o->shown < BETWEEN)
        return;
    double wall = (double)(at - o->started) * NANOSECOND;
    fprintf(stderr, "\r  virtual %s, wall %s, %s events, %s\033[K", htmt__format_fs(now).s,
            htmt__format_si(wall, "s").s, htmt__format_count(events).s,
            htmt__format_si((double)events / wall, "events/s").s);
    fflush(stderr);
    o->shown = at;
    o->drawn = true;
}

static bool cancelled(void *user)
{
    const struct htmt__observer *o = user;
    return htmt__interrupt_asked(o->interrupt) || (o->digest && htmt__event_digest_full(o->digest));
}

void htmt__observer_attach(struct htmt__observer *observer, struct htmt_options *options)
{
    observer->started = observer->shown = now_ns();
    options->observe = observer->digest ? observe : NULL;
    options->progress = observer->progress ? progress : NULL;
    options->cancelled = cancelled;
    options->user = observer;
}

void htmt__observer_detach(struct htmt__observer *observer)
{
    if (observer->drawn)
        fprintf(stderr, "\r\033[K");
    observer->drawn = false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/watchdog.h"

#include "runtime/base/error.h"
#include "runtime/base/pages.h"
#include "runtime/host/crash.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 4 /* a second */ };

struct htmt__watchdog {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t bell;
    struct htmt__watched *first;
    bool stop;
    uint32_t seconds;
    pthread_t thread;
};

static void end(const struct htmt__watchdog *w, struct htmt__watched *who)
{
    struct htmt__deed deed;
    unsigned long turn;
    char text[160];
    if (!htmt__deed_of(who->doing, &deed, &turn) || turn != who->turn)
        return;
    snprintf(text, sizeof text,
             "has not ended after %u s, the limit of the watchdog: look for an endless loop, or "
             "raise the limit",
             w->seconds);
    htmt__crash_tell(&deed, text);
    _exit(htmt_exit_status(HTMT_ESYSTEM));
}

static void look_at(const struct htmt__watchdog *w, struct htmt__watched *who)
{
    unsigned long turn = atomic_load_explicit(&who->doing->turn, memory_order_acquire);
    bool busy = atomic_load_explicit(&who->doing->who, memory_order_acquire) != NULL;
    who->times = busy && turn == who->turn ? who->times + 1 : 0;
    who->turn = turn;
    if (who->times > LOOKS * w->seconds)
        end(w, who);
}

static struct timespec next_look(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 1000000000 / LOOKS;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *watch(void *argument)
{
    struct htmt__watchdog *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct timespec until = next_look();
        for (struct htmt__watched *who = w->first; who; who = who->next)
            look_at(w, who);
        while (!w->stop && !pthread_cond_timedwait(&w->bell, &w->lock, &until))
            ;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* It waits by the clock that nobody sets. */
static int init_bell(pthread_cond_t *bell)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return HTMT_ESYSTEM;
    int rc = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!rc)
        rc = pthread_cond_init(bell, &attributes);
    pthread_condattr_destroy(&attributes);
    return rc ? HTMT_ESYSTEM : 0;
}

/* Signals are other threads' business. */
static int start(struct htmt__watchdog *w)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = htmt__fault_injected() || pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc ? HTMT_ESYSTEM : 0;
}

int htmt__watchdog_create(struct htmt__watchdog **watchdog, uint32_t seconds)
{
    struct htmt__watchdog *w = htmt__record_alloc(sizeof *w);
    if (!w)
        return HTMT_ENOMEM;
    w->seconds = seconds;
    int rc = HTMT_ESYSTEM;
    if (pthread_mutex_init(&w->lock, NULL))
        goto no_lock;
    rc = init_bell(&w->bell);
    if (rc)
        goto no_bell;
    rc = start(w);
    if (rc)
        goto no_thread;
    *watchdog = w;
    return 0;
no_thread:
    pthread_cond_destroy(&w->bell);
no_bell:
    pthread_mutex_destroy(&w->lock);
no_lock:
    free(w);
    return rc;
}

void htmt__watchdog_destroy(struct htmt__watchdog **watchdog)
{
    struct htmt__watchdog *w = *watchdog;
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->bell);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->bell);
    pthread_mutex_destroy(&w->lock);
    free(w);
    *watchdog = NULL;
}

void htmt__watchdog_enter(struct htmt__watchdog *w, struct htmt__watched *me)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    *me = (struct htmt__watched){.next = w->first, .at = &w->first, .doing = &htmt__doing};
    if (me->next)
        me->next->at = &me->next;
    w->first = me;
    pthread_mutex_unlock(&w->lock);
}

void htmt__watchdog_leave(struct htmt__watchdog *w, struct htmt__watched *me)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    *me->at = me->next;
    if (me->next)
        me->next->at = me->at;
    pthread_mutex_unlock(&w->lock);
}

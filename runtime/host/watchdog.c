/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/watchdog.h"

#include "runtime/base/error.h"
#include "runtime/base/pages.h"
#include "runtime/base/temporary.h"
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

/* Whoever is busy with the same call at each look, for as many looks as the limit has, has not
 * ended in time: the process ends with a line that names it. */
static void look_at(const struct htmt__watchdog *w, struct htmt__watched *who)
{
    unsigned long turn = atomic_load_explicit(&who->doing->turn, memory_order_acquire);
    bool busy = atomic_load_explicit(&who->doing->who, memory_order_acquire) != NULL;
    struct htmt__callback_scope scope;
    char text[160];
    who->times = busy && turn == who->turn ? who->times + 1 : 0;
    who->turn = turn;
    if (who->times <= LOOKS * w->seconds || !htmt__callback_scope_of(who->doing, &scope, &turn) ||
        turn != who->turn)
        return;
    snprintf(text, sizeof text,
             "has not ended after %u s, the limit of the watchdog: look for an endless loop, or "
             "raise the limit",
             w->seconds);
    htmt__crash_tell(&scope, text);
    htmt__temporaries_remove();
    _exit(htmt_exit_status(HTMT_ESYSTEM));
}

static void *watch(void *argument)
{
    struct htmt__watchdog *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000000 / LOOKS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        for (struct htmt__watched *who = w->first; who; who = who->next)
            look_at(w, who);
        while (!w->stop && !pthread_cond_timedwait(&w->bell, &w->lock, &until))
            ;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* It waits by the clock that nobody sets. Signals are other threads' business. */
int htmt__watchdog_create(struct htmt__watchdog **watchdog, uint32_t seconds)
{
    struct htmt__watchdog *w = htmt__record_alloc(sizeof *w);
    pthread_condattr_t attributes;
    sigset_t all, old;
    if (!w)
        return HTMT_ENOMEM;
    w->seconds = seconds;
    if (pthread_mutex_init(&w->lock, NULL))
        goto no_lock;
    if (pthread_condattr_init(&attributes))
        goto no_bell;
    int refused = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!refused)
        refused = pthread_cond_init(&w->bell, &attributes);
    pthread_condattr_destroy(&attributes);
    if (refused)
        goto no_bell;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    refused = htmt__fault_injected() || pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (refused)
        goto no_thread;
    *watchdog = w;
    return 0;
no_thread:
    pthread_cond_destroy(&w->bell);
no_bell:
    pthread_mutex_destroy(&w->lock);
no_lock:
    free(w);
    return HTMT_ESYSTEM;
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounds of a team. A round is a number: the caller adds 1 to `round`, and each thread, which knows
 * the last round that it did, works as soon as it reads another number and then adds 1 to `done`.
 * The round is over when `done` is the number of threads. What the caller did before is seen by the
 * threads since they read its number, and what they did by the caller since it reads `done`.
 *
 * Rounds follow each other within microseconds when a window of the clock is short, so that a
 * thread looks for SPIN_NS before it sleeps, and the caller, which has nothing else to do, always
 * looks; after OWN_NS it offers its core, which the thread that it waits for may need.
 */
#define _GNU_SOURCE /* CPU_COUNT */
#include "runtime/host/team.h"

#include "runtime/base/error.h"
#include "runtime/base/pages.h"
#include "runtime/host/crash.h"
#include "runtime/host/monotonic.h"
#include "runtime/host/thread.h"
#include "runtime/host/watchdog.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <urcu/arch.h>

/* As a pool's threads do (pool.c). */
#define SPIN_NS 200000
#define LOOK_NS 1000000
#define LOOKS   16u   /* from one look at the time to the next */
#define OWN_NS  50000 /* then the one that is awaited may want this core */

struct htmt__team {
    struct htmt__team_options o;
    bool yield;                      /* more threads than cores */
    _Alignas(64) atomic_ulong round; /* that is on, or was */
    atomic_bool stop;
    _Alignas(64) atomic_uint done; /* threads that have done their part */
    atomic_uint sleepers;
    pthread_mutex_t lock; /* of sleeping */
    pthread_cond_t rung;
    unsigned started;
    pthread_t thread[];
};

static void pause_once(const struct htmt__team *t)
{
    if (t->yield)
        sched_yield();
    else
        caa_cpu_relax();
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* Until another round than the last one has begun. A sleeper counts itself before its last look,
 * and a round begins before the sleepers are counted (both in the single order of sequentially
 * consistent atomics), so one of the two sees the other. */
static void await_round(struct htmt__team *t, unsigned long last)
{
    int64_t begin = htmt__monotonic_ns();
    do {
        for (unsigned i = 0; i < LOOKS; i++, pause_once(t))
            if (atomic_load(&t->round) != last)
                return;
    } while (htmt__monotonic_ns() - begin < SPIN_NS);
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->round) == last)
        pthread_cond_wait(&t->rung, &t->lock);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->lock);
}

static void run(void *argument)
{
    struct htmt__team *t = argument;
    for (unsigned long last = 0;; last++) {
        await_round(t, last);
        if (atomic_load(&t->stop))
            return;
        t->o.work(t->o.whose);
        atomic_fetch_add(&t->done, 1);
    }
}

static void *thread_main(void *argument)
{
    struct htmt__team *t = argument;
    struct htmt__watched watched;
    htmt__watchdog_enter(t->o.watchdog, &watched);
    htmt__crash_guard(run, t, t->o.diagnose);
    htmt__watchdog_leave(t->o.watchdog, &watched);
    return NULL;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

void htmt__team_begin(struct htmt__team *t)
{
    atomic_store(&t->done, 0);
    atomic_fetch_add(&t->round, 1);
    if (!atomic_load(&t->sleepers))
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->rung);
    pthread_mutex_unlock(&t->lock);
}

static bool is_over(struct htmt__team *t)
{
    for (unsigned i = 0; i < LOOKS; i++, pause_once(t))
        if (atomic_load(&t->done) == t->started)
            return true;
    return false;
}

int64_t htmt__team_await(struct htmt__team *t, void (*look)(void *whose))
{
    int64_t begin = htmt__monotonic_ns(), end = begin, looked = begin;
    while (!is_over(t)) {
        end = htmt__monotonic_ns();
        if (end - begin > OWN_NS)
            sched_yield();
        if (end - looked < LOOK_NS)
            continue;
        look(t->o.whose);
        looked = end;
    }
    return end - begin;
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__team_create(struct htmt__team **team, const struct htmt__team_options *o)
{
    struct htmt__team *t = htmt__record_alloc(sizeof *t + o->threads * sizeof t->thread[0]);
    if (!t)
        return HTMT_ENOMEM;
    cpu_set_t set; /* cores that the process may use */
    const int cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    t->o = *o;
    t->yield = (unsigned)cores < o->threads + 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->rung, NULL);
    int rc = 0;
    while (t->started < t->o.threads && !rc) {
        rc = htmt__thread_start(&t->thread[t->started], thread_main, t);
        t->started += !rc;
    }
    if (rc)
        htmt__team_destroy(&t);
    *team = t;
    return rc;
}

void htmt__team_destroy(struct htmt__team **team)
{
    struct htmt__team *t = *team;
    if (!t)
        return;
    atomic_store(&t->stop, true);
    htmt__team_begin(t);
    for (unsigned i = 0; i < t->started; i++)
        pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->rung);
    pthread_mutex_destroy(&t->lock);
    free(t);
    *team = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host: its start and end, its workers, and what the clock's thread does while it waits. Who
 * may touch what stands in host_priv.h.
 */
#include "runtime/host/crash.h"
#include "runtime/host/host_priv.h"
#include "runtime/host/thread.h"
#include "runtime/host/watchdog.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRANSIENT_BYTES ((size_t)256 << 20)
#define JOBS            64 /* enough for any number of cores; more keep more pages in turn */
#define JOBS_LEAST      8  /* of each of several hosts */
#define BATCH           8

/* Take more than one at a time only when there is plenty for every worker: a job in the hands of a
 * busy worker is out of reach of an idle one. */
static unsigned batch_size(const struct htmt__pool *pool, const struct htmt__crew *crew)
{
    long queued = atomic_load_explicit(&pool->queued, memory_order_relaxed);
    long share = queued / (2 * (long)crew->workers);
    return share < 1 ? 1 : share > BATCH ? BATCH : (unsigned)share;
}

static void serve(struct htmt__room *room, struct cds_wfcq_node *const *nodes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct htmt__job *job = htmt__job_of(nodes[i]);
        htmt__job_take_part(room, job);
        htmt__job_token_done(job);
    }
}

static bool serve_crew(struct htmt__host *host, struct htmt__room *room,
                       const struct htmt__crew *crew)
{
    struct cds_wfcq_node *nodes[BATCH];
    for (unsigned i = host->pool_count; i-- > 0;) {
        struct htmt__pool *pool = &host->pool[i];
        if (pool->crew != crew)
            continue;
        unsigned count = htmt__pool_take(pool, nodes, batch_size(pool, crew));
        serve(room, nodes, count);
        if (count)
            return true;
    }
    return false;
}

static void serve_until_stopped(void *argument)
{
    struct htmt__worker *me = argument;
    while (!atomic_load(&me->crew->stop))
        if (!serve_crew(me->host, &me->room, me->crew))
            htmt__crew_idle(me->crew, me->host->pool, me->host->pool_count);
}

static void *work(void *argument)
{
    struct htmt__worker *me = argument;
    struct htmt__watched watched;
    htmt__watchdog_enter(me->host->watchdog, &watched);
    htmt__crash_guard(serve_until_stopped, me, me->host->diagnose);
    htmt__watchdog_leave(me->host->watchdog, &watched);
    return NULL;
}

static void reap(struct htmt__host *host)
{
    if (!cds_wfcq_empty(&host->completions_head, &host->completions_tail))
        __cds_wfcq_splice_nonblocking(&host->batch_head, &host->batch_tail, &host->completions_head,
                                      &host->completions_tail);
    for (;;) {
        struct cds_wfcq_node *node =
            __cds_wfcq_dequeue_nonblocking(&host->batch_head, &host->batch_tail);
        if (!node || node == CDS_WFCQ_WOULDBLOCK)
            return;
        htmt__job_reap(host, htmt__job_of(node));
    }
}

static bool take_part(struct htmt__host *host, struct htmt__job *job)
{
    int part = htmt__job_take_part(&host->room, job);
    host->counts.helped += part == 0;
    return part >= 0;
}

/* Run the oldest ready job of the innermost layer that has one. */
static bool help(struct htmt__host *host)
{
    for (unsigned i = host->pool_count; i-- > 0;) {
        struct cds_wfcq_node *node;
        if (!htmt__pool_take(&host->main->pool[i], &node, 1))
            continue;
        take_part(host, htmt__job_of(node));
        htmt__job_token_done(htmt__job_of(node));
        return true;
    }
    return false;
}

/* One round of waiting; returns the next round's number. */
static unsigned help_or_relax(struct htmt__host *host, unsigned round)
{
    unsigned before = host->outstanding;
    bool helped = help(host);
    reap(host);
    if (helped || host->outstanding != before)
        return 0;
    htmt__relax(round);
    return round + 1;
}

/* Waiting for memory helps only while storages that the clock has dropped are in use. */
static void keep_bounds(struct htmt__host *host)
{
    unsigned round = 0;
    while (host->outstanding >= host->job_bound ||
           (host->transient > host->transient_bound && host->zombie))
        round = help_or_relax(host, round);
}

static void run_inline(struct htmt__host *host, struct htmt__job *job, bool keep)
{
    for (unsigned part = 0; part < job->parts; part++)
        htmt__job_run(&host->room, job, part);
    atomic_store_explicit(&job->successors, htmt__closed(), memory_order_relaxed);
    host->counts.inline_run++;
    job->keep = keep;
    job->reaped = true;
    if (!keep)
        htmt__job_recycle(host, job);
}

void htmt__host_issue(struct htmt__host *host, struct htmt__job *job, bool keep)
{
    job->number = host->counts.jobs++;
    host->counts.per_pool[job->pool]++;
    htmt__storage_let_go(host);
    if (!host->threaded) {
        run_inline(host, job, keep);
        return;
    }
    job->keep = keep;
    reap(host);
    keep_bounds(host);
    if (!htmt__job_prepare(host, job))
        htmt__host_drain(host);
    host->outstanding++;
    htmt__job_link(host, job);
}

bool htmt__host_direct(const struct htmt__host *host)
{
    return !host->threaded && !host->checked && !host->delay_seed;
}

void htmt__host_did(struct htmt__host *host, unsigned pool)
{
    host->counts.jobs++;
    host->counts.inline_run += !host->threaded;
    host->counts.helped += host->threaded;
    host->counts.per_pool[pool]++;
}

void *htmt__host_room(struct htmt__host *host, size_t bytes)
{
    return htmt__room_of(host, &host->room, bytes ? bytes : 1);
}

void htmt__job_wait(struct htmt__host *host, struct htmt__job *job)
{
    unsigned round = 0;
    while (!htmt__job_done(job))
        round = take_part(host, htmt__job_root(job)) ? 0 : help_or_relax(host, round);
}

bool htmt__host_starved(const struct htmt__host *host)
{
    return atomic_load_explicit(&host->starved, memory_order_relaxed);
}

void htmt__host_drain(struct htmt__host *host)
{
    unsigned round = 0;
    while (host->outstanding)
        round = help_or_relax(host, round);
}

static struct htmt__job *unfinished(const struct htmt__use_of *list)
{
    for (; list; list = list->next)
        if (!htmt__job_done(list->job))
            return list->job;
    return NULL;
}

static bool in_the_way(const struct htmt__use_of *list, const struct htmt__extent *part)
{
    for (; list; list = list->next)
        if (!htmt__job_done(list->job) && htmt__extents_meet(&list->extent, part))
            return true;
    return false;
}

bool htmt__storage_free(const struct htmt__host *host, const struct htmt__storage *s,
                        enum htmt__use use, const struct htmt__extent *part)
{
    return !host->checked && !host->delay_seed && !in_the_way(s->writers, part) &&
           !(use & HTMT__WRITE && in_the_way(s->readers, part));
}

void htmt__storage_sync(struct htmt__host *host, struct htmt__storage *s, enum htmt__use use)
{
    struct htmt__job *job;
    while ((job = unfinished(s->writers)))
        htmt__job_wait(host, job);
    if (use & HTMT__WRITE)
        while ((job = unfinished(s->readers)))
            htmt__job_wait(host, job);
    if (host->checked)
        htmt__storage_hold(host, s, use);
}

/* All jobs of the storage are done. */
static void reap_all(struct htmt__host *host, const struct htmt__storage *storage)
{
    for (unsigned round = 0; storage->users; round++) {
        reap(host);
        htmt__relax(round);
    }
}

void htmt__storage_leave(struct htmt__host *host, struct htmt__storage *s)
{
    htmt__storage_sync(host, s, HTMT__WRITE);
    htmt__storage_let_go(host);
    reap_all(host, s);
    htmt__storage_part(host, s);
}

void htmt__host_counts(const struct htmt__host *host, struct htmt__host_counts *counts)
{
    *counts = host->counts;
    counts->workers = host->main->worker_count;
}

static unsigned wanted_workers(const struct htmt__host_options *o, bool *exact)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < o->pools; i++)
        if (o->pool_workers[i] > HTMT__WORKERS_MAX - sum)
            return HTMT__WORKERS_MAX + 1;
        else
            sum += o->pool_workers[i];
    *exact = sum > 0;
    return *exact ? sum : o->workers;
}

/* Crew 0 serves all pools; or each pool with workers has its own crew, and the innermost of those
 * also serves the pools without. */
static unsigned crew_of(const struct htmt__host_options *o, bool exact, unsigned pool)
{
    if (!exact)
        return 0;
    if (o->pool_workers[pool])
        return pool;
    for (pool = o->pools; !o->pool_workers[--pool];)
        ;
    return pool;
}

static int init_crews(struct htmt__host *host, const struct htmt__host_options *o, bool exact)
{
    host->crew_count = 0;
    for (unsigned i = 0; i < host->pool_count; i++) {
        unsigned workers = exact ? o->pool_workers[i] : i ? 0 : host->worker_count;
        int rc = htmt__fault_injected()
                     ? HTMT_ESYSTEM
                     : htmt__crew_init(&host->crew[i], workers,
                                       host->worker_count + (o->clocks ? o->clocks : 1));
        if (rc)
            return rc;
        host->crew_count++;
    }
    for (unsigned i = 0; i < host->pool_count; i++)
        htmt__pool_init(&host->pool[i], &host->crew[crew_of(o, exact, i)]);
    return 0;
}

static void fini_crews(struct htmt__host *host, bool pools)
{
    for (unsigned i = 0; pools && i < host->pool_count; i++)
        htmt__pool_fini(&host->pool[i]);
    while (host->crew_count)
        htmt__crew_fini(&host->crew[--host->crew_count]);
}

/* Stops and joins the first `count` workers. */
static void stop_workers(struct htmt__host *host, unsigned count)
{
    for (unsigned i = 0; i < host->crew_count; i++)
        htmt__crew_stop(&host->crew[i]);
    while (count)
        pthread_join(host->worker[--count].thread, NULL);
}

static int start_workers(struct htmt__host *host)
{
    unsigned started = 0, crew = 0, in_crew = 0;
    int rc = 0;
    for (; started < host->worker_count && !rc; started += !rc) {
        for (; in_crew == host->crew[crew].workers; in_crew = 0)
            crew++;
        host->worker[started].host = host;
        host->worker[started].crew = &host->crew[crew];
        in_crew++;
        rc = htmt__thread_start(&host->worker[started].thread, work, &host->worker[started]);
    }
    if (rc)
        stop_workers(host, started);
    return rc;
}

static void init_completions(struct htmt__host *host)
{
    __cds_wfcq_init(&host->completions_head, &host->completions_tail);
    __cds_wfcq_init(&host->batch_head, &host->batch_tail);
}

static void init_options(struct htmt__host *host, const struct htmt__host_options *o)
{
    host->main = host;
    host->pool_count = o->pools;
    host->threaded = host->worker_count > 0;
    host->checked = o->checked;
    host->diagnose = o->diagnose;
    host->watchdog = o->watchdog;
    host->delay_seed = o->delay_seed;
    host->transient_bound = o->transient_bytes ? o->transient_bytes : TRANSIENT_BYTES;
    host->job_bound = o->jobs ? o->jobs : JOBS;
    host->page = (size_t)sysconf(_SC_PAGESIZE);
    init_completions(host);
}

static int init_locks(struct htmt__host *host)
{
    if (htmt__fault_injected() || pthread_mutex_init(&host->gate, NULL))
        return HTMT_ESYSTEM;
    if (!pthread_mutex_init(&host->pages, NULL))
        return 0;
    pthread_mutex_destroy(&host->gate);
    return HTMT_ESYSTEM;
}

static void fini_locks(struct htmt__host *host)
{
    pthread_mutex_destroy(&host->pages);
    pthread_mutex_destroy(&host->gate);
}

static int init_locks_and_arena(struct htmt__host *host)
{
    int rc = init_locks(host);
    if (rc)
        return rc;
    rc = htmt__arena_create(&host->arena);
    if (rc)
        fini_locks(host);
    return rc;
}

static void fini_locks_and_arena(struct htmt__host *host)
{
    htmt__arena_destroy(&host->arena);
    fini_locks(host);
}

static int start(struct htmt__host *host, const struct htmt__host_options *o, bool exact)
{
    int rc = init_locks_and_arena(host);
    if (rc)
        return rc;
    rc = init_crews(host, o, exact);
    if (rc)
        goto no_crews;
    rc = start_workers(host);
    if (rc)
        goto no_workers;
    return 0;
no_workers:
    fini_crews(host, true);
    goto no_pools;
no_crews:
    fini_crews(host, false);
no_pools:
    fini_locks_and_arena(host);
    return rc;
}

int htmt__host_create(struct htmt__host **out, const struct htmt__host_options *o)
{
    bool exact = false;
    if (o->pools < 1 || o->pools > HTMT_POOLS_MAX)
        return HTMT_EINVAL;
    unsigned workers = wanted_workers(o, &exact);
    if (workers > HTMT__WORKERS_MAX)
        return HTMT_EINVAL;
    struct htmt__host *host = htmt__record_alloc(sizeof *host);
    if (!host)
        return HTMT_ENOMEM;
    int rc = HTMT_ENOMEM;
    host->worker = htmt__record_alloc((workers + 1) * sizeof *host->worker);
    if (!host->worker)
        goto fail;
    host->worker_count = workers;
    init_options(host, o);
    rc = start(host, o, exact);
    if (rc)
        goto fail;
    *out = host;
    return 0;
fail:
    free(host->worker);
    free(host);
    return rc;
}

int htmt__host_create_beside(struct htmt__host **out, struct htmt__host *main, unsigned hosts)
{
    struct htmt__host *host = htmt__record_alloc(sizeof *host);
    if (!host)
        return HTMT_ENOMEM;
    host->main = main;
    host->pool_count = main->pool_count;
    host->threaded = main->threaded;
    host->checked = main->checked;
    host->delay_seed = main->delay_seed;
    host->page = main->page;
    host->transient_bound = main->transient_bound / hosts;
    host->job_bound = main->job_bound / hosts > JOBS_LEAST ? main->job_bound / hosts : JOBS_LEAST;
    init_completions(host);
    int rc = init_locks(host);
    if (rc)
        free(host);
    else
        *out = host;
    return rc;
}

/* What only the first of several hosts has. */
static void fini_shared(struct htmt__host *host)
{
    fini_crews(host, true);
    htmt__arena_destroy(&host->arena);
    free(host->worker);
}

void htmt__host_destroy(struct htmt__host **at)
{
    struct htmt__host *host = *at;
    if (!host)
        return;
    htmt__host_drain(host);
    stop_workers(host, host->worker_count);
    for (unsigned i = 0; i < host->worker_count; i++)
        free(host->worker[i].room.bytes);
    free(host->room.bytes);
    htmt__job_free_all(host);
    htmt__storage_free_all(host);
    if (host->main == host)
        fini_shared(host);
    fini_locks(host);
    free(host);
    *at = NULL;
}

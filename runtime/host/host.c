/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host: its start and end, its workers, and what the clock's thread does while it waits. Who
 * may touch what stands in host_priv.h.
 *
 * The clock's thread never only waits. While a job that it needs is not done, it runs a part of
 * that job, or of the one at the root of what that job waits for (htmt__job_wait()); while it has
 * too many jobs or bytes under way, it runs the oldest ready job of the innermost pool. So a host
 * without idle workers goes on, and the thread that knows what is needed next does it.
 *
 * A job is reaped, and its record used again, by the clock alone. Workers post finished jobs on a
 * queue of completions, which the clock takes over as a whole and then reads without locks.
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

/* ---- workers ---------------------------------------------------------------------------------
 */

/* Runs jobs of the innermost pool of this group that has some; false: none has. It takes more than
 * one at a time only when there is plenty for every worker: a job in the hands of a busy worker is
 * out of reach of an idle one. */
static bool serve_group(struct htmt__host *host, struct htmt__room *room,
                        const struct htmt__worker_group *group)
{
    struct cds_wfcq_node *nodes[BATCH];
    for (unsigned i = host->pool_count; i-- > 0;) {
        struct htmt__pool *pool = &host->pool[i];
        if (pool->group != group)
            continue;
        const long queued = atomic_load_explicit(&pool->queued, memory_order_relaxed);
        const long share = queued / (2 * (long)group->workers);
        const unsigned most = share < 1 ? 1 : share > BATCH ? BATCH : (unsigned)share;
        const unsigned count = htmt__pool_take(pool, nodes, most);
        for (unsigned n = 0; n < count; n++) {
            struct htmt__job *job = htmt__job_of(nodes[n]);
            htmt__job_take_part(room, job);
            htmt__job_token_done(job);
        }
        if (count)
            return true;
    }
    return false;
}

static void serve_until_stopped(void *argument)
{
    struct htmt__worker *me = argument;
    while (!atomic_load(&me->group->stop))
        if (!serve_group(me->host, &me->room, me->group))
            htmt__worker_group_idle(me->group, me->host->pool, me->host->pool_count);
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

/* ---- the clock's thread ----------------------------------------------------------------------
 *
 * Why it never waits for ever. A job waits only for jobs that were issued before it. So whoever
 * follows "waits for" from the job that is needed comes, by ever smaller numbers, to one that waits
 * for nobody: the root. All parts of the root are done, or in the hands of threads that run them
 * now and wait for nothing meanwhile, or there is one that nobody has begun, and the clock runs it.
 * In each case some thread gets on, and the root is done after a while; then the next one is.
 *
 * By hand: job 1 writes x, job 2 reads x and writes y, and the clock needs y. Of two workers one is
 * busy with job 0, the other one sleeps. The root of job 2 is job 1, and the clock runs it; that
 * makes job 2 its own root, and the clock runs it, too, unless the second worker woke and has it.
 * Had a worker begun job 1 before, htmt__job_take_part() would find no part left; the clock would
 * run any other job that is ready, and look again.
 *
 * What bounds the jobs under way. Each holds a record, and often bytes that live as long as it
 * does. Beyond job_bound jobs the clock helps until one is reaped. It does so, too, beyond
 * transient_bound bytes, but only while some of them are dropped already and wait for their last
 * job (`zombie`): others are the program's own, and no waiting would free them.
 *
 * Cost: without workers, a call per job. With them, each round of waiting looks at one list of
 * edges for each step to the root, and mostly that is one step. */

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

/* One round of waiting: runs the oldest ready job of the innermost layer that has one. Returns the
 * next round's number, 0 where something has happened. */
static unsigned help_or_relax(struct htmt__host *host, unsigned round)
{
    const unsigned before = host->outstanding;
    bool helped = false;
    for (unsigned i = host->pool_count; i-- > 0 && !helped;) {
        struct cds_wfcq_node *node;
        helped = htmt__pool_take(&host->main->pool[i], &node, 1);
        if (!helped)
            continue;
        take_part(host, htmt__job_of(node));
        htmt__job_token_done(htmt__job_of(node));
    }
    reap(host);
    if (helped || host->outstanding != before)
        return 0;
    htmt__relax(round);
    return round + 1;
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

/* Too many jobs, or too many bytes of short life: others must end first. Waiting for memory helps
 * only while storages that the clock has dropped are in use. */
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
    for (unsigned round = 0; host->outstanding >= host->job_bound ||
                             (host->transient > host->transient_bound && host->zombie);)
        round = help_or_relax(host, round);
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

void htmt__storage_leave(struct htmt__host *host, struct htmt__storage *s)
{
    htmt__storage_sync(host, s, HTMT__WRITE);
    htmt__storage_let_go(host);
    for (unsigned round = 0; s->users; round++) { /* all its jobs are done, some not yet posted */
        reap(host);
        htmt__relax(round);
    }
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

/* Group 0 serves all pools; or each pool with workers has its own group, and the innermost of those
 * also serves the pools without. */
static int init_groups(struct htmt__host *host, const struct htmt__host_options *o, bool exact)
{
    const unsigned threads = host->worker_count + (o->clocks ? o->clocks : 1);
    unsigned innermost = 0;
    host->group_count = 0;
    for (unsigned i = 0; i < host->pool_count; i++) {
        unsigned workers = exact ? o->pool_workers[i] : i ? 0 : host->worker_count;
        int rc = htmt__fault_injected()
                     ? HTMT_ESYSTEM
                     : htmt__worker_group_init(&host->group[i], workers, threads);
        if (rc)
            return rc;
        host->group_count++;
        innermost = exact && workers ? i : innermost;
    }
    for (unsigned i = 0; i < host->pool_count; i++) {
        const bool own = exact && o->pool_workers[i];
        htmt__pool_init(&host->pool[i], &host->group[own ? i : innermost]);
    }
    return 0;
}

static void fini_groups(struct htmt__host *host, bool pools)
{
    for (unsigned i = 0; pools && i < host->pool_count; i++)
        htmt__pool_fini(&host->pool[i]);
    while (host->group_count)
        htmt__worker_group_fini(&host->group[--host->group_count]);
}

/* Stops and joins the first `count` workers. */
static void stop_workers(struct htmt__host *host, unsigned count)
{
    for (unsigned i = 0; i < host->group_count; i++)
        htmt__worker_group_stop(&host->group[i]);
    while (count)
        pthread_join(host->worker[--count].thread, NULL);
}

/* Worker after worker, into group after group until each has its number. */
static int start_workers(struct htmt__host *host)
{
    unsigned started = 0, group = 0, in_group = 0;
    int rc = 0;
    for (; started < host->worker_count && !rc; started += !rc) {
        for (; in_group == host->group[group].workers; in_group = 0)
            group++;
        host->worker[started].host = host;
        host->worker[started].group = &host->group[group];
        in_group++;
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

int htmt__host_create(struct htmt__host **out, const struct htmt__host_options *o)
{
    bool exact = false, pools = false;
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
        goto free_host;
    host->main = host;
    host->pool_count = o->pools;
    host->worker_count = workers;
    host->threaded = workers > 0;
    host->checked = o->checked;
    host->diagnose = o->diagnose;
    host->watchdog = o->watchdog;
    host->delay_seed = o->delay_seed;
    host->transient_bound = o->transient_bytes ? o->transient_bytes : TRANSIENT_BYTES;
    host->job_bound = o->jobs ? o->jobs : JOBS;
    host->page = (size_t)sysconf(_SC_PAGESIZE);
    init_completions(host);
    if ((rc = init_locks(host)))
        goto free_workers;
    if ((rc = htmt__arena_create(&host->arena)))
        goto free_locks;
    if ((rc = init_groups(host, o, exact)))
        goto free_groups;
    pools = true;
    if ((rc = start_workers(host)))
        goto free_groups;
    *out = host;
    return 0;
free_groups:
    fini_groups(host, pools);
    htmt__arena_destroy(&host->arena);
free_locks:
    fini_locks(host);
free_workers:
    free(host->worker);
free_host:
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
    if (host->main == host) { /* what only the first of several hosts has */
        fini_groups(host, true);
        htmt__arena_destroy(&host->arena);
        free(host->worker);
    }
    fini_locks(host);
    free(host);
    *at = NULL;
}

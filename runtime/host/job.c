/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Jobs: their records, what they wait for, and what happens to each of them on its way.
 *
 * A job names the storages that it reads and writes. The clock issues jobs in the order of the
 * emulated program, and two jobs with a storage in common, of which one writes it, must run in that
 * order. So issuing a job means to find the earlier ones that it waits for. Each storage lists the
 * uses of jobs not yet reaped: `writers` and `readers` since the last job that wrote all of it. A
 * reader waits for the writers whose bytes meet its own, a writer for the readers too.
 *
 * For each such pair there is an edge, pushed onto the list `successors` of the earlier job, while
 * `pending` of the later one counts its edges. A job that is done exchanges its list for CLOSED and
 * takes 1 off the count of everybody on it; whoever brings a count to zero puts that job into its
 * pool. A push onto a closed list fails, which says that there is nothing to wait for. No locks:
 * the clock alone pushes, so a failed compare-and-swap can mean nothing else.
 *
 * While its edges are made, a job's `pending` is LINKING, which no counting down can bring to zero;
 * at the end the clock takes off LINKING less the edges. By hand: job 3 reads what jobs 1 and 2
 * wrote. It starts with LINKING; job 1 is done already, so that push fails; the edge to job 2 holds
 * and edges = 1. Job 2 ends meanwhile: pending = LINKING - 1. The clock subtracts LINKING - 1,
 * finds that the count was just that, and puts the job into its pool itself.
 *
 * The cost of issuing is one edge for each earlier use that is still listed, in records that are
 * taken from a list before the first edge is made: a job has all its edges, or the clock waits
 * until everything is done (htmt__job_prepare()).
 */
#include "runtime/host/host_priv.h"

#include "runtime/base/random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <urcu/compiler.h>

#define SMALLEST_LOG 8 /* 256 bytes: header, a small payload, one use */
/* More than any job's edges: pending cannot reach zero while they are being made. */
#define LINKING      (1 << 30)
#define DELAY_MAX_NS 200000

/* ---- records ---------------------------------------------------------------------------------
 * Of a power of two of bytes; those of each size that are free stand in a list. Behind the job:
 * payload, uses, tokens. */

static size_t class_size(unsigned class)
{
    return (size_t)1 << (class + SMALLEST_LOG);
}

static struct htmt__job *take(struct htmt__host *host, size_t size)
{
    const unsigned log = 64u - (unsigned)__builtin_clzll(size - 1);
    const unsigned class = log <= SMALLEST_LOG ? 0 : log - SMALLEST_LOG;
    struct htmt__job *job = host->free_job[class];
    if (job) {
        host->free_job[class] = job->free_next;
        HTMT__UNPOISON(job + 1, class_size(class) - sizeof *job);
        return job;
    }
    job = htmt__record_alloc(class_size(class));
    if (!job)
        return NULL;
    job->class = class;
    atomic_store_explicit(&job->only.job, job, memory_order_release);
    job->all_next = host->all_jobs;
    host->all_jobs = job;
    return job;
}

struct htmt__job *htmt__job_create_parts(struct htmt__host *host, unsigned pool,
                                         void (*run)(void *payload), size_t payload, unsigned uses,
                                         unsigned parts, size_t stride)
{
    if (payload > SIZE_MAX / 4 || pool >= host->pool_count)
        return NULL;
    const size_t uses_at = sizeof(struct htmt__job) + ((payload + 15) & ~(size_t)15);
    const size_t tokens_at = uses_at + uses * sizeof(struct htmt__use_of);
    struct htmt__job *job =
        take(host, tokens_at + (parts > 1 ? parts * sizeof(struct htmt__token) : 0));
    if (!job)
        return NULL;
    job->run = run;
    job->host = host;
    job->stride = stride;
    job->pool = pool;
    job->number = UINT64_MAX;
    job->use = (struct htmt__use_of *)(void *)((char *)job + uses_at);
    job->use_count = 0;
    job->use_room = uses;
    job->edges = NULL;
    job->borrowed = 0;
    job->reaped = false;
    job->parts = parts;
    job->token = &job->only; /* that of a job in one part is laid once and for all */
    atomic_store_explicit(&job->begun, 0, memory_order_relaxed);
    if (parts > 1) {
        job->token = (struct htmt__token *)(void *)((char *)job + tokens_at);
        for (unsigned i = 0; i < parts; i++)
            atomic_store_explicit(&job->token[i].job, job, memory_order_release);
        atomic_store_explicit(&job->undone, parts, memory_order_relaxed);
        atomic_store_explicit(&job->tokens, parts, memory_order_relaxed);
    }
    atomic_store_explicit(&job->successors, NULL, memory_order_relaxed);
    return job;
}

struct htmt__job *htmt__job_create(struct htmt__host *host, unsigned pool,
                                   void (*run)(void *payload), size_t payload, unsigned uses)
{
    return htmt__job_create_parts(host, pool, run, payload, uses, 1, 0);
}

void *htmt__job_payload(struct htmt__job *job)
{
    return job + 1;
}

/* Two uses of one storage are one of both their bytes. */
void htmt__job_use_part(struct htmt__job *job, struct htmt__storage *storage, unsigned use,
                        struct htmt__extent extent)
{
    for (unsigned i = 0; i < job->use_count; i++) {
        struct htmt__use_of *u = &job->use[i];
        if (u->storage != storage)
            continue;
        u->use |= use;
        if (memcmp(&u->extent, &extent, sizeof extent) != 0)
            u->extent = htmt__extent_join(&u->extent, &extent);
        return;
    }
    assert(job->use_count < job->use_room);
    struct htmt__use_of *u = &job->use[job->use_count++];
    u->storage = storage;
    u->use = use;
    u->extent = extent;
}

void htmt__job_use(struct htmt__job *job, struct htmt__storage *storage, unsigned use)
{
    htmt__job_use_part(job, storage, use, (struct htmt__extent){0});
}

bool htmt__job_done(const struct htmt__job *job)
{
    return atomic_load_explicit(&job->successors, memory_order_acquire) == htmt__closed();
}

/* ---- edges ----------------------------------------------------------------------------------- */

bool htmt__job_prepare(struct htmt__host *host, const struct htmt__job *job)
{
    size_t most = 0;
    for (unsigned i = 0; i < job->use_count; i++)
        most += job->use[i].storage->users;
    while (host->free_edge_count < most) {
        struct htmt__edges *block = htmt__record_alloc(sizeof *block);
        if (!block)
            return false;
        block->next = host->all_edges;
        host->all_edges = block;
        for (unsigned i = 0; i < HTMT__EDGE_BLOCK; i++) {
            block->edge[i].also = host->free_edges;
            host->free_edges = &block->edge[i];
        }
        host->free_edge_count += HTMT__EDGE_BLOCK;
    }
    return true;
}

/* An edge from each job of the list whose bytes meet those of `u`. Returns how many hold; those
 * refused because their job is done go back with the others when the job is reaped. */
static int wait_for_all(struct htmt__host *host, const struct htmt__use_of *list,
                        const struct htmt__use_of *u)
{
    struct htmt__job *job = u->job;
    int edges = 0;
    for (; list; list = list->next) {
        struct htmt__job *before = list->job;
        if (!htmt__extents_meet(&list->extent, &u->extent) || htmt__job_done(before))
            continue;
        struct htmt__edge *edge = host->free_edges;
        host->free_edges = edge->also;
        host->free_edge_count--;
        edge->also = job->edges;
        job->edges = edge;
        edge->job = job;
        edge->before = before;
        edge->next = atomic_load_explicit(&before->successors, memory_order_acquire);
        edges += edge->next != htmt__closed() && atomic_compare_exchange_strong_explicit(
                                                     &before->successors, &edge->next, edge,
                                                     memory_order_acq_rel, memory_order_acquire);
    }
    return edges;
}

/* Where a job goes when it is ready. Looked up while it still waits: afterwards it may run, and be
 * recycled, at any moment. */
struct place {
    struct htmt__pool *pool;
    struct htmt__token *token;
    unsigned tokens;
};

static struct place place_of(struct htmt__job *job)
{
    return (struct place){&job->host->main->pool[job->pool], job->token, job->parts};
}

static void enqueue(struct place to)
{
    for (unsigned i = 0; i < to.tokens; i++)
        htmt__pool_enqueue(to.pool, &to.token[i].node);
}

void htmt__job_link(struct htmt__host *host, struct htmt__job *job)
{
    struct place place = place_of(job);
    int edges = 0;
    atomic_store_explicit(&job->posted, false, memory_order_relaxed);
    atomic_store_explicit(&job->pending, LINKING, memory_order_release);
    for (unsigned i = 0; i < job->use_count; i++) {
        struct htmt__use_of *u = &job->use[i];
        u->job = job;
        u->listed = false;
        u->storage->users++;
        edges += wait_for_all(host, u->storage->writers, u);
        if (u->use & HTMT__WRITE)
            edges += wait_for_all(host, u->storage->readers, u);
        htmt__storage_used(u);
    }
    if (atomic_fetch_sub_explicit(&job->pending, LINKING - edges, memory_order_acq_rel) ==
        LINKING - edges)
        enqueue(place);
}

/* From job to job that it waits for. A record on the way may be another job by now; then it was
 * issued later than the one that waits, and its number says so. */
struct htmt__job *htmt__job_root(struct htmt__job *job)
{
    for (;;) {
        const struct htmt__edge *edge = job->edges;
        while (edge && (edge->before->number > job->number || htmt__job_done(edge->before)))
            edge = edge->also;
        if (!edge)
            return job;
        job = edge->before;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

void htmt__job_borrow(struct htmt__job *job, size_t bytes)
{
    assert(job->parts == 1);
    job->borrowed = bytes;
}

void *htmt__room_of(struct htmt__host *host, struct htmt__room *room, size_t bytes)
{
    if (room->size < bytes) {
        size_t size = (bytes + bytes / 2 + HTMT__LINE - 1) & ~(size_t)(HTMT__LINE - 1);
        free(room->bytes);
        room->bytes = htmt__fault_injected() ? NULL : aligned_alloc(HTMT__LINE, size);
        room->size = room->bytes ? size : 0;
    }
    if (!room->bytes)
        atomic_store_explicit(&host->starved, true, memory_order_relaxed);
    return room->bytes;
}

/* Tests let jobs begin late, each by its own time, so that they end in many orders. */
static void delay(const struct htmt__job *job)
{
    uint64_t ns =
        htmt__random_of(job->host->delay_seed ^ htmt__random_of(job->number)) % DELAY_MAX_NS;
    struct timespec pause = {0, (long)ns};
    nanosleep(&pause, NULL);
}

/* The first word of the payload of a job that borrows room gets its address. */
void htmt__job_run(struct htmt__room *room, struct htmt__job *job, unsigned part)
{
    struct htmt__host *host = job->host;
    if (job->borrowed) {
        void *bytes = htmt__room_of(host, room, job->borrowed);
        *(void **)(void *)(job + 1) = bytes;
        if (!bytes)
            return;
    }
    if (host->delay_seed)
        delay(job);
    if (host->checked)
        htmt__storage_open(host, job);
    job->run((char *)(job + 1) + part * job->stride);
    if (host->checked)
        htmt__storage_close(host, job);
}

/* An edge lies in a job that may be recycled as soon as its count is taken down: read it first, and
 * where the job goes: what follows the count is ordered by the queue alone, which the race detector
 * does not see. */
static void finish(struct htmt__job *job)
{
    struct htmt__edge *next,
        *edge = atomic_exchange_explicit(&job->successors, htmt__closed(), memory_order_acq_rel);
    for (; edge; edge = next) {
        struct htmt__job *successor = edge->job;
        struct place place = place_of(successor);
        next = edge->next;
        if (atomic_fetch_sub_explicit(&successor->pending, 1, memory_order_acq_rel) == 1)
            enqueue(place);
    }
}

/* Of the job's parts, or tokens. */
static bool was_last(const struct htmt__job *job, atomic_uint *count)
{
    return job->parts == 1 || atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}

int htmt__job_take_part(struct htmt__room *room, struct htmt__job *job)
{
    if (atomic_load_explicit(&job->pending, memory_order_acquire) ||
        atomic_load_explicit(&job->begun, memory_order_relaxed) >= job->parts)
        return -1;
    const unsigned part = atomic_fetch_add_explicit(&job->begun, 1, memory_order_relaxed);
    if (part >= job->parts) /* another thread was faster */
        return -1;
    htmt__job_run(room, job, part);
    if (was_last(job, &job->undone))
        finish(job);
    return (int)part;
}

/* The last token posts the job. The queue's own barriers are invisible to the race detector: the
 * flag says the same in C11. */
void htmt__job_token_done(struct htmt__job *job)
{
    if (!was_last(job, &job->tokens))
        return;
    struct htmt__host *host = job->host;
    struct __cds_wfcq_head *head = &host->completions_head;
    struct cds_wfcq_node *node = &job->token->node;
    cds_wfcq_node_init(node);
    atomic_store_explicit(&job->posted, true, memory_order_release);
    cds_wfcq_enqueue(head, &host->completions_tail, node);
}

struct htmt__job *htmt__job_of(struct cds_wfcq_node *node)
{
    struct htmt__token *token = caa_container_of(node, struct htmt__token, node);
    return atomic_load_explicit(&token->job, memory_order_acquire);
}

/* ---- the end --------------------------------------------------------------------------------- */

void htmt__job_recycle(struct htmt__host *host, struct htmt__job *job)
{
    HTMT__POISON(job + 1, class_size(job->class) - sizeof *job);
    job->free_next = host->free_job[job->class];
    host->free_job[job->class] = job;
}

void htmt__job_reap(struct htmt__host *host, struct htmt__job *job)
{
    bool posted = atomic_load_explicit(&job->posted, memory_order_acquire);
    assert(posted);
    (void)posted;
    for (unsigned i = 0; i < job->use_count; i++)
        htmt__storage_unused(host, &job->use[i]);
    while (job->edges) {
        struct htmt__edge *edge = job->edges;
        job->edges = edge->also;
        edge->also = host->free_edges;
        host->free_edges = edge;
        host->free_edge_count++;
    }
    host->outstanding--;
    job->reaped = true;
    if (!job->keep)
        htmt__job_recycle(host, job);
}

void htmt__job_release(struct htmt__host *host, struct htmt__job *job)
{
    if (job->reaped)
        htmt__job_recycle(host, job);
    else
        job->keep = false;
}

void htmt__job_free_all(struct htmt__host *host)
{
    struct htmt__job *next;
    for (struct htmt__job *job = host->all_jobs; job; job = next) {
        next = job->all_next;
        HTMT__UNPOISON(job + 1, class_size(job->class) - sizeof *job);
        free(job);
    }
    while (host->all_edges) {
        struct htmt__edges *block = host->all_edges;
        host->all_edges = block->next;
        free(block);
    }
}

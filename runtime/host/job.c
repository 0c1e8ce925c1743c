/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Jobs: their records, what they wait for, and what happens to each of them on its way.
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

/* Behind the record: payload, uses, tokens. */
static size_t uses_at(size_t payload)
{
    return sizeof(struct htmt__job) + ((payload + 15) & ~(size_t)15);
}

static size_t tokens_at(size_t payload, unsigned uses)
{
    return uses_at(payload) + uses * sizeof(struct htmt__use_of);
}

static unsigned class_of(size_t size)
{
    unsigned log = 64u - (unsigned)__builtin_clzll(size - 1);
    return log <= SMALLEST_LOG ? 0 : log - SMALLEST_LOG;
}

static size_t class_size(unsigned class)
{
    return (size_t)1 << (class + SMALLEST_LOG);
}

static struct htmt__job *fresh(struct htmt__host *host, unsigned class)
{
    struct htmt__job *job = htmt__record_alloc(class_size(class));
    if (!job)
        return NULL;
    job->class = class;
    atomic_store_explicit(&job->only.job, job, memory_order_release);
    job->all_next = host->all_jobs;
    host->all_jobs = job;
    return job;
}

static struct htmt__job *take(struct htmt__host *host, unsigned class)
{
    struct htmt__job *job = host->free_job[class];
    if (!job)
        return fresh(host, class);
    host->free_job[class] = job->free_next;
    HTMT__UNPOISON(job + 1, class_size(class) - sizeof *job);
    return job;
}

/* That of a job in one part is laid once and for all. */
static void lay_tokens(struct htmt__job *job, unsigned parts, size_t at)
{
    job->parts = parts;
    job->token = &job->only;
    atomic_store_explicit(&job->begun, 0, memory_order_relaxed);
    if (parts == 1)
        return;
    job->token = (struct htmt__token *)(void *)((char *)job + at);
    for (unsigned i = 0; i < parts; i++)
        atomic_store_explicit(&job->token[i].job, job, memory_order_release);
    atomic_store_explicit(&job->undone, parts, memory_order_relaxed);
    atomic_store_explicit(&job->tokens, parts, memory_order_relaxed);
}

struct htmt__job *htmt__job_create_parts(struct htmt__host *host, unsigned pool,
                                         void (*run)(void *payload), size_t payload, unsigned uses,
                                         unsigned parts, size_t stride)
{
    if (payload > SIZE_MAX / 4 || pool >= host->pool_count)
        return NULL;
    size_t at = tokens_at(payload, uses);
    struct htmt__job *job =
        take(host, class_of(at + (parts > 1 ? parts * sizeof(struct htmt__token) : 0)));
    if (!job)
        return NULL;
    job->run = run;
    job->host = host;
    job->stride = stride;
    job->pool = pool;
    job->number = UINT64_MAX;
    job->use = (struct htmt__use_of *)(void *)((char *)job + uses_at(payload));
    job->use_count = 0;
    job->use_room = uses;
    job->edges = NULL;
    job->borrowed = 0;
    job->reaped = false;
    lay_tokens(job, parts, at);
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

static void widen(struct htmt__use_of *u, unsigned use, const struct htmt__extent *extent)
{
    u->use |= use;
    if (memcmp(&u->extent, extent, sizeof *extent) != 0)
        u->extent = htmt__extent_join(&u->extent, extent);
}

void htmt__job_use_part(struct htmt__job *job, struct htmt__storage *storage, unsigned use,
                        struct htmt__extent extent)
{
    for (unsigned i = 0; i < job->use_count; i++)
        if (job->use[i].storage == storage) {
            widen(&job->use[i], use, &extent);
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

/* false: the job that would have counted down is done already. Only the clock pushes, so a failed
 * exchange means that the job has closed its list. */
static bool push_edge(struct htmt__job *before, struct htmt__edge *edge, struct htmt__job *job)
{
    edge->job = job;
    edge->before = before;
    edge->next = atomic_load_explicit(&before->successors, memory_order_acquire);
    return edge->next != htmt__closed() &&
           atomic_compare_exchange_strong_explicit(&before->successors, &edge->next, edge,
                                                   memory_order_acq_rel, memory_order_acquire);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool more_edges(struct htmt__host *host)
{
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
    return true;
}

bool htmt__job_prepare(struct htmt__host *host, const struct htmt__job *job)
{
    size_t most = 0;
    for (unsigned i = 0; i < job->use_count; i++)
        most += job->use[i].storage->users;
    while (host->free_edge_count < most)
        if (!more_edges(host))
            return false;
    return true;
}

/* Edges that were refused because their job is done go back with the others. */
static int wait_for(struct htmt__host *host, struct htmt__job *before, struct htmt__job *job)
{
    if (htmt__job_done(before))
        return 0;
    struct htmt__edge *edge = host->free_edges;
    host->free_edges = edge->also;
    host->free_edge_count--;
    edge->also = job->edges;
    job->edges = edge;
    return push_edge(before, edge, job);
}

static void free_edges(struct htmt__host *host, struct htmt__job *job)
{
    while (job->edges) {
        struct htmt__edge *edge = job->edges;
        job->edges = edge->also;
        edge->also = host->free_edges;
        host->free_edges = edge;
        host->free_edge_count++;
    }
}

static int wait_for_all(struct htmt__host *host, const struct htmt__use_of *list,
                        const struct htmt__use_of *u)
{
    int edges = 0;
    for (; list; list = list->next)
        if (htmt__extents_meet(&list->extent, &u->extent))
            edges += wait_for(host, list->job, u->job);
    return edges;
}

static int link_use(struct htmt__host *host, const struct htmt__use_of *u)
{
    const struct htmt__storage *s = u->storage;
    int edges = wait_for_all(host, s->writers, u);
    return u->use & HTMT__WRITE ? edges + wait_for_all(host, s->readers, u) : edges;
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
        edges += link_use(host, u);
        htmt__storage_used(u);
    }
    if (atomic_fetch_sub_explicit(&job->pending, LINKING - edges, memory_order_acq_rel) ==
        LINKING - edges)
        enqueue(place);
}

/* One of those issued before that it still waits for, or NULL. */
static struct htmt__job *awaited(const struct htmt__job *job)
{
    const struct htmt__edge *edge = job->edges;
    while (edge && (edge->before->number > job->number || htmt__job_done(edge->before)))
        edge = edge->also;
    return edge ? edge->before : NULL;
}

struct htmt__job *htmt__job_root(struct htmt__job *job)
{
    struct htmt__job *before;
    while ((before = awaited(job)))
        job = before;
    return job;
}

static bool all_begun(unsigned begun, const struct htmt__job *job)
{
    return begun >= job->parts;
}

/* Returns the part, or -1: it is not ready, or all are begun. */
static int claim(struct htmt__job *job)
{
    if (atomic_load_explicit(&job->pending, memory_order_acquire) ||
        all_begun(atomic_load_explicit(&job->begun, memory_order_relaxed), job))
        return -1;
    unsigned part = atomic_fetch_add_explicit(&job->begun, 1, memory_order_relaxed);
    return all_begun(part, job) ? -1 : (int)part;
}

static void delay(const struct htmt__job *job)
{
    uint64_t ns =
        htmt__random_of(job->host->delay_seed ^ htmt__random_of(job->number)) % DELAY_MAX_NS;
    struct timespec pause = {0, (long)ns};
    nanosleep(&pause, NULL);
}

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

static bool lend(struct htmt__room *room, struct htmt__job *job)
{
    void *bytes = htmt__room_of(job->host, room, job->borrowed);
    *(void **)(void *)(job + 1) = bytes;
    return bytes != NULL;
}

void htmt__job_run(struct htmt__room *room, struct htmt__job *job, unsigned part)
{
    struct htmt__host *host = job->host;
    if (job->borrowed && !lend(room, job))
        return;
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
    int part = claim(job);
    if (part < 0)
        return part;
    htmt__job_run(room, job, (unsigned)part);
    if (was_last(job, &job->undone))
        finish(job);
    return part;
}

/* The queue's own barriers are invisible to the race detector: the flag says the same in C11. */
static void post(struct htmt__job *job)
{
    struct htmt__host *host = job->host;
    struct __cds_wfcq_head *head = &host->completions_head;
    struct cds_wfcq_node *node = &job->token->node;
    cds_wfcq_node_init(node);
    atomic_store_explicit(&job->posted, true, memory_order_release);
    cds_wfcq_enqueue(head, &host->completions_tail, node);
}

void htmt__job_token_done(struct htmt__job *job)
{
    if (was_last(job, &job->tokens))
        post(job);
}

struct htmt__job *htmt__job_of(struct cds_wfcq_node *node)
{
    struct htmt__token *token = caa_container_of(node, struct htmt__token, node);
    return atomic_load_explicit(&token->job, memory_order_acquire);
}

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
    free_edges(host, job);
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

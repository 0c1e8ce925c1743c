/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the host share. Nobody else includes it.
 *
 * Hosts of one process may share what a first one has (host.main): its pages, pools and workers.
 * Everything else each has for itself. A job belongs to one host; whoever takes it out of a pool
 * may be a worker or the clock of another host.
 *
 * Who may touch what ("clock" is the host's clock's thread, which may be any one thread at a time):
 *
 *                                 | clock                | worker
 * host.completions                | splices              | enqueues
 * host.gate, storage.open/held    | under the gate       | under the gate
 * host.main's arena               | under its lock       | -
 * anything else of host, storage  | reads, writes        | reads what never changes
 * job.first line, uses            | until enqueued, and  | the runner, from claim to post
 *                                 | again after reaping  |
 * job.successors                  | pushes               | exchanges for CLOSED, once
 * job.begun, undone, tokens       | counts               | counts
 * job.pending                     | adds                 | subtracts
 *
 * The life of a job with workers: created - issued (its edges known) - ready (pending 0, in the
 * queue of its pool) - claimed (by whoever runs it) - done (successors closed, each counted down) -
 * posted (nobody else will touch it) - reaped by the clock - recycled.
 *
 * A job has parts, mostly one. In the queue it has a token for each; whoever takes one out claims
 * the next part, if there is one left. The last part to end makes the job done. What the clock
 * claims out of turn leaves its token in the queue; whoever has done with the last token posts the
 * job.
 */
#ifndef HTMT_RUNTIME_HOST_HOST_PRIV_H
#define HTMT_RUNTIME_HOST_HOST_PRIV_H

#include "runtime/base/pages.h"
#include "runtime/host/arena.h"
#include "runtime/host/host.h"
#include "runtime/host/pool.h"

#include <pthread.h>

#define HTMT__STORAGE_CLASSES 256 /* four to a doubling */
#define HTMT__JOB_CLASSES     64  /* one to a doubling */
#define HTMT__BARE            0   /* the class of storages without bytes of their own */

/* One job's word to a job that waits for it. */
struct htmt__edge {
    struct htmt__edge *next;
    struct htmt__job *job;    /* who waits */
    struct htmt__job *before; /* for whom; once done it may be another job, of a greater number */
    struct htmt__edge *also;  /* of the same who; free ones */
};

#define HTMT__EDGE_BLOCK 127 /* edges allocated at once: a page of them */
struct htmt__edges {
    struct htmt__edges *next;
    struct htmt__edge edge[HTMT__EDGE_BLOCK];
};

struct htmt__use_of {
    struct htmt__storage *storage;
    unsigned use;
    struct htmt__extent extent;
    bool listed;                      /* among the storage's readers or writers */
    struct htmt__use_of *prev, *next; /* there */
    struct htmt__job *job;
};

struct htmt__token {
    struct cds_wfcq_node node;
    _Atomic(struct htmt__job *)
        job; /* the queue's own barriers are invisible to the race detector */
};

struct htmt__job {
    _Alignas(HTMT__LINE) void (*run)(void *payload);
    struct htmt__use_of *use;
    struct htmt__edge *edges; /* handed to the jobs that it waits for */
    struct htmt__host *host;  /* whose it is */
    uint64_t number;          /* in the order of issue; the greatest there is until then */
    size_t borrowed;          /* bytes of the runner's room */
    unsigned use_count, use_room, pool, class;
    unsigned parts;
    bool keep, reaped;
    size_t stride;             /* in the payload, from one part to the next */
    struct htmt__token *token; /* of each part */
    struct htmt__job *free_next, *all_next;
    _Alignas(HTMT__LINE) struct htmt__token only; /* the token of a job in one part */
    _Atomic(struct htmt__edge *) successors;      /* or CLOSED: the job is done */
    atomic_int pending;
    atomic_uint begun;  /* parts, and those who came too late */
    atomic_uint undone; /* of several parts */
    atomic_uint tokens; /* of several, not done with */
    atomic_bool posted;
};

struct htmt__storage {
    void *bytes;
    size_t size, room;
    unsigned class;
    unsigned users; /* uses by jobs not yet reaped */
    bool transient, dropped;
    void *tag;
    unsigned open; /* checked: what the running job may do, HTMT__READ and HTMT__WRITE */
    unsigned held; /* checked: what the clock may do until the next issue */
    /* Since the last that wrote all of it, that one included, until reaped. */
    struct htmt__use_of *writers, *readers;
    struct htmt__storage *free_next, *held_next;
    struct htmt__storage *all_next, **all_at; /* of its host's */
};

/* What a runner lends to its jobs; stays warm in its cache. */
struct htmt__room {
    void *bytes;
    size_t size;
};

struct htmt__worker {
    struct htmt__room room;
    struct htmt__host *host;
    struct htmt__worker_group *group;
    pthread_t thread;
};

struct htmt__host {
    _Alignas(HTMT__LINE) struct cds_wfcq_tail completions_tail;
    _Alignas(HTMT__LINE) struct __cds_wfcq_head completions_head;
    struct __cds_wfcq_head batch_head; /* spliced, not yet reaped */
    struct cds_wfcq_tail batch_tail;

    atomic_bool starved;
    struct htmt__host *main; /* itself, or the one whose pages, pools and workers it shares */
    struct htmt__room room;  /* of the clock's thread */
    bool threaded, checked, diagnose;
    struct htmt__watchdog *watchdog;
    unsigned pool_count, group_count, worker_count, job_bound;
    struct htmt__arena arena;
    pthread_mutex_t pages; /* around the arena */
    uint64_t delay_seed;
    size_t page, transient_bound;

    unsigned outstanding;
    size_t transient, zombie; /* bytes: transient storages; of them dropped and still in use */
    size_t storage, cached;   /* bytes: alive; in the free lists */
    /* Storages of each class that came from other hosts and are kept; their bytes. */
    uint32_t foreign[HTMT__STORAGE_CLASSES];
    size_t foreign_bytes;
    struct htmt__host_counts counts;

    struct htmt__job *free_job[HTMT__JOB_CLASSES], *all_jobs;
    struct htmt__edge *free_edges;
    struct htmt__edges *all_edges;
    size_t free_edge_count;
    struct htmt__storage *free_storage[HTMT__STORAGE_CLASSES], *all_storages, *held;

    struct htmt__pool pool[HTMT_POOLS_MAX];
    struct htmt__worker_group group[HTMT_POOLS_MAX];
    struct htmt__worker *worker;
    pthread_mutex_t gate; /* checked: one job at a time, and every mprotect */
};

/* The end of a job's successors: not an address of any edge. */
static inline struct htmt__edge *htmt__closed(void)
{
    return (struct htmt__edge *)1;
}

/* storage.c */
/* No job of the host uses it: it is not the host's any more. */
void htmt__storage_part(struct htmt__host *host, struct htmt__storage *storage);
static inline struct htmt__use_of **htmt__storage_users(const struct htmt__use_of *use)
{
    return use->use & HTMT__WRITE ? &use->storage->writers : &use->storage->readers;
}
void htmt__storage_used(struct htmt__use_of *use);
void htmt__storage_unused(struct htmt__host *host, struct htmt__use_of *use);
void htmt__storage_open(struct htmt__host *host, struct htmt__job *job);
void htmt__storage_close(struct htmt__host *host, struct htmt__job *job);
void htmt__storage_hold(struct htmt__host *host, struct htmt__storage *storage, unsigned use);
void htmt__storage_let_go(struct htmt__host *host);
void htmt__storage_free_all(struct htmt__host *host);

/* job.c */
/* NULL: no memory, and the host is starved. */
void *htmt__room_of(struct htmt__host *host, struct htmt__room *room, size_t bytes);
void htmt__job_run(struct htmt__room *room, struct htmt__job *job, unsigned part);
/* Claims a part of a job that is ready, and runs it. Returns which, or -1: there is none left. */
int htmt__job_take_part(struct htmt__room *room, struct htmt__job *job);
/* The token is out of the queue, and the part that it brought has been run. */
void htmt__job_token_done(struct htmt__job *job);
/* Of those not done that it waits for, and they in turn: one that waits for nobody; or itself. */
struct htmt__job *htmt__job_root(struct htmt__job *job);
/* false: no memory to say whom it waits for. Then all jobs issued before must be done first. */
bool htmt__job_prepare(struct htmt__host *host, const struct htmt__job *job);
void htmt__job_link(struct htmt__host *host, struct htmt__job *job);
void htmt__job_recycle(struct htmt__host *host, struct htmt__job *job);
void htmt__job_reap(struct htmt__host *host, struct htmt__job *job);
void htmt__job_free_all(struct htmt__host *host);
/* Whose token, in a pool's queue or among the completions, that is. */
struct htmt__job *htmt__job_of(struct cds_wfcq_node *node);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host: threads that run jobs on storages.
 *
 * One thread, the clock's, creates storages and issues jobs, in virtual-time order; workers run
 * them. A storage is a piece of host memory; a job declares which storages it reads and writes.
 * A job runs after every earlier issued job that wrote what it uses, and after every earlier
 * issued reader of what it writes: the result is that of running the jobs one by one in the order
 * of issue, whatever the number of threads. Jobs that touch different parts of one storage need not
 * wait for each other. With no workers a job runs inside htmt__host_issue().
 *
 * Everything here except what a job's function does belongs to the clock's thread; see the
 * exclusion table in host_priv.h for what workers may touch.
 *
 * Several clocks' threads have a host each, and share workers and pages. A storage is one host's at
 * a time; jobs of one host never wait for those of another.
 */
#ifndef HTMT_RUNTIME_HOST_HOST_H
#define HTMT_RUNTIME_HOST_HOST_H

#include "runtime/base/error.h"
#include "runtime/host/extent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTMT_POOLS_MAX    8
#define HTMT__WORKERS_MAX 1024u

struct htmt__host;
struct htmt__watchdog;
struct htmt__storage;
struct htmt__job;

struct htmt__host_options {
    unsigned pools;   /* one per layer; a job names its pool */
    unsigned workers; /* threads beside the clock's; used when no pool_workers */
    unsigned
        pool_workers[HTMT_POOLS_MAX]; /* exact workers of each pool; all 0: `workers` threads
                                         serve all pools, the highest-numbered (innermost) first */
    size_t transient_bytes;           /* bound on run-ahead storage; 0: 256 MiB */
    unsigned jobs;                    /* bound on issued and unfinished jobs; 0: 64 */
    unsigned clocks;                  /* threads that have hosts; 0: 1 */
    bool checked;  /* storages unreadable except while a job that declared them runs; jobs then
                      run one at a time */
    bool diagnose; /* signals of workers on stacks of their own (runtime/host/crash.h) */
    struct htmt__watchdog *watchdog; /* of workers; outlives the host; NULL: none */
    uint64_t delay_seed; /* not 0: sleep a pseudo-random 0-200 us before each job (tests of
                            determinism); the same seed gives the same delays */
};

enum htmt__use { HTMT__READ = 1, HTMT__WRITE = 2 }; /* or'ed for both */

/* Clean start: on failure nothing runs. The stack of a worker has 8 MiB. Errors: HTMT_ENOMEM;
 * HTMT_ESYSTEM: a thread or lock is refused; HTMT_EINVAL: no pool, or more than HTMT__WORKERS_MAX
 * workers. */
int htmt__host_create(struct htmt__host **host, const struct htmt__host_options *options);
/* One of `hosts` that share the workers and pages of `main`, which outlives it, and its bounds. On
 * any thread. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__host_create_beside(struct htmt__host **host, struct htmt__host *main, unsigned hosts);
/* Waits for all jobs, joins the threads, frees all. Clears *host; NULL accepted. */
void htmt__host_destroy(struct htmt__host **host);

/* Memory of `bytes` (64-byte aligned, not cleared unless `zeroed`), pages from the host's own
 * arena. A transient one counts towards the run-ahead bound. NULL: out of memory. */
struct htmt__storage *htmt__storage_create(struct htmt__host *host, size_t bytes, bool zeroed,
                                           bool transient);
/* The caller's own memory; must outlive its jobs. Never made unreadable by `checked`. */
struct htmt__storage *htmt__storage_wrap(struct htmt__host *host, void *bytes, size_t size);
/* The clock needs it no more: freed at once or when the last issued job that uses it has run. */
void htmt__storage_drop(struct htmt__host *host, struct htmt__storage *storage);
/* From one host to another that shares its pages: the first one's thread waits until none of its
 * jobs uses the storage and gives it up; then the other's thread, which has met the first one's
 * since, takes it. */
void htmt__storage_leave(struct htmt__host *host, struct htmt__storage *storage);
void htmt__storage_join(struct htmt__host *host, struct htmt__storage *storage);
void *htmt__storage_bytes(struct htmt__storage *storage);
size_t htmt__storage_size(const struct htmt__storage *storage);
/* Whether its bytes are the caller's own: those a checked host does not protect. */
bool htmt__storage_wrapped(const struct htmt__storage *storage);
/* A word of the owner's, NULL at first. */
void **htmt__storage_tag(struct htmt__storage *storage);
/* Wait until every issued job that writes (or, with HTMT__WRITE, uses) it has run; helps. In a
 * checked host the storage stays readable from here until the next issue. */
void htmt__storage_sync(struct htmt__host *host, struct htmt__storage *storage, enum htmt__use use);

/* No issued job stands in the way of that use of the part by the clock's thread, now. Not in a
 * checked host, nor in one with delays, which tell who forgot to declare a use. */
bool htmt__storage_free(const struct htmt__host *host, const struct htmt__storage *storage,
                        enum htmt__use use, const struct htmt__extent *part);

/* Start a job with `payload` bytes of room for its function (16-byte aligned). The function gets
 * the payload. NULL: out of memory. `uses` is the number of htmt__job_use() calls to follow, at
 * most. */
struct htmt__job *htmt__job_create(struct htmt__host *host, unsigned pool,
                                   void (*run)(void *payload), size_t payload, unsigned uses);
/* A job in `parts`, which several threads may run side by side: its function is called once for
 * each, with addresses in the payload that lie `stride` bytes apart. It is done when they are. */
struct htmt__job *htmt__job_create_parts(struct htmt__host *host, unsigned pool,
                                         void (*run)(void *payload), size_t payload, unsigned uses,
                                         unsigned parts, size_t stride);
void *htmt__job_payload(struct htmt__job *job);
/* The runner lends the job `bytes` bytes of room of its own (64-byte aligned, undefined content)
 * and puts their address into the first word of the payload. Not for one in parts. */
void htmt__job_borrow(struct htmt__job *job, size_t bytes);
/* Naming a storage again widens its use and the part of it that is used; it counts once. */
void htmt__job_use(struct htmt__job *job, struct htmt__storage *storage, unsigned use);
void htmt__job_use_part(struct htmt__job *job, struct htmt__storage *storage, unsigned use,
                        struct htmt__extent extent);

/* Hand the job to the workers (or run it now). keep: the caller will look at its payload after
 * it is done and then release it; otherwise it is recycled when done. Before more than the bounds
 * are outstanding, runs jobs itself until they are not. */
void htmt__host_issue(struct htmt__host *host, struct htmt__job *job, bool keep);
/* A job would run inside htmt__host_issue(), and nothing else is done about it: no other thread,
 * no checks, no delays. Then whoever would issue one may as well do the work itself. */
bool htmt__host_direct(const struct htmt__host *host);
/* The clock's thread has done what a job would have done. */
void htmt__host_did(struct htmt__host *host, unsigned pool);
/* What the clock's thread lends to the jobs that it runs: at least so many bytes, 64-byte aligned,
 * of undefined content, until the next job. NULL: no memory; the host is starved then. */
void *htmt__host_room(struct htmt__host *host, size_t bytes);
bool htmt__job_done(const struct htmt__job *job);
/* Until done: runs it, or first what it waits for, as far as nobody else does; else other queued
 * jobs; else spins briefly, then yields. */
void htmt__job_wait(struct htmt__host *host, struct htmt__job *job);
void htmt__job_release(struct htmt__host *host, struct htmt__job *job);
/* No room could be lent to some job, so it did not run. */
bool htmt__host_starved(const struct htmt__host *host);
/* Until all issued jobs are done. */
void htmt__host_drain(struct htmt__host *host);

/* For reports. */
struct htmt__host_counts {
    uint64_t jobs, helped, inline_run; /* issued; of them begun by the clock's thread */
    uint64_t per_pool[HTMT_POOLS_MAX];
    size_t transient_peak, storage_peak; /* bytes */
    unsigned workers;
};
void htmt__host_counts(const struct htmt__host *host, struct htmt__host_counts *counts);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ready jobs of one layer, and the bell that wakes its workers.
 *
 *              | by any thread | excluded by
 * enqueue      | yes           | nothing (wait-free)
 * take         | yes           | the queue's own lock
 *
 * A worker group is the set of workers that serve the same pools. A worker that finds nothing
 * spins, then sleeps; ringing costs a system call only when somebody sleeps.
 */
#ifndef HTMT_RUNTIME_HOST_POOL_H
#define HTMT_RUNTIME_HOST_POOL_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <urcu/wfcqueue.h>

#define HTMT__LINE 64

struct htmt__worker_group {
    _Alignas(HTMT__LINE) atomic_int sleepers; /* that nobody has rung for yet */
    sem_t bell;
    _Alignas(HTMT__LINE) atomic_bool stop;
    unsigned workers;
    bool yield; /* more threads than cores: give way between looks, and soon sleep */
};

struct htmt__pool {
    _Alignas(HTMT__LINE) struct cds_wfcq_head head;
    _Alignas(HTMT__LINE) struct cds_wfcq_tail tail;
    atomic_long queued; /* may lag behind the queue, below zero for a moment */
    struct htmt__worker_group *group;
};

/* Errors: HTMT_ESYSTEM. */
int htmt__worker_group_init(struct htmt__worker_group *group, unsigned workers, unsigned threads);
void htmt__worker_group_fini(struct htmt__worker_group *group);
/* Every worker leaves its sleep, now and for good. */
void htmt__worker_group_stop(struct htmt__worker_group *group);
void htmt__worker_group_ring(struct htmt__worker_group *group);
/* Until one of the pools (of this group) has work or the group is stopped. */
void htmt__worker_group_idle(struct htmt__worker_group *group, const struct htmt__pool *pools,
                             unsigned count);
bool htmt__worker_group_has_work(const struct htmt__worker_group *group,
                                 const struct htmt__pool *pools, unsigned count);

void htmt__pool_init(struct htmt__pool *pool, struct htmt__worker_group *group);
void htmt__pool_fini(struct htmt__pool *pool);
void htmt__pool_enqueue(struct htmt__pool *pool, struct cds_wfcq_node *node);
/* Oldest first, at most `most` nodes; returns how many. It may miss one that is being enqueued. */
unsigned htmt__pool_take(struct htmt__pool *pool, struct cds_wfcq_node **nodes, unsigned most);

/* One round of waiting for another thread; rounds counts from 0. */
void htmt__relax(unsigned round);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a worker waits for work. It looks for a while (SPIN_NS, or SPINS_TIGHT looks where there are
 * more threads than cores), since most gaps between kernels are shorter than a sleep and its
 * wake-up, which cost up to 60 us in a virtual machine. Then it sleeps on the bell, a semaphore.
 *
 * Nobody may sleep while there is work. A worker counts itself as a sleeper, then looks once more;
 * whoever queues work counts it, then looks for sleepers. Both do so in the single order of
 * sequentially consistent atomics, so that at least one of the two sees the other. If both do, the
 * sleeper is on the count of one of them alone: whoever takes 1 off `sleepers` owes one post, or,
 * if it was the worker itself, needs none. So the bell is posted exactly once for each sleeper that
 * is woken, and it costs a system call only when somebody sleeps.
 */
#include "runtime/host/pool.h"

#include "runtime/base/error.h"
#include "runtime/host/monotonic.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>
#include <urcu/arch.h>

#define SPINS       800u
#define SPINS_TIGHT 20u
#define SPIN_NS     200000
#define LOOKS       16u /* from one look at the time to the next */

int htmt__worker_group_init(struct htmt__worker_group *group, unsigned workers, unsigned threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (sem_init(&group->bell, 0, 0))
        return HTMT_ESYSTEM;
    atomic_init(&group->sleepers, 0);
    atomic_init(&group->stop, false);
    group->workers = workers;
    group->yield = cores < (long)threads;
    return 0;
}

void htmt__worker_group_fini(struct htmt__worker_group *group)
{
    sem_destroy(&group->bell);
}

/* Take one sleeper off the count: whoever does owes, or is owed, exactly one post. */
static bool claim_sleeper(struct htmt__worker_group *group)
{
    int n = atomic_load(&group->sleepers);
    while (n > 0)
        if (atomic_compare_exchange_weak(&group->sleepers, &n, n - 1))
            return true;
    return false;
}

void htmt__worker_group_ring(struct htmt__worker_group *group)
{
    if (claim_sleeper(group))
        sem_post(&group->bell);
}

void htmt__worker_group_stop(struct htmt__worker_group *group)
{
    atomic_store(&group->stop, true);
    while (claim_sleeper(group))
        sem_post(&group->bell);
}

bool htmt__worker_group_has_work(const struct htmt__worker_group *group,
                                 const struct htmt__pool *pools, unsigned count)
{
    for (unsigned i = count; i-- > 0;)
        if (pools[i].group == group && atomic_load(&pools[i].queued) > 0)
            return true;
    return false;
}

static bool due(const struct htmt__worker_group *group, const struct htmt__pool *pools,
                unsigned count)
{
    return htmt__worker_group_has_work(group, pools, count) || atomic_load(&group->stop);
}

void htmt__worker_group_idle(struct htmt__worker_group *group, const struct htmt__pool *pools,
                             unsigned count)
{
    if (group->yield)
        for (unsigned i = 0; i < SPINS_TIGHT; i++) {
            if (due(group, pools, count))
                return;
            sched_yield();
        }
    else {
        const int64_t begin = htmt__monotonic_ns();
        do {
            for (unsigned i = 0; i < LOOKS; i++) {
                if (due(group, pools, count))
                    return;
                caa_cpu_relax();
            }
        } while (htmt__monotonic_ns() - begin < SPIN_NS);
    }
    atomic_fetch_add(&group->sleepers, 1);
    const bool awake =
        atomic_load(&group->stop) || htmt__worker_group_has_work(group, pools, count);
    if (awake && claim_sleeper(group))
        return;
    while (sem_wait(&group->bell) && errno == EINTR)
        ;
}

void htmt__pool_init(struct htmt__pool *pool, struct htmt__worker_group *group)
{
    cds_wfcq_init(&pool->head, &pool->tail);
    atomic_init(&pool->queued, 0);
    pool->group = group;
}

void htmt__pool_fini(struct htmt__pool *pool)
{
    cds_wfcq_destroy(&pool->head, &pool->tail);
}

void htmt__pool_enqueue(struct htmt__pool *pool, struct cds_wfcq_node *node)
{
    cds_wfcq_node_init(node);
    cds_wfcq_enqueue(&pool->head, &pool->tail, node);
    atomic_fetch_add(&pool->queued, 1);
    if (atomic_load(&pool->group->sleepers) > 0)
        htmt__worker_group_ring(pool->group);
}

/* Non-blocking: the blocking form sleeps 10 ms when it meets a half-finished enqueue. */
unsigned htmt__pool_take(struct htmt__pool *pool, struct cds_wfcq_node **nodes, unsigned most)
{
    unsigned n = 0;
    if (cds_wfcq_empty(&pool->head, &pool->tail))
        return 0;
    cds_wfcq_dequeue_lock(&pool->head, &pool->tail);
    while (n < most) {
        struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&pool->head, &pool->tail);
        if (!node || node == CDS_WFCQ_WOULDBLOCK)
            break;
        nodes[n++] = node;
    }
    cds_wfcq_dequeue_unlock(&pool->head, &pool->tail);
    if (n)
        atomic_fetch_sub(&pool->queued, (long)n);
    return n;
}

void htmt__relax(unsigned round)
{
    if (round < SPINS)
        caa_cpu_relax();
    else
        sched_yield();
}

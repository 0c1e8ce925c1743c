/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a loop takes while others run it, too. Threads that are started one after another, or end
 * one after another, have the memory for themselves at both ends. So each notes when each of its
 * pieces ended, and only the interval counts in which all of them ran: from the last first note to
 * the first last one. By hand, two threads with pieces that end at 0, 2, 4, 6 and at 1, 4, 7: the
 * interval is 1 to 6, in which the first one did 2.5 pieces and the other 1.67.
 *
 * Before the start each thread runs a piece, so that its pages and its part of a cache are filled,
 * and looks at its core; behind the end it looks again. Nobody knows when two cores are free at
 * once, so a sample of many threads is more often restless than one of a single thread.
 */
#define _GNU_SOURCE
#include "emul/command/host/together.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NOTES    256
#define PATIENCE 5e-3
#define HOLDS    1.02

struct start {
    atomic_uint ready, failed;
    unsigned threads;
    double seconds;
};

struct thread {
    pthread_t id;
    struct start *start;
    struct htmt_host_core *core;
    int cpu;
    htmt__host_loop_fn *run;
    void *user;
    uint64_t turns;
    double note[NOTES];
    unsigned notes;
    double cycle;
    bool still;
};

void htmt__host_crowd_find(struct htmt__host_crowd *crowd)
{
    cpu_set_t set;
    *crowd = (struct htmt__host_crowd){.cpus = 0};
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set))
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE && crowd->cpus < HTMT__HOST_CPUS; cpu++)
        if (CPU_ISSET((size_t)cpu, &set))
            crowd->cpu[crowd->cpus++] = cpu;
}

/* Whoever may not run where it should lets all others end, too. */
static void *work(void *user)
{
    struct thread *t = user;
    struct start *s = t->start;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)t->cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        atomic_store(&s->failed, 1);
    else
        t->run(t->user, t->turns);
    t->still = htmt_host_core_still(t->core, PATIENCE);
    const double before = t->core->cycle;
    atomic_fetch_add(&s->ready, 1);
    while (atomic_load(&s->ready) < s->threads && !atomic_load(&s->failed))
        continue;
    if (atomic_load(&s->failed))
        return NULL;
    const double end = htmt_host_seconds() + s->seconds;
    t->note[t->notes++] = htmt_host_seconds();
    while (t->notes < NOTES && (t->notes < 3 || t->note[t->notes - 1] < end)) {
        t->run(t->user, t->turns);
        t->note[t->notes++] = htmt_host_seconds();
    }
    t->still = htmt_host_core_still(t->core, 0) && t->still;
    t->cycle = (before + t->core->cycle) / 2;
    t->still = t->still && before < HOLDS * t->core->cycle && t->core->cycle < HOLDS * before;
    return NULL;
}

/* Pieces until then; notes are in order. */
static double pieces_until(const struct thread *t, double when)
{
    unsigned i = 1;
    while (i + 1 < t->notes && t->note[i] < when)
        i++;
    return i - 1 + (when - t->note[i - 1]) / (t->note[i] - t->note[i - 1]);
}

static void sum_up(const struct thread *t, unsigned threads, struct htmt__host_together *found)
{
    double from = t->note[0], to = t->note[t->notes - 1];
    for (unsigned i = 1; i < threads; i++) {
        from = t[i].note[0] > from ? t[i].note[0] : from;
        to = t[i].note[t[i].notes - 1] < to ? t[i].note[t[i].notes - 1] : to;
    }
    *found = (struct htmt__host_together){.still = to > from};
    for (unsigned i = 0; i < threads; i++) {
        const double pieces = pieces_until(&t[i], to) - pieces_until(&t[i], from);
        found->cycles += (to - from) / pieces / (double)t[i].turns / t[i].cycle / threads;
        found->cycle += t[i].cycle / threads;
        found->still = found->still && t[i].still;
    }
}

int htmt__host_run_together(struct htmt__host_crowd *crowd, unsigned threads,
                            htmt__host_loop_fn *run, void *const *user, uint64_t turns,
                            double seconds, struct htmt__host_together *found)
{
    struct start start = {.threads = threads, .seconds = seconds};
    struct thread *t = calloc(threads, sizeof *t);
    unsigned begun = 0;
    if (!t)
        return HTMT_ENOMEM;
    for (; begun < threads; begun++) {
        t[begun] = (struct thread){.start = &start,
                                   .core = &crowd->core[begun],
                                   .cpu = crowd->cpu[begun],
                                   .run = run,
                                   .user = user[begun],
                                   .turns = turns};
        if (pthread_create(&t[begun].id, NULL, work, &t[begun]))
            break;
    }
    if (begun < threads)
        atomic_store(&start.failed, 1);
    for (unsigned i = 0; i < begun; i++)
        pthread_join(t[i].id, NULL);
    const bool failed = atomic_load(&start.failed);
    if (!failed)
        sum_up(t, threads, found);
    free(t);
    return failed ? HTMT_ESYSTEM : 0;
}

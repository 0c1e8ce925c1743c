/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: the subblock products of a Cannon run as a plain loop on POSIX threads, which share
 * the C blocks out statically or draw them from an atomic counter.
 */
#include "bench/blocks.h"
#include "bench/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 64

struct loop {
    struct bench_blocks blocks;
    unsigned threads;
    bool counter;
    pthread_barrier_t packed;
    _Alignas(64) atomic_size_t next[2]; /* of the pack phase and the product phase */
};

struct share {
    struct loop *loop;
    size_t first, end; /* of the blocks, when they are shared out statically */
    double *frame;
};

typedef void block_task(struct share *s, size_t i, size_t j);

static void pack(struct share *s, size_t i, size_t j)
{
    bench_pack(&s->loop->blocks, i, j);
}

static void multiply(struct share *s, size_t i, size_t j)
{
    const struct bench_blocks *w = &s->loop->blocks;
    for (size_t k = 0; k < w->side; k++)
        bench_product(w, s->frame, i, j, k);
    bench_unpack(w, i, j);
}

static void each_block(struct share *s, int phase, block_task *task)
{
    struct loop *l = s->loop;
    size_t side = l->blocks.side, at = s->first;
    if (l->counter)
        while ((at = atomic_fetch_add(&l->next[phase], 1)) < side * side)
            task(s, at / side, at % side);
    else
        for (; at < s->end; at++)
            task(s, at / side, at % side);
}

static void *work(void *argument)
{
    struct share *s = argument;
    each_block(s, 0, pack);
    pthread_barrier_wait(&s->loop->packed);
    each_block(s, 1, multiply);
    return NULL;
}

static void run(struct loop *l, struct share *share)
{
    pthread_t thread[THREADS_MAX];
    for (unsigned t = 1; t < l->threads; t++)
        if (pthread_create(&thread[t], NULL, work, &share[t]) != 0)
            bench_fail("pthread_create");
    work(&share[0]);
    for (unsigned t = 1; t < l->threads; t++)
        if (pthread_join(thread[t], NULL) != 0)
            bench_fail("pthread_join");
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct loop l = {.threads = o.threads, .counter = o.counter};
    struct share share[THREADS_MAX];
    char name[64];

    if (o.threads > THREADS_MAX || pthread_barrier_init(&l.packed, NULL, o.threads) != 0)
        bench_fail("too many threads");
    bench_kernel_threads(1);
    bench_blocks_create(&l.blocks, &o);
    size_t blocks = l.blocks.side * l.blocks.side;
    for (unsigned t = 0; t < o.threads; t++)
        share[t] = (struct share){&l, blocks * t / o.threads, blocks * (t + 1) / o.threads,
                                  bench_frame_create(&l.blocks)};

    double begin = bench_now();
    run(&l, share);
    double seconds = bench_now() - begin;

    snprintf(name, sizeof name, "plain_%s%s_%u", o.counter ? "counter" : "static",
             o.copies ? "" : "_in_place", o.threads);
    bench_report(l.blocks.group, name, seconds, "s", bench_blocks_check(&l.blocks));
    for (unsigned t = 0; t < o.threads; t++)
        free(share[t].frame);
    bench_blocks_destroy(&l.blocks);
    pthread_barrier_destroy(&l.packed);
    return 0;
}

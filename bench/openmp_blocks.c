/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: the same products as OpenMP tasks ordered by `depend` on their blocks.
 */
#include "bench/blocks.h"
#include "bench/clock.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* The first element of a packed block stands for the block in a depend clause. */
static void spawn_packs(const struct bench_blocks *w)
{
    for (size_t i = 0; i < w->side; i++)
        for (size_t j = 0; j < w->side; j++) {
            size_t at = bench_block_at(w, i, j);
#pragma omp task depend(out : w->pa[at], w->pb[at])
            bench_pack(w, i, j);
        }
}

static void spawn_block(const struct bench_blocks *w, double **frame, size_t i, size_t j)
{
    size_t c = bench_block_at(w, i, j);
    for (size_t k = 0; k < w->side; k++) {
        size_t a = bench_block_at(w, i, k), b = bench_block_at(w, k, j);
#pragma omp task depend(in : w->pa[a], w->pb[b]) depend(inout : w->pc[c])
        bench_product(w, frame[omp_get_thread_num()], i, j, k);
    }
#pragma omp task depend(in : w->pc[c])
    bench_unpack(w, i, j);
}

static void spawn(const struct bench_blocks *w, double **frame)
{
    spawn_packs(w);
    for (size_t i = 0; i < w->side; i++)
        for (size_t j = 0; j < w->side; j++)
            spawn_block(w, frame, i, j);
}

static double measure(const struct bench_blocks *w, double **frame)
{
    double begin = bench_now();
#pragma omp parallel
#pragma omp single
    spawn(w, frame);
    return bench_now() - begin;
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct bench_blocks w;
    char name[64];

    omp_set_dynamic(0);
    omp_set_num_threads((int)o.threads);
    bench_kernel_threads(1);
    bench_blocks_create(&w, &o);
    double **frame = calloc(o.threads, sizeof *frame);
    if (!frame)
        bench_fail("out of memory");
    for (unsigned t = 0; t < o.threads; t++)
        frame[t] = bench_frame_create(&w);

    double seconds = measure(&w, frame);
    snprintf(name, sizeof name, "openmp_%u", o.threads);
    bench_report(w.group, name, seconds, "s", bench_blocks_check(&w));

    for (unsigned t = 0; t < o.threads; t++)
        free(frame[t]);
    free(frame);
    bench_blocks_destroy(&w);
    return 0;
}

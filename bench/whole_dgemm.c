/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Base line: the same product as one call of dgemm.
 */
#include "bench/blocks.h"
#include "bench/clock.h"

#include <cblas.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct bench_blocks w;
    char name[64];

    bench_kernel_threads(o.threads);
    bench_blocks_create(&w, &o);
    int n = (int)w.n;

    double begin = bench_now();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w.a, n, w.bt, n, 0, w.c, n);
    double seconds = bench_now() - begin;

    snprintf(name, sizeof name, "whole_dgemm_%u", o.threads);
    bench_report(w.group, name, seconds, "s", bench_blocks_check(&w));
    bench_blocks_destroy(&w);
    return 0;
}

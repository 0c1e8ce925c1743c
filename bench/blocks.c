/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/blocks.h"

#include "bench/clock.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64 /* bytes of a cache line */

/* SplitMix64's finalizer. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static double element(uint64_t seed, size_t i)
{
    return (double)(mix(seed * UINT64_C(0x9e3779b97f4a7c15) + i) % 17) - 8;
}

static double *numbers(size_t count)
{
    size_t bytes = (count * sizeof(double) + LINE - 1) / LINE * LINE;
    double *x = aligned_alloc(LINE, bytes);
    if (!x)
        bench_fail("out of memory");
    memset(x, 0, bytes);
    return x;
}

static double *filled(size_t count, uint64_t seed)
{
    double *x = numbers(count);
    for (size_t i = 0; i < count; i++)
        x[i] = element(seed, i);
    return x;
}

void bench_blocks_create(struct bench_blocks *w, const struct bench_options *o)
{
    size_t words = o->size * o->size;
    *w = (struct bench_blocks){
        .n = o->size, .b = o->block, .side = o->size / o->block, .copies = o->copies};
    w->a = filled(words, 1);
    w->bt = filled(words, 2);
    w->c = numbers(words);
    w->pa = numbers(words);
    w->pb = numbers(words);
    w->pc = numbers(words);
    snprintf(w->group, sizeof w->group, "product-%zu-%zu", w->n, w->b);
    snprintf(w->threads, sizeof w->threads, "%u", o->threads);
}

void bench_blocks_destroy(struct bench_blocks *w)
{
    double *all[] = {w->a, w->bt, w->c, w->pa, w->pb, w->pc};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

double *bench_frame_create(const struct bench_blocks *w)
{
    return numbers(2 * w->b * w->b);
}

static double *row(double *matrix, const struct bench_blocks *w, size_t i, size_t j, size_t r)
{
    return matrix + (i * w->b + r) * w->n + j * w->b;
}

void bench_pack(const struct bench_blocks *w, size_t i, size_t j)
{
    size_t at = bench_block_at(w, i, j), bytes = w->b * sizeof(double);
    for (size_t r = 0; r < w->b; r++) {
        memcpy(w->pa + at + r * w->b, row(w->a, w, i, j, r), bytes);
        memcpy(w->pb + at + r * w->b, row(w->bt, w, i, j, r), bytes);
    }
}

void bench_product(const struct bench_blocks *w, double *frame, size_t i, size_t j, size_t k)
{
    size_t words = w->b * w->b;
    int b = (int)w->b;
    const double *a = w->pa + bench_block_at(w, i, k), *bt = w->pb + bench_block_at(w, k, j);
    if (w->copies) {
        a = memcpy(frame, a, words * sizeof(double));
        bt = memcpy(frame + words, bt, words * sizeof(double));
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, b, b, b, 1, a, b, bt, b, 1,
                w->pc + bench_block_at(w, i, j), b);
}

void bench_unpack(const struct bench_blocks *w, size_t i, size_t j)
{
    size_t at = bench_block_at(w, i, j);
    for (size_t r = 0; r < w->b; r++)
        memcpy(row(w->c, w, i, j, r), w->pc + at + r * w->b, w->b * sizeof(double));
}

/* y = M x in integers: |M| <= 2^18 and |x| <= 2^20 leave room for 2^24 columns. */
static void times(size_t n, const double *m, const int64_t *x, int64_t *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += (int64_t)m[i * n + j] * x[j];
    }
}

uint64_t bench_blocks_check(const struct bench_blocks *w)
{
    int64_t *x = calloc(4 * w->n, sizeof *x);
    if (!x)
        bench_fail("out of memory");
    int64_t *bx = x + w->n, *abx = bx + w->n, *cx = abx + w->n;
    for (size_t i = 0; i < w->n; i++)
        x[i] = (int64_t)(mix(i + 1) >> 43) - (1 << 20);
    times(w->n, w->bt, x, bx);
    times(w->n, w->a, bx, abx);
    times(w->n, w->c, x, cx);
    if (memcmp(abx, cx, w->n * sizeof *cx) != 0)
        bench_fail("the product is wrong");
    free(x);
    uint64_t hash = w->n;
    for (size_t i = 0; i < w->n * w->n; i++)
        hash = mix(hash ^ (uint64_t)(int64_t)w->c[i]);
    return hash;
}

void bench_kernel_threads(unsigned threads)
{
    openblas_set_num_threads((int)threads);
    fprintf(stderr, "KERNEL %s\n", openblas_get_corename());
}

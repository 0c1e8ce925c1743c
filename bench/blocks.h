/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's work in a Cannon run, without emulator: C = A B of n x n doubles by subblocks of
 * b x b, as a graph of three kinds of tasks that every base line runs with its own means.
 *
 *     pack(i, j)       A(i,j) and B(i,j) out of the row-major matrices into block order
 *     product(i, j, k) copy A(i,k) and B(k,j) into a frame, C(i,j) += A(i,k) B(k,j)
 *     unpack(i, j)     C(i,j) into the row-major result
 *
 * pack comes before the products that read, products of one C(i,j) exclude each other, unpack
 * comes last. One copy of either operand for each product is what injection (once in s steps) and
 * exchange (the other s - 1) of Cannon's algorithm amount to.
 *
 * Elements are integers of [-8, 8], so that every sum is exact in any order: all results of one
 * size are the same bits, and bench_blocks_check() may compare without tolerance.
 */
#ifndef BENCH_BLOCKS_H
#define BENCH_BLOCKS_H

#include "bench/options.h"

#include <stddef.h>
#include <stdint.h>

struct bench_blocks {
    size_t n, b, side;           /* side = n / b */
    bool copies;                 /* into the frame; else products work in place */
    double *a, *bt, *c;          /* row-major: A, B, C */
    double *pa, *pb, *pc;        /* in block order, block (i, j) at (i * side + j) * b * b */
    char group[32], threads[16]; /* for bench_report() */
};

/* A, B filled, the packed ones and C zero and touched. */
void bench_blocks_create(struct bench_blocks *w, const struct bench_options *o);
void bench_blocks_destroy(struct bench_blocks *w);

/* Room for the two operands of a product; one a thread, free() it. */
double *bench_frame_create(const struct bench_blocks *w);

static inline size_t bench_block_at(const struct bench_blocks *w, size_t i, size_t j)
{
    return (i * w->side + j) * w->b * w->b;
}

void bench_pack(const struct bench_blocks *w, size_t i, size_t j);
void bench_product(const struct bench_blocks *w, double *frame, size_t i, size_t j, size_t k);
void bench_unpack(const struct bench_blocks *w, size_t i, size_t j);

/* A hash of C, after C x = A (B x) has been found exactly true for an x of 21-bit integers; ends
 * the program when it is not. */
uint64_t bench_blocks_check(const struct bench_blocks *w);

/* OpenBLAS: threads of one product; the kernel set that runs, on standard error, once. */
void bench_kernel_threads(unsigned threads);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernels work on, and what they count. All arrays of a size lie in one block. Were they
 * apart by powers of two, as allocators and round sizes make them, equal elements of all arrays
 * would meet in one set of a cache, and throw each other out: so there are 7 lines between two
 * arrays, beside the rest of the last line.
 */
#include "apps/kernels/loops.h"

#include <math.h>

#define WORD   sizeof(double)
#define LINE   64
#define APART  (7 * LINE) /* between arrays, and an odd number of lines more at each */
#define RANDOM UINT64_C(6364136223846793005)
#define TURN   6.283185307179586476925286766559

/* ---- arrays ---------------------------------------------------------------------------------- */

static uint64_t vector(uint64_t n, unsigned array)
{
    (void)array;
    return n;
}

static uint64_t matrix(uint64_t n, unsigned array)
{
    (void)array;
    return n * n;
}

/* The last two have the factors of half a turn. */
static uint64_t transform(uint64_t n, unsigned array)
{
    return array < 4 ? n : n / 2;
}

static uint64_t of_bicg(uint64_t n, unsigned array)
{
    return array == 2 ? n * n : n;
}

static uint64_t of_solve(uint64_t n, unsigned array)
{
    return array == 1 ? n * n : n;
}

static uint64_t cube(uint64_t n, unsigned array)
{
    (void)array;
    return n * n * n;
}

static uint64_t of_correlate(uint64_t n, unsigned array)
{
    return array == 1 || array == 2 ? n : n * n;
}

void htmt__kernels_loop_place(const struct htmt__kernels_loop *loop, uint64_t n,
                              struct htmt__kernels_loop_data *d)
{
    uint64_t at = 0;
    *d = (struct htmt__kernels_loop_data){.n = n};
    for (unsigned i = 0; i < loop->arrays; i++) {
        uint64_t bytes = loop->elements(n, i) * WORD;
        d->at[i] = at;
        at += (bytes + LINE - 1) / LINE * LINE + APART;
    }
    d->results = at;
    d->bytes = at + LINE;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double draw(uint64_t *state)
{
    *state = *state * RANDOM + UINT64_C(1442695040888963407);
    return (double)(int64_t)*state * 0x1p-63;
}

static double *array(const struct htmt__kernels_loop_data *d, char *block, unsigned i)
{
    return (double *)(void *)(block + d->at[i]);
}

/* Dipoles stand on a cubic grid, in the half of it where x is above 0. */
static void place_dipoles(const struct htmt__kernels_loop_data *d, char *block)
{
    uint64_t side = (uint64_t)cbrt((double)d->n) + 1;
    for (uint64_t i = 0; i < d->n; i++) {
        array(d, block, 0)[i] = (double)(i % side) + 1;
        array(d, block, 1)[i] = (double)(i / side % side) - (double)side / 2;
        array(d, block, 2)[i] = (double)(i / side / side) - (double)side / 2;
    }
}

static void place_factors(const struct htmt__kernels_loop_data *d, char *block)
{
    for (uint64_t i = 0; i < d->n / 2; i++) {
        array(d, block, 4)[i] = cos(TURN * (double)i / (double)d->n);
        array(d, block, 5)[i] = -sin(TURN * (double)i / (double)d->n);
    }
}

void htmt__kernels_loop_fill(const struct htmt__kernels_loop *loop,
                             const struct htmt__kernels_loop_data *d, char *block)
{
    uint64_t state = d->n;
    for (unsigned k = 0; k < loop->arrays; k++)
        for (uint64_t i = 0; i < loop->elements(d->n, k); i++)
            array(d, block, k)[i] = draw(&state);
    if (loop->run == htmt__kernels_timed_dipole)
        place_dipoles(d, block);
    if (loop->run == htmt__kernels_timed_fft)
        place_factors(d, block);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void of(struct htmt_ops *ops, uint64_t flop, uint64_t iop, uint64_t loads, uint64_t stores)
{
    *ops = (struct htmt_ops){
        {[HTMT_FLOP] = flop, [HTMT_IOP] = iop, [HTMT_LOAD] = loads, [HTMT_STORE] = stores}};
}

static void count_ddot(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 2 * n, 2 * n, 2 * n, 1);
}

static void count_ddot4(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 2 * n + 3, n / 2, 2 * n, 1);
}

static void count_daxpy(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 2 * n, 2 * n, 2 * n, n);
}

/* Square root, division, sine and cosine are one operation each. */
static void count_dipole(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 85 * n, 2 * n, 9 * n, HTMT__KERNELS_LOOP_RESULTS);
}

static void count_dgemm(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 2 * n * n * n, 2 * n * (n * n + 2 * n + 1), 2 * n * n * n + n * n, n * n * n + n * n);
}

static void count_fft(uint64_t n, struct htmt_ops *ops)
{
    uint64_t flies = n / 2 * (uint64_t)__builtin_ctzll(n);
    of(ops, 10 * flies, 2 * flies + 3 * n, 6 * flies + 2 * n, 4 * flies + 2 * n);
}

/* Of the shapes: what their text says, without what a compiler keeps in registers. */
static void count_gemm(uint64_t n, struct htmt_ops *ops)
{
    of(ops, n * n * (3 * n + 1), 2 * n * (n * n + 2 * n + 1), n * n * (3 * n + 1), n * n * (n + 1));
}

static void count_bicg(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 4 * n * n, 2 * n * (n + 2), 6 * n * n, 2 * n * (n + 1));
}

static void count_solve(uint64_t n, struct htmt_ops *ops)
{
    of(ops, n * (n + 1), n * (n + 1), 2 * n * n, n * (n + 3) / 2);
}

static void count_factor(uint64_t n, struct htmt_ops *ops)
{
    const uint64_t steps = n * (n - 1) * (2 * n - 1) / 6 + n * (n - 1) * (n - 2) / 6;
    of(ops, 2 * steps + n * (n + 1) / 2, 2 * (steps + 2 * n * n), 3 * steps + 2 * n * n,
       steps + n * n + n * (n + 1) / 2);
}

static void count_stencil1(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 8 * (n - 2), 4 * (n - 2), 6 * (n - 2), 2 * (n - 2));
}

static void count_stencil2(uint64_t n, struct htmt_ops *ops)
{
    const uint64_t inside = (n - 2) * (n - 2);
    of(ops, 9 * inside, 2 * inside, 9 * inside, inside);
}

static void count_stencil3(uint64_t n, struct htmt_ops *ops)
{
    const uint64_t inside = (n - 2) * (n - 2) * (n - 2);
    of(ops, 15 * inside, 2 * inside, 10 * inside, inside);
}

static void count_correlate(uint64_t n, struct htmt_ops *ops)
{
    const uint64_t pairs = n * (n + 1) / 2;
    of(ops, 2 * n * pairs + 6 * n * n + 2 * n, 2 * (n * pairs + 3 * n * n),
       2 * n * pairs + 8 * n * n, 2 * pairs + 3 * n * n + 4 * n);
}

static void count_filter(uint64_t n, struct htmt_ops *ops)
{
    of(ops, 14 * n, 4 * n, 4 * n, 2 * n);
}

static void count_total(uint64_t n, struct htmt_ops *ops)
{
    of(ops, n, 2 * n, 3 * n, 2 * n + 1);
}

#define ROW(name, about, arrays, elements, count, least, most)                                     \
    {                                                                                              \
#name, about, htmt__kernels_timed_##name, arrays, elements, count, least, most, false      \
    }

#define SHAPE(name, about, arrays, elements, least, most)                                          \
    {                                                                                              \
#name, about, htmt__kernels_timed_##name, arrays, elements, count_##name, least, most,     \
            true                                                                                   \
    }

const struct htmt__kernels_loop htmt__kernels_loops[] = {
    ROW(ddot, "inner product", 2, vector, count_ddot, 1, UINT64_C(1) << 24),
    ROW(ddot4, "inner product, four sums at once", 2, vector, count_ddot4, 4, UINT64_C(1) << 24),
    ROW(daxpy, "y = y + a x", 2, vector, count_daxpy, 1, UINT64_C(1) << 24),
    ROW(dipole, "field of coupled dipoles", 9, vector, count_dipole, 1, UINT64_C(1) << 22),
    ROW(triad, "a = b + s c", 3, vector, count_daxpy, 1, UINT64_C(1) << 24),
    ROW(dgemm, "block of a matrix product", 3, matrix, count_dgemm, 1, 2048),
    ROW(fft, "Fourier transform", 6, transform, count_fft, 2, UINT64_C(1) << 22),
    SHAPE(gemm, "product of matrices", 3, matrix, 1, 2048),
    SHAPE(bicg, "two products of a matrix in one sweep", 5, of_bicg, 1, 8192),
    SHAPE(solve, "forward substitution", 3, of_solve, 1, 8192),
    SHAPE(factor, "factors of a matrix", 2, matrix, 1, 2048),
    SHAPE(stencil1, "stencil of a line, there and back", 2, vector, 3, UINT64_C(1) << 24),
    SHAPE(stencil2, "stencil of a plane, in place", 1, matrix, 3, 8192),
    SHAPE(stencil3, "stencil of a box", 2, cube, 3, 512),
    SHAPE(correlate, "correlations of columns", 5, of_correlate, 2, 2048),
    SHAPE(filter, "recursive filter, there and back", 3, vector, 1, UINT64_C(1) << 24),
    SHAPE(total, "sum through one address", 3, vector, 1, UINT64_C(1) << 24),
    {.name = NULL}};

htmt_kernel_fn *const htmt__kernels_loop_kernels[3] = {
    htmt__kernels_plain_kernel, htmt__kernels_annotated_kernel, htmt__kernels_vector_kernel};

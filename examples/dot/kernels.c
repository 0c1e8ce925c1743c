/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/dot/kernels.h"

static void count(struct htmt_kernel *k, struct htmt_ops ops)
{
    for (int op = 0; op < HTMT_OP_CLASSES; op++)
        htmt_count(k, (enum htmt_op)op, ops.n[op]);
}

void htmt__dot_multiply(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0), *y = htmt_bytes(k, 1);
    uint64_t elements = htmt_size(k, 0) / sizeof *x;
    double sum = 0;
    for (uint64_t i = 0; i < elements; i++)
        sum += x[i] * y[i];
    *(double *)htmt_bytes(k, 2) = sum;
    count(k, htmt__dot_multiply_ops(elements));
}

void htmt__dot_add(struct htmt_kernel *k)
{
    const double *part = htmt_used(k, 0);
    uint64_t sums = htmt_used_size(k, 0) / sizeof *part;
    double sum = 0;
    for (uint64_t i = 0; i < sums; i++)
        sum += part[i];
    *(double *)htmt_used(k, 1) = sum;
    count(k, htmt__dot_add_ops(sums));
}

void htmt__dot_combine(void *into, const void *from, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)from;
}

/* A multiply, an add and two loads for each element; the sum is stored once. */
struct htmt_ops htmt__dot_multiply_ops(uint64_t elements)
{
    return (struct htmt_ops){
        {[HTMT_FLOP] = 2 * elements, [HTMT_LOAD] = 2 * elements, [HTMT_STORE] = 1}};
}

struct htmt_ops htmt__dot_add_ops(uint64_t sums)
{
    return (struct htmt_ops){{[HTMT_FLOP] = sums, [HTMT_LOAD] = sums, [HTMT_STORE] = 1}};
}

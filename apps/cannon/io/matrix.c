/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Life, shapes and generated elements of matrices. A generated element is a function of (seed,
 * matrix, row, column): each process makes those of its own shares, and a check makes any of them
 * again.
 */
#include "apps/cannon/io/matrix.h"
#include "apps/lib/random.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

int htmt__cannon_matrix_check(uint64_t rows, uint64_t cols, uint64_t *bytes,
                              struct htmt_fault *fault)
{
    uint64_t elements;
    if (rows == 0 || cols == 0)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "a matrix of %" PRIu64 " x %" PRIu64 " has no elements", rows, cols);
    if (__builtin_mul_overflow(rows, cols, &elements) ||
        __builtin_mul_overflow(elements, sizeof(double), bytes) || *bytes > PTRDIFF_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "a matrix of %" PRIu64 " x %" PRIu64
                              " elements has more bytes than the host can address",
                              rows, cols);
    return 0;
}

int htmt__cannon_matrix_create(struct htmt__cannon_matrix *m, uint64_t rows, uint64_t cols,
                               struct htmt_fault *fault)
{
    uint64_t bytes = 0;
    int rc = htmt__cannon_matrix_check(rows, cols, &bytes, fault);
    if (rc)
        return rc;
    char left[HTMT_MEMORY_TEXT];
    if (!htmt_memory_holds((double)bytes, left))
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "a matrix of %" PRIu64 " x %" PRIu64 " elements takes %" PRIu64
                              " bytes, %s",
                              rows, cols, bytes, left);
    double *at = calloc(rows * cols, sizeof *at);
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM,
                              "no host memory for a matrix of %" PRIu64 " x %" PRIu64
                              " elements (%" PRIu64 " bytes)",
                              rows, cols, bytes);
    *m = (struct htmt__cannon_matrix){rows, cols, at};
    return 0;
}

void htmt__cannon_matrix_destroy(struct htmt__cannon_matrix *m)
{
    free(m->at);
    *m = (struct htmt__cannon_matrix){0, 0, NULL};
}

int htmt__cannon_matrix_can_multiply(const struct htmt__cannon_matrix *a,
                                     const struct htmt__cannon_matrix *b, struct htmt_fault *fault)
{
    if (a->cols == b->rows)
        return 0;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "shapes do not match: A is %" PRIu64 " x %" PRIu64 ", B is %" PRIu64
                          " x %" PRIu64 "; expected B to have %" PRIu64 " rows",
                          a->rows, a->cols, b->rows, b->cols, a->cols);
}

uint64_t htmt__cannon_matrix_bits(uint64_t seed, uint64_t which, uint64_t i, uint64_t j)
{
    return htmt__random_at(seed, which, i, j);
}

double htmt__cannon_matrix_entry(enum htmt__cannon_entries kind, uint64_t seed, uint64_t which,
                                 uint64_t i, uint64_t j)
{
    uint64_t bits = htmt__cannon_matrix_bits(seed, which, i, j), sum = 0;
    if (kind == HTMT__UNIFORM)
        return (double)(bits >> 11) * 0x1p-52 - 1.0;
    if (kind == HTMT__INTEGERS)
        return (double)((bits >> 32) * 17 >> 32) - 8.0;
    /* Gaussian: twelve mid-points (k + 1/2) / 2^16 less 6. */
    for (uint64_t word = 0; word < 3; word++) {
        uint64_t four = htmt__random_of(bits + word);
        for (unsigned shift = 0; shift < 64; shift += 16)
            sum += (four >> shift) & 0xffff;
    }
    return (double)sum * 0x1p-16 + 6 * 0x1p-16 - 6.0;
}

int htmt__cannon_matrix_generate(struct htmt__cannon_matrix *m, uint64_t rows, uint64_t cols,
                                 enum htmt__cannon_entries kind, uint64_t seed, uint64_t which,
                                 struct htmt_fault *fault)
{
    int rc = htmt__cannon_matrix_create(m, rows, cols, fault);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++)
            m->at[i * cols + j] = htmt__cannon_matrix_entry(kind, seed, which, i, j);
    return 0;
}

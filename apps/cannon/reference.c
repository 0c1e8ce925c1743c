/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/reference.h"

#include "apps/cannon/blas.h"

#include <cblas.h>
#include <inttypes.h>
#include <limits.h>

static int check_sides(const struct htmt__cannon_matrix *a, const struct htmt__cannon_matrix *b,
                       struct htmt_fault *fault)
{
    int rc = htmt__cannon_matrix_can_multiply(a, b, fault);
    if (rc)
        return rc;
    if (a->rows <= INT_MAX && a->cols <= INT_MAX && b->cols <= INT_MAX)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "found a product of %" PRIu64 " x %" PRIu64 " x %" PRIu64
                          ", expected sides of at most %d",
                          a->rows, a->cols, b->cols, INT_MAX);
}

int htmt__cannon_reference_product(const struct htmt__cannon_matrix *a,
                                   const struct htmt__cannon_matrix *b,
                                   struct htmt__cannon_matrix *c, struct htmt_fault *fault)
{
    int rc = check_sides(a, b, fault);
    if (!rc)
        rc = htmt__cannon_matrix_create(c, a->rows, b->cols, fault);
    if (rc)
        return rc;
    int m = (int)a->rows, k = (int)a->cols, n = (int)b->cols;
    htmt__cannon_blas_one_thread();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, a->at, k, b->at, n, 0.0,
                c->at, n);
    return 0;
}

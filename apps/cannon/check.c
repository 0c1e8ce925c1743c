/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/check.h"

#include "apps/cannon/check_parts.h"
#include "apps/cannon/reference.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static int check_shape(const struct htmt__cannon_matrix *m, uint64_t rows, uint64_t cols,
                       const char *name, struct htmt_fault *fault)
{
    if (m->rows == rows && m->cols == cols)
        return 0;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "%s is %" PRIu64 " x %" PRIu64 ", expected %" PRIu64 " x %" PRIu64, name,
                          m->rows, m->cols, rows, cols);
}

static int check_product_shape(const struct htmt__cannon_matrix *a,
                               const struct htmt__cannon_matrix *b,
                               const struct htmt__cannon_matrix *c, struct htmt_fault *fault)
{
    int rc = htmt__cannon_matrix_can_multiply(a, b, fault);
    return rc ? rc : check_shape(c, a->rows, b->cols, "C", fault);
}

static int make_absolute(const struct htmt__cannon_matrix *m, struct htmt__cannon_matrix *out,
                         struct htmt_fault *fault)
{
    int rc = htmt__cannon_matrix_create(out, m->rows, m->cols, fault);
    for (uint64_t k = 0; !rc && k < m->rows * m->cols; k++)
        out->at[k] = fabs(m->at[k]);
    return rc;
}

/* |A| |B| */
static int make_bound(const struct htmt__cannon_matrix *a, const struct htmt__cannon_matrix *b,
                      struct htmt__cannon_matrix *out, struct htmt_fault *fault)
{
    struct htmt__cannon_matrix abs_a = {0}, abs_b = {0};
    int rc = make_absolute(a, &abs_a, fault);
    if (!rc)
        rc = make_absolute(b, &abs_b, fault);
    if (!rc)
        rc = htmt__cannon_reference_product(&abs_a, &abs_b, out, fault);
    htmt__cannon_matrix_destroy(&abs_a);
    htmt__cannon_matrix_destroy(&abs_b);
    return rc;
}

static void compare_elements(const struct htmt__cannon_matrix *c,
                             const struct htmt__cannon_matrix *r,
                             const struct htmt__cannon_matrix *bound, double unit,
                             struct htmt__cannon_check check[2])
{
    /* Wider, so that squares of large elements do not overflow. */
    long double norm = 0, error = 0;
    for (uint64_t k = 0; k < c->rows * c->cols; k++) {
        double difference = c->at[k] - r->at[k];
        htmt__cannon_worst(&check[0], htmt__cannon_relative(fabs(difference), unit * bound->at[k]),
                           k / c->cols, k % c->cols);
        norm += (long double)r->at[k] * r->at[k];
        error += (long double)difference * difference;
    }
    check[1].value = htmt__cannon_relative((double)sqrtl(error), (double)sqrtl(norm));
    check[1].row = check[0].row;
    check[1].col = check[0].col;
    htmt__cannon_judge(&check[0]);
    htmt__cannon_judge(&check[1]);
}

int htmt__cannon_check_full(const struct htmt__cannon_matrix *a,
                            const struct htmt__cannon_matrix *b,
                            const struct htmt__cannon_matrix *c,
                            const struct htmt__cannon_matrix *r, struct htmt__cannon_check check[2],
                            struct htmt_fault *fault)
{
    struct htmt__cannon_matrix bound;
    int rc = check_product_shape(a, b, c, fault);
    if (!rc)
        rc = check_shape(r, c->rows, c->cols, "the reference", fault);
    if (!rc)
        rc = make_bound(a, b, &bound, fault);
    if (rc)
        return rc;
    check[0] = (struct htmt__cannon_check){.name = "elements", .tolerance = 1};
    check[1] = (struct htmt__cannon_check){.name = "frobenius", .tolerance = 1e-14};
    compare_elements(c, r, &bound, (double)a->cols * DBL_EPSILON, check);
    htmt__cannon_matrix_destroy(&bound);
    return 0;
}

int htmt__cannon_check_exact(const struct htmt__cannon_matrix *c,
                             const struct htmt__cannon_matrix *r, struct htmt__cannon_check *check,
                             struct htmt_fault *fault)
{
    int rc = check_shape(r, c->rows, c->cols, "the reference", fault);
    if (rc)
        return rc;
    uint64_t different = 0;
    *check = (struct htmt__cannon_check){.name = "exact"};
    for (uint64_t k = c->rows * c->cols; k-- > 0;)
        if (memcmp(&c->at[k], &r->at[k], sizeof *c->at)) {
            different++;
            check->row = k / c->cols;
            check->col = k % c->cols;
        }
    check->value = (double)different;
    htmt__cannon_judge(check);
    return 0;
}

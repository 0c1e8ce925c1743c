/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/check.h"

#include "apps/cannon/reference.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TRIALS HTMT__FREIVALDS_TRIALS

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

/* Keeps the worst element seen; one that is no number is worse than any, for good. */
static void worst(struct htmt__cannon_check *check, double value, uint64_t row, uint64_t col)
{
    if (value <= check->value || isnan(check->value))
        return;
    check->value = value;
    check->row = row;
    check->col = col;
}

static void judge(struct htmt__cannon_check *check)
{
    check->pass = check->value <= check->tolerance;
}

/* Nothing may differ where the bound is zero. */
static double relative(double difference, double bound)
{
    return difference == 0 ? 0 : difference / bound;
}

static void fill_trials(struct htmt__cannon_matrix *x, uint64_t seed)
{
    for (uint64_t j = 0; j < x->rows; j++) {
        uint64_t bits = htmt__cannon_matrix_bits(seed, HTMT__MATRIX_X, j, 0);
        if ((bits & ((1u << TRIALS) - 1)) == 0)
            bits = UINT64_C(1) << (j % TRIALS);
        for (unsigned t = 0; t < TRIALS; t++)
            x->at[j * TRIALS + t] = (double)(bits >> t & 1);
    }
}

/* y = m x and, in the same pass, sum = |m| |z|, for z with elements >= 0: one row of each. */
static void multiply_row(const struct htmt__cannon_matrix *m, uint64_t i, const double *x,
                         const double *z, double y[TRIALS], double sum[TRIALS])
{
    memset(y, 0, TRIALS * sizeof *y);
    memset(sum, 0, TRIALS * sizeof *sum);
    for (uint64_t k = 0; k < m->cols; k++) {
        double e = m->at[i * m->cols + k], size = fabs(e);
        for (unsigned t = 0; t < TRIALS; t++) {
            y[t] += e * x[k * TRIALS + t];
            sum[t] += size * z[k * TRIALS + t];
        }
    }
}

struct trials {
    struct htmt__cannon_matrix x, bx, bound; /* X, B X, |B| X */
};

static void destroy_trials(struct trials *s)
{
    htmt__cannon_matrix_destroy(&s->x);
    htmt__cannon_matrix_destroy(&s->bx);
    htmt__cannon_matrix_destroy(&s->bound);
}

static int create_trials(struct trials *s, const struct htmt__cannon_matrix *b, uint64_t seed,
                         struct htmt_fault *fault)
{
    *s = (struct trials){0};
    int rc = htmt__cannon_matrix_create(&s->x, b->cols, TRIALS, fault);
    if (!rc)
        rc = htmt__cannon_matrix_create(&s->bx, b->rows, TRIALS, fault);
    if (!rc)
        rc = htmt__cannon_matrix_create(&s->bound, b->rows, TRIALS, fault);
    if (rc) {
        destroy_trials(s);
        return rc;
    }
    fill_trials(&s->x, seed);
    for (uint64_t k = 0; k < b->rows; k++)
        multiply_row(b, k, s->x.at, s->x.at, s->bx.at + k * TRIALS, s->bound.at + k * TRIALS);
    return 0;
}

/* Row i of A (B X), of |A| |B| X and of C X. */
static void compare_row(const struct htmt__cannon_matrix *a, const struct htmt__cannon_matrix *c,
                        const struct trials *s, uint64_t i, double unit,
                        struct htmt__cannon_check *check)
{
    double abx[TRIALS], bound[TRIALS], cx[TRIALS], ignored[TRIALS];
    multiply_row(a, i, s->bx.at, s->bound.at, abx, bound);
    multiply_row(c, i, s->x.at, s->x.at, cx, ignored);
    for (unsigned t = 0; t < TRIALS; t++) {
        double difference = fabs(abx[t] - cx[t]);
        worst(check, unit > 0 ? relative(difference, unit * bound[t]) : difference, i, t);
    }
}

int htmt__cannon_check_freivalds(const struct htmt__cannon_matrix *a,
                                 const struct htmt__cannon_matrix *b,
                                 const struct htmt__cannon_matrix *c, uint64_t seed, bool exact,
                                 struct htmt__cannon_check *check, struct htmt_fault *fault)
{
    struct trials s;
    int rc = check_product_shape(a, b, c, fault);
    if (!rc)
        rc = create_trials(&s, b, seed, fault);
    if (rc)
        return rc;
    double n = (double)(a->cols > b->cols ? a->cols : b->cols);
    *check = (struct htmt__cannon_check){.name = "freivalds", .tolerance = exact ? 0 : 4};
    for (uint64_t i = 0; i < a->rows; i++)
        compare_row(a, c, &s, i, exact ? 0 : n * DBL_EPSILON, check);
    judge(check);
    destroy_trials(&s);
    return 0;
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
        worst(&check[0], relative(fabs(difference), unit * bound->at[k]), k / c->cols, k % c->cols);
        norm += (long double)r->at[k] * r->at[k];
        error += (long double)difference * difference;
    }
    check[1].value = relative((double)sqrtl(error), (double)sqrtl(norm));
    check[1].row = check[0].row;
    check[1].col = check[0].col;
    judge(&check[0]);
    judge(&check[1]);
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
    judge(check);
    return 0;
}

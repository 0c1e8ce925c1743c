/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of a product.
 *
 * Freivalds' check asks whether A (B X) = C X for a matrix X of 20 random columns of zeros and
 * ones. If C is wrong in one element, that row of C X is wrong in each column of X that has a one
 * there: with probability 1/2 a column, so 20 columns miss it once in 2^20 times. It costs 3 n^2 20
 * multiplications instead of the n^3 of a second product.
 *
 * The matrices lie in shares with several processes. Each of them multiplies its own shares, some
 * rows of each at a time; then all exchange what those rows made (htmt_slices_share), and each adds
 * the parts of the slices in the order of their numbers. So the sums are the same to the last bit
 * however many processes there are. Two passes: B X from the rows of B, then A (B X) and C X from
 * the rows of A and C, which lie in the same slices. On a 2 x 2 grid, row i of A lies with the
 * slices 0 and 1; each has half of its columns, and the row is compared when slice 1 has been
 * added.
 *
 * The bound: a sum of n products in any order is off by at most n eps |A| |B| X, which is computed
 * beside each sum; the value is the largest ratio. Two things bend it at the ends of the range of
 * doubles.
 *
 * Underflow. A product below 2^-1022 is off by up to 2^-1075, whatever its size, and sums of such
 * products are exact. So n times that is added to the bound of each element of C. It is nothing
 * beside the bound of sums in the normal range, and it is the whole bound where |A| |B| vanishes:
 * 1e-160 squared is 1e-320, which is 2024 times the least double.
 *
 * Overflow. Where |A| |B| X passes DBL_MAX / 2, neither the bound nor the sums mean anything. These
 * rows are multiplied a second time with A, B and C divided by powers of two, which rounds nothing:
 * B by so much that |B| X cannot overflow, A by so much that |A| (|B| X) cannot, C by both. What
 * overflowed by ratios up to 2^1024 is then far above underflow. C itself may have overflowed, and
 * rightly so; of sums with such elements Freivalds' check can say nothing, so it says that, and all
 * elements are compared one by one. There an element that is no finite number is right if sums in
 * its |A| |B| pass DBL_MAX; if all of its products have one sign, every order of summation ends in
 * the infinity of this sign, and C must have it. If signs differ, the order decides between both
 * infinities, NaN and a number, and nothing more can be asked. For example, of the sums of 1e308,
 * 1e308 and -1e308 some orders give 1e308 and others infinity.
 */
#include "apps/cannon/check.h"

#include "apps/cannon/blas.h"
#include "parcels/emulator.h"

#include <cblas.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST       0x1p-1074 /* the least double: twice the error of an underflow */
#define TRIALS      HTMT__FREIVALDS_TRIALS
#define PARTS_BYTES (1u << 20) /* of what all slices tell at once */

/* Keeps the worst element seen; one that is no number is worse than any, for good. */
static void keep_worst(struct htmt__cannon_check *check, double value, uint64_t row, uint64_t col)
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

/* Sums of magnitudes that large may have overflowed. */
static bool overflows(double bound)
{
    return bound > DBL_MAX / 2;
}

/* Powers of two by which A and B are divided so that no sum overflows; `wide` columns are added up
 * in B X, `deep` products in A (B X). Magnitudes are below 2^a and 2^b. */
struct scale {
    int a, b;
};

static int exponent_of(double magnitude)
{
    return magnitude > 0 ? ilogb(magnitude) + 1 : 0;
}

static struct scale scale_for(int a, int b, uint64_t deep, uint64_t wide)
{
    const int most = DBL_MAX_EXP - 3, across = exponent_of((double)wide);
    struct scale s = {0, b + across > most ? b + across - most : 0};
    int all = a + b - s.b + across + exponent_of((double)deep);
    s.a = all > most ? all - most : 0;
    return s;
}

static int check_shape(const struct htmt__cannon_matrix *m, uint64_t rows, uint64_t cols,
                       const char *name, struct htmt_fault *fault)
{
    if (m->rows == rows && m->cols == cols)
        return 0;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "%s is %" PRIu64 " x %" PRIu64 ", expected %" PRIu64 " x %" PRIu64, name,
                          m->rows, m->cols, rows, cols);
}

/* ---- the reference -------------------------------------------------------------------------- */

int htmt__cannon_reference_product(const struct htmt__cannon_matrix *a,
                                   const struct htmt__cannon_matrix *b,
                                   struct htmt__cannon_matrix *c, struct htmt_fault *fault)
{
    int rc = htmt__cannon_matrix_can_multiply(a, b, fault);
    if (!rc && (a->rows > INT_MAX || a->cols > INT_MAX || b->cols > INT_MAX))
        rc = htmt_fault_set(fault, HTMT_ERANGE,
                            "found a product of %" PRIu64 " x %" PRIu64 " x %" PRIu64
                            ", expected sides of at most %d",
                            a->rows, a->cols, b->cols, INT_MAX);
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

/* ---- every element -------------------------------------------------------------------------- */

/* |A| |B| into *bound; with a scale of both, and their product into *r. */
static int make_bound(const struct htmt__cannon_matrix *a, const struct htmt__cannon_matrix *b,
                      struct scale scale, struct htmt__cannon_matrix *r,
                      struct htmt__cannon_matrix *bound, struct htmt_fault *fault)
{
    struct htmt__cannon_matrix left = {0}, right = {0};
    int rc = htmt__cannon_matrix_create(&left, a->rows, a->cols, fault);
    if (!rc)
        rc = htmt__cannon_matrix_create(&right, b->rows, b->cols, fault);
    for (uint64_t k = 0; !rc && k < a->rows * a->cols; k++)
        left.at[k] = scalbn(a->at[k], -scale.a);
    for (uint64_t k = 0; !rc && k < b->rows * b->cols; k++)
        right.at[k] = scalbn(b->at[k], -scale.b);
    if (!rc && r)
        rc = htmt__cannon_reference_product(&left, &right, r, fault);
    for (uint64_t k = 0; !rc && k < a->rows * a->cols; k++)
        left.at[k] = fabs(left.at[k]);
    for (uint64_t k = 0; !rc && k < b->rows * b->cols; k++)
        right.at[k] = fabs(right.at[k]);
    if (!rc)
        rc = htmt__cannon_reference_product(&left, &right, bound, fault);
    htmt__cannon_matrix_destroy(&left);
    htmt__cannon_matrix_destroy(&right);
    return rc;
}

static double largest(const struct htmt__cannon_matrix *m)
{
    double most = 0;
    for (uint64_t k = 0; k < m->rows * m->cols; k++)
        most = fmax(most, fabs(m->at[k]));
    return most;
}

/* What C and the reference differ by, as sums of squares, wider so that those of large elements do
 * not overflow. */
struct norms {
    long double of_r, of_difference;
};

/* An element whose |A| |B| passes the range of doubles, by its product r and bound, both scaled
 * down by 2^scale. */
static void compare_overflowed(double c, double r, double bound, int scale, double unit,
                               struct htmt__cannon_check *check, struct norms *norms, uint64_t row,
                               uint64_t col)
{
    if (isfinite(c)) {
        double difference = fabs(scalbn(c, -scale) - r);
        keep_worst(check, relative(difference, unit * bound), row, col);
        norms->of_r += ldexpl(r, scale) * ldexpl(r, scale);
        norms->of_difference += ldexpl(difference, scale) * ldexpl(difference, scale);
        return;
    }
    const bool can = scalbn(bound, scale) * (1 + unit) > DBL_MAX,
               one_sign = fabs(r) >= bound * (1 - 2 * unit), is_of_it = c == copysign(HUGE_VAL, r);
    if (!can || (one_sign && !is_of_it)) {
        keep_worst(check, (double)NAN, row, col);
        norms->of_difference += (long double)NAN;
    }
}

int htmt__cannon_check_full(const struct htmt__cannon_matrix *a,
                            const struct htmt__cannon_matrix *b,
                            const struct htmt__cannon_matrix *c, struct htmt__cannon_matrix *r,
                            struct htmt__cannon_check check[2], struct htmt_fault *fault)
{
    const uint64_t count = c->rows * c->cols;
    const double unit = (double)a->cols * DBL_EPSILON, least = (double)a->cols * LEAST;
    struct htmt__cannon_matrix bound = {0};
    struct norms norms = {0, 0};
    uint64_t overflowed = 0;
    int rc = htmt__cannon_matrix_can_multiply(a, b, fault);
    if (!rc)
        rc = check_shape(c, a->rows, b->cols, "C", fault);
    if (!rc)
        rc = check_shape(r, c->rows, c->cols, "the reference", fault);
    if (!rc)
        rc = make_bound(a, b, (struct scale){0, 0}, NULL, &bound, fault);
    if (rc)
        return rc;
    check[0] = (struct htmt__cannon_check){.name = "elements", .tolerance = 1};
    check[1] = (struct htmt__cannon_check){.name = "frobenius", .tolerance = 1e-14};
    for (uint64_t k = 0; k < count; k++) {
        double difference = fabs(c->at[k] - r->at[k]);
        overflowed += overflows(bound.at[k]);
        if (overflows(bound.at[k]))
            continue;
        keep_worst(&check[0], relative(difference, unit * bound.at[k] + least), k / c->cols,
                   k % c->cols);
        norms.of_r += (long double)r->at[k] * r->at[k];
        difference = difference <= least ? 0 : difference - least;
        norms.of_difference += (long double)difference * difference;
    }
    if (overflowed) {
        const struct scale s =
            scale_for(exponent_of(largest(a)), exponent_of(largest(b)), a->cols, 1);
        unsigned char *over = malloc(count);
        for (uint64_t k = 0; over && k < count; k++)
            over[k] = overflows(bound.at[k]);
        htmt__cannon_matrix_destroy(&bound);
        htmt__cannon_matrix_destroy(r);
        rc = over ? make_bound(a, b, s, r, &bound, fault)
                  : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the check of a product");
        for (uint64_t k = 0; !rc && k < count; k++)
            if (over[k])
                compare_overflowed(c->at[k], r->at[k], bound.at[k], s.a + s.b, unit, check, &norms,
                                   k / c->cols, k % c->cols);
        free(over);
    }
    check[1].value = relative((double)sqrtl(norms.of_difference), (double)sqrtl(norms.of_r));
    check[1].row = check[0].row;
    check[1].col = check[0].col;
    judge(&check[0]);
    judge(&check[1]);
    htmt__cannon_matrix_destroy(&bound);
    return rc;
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
        if (memcmp(&c->at[k], &r->at[k], sizeof *c->at) && !(isnan(c->at[k]) && isnan(r->at[k]))) {
            different++;
            check->row = k / c->cols;
            check->col = k % c->cols;
        }
    check->value = (double)different;
    judge(check);
    return 0;
}

/* ---- Freivalds ------------------------------------------------------------------------------ */

/* What a row, or a slice's part of it, makes of each trial. */
struct part {
    double y[TRIALS], bound[TRIALS]; /* of B: B X, |B| X; of A: A (B X), |A| |B| X */
    double c[TRIALS];                /* C X */
};

struct trials {
    struct htmt_emulator *e;
    const struct htmt__cannon_spread *a, *b, *c;
    double *x, *bx, *bound; /* X, B X, |B| X: a row for each row */
    double unit, least;     /* of rounding, 0: exact; of underflow, of a row */
    bool *overflowed;       /* rows of A whose sums pass the range of doubles */
    bool scaled;            /* they are multiplied again, by `scale` */
    struct scale scale;
    double *block; /* of a row of a share, scaled */
    struct htmt__cannon_check *check;
    uint32_t slices;
    uint64_t rows;     /* of each share that are multiplied at once */
    struct part *part; /* of each slice, of each of them */
    struct part *sum;  /* of the slices so far of a row of the grid */
};

/* y += m x and, in the same pass, bound += |m| z, for z with elements >= 0. */
static void multiply(const double *m, uint64_t count, const double *x, const double *z,
                     double y[TRIALS], double bound[TRIALS])
{
    double sum[TRIALS], sizes[TRIALS];
    memcpy(sum, y, sizeof sum);
    memcpy(sizes, bound, sizeof sizes);
    for (uint64_t k = 0; k < count; k++, x += TRIALS, z += TRIALS)
        for (unsigned n = 0; n < TRIALS; n++) {
            sum[n] += m[k] * x[n];
            sizes[n] += fabs(m[k]) * z[n];
        }
    memcpy(y, sum, sizeof sum);
    memcpy(bound, sizes, sizeof sizes);
}

/* Row k of the slice's share, as far as the matrix reaches; divided by 2^scale. */
static void multiply_row(const struct trials *t, const struct htmt__cannon_spread *m, int scale,
                         uint32_t slice, uint64_t k, const double *x, const double *z,
                         double y[TRIALS], double bound[TRIALS])
{
    const double *row = m->share[slice] + k * m->pitch;
    uint64_t first = htmt__cannon_spread_col(m, slice);
    for (uint64_t block = 0; block < m->pitch; block += m->width) {
        uint64_t j = htmt__cannon_spread_line_across(m, first, block), left = m->cols - j;
        const double *at = row + block;
        if (j >= m->cols)
            break;
        left = m->width < left ? m->width : left;
        for (uint64_t n = 0; scale && n < left; n++)
            t->block[n] = scalbn(at[n], -scale);
        multiply(scale ? t->block : at, left, x + j * TRIALS, z + j * TRIALS, y, bound);
    }
}

/* The row of the matrix. */
static uint64_t line_of(const struct htmt__cannon_spread *m, uint32_t slice, uint64_t k)
{
    return htmt__cannon_spread_line(m, htmt__cannon_spread_row(m, slice), k);
}

static void multiply_b(const struct trials *t, uint32_t slice, uint64_t k, struct part *part)
{
    if (line_of(t->b, slice, k) < t->b->rows)
        multiply_row(t, t->b, t->scale.b, slice, k, t->x, t->x, part->y, part->bound);
}

static void add_b(struct trials *t, uint32_t slice, uint64_t k, const struct part *part)
{
    uint64_t i = line_of(t->b, slice, k);
    for (unsigned n = 0; i < t->b->rows && n < TRIALS; n++) {
        t->bx[i * TRIALS + n] += part->y[n];
        t->bound[i * TRIALS + n] += part->bound[n];
    }
}

static void multiply_a_and_c(const struct trials *t, uint32_t slice, uint64_t k, struct part *part)
{
    const uint64_t row = line_of(t->a, slice, k);
    double ignored[TRIALS] = {0};
    if (row >= t->a->rows || (t->scaled && !t->overflowed[row]))
        return;
    multiply_row(t, t->a, t->scale.a, slice, k, t->bx, t->bound, part->y, part->bound);
    multiply_row(t, t->c, t->scale.a + t->scale.b, slice, k, t->x, t->x, part->c, ignored);
}

/* The slices of a row of the grid have the same rows of A and C, and follow each other. */
static void add_a_and_c(struct trials *t, uint32_t slice, uint64_t k, const struct part *part)
{
    struct part *sum = &t->sum[k % t->rows];
    uint64_t column = slice % t->a->across, row = line_of(t->a, slice, k);
    if (column == 0)
        *sum = (struct part){.y = {0}};
    for (unsigned n = 0; n < TRIALS; n++) {
        sum->y[n] += part->y[n];
        sum->bound[n] += part->bound[n];
        sum->c[n] += part->c[n];
    }
    if (column + 1 < t->a->across || row >= t->a->rows || (t->scaled && !t->overflowed[row]))
        return;
    for (unsigned n = 0; n < TRIALS && !t->scaled; n++)
        t->overflowed[row] |= overflows(sum->bound[n]);
    for (unsigned n = 0; n < TRIALS; n++) {
        double difference = fabs(sum->y[n] - sum->c[n]);
        double value =
            t->unit > 0 ? relative(difference, t->unit * sum->bound[n] + t->least) : difference;
        if (t->scaled && !isfinite(sum->c[n]))
            t->check->undecided = true;
        if (t->scaled || !t->overflowed[row])
            keep_worst(t->check, value, row, n);
    }
}

struct pass {
    void (*multiply)(const struct trials *t, uint32_t slice, uint64_t k, struct part *part);
    void (*add)(struct trials *t, uint32_t slice, uint64_t k, const struct part *part);
};

/* All rows of all shares of `m`, some of each at a time: each process multiplies its own, then the
 * sums are those of all. */
static int take_all(struct trials *t, const struct pass *pass, const struct htmt__cannon_spread *m)
{
    const size_t bytes = t->rows * sizeof *t->part;
    int rc = 0;
    for (uint64_t first = 0, end; first < m->side && !rc; first = end) {
        end = first + t->rows < m->side ? first + t->rows : m->side;
        memset(t->part, 0, t->slices * bytes);
        for (uint32_t i = 0; i < t->slices; i++)
            for (uint64_t k = first; m->share[i] && k < end; k++)
                pass->multiply(t, i, k, &t->part[i * t->rows + k - first]);
        rc = t->e ? htmt_slices_share(t->e, t->part, bytes, bytes) : 0;
        for (uint32_t i = 0; i < t->slices && !rc; i++)
            for (uint64_t k = first; k < end; k++)
                pass->add(t, i, k, &t->part[i * t->rows + k - first]);
    }
    return rc;
}

/* Rows whose sums overflowed, once more, scaled. What the largest elements are each process
 * tells for all of its slices. */
static int take_overflowed(struct trials *t)
{
    const struct pass of_b = {multiply_b, add_b}, of_rest = {multiply_a_and_c, add_a_and_c};
    const struct htmt__cannon_spread *const m[2] = {t->a, t->b};
    struct most {
        double of[2];
    } mine = {{0, 0}}, *all = calloc(t->slices, sizeof *all);
    struct htmt__cannon_stretch in;
    for (unsigned n = 0; n < 2; n++)
        for (uint64_t i = 0; i < m[n]->rows; i++)
            for (uint64_t j = 0; j < m[n]->cols; j += in.count) {
                in = htmt__cannon_spread_at(m[n], i, j);
                for (uint64_t k = 0; in.at && k < in.count; k++)
                    mine.of[n] = fmax(mine.of[n], fabs(in.at[k]));
            }
    for (uint32_t i = 0; all && i < t->slices; i++)
        all[i] = mine;
    t->block = calloc(t->a->width > t->b->width ? t->a->width : t->b->width, sizeof *t->block);
    int rc = all && t->block ? 0 : HTMT_ENOMEM;
    if (!rc && t->e)
        rc = htmt_slices_share(t->e, all, sizeof *all, sizeof *all);
    for (uint32_t i = 0; i < t->slices && !rc; i++)
        for (unsigned n = 0; n < 2; n++)
            mine.of[n] = fmax(mine.of[n], all[i].of[n]);
    t->scaled = true;
    t->scale = scale_for(exponent_of(mine.of[0]), exponent_of(mine.of[1]), t->a->cols, t->b->cols);
    memset(t->bx, 0, t->b->rows * TRIALS * sizeof *t->bx);
    memset(t->bound, 0, t->b->rows * TRIALS * sizeof *t->bound);
    rc = rc ? rc : take_all(t, &of_b, t->b);
    rc = rc ? rc : take_all(t, &of_rest, t->a);
    free(all);
    free(t->block);
    return rc;
}

int htmt__cannon_check_freivalds(struct htmt_emulator *e, const struct htmt__cannon_spread *a,
                                 const struct htmt__cannon_spread *b,
                                 const struct htmt__cannon_spread *c, uint64_t seed, bool exact,
                                 struct htmt__cannon_check *check, struct htmt_fault *fault)
{
    static const struct pass of_b = {multiply_b, add_b}, of_rest = {multiply_a_and_c, add_a_and_c};
    const struct htmt__cannon_matrix shape_a = {a->rows, a->cols, NULL},
                                     shape_b = {b->rows, b->cols, NULL},
                                     shape_c = {c->rows, c->cols, NULL};
    double n = (double)(a->cols > b->cols ? a->cols : b->cols);
    struct trials t = {.e = e,
                       .a = a,
                       .b = b,
                       .c = c,
                       .unit = exact ? 0 : n * DBL_EPSILON,
                       .least = (double)a->cols * (double)(b->cols + 1) * LEAST,
                       .check = check};
    int rc = htmt__cannon_matrix_can_multiply(&shape_a, &shape_b, fault);
    if (!rc)
        rc = check_shape(&shape_c, a->rows, b->cols, "C", fault);
    if (rc)
        return rc;
    *check = (struct htmt__cannon_check){.name = "freivalds", .tolerance = exact ? 0 : 4};
    t.slices = (uint32_t)(b->s * b->across);
    t.rows = PARTS_BYTES / sizeof *t.part / t.slices + 1;
    t.x = calloc(b->cols, TRIALS * sizeof *t.x);
    t.bx = calloc(b->rows, TRIALS * sizeof *t.bx);
    t.bound = calloc(b->rows, TRIALS * sizeof *t.bound);
    t.part = calloc(t.slices * t.rows, sizeof *t.part);
    t.sum = calloc(t.rows, sizeof *t.sum);
    t.overflowed = calloc(a->rows + 1, sizeof *t.overflowed);
    if (!t.x || !t.bx || !t.bound || !t.part || !t.sum || !t.overflowed) {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the trials of a product");
    } else {
        for (uint64_t j = 0; j < b->cols; j++) {
            uint64_t bits = htmt__cannon_matrix_bits(seed, HTMT__MATRIX_X, j, 0);
            if ((bits & ((1u << TRIALS) - 1)) == 0) /* it would hide a column of C */
                bits = UINT64_C(1) << (j % TRIALS);
            for (unsigned k = 0; k < TRIALS; k++)
                t.x[j * TRIALS + k] = (double)(bits >> k & 1);
        }
        rc = take_all(&t, &of_b, b);
    }
    if (!rc)
        rc = take_all(&t, &of_rest, a);
    if (!rc && memchr(t.overflowed, true, a->rows))
        rc = take_overflowed(&t);
    judge(check);
    free(t.x);
    free(t.bx);
    free(t.bound);
    free(t.part);
    free(t.sum);
    free(t.overflowed);
    return rc;
}

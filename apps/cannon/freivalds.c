/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Freivalds' check of a product whose shares lie with several processes.
 */
#include "apps/cannon/check_parts.h"

#include "parcels/emulator.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS      HTMT__FREIVALDS_TRIALS
#define PARTS_BYTES (1u << 20) /* of what all slices tell at once */

/* What a row, or a slice's part of it, makes of each trial. */
struct part {
    double y[TRIALS], bound[TRIALS]; /* of B: B X, |B| X; of A: A (B X), |A| |B| X */
    double c[TRIALS];                /* C X */
};

struct trials {
    struct htmt_emulator *e;
    const struct htmt__cannon_spread *a, *b, *c;
    double *x, *bx, *bound; /* X, B X, |B| X: a row for each row */
    double unit;            /* of rounding; 0: exact */
    struct htmt__cannon_check *check;
    uint32_t slices;
    uint64_t rows;     /* of each share that are multiplied at once */
    struct part *part; /* of each slice, of each of them */
    struct part *sum;  /* of the slices so far of a row of the grid */
};

static void fill_trials(struct trials *t, uint64_t seed)
{
    for (uint64_t j = 0; j < t->b->cols; j++) {
        uint64_t bits = htmt__cannon_matrix_bits(seed, HTMT__MATRIX_X, j, 0);
        if ((bits & ((1u << TRIALS) - 1)) == 0)
            bits = UINT64_C(1) << (j % TRIALS);
        for (unsigned n = 0; n < TRIALS; n++)
            t->x[j * TRIALS + n] = (double)(bits >> n & 1);
    }
}

/* ---- rows of a share ------------------------------------------------------------------------ */

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

/* Row k of the slice's share, as far as the matrix reaches. */
static void multiply_row(const struct htmt__cannon_spread *m, uint32_t slice, uint64_t k,
                         const double *x, const double *z, double y[TRIALS], double bound[TRIALS])
{
    const double *row = m->share[slice] + k * m->pitch;
    uint64_t first = htmt__cannon_spread_col(m, slice);
    for (uint64_t block = 0; block < m->side; block += m->b) {
        uint64_t j = htmt__cannon_spread_line(m, first, block), left = m->cols - j;
        if (j >= m->cols)
            break;
        multiply(row + block, m->b < left ? m->b : left, x + j * TRIALS, z + j * TRIALS, y, bound);
    }
}

/* The row of the matrix. */
static uint64_t line_of(const struct htmt__cannon_spread *m, uint32_t slice, uint64_t k)
{
    return htmt__cannon_spread_line(m, htmt__cannon_spread_row(m, slice), k);
}

/* ---- B X ------------------------------------------------------------------------------------ */

static void multiply_b(const struct trials *t, uint32_t slice, uint64_t k, struct part *part)
{
    if (line_of(t->b, slice, k) < t->b->rows)
        multiply_row(t->b, slice, k, t->x, t->x, part->y, part->bound);
}

static void add_b(struct trials *t, uint32_t slice, uint64_t k, const struct part *part)
{
    uint64_t i = line_of(t->b, slice, k);
    for (unsigned n = 0; i < t->b->rows && n < TRIALS; n++) {
        t->bx[i * TRIALS + n] += part->y[n];
        t->bound[i * TRIALS + n] += part->bound[n];
    }
}

/* ---- A (B X) and C X ------------------------------------------------------------------------ */

static void multiply_a_and_c(const struct trials *t, uint32_t slice, uint64_t k, struct part *part)
{
    double ignored[TRIALS] = {0};
    if (line_of(t->a, slice, k) >= t->a->rows)
        return;
    multiply_row(t->a, slice, k, t->bx, t->bound, part->y, part->bound);
    multiply_row(t->c, slice, k, t->x, t->x, part->c, ignored);
}

static void compare(const struct trials *t, uint64_t row, const struct part *sum)
{
    for (unsigned n = 0; n < TRIALS; n++) {
        double difference = fabs(sum->y[n] - sum->c[n]);
        double value =
            t->unit > 0 ? htmt__cannon_relative(difference, t->unit * sum->bound[n]) : difference;
        htmt__cannon_worst(t->check, value, row, n);
    }
}

/* The slices of a row of the grid have the same rows of A and C, and follow each other. */
static void add_a_and_c(struct trials *t, uint32_t slice, uint64_t k, const struct part *part)
{
    struct part *sum = &t->sum[k % t->rows];
    uint64_t column = slice % t->a->s, row = line_of(t->a, slice, k);
    if (column == 0)
        *sum = (struct part){.y = {0}};
    for (unsigned n = 0; n < TRIALS; n++) {
        sum->y[n] += part->y[n];
        sum->bound[n] += part->bound[n];
        sum->c[n] += part->c[n];
    }
    if (column + 1 == t->a->s && row < t->a->rows)
        compare(t, row, sum);
}

/* ---- all rows ------------------------------------------------------------------------------- */

struct pass {
    void (*multiply)(const struct trials *t, uint32_t slice, uint64_t k, struct part *part);
    void (*add)(struct trials *t, uint32_t slice, uint64_t k, const struct part *part);
};

/* Rows [first, end) of all shares of `m`: each process its own, then the sums of all. */
static int take_rows(struct trials *t, const struct pass *pass, const struct htmt__cannon_spread *m,
                     uint64_t first, uint64_t end)
{
    size_t bytes = t->rows * sizeof *t->part;
    memset(t->part, 0, t->slices * bytes);
    for (uint32_t i = 0; i < t->slices; i++)
        for (uint64_t k = first; m->share[i] && k < end; k++)
            pass->multiply(t, i, k, &t->part[i * t->rows + k - first]);
    int rc = t->e ? htmt_slices_share(t->e, t->part, bytes, bytes) : 0;
    for (uint32_t i = 0; i < t->slices && !rc; i++)
        for (uint64_t k = first; k < end; k++)
            pass->add(t, i, k, &t->part[i * t->rows + k - first]);
    return rc;
}

static int take_all(struct trials *t, const struct pass *pass, const struct htmt__cannon_spread *m)
{
    int rc = 0;
    for (uint64_t first = 0, end; first < m->side && !rc; first = end) {
        end = first + t->rows < m->side ? first + t->rows : m->side;
        rc = take_rows(t, pass, m, first, end);
    }
    return rc;
}

/* ---- life ----------------------------------------------------------------------------------- */

static double *numbers(uint64_t rows)
{
    return calloc(rows, TRIALS * sizeof(double));
}

static int create(struct trials *t, struct htmt_fault *fault)
{
    t->slices = (uint32_t)(t->b->s * t->b->s);
    t->rows = PARTS_BYTES / sizeof *t->part / t->slices + 1;
    t->x = numbers(t->b->cols);
    t->bx = numbers(t->b->rows);
    t->bound = numbers(t->b->rows);
    t->part = calloc(t->slices * t->rows, sizeof *t->part);
    t->sum = calloc(t->rows, sizeof *t->sum);
    if (t->x && t->bx && t->bound && t->part && t->sum)
        return 0;
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the trials of a product");
}

static void destroy(struct trials *t)
{
    free(t->x);
    free(t->bx);
    free(t->bound);
    free(t->part);
    free(t->sum);
}

static int check_shapes(const struct trials *t, struct htmt_fault *fault)
{
    struct htmt__cannon_matrix a = {t->a->rows, t->a->cols, NULL},
                               b = {t->b->rows, t->b->cols, NULL};
    int rc = htmt__cannon_matrix_can_multiply(&a, &b, fault);
    if (rc || (t->c->rows == a.rows && t->c->cols == b.cols))
        return rc;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "C is %" PRIu64 " x %" PRIu64 ", expected %" PRIu64 " x %" PRIu64,
                          t->c->rows, t->c->cols, a.rows, b.cols);
}

int htmt__cannon_check_freivalds(struct htmt_emulator *e, const struct htmt__cannon_spread *a,
                                 const struct htmt__cannon_spread *b,
                                 const struct htmt__cannon_spread *c, uint64_t seed, bool exact,
                                 struct htmt__cannon_check *check, struct htmt_fault *fault)
{
    static const struct pass of_b = {multiply_b, add_b}, of_rest = {multiply_a_and_c, add_a_and_c};
    double n = (double)(a->cols > b->cols ? a->cols : b->cols);
    struct trials t = {
        .e = e, .a = a, .b = b, .c = c, .unit = exact ? 0 : n * DBL_EPSILON, .check = check};
    int rc = check_shapes(&t, fault);
    if (rc)
        return rc;
    *check = (struct htmt__cannon_check){.name = "freivalds", .tolerance = exact ? 0 : 4};
    if (!(rc = create(&t, fault))) {
        fill_trials(&t, seed);
        rc = take_all(&t, &of_b, b);
    }
    if (!rc)
        rc = take_all(&t, &of_rest, a);
    htmt__cannon_judge(check);
    destroy(&t);
    return rc;
}

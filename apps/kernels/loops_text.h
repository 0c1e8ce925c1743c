/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the kernels. A file defines LOOP(name) and, for a tape, HTMT_ANNOTATED, and includes
 * it.
 */
#include "apps/kernels/loops.h"
#include "parcels/operation.h"

#include <math.h>

#define BLOCK 0 /* the use that has the arrays */

/* An argument of the kernel is read. */
#define ARGUMENT(slot) htmt_get(k, &((const struct htmt_variable){HTMT_ARGUMENT, slot, HTMT_I64}))
enum { COUNT, PLACES, NUMBER = PLACES + HTMT__KERNELS_LOOP_ARRAYS, TURNS, RESULTS };

#define ARRAY(type, name, number)                                                                  \
    ARGUMENT(PLACES + number);                                                                     \
    type *restrict name = (type *)(void *)(block + d->at[number])

#define LOAD(number, index)                                                                        \
    htmt_touch(k, HTMT_LOAD, HTMT_F64, BLOCK, d->at[number] + 8 * (uint64_t)(index))
#define STORE(number, index)                                                                       \
    htmt_touch(k, HTMT_STORE, HTMT_F64, BLOCK, d->at[number] + 8 * (uint64_t)(index))
#define REAL(operation, times) htmt_op_times(k, operation, HTMT_F64, times)
/* The end of a loop's turn: count, compare, branch. */
#define TURN(label, again)                                                                         \
    htmt_op(k, HTMT_ADD, HTMT_I64);                                                                \
    htmt_op(k, HTMT_CMP, HTMT_I64);                                                                \
    htmt_branch(k, label, again)
#define RESULTS_PLACE ARGUMENT(RESULTS)
#define RESULT(index) htmt_touch(k, HTMT_STORE, HTMT_F64, BLOCK, d->results + 8 * (uint64_t)(index))

static inline double *results(const struct htmt__kernels_loop_data *d, char *block)
{
    return (double *)(void *)(block + d->results);
}

void LOOP(ddot)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(const double, x, 0);
    ARRAY(const double, y, 1);
    ARGUMENT(COUNT);
    uint64_t n = d->n;
    double sum = 0;
    (void)k;
    for (uint64_t i = 0; i < n; i++) {
        htmt_at_code(k, 0, 7);
        LOAD(0, i);
        LOAD(1, i);
        REAL(HTMT_MUL, 1);
        REAL(HTMT_ADD, 1);
        sum += x[i] * y[i];
        TURN(6, i + 1 < n);
    }
    RESULTS_PLACE;
    RESULT(0);
    results(d, block)[0] = sum;
}

/* Four sums at once. */
void LOOP(ddot4)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(const double, x, 0);
    ARRAY(const double, y, 1);
    ARGUMENT(COUNT);
    uint64_t n = d->n;
    double a = 0, b = 0, c = 0, e = 0;
    (void)k;
    for (uint64_t i = 0; i < n; i += 4) {
        htmt_at_code(k, 0, 19);
        LOAD(0, i);
        LOAD(1, i);
        LOAD(0, i + 1);
        LOAD(1, i + 1);
        LOAD(0, i + 2);
        LOAD(1, i + 2);
        LOAD(0, i + 3);
        LOAD(1, i + 3);
        REAL(HTMT_MUL, 4);
        REAL(HTMT_ADD, 4);
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        e += x[i + 3] * y[i + 3];
        TURN(18, i + 4 < n);
    }
    REAL(HTMT_ADD, 3);
    RESULTS_PLACE;
    RESULT(0);
    results(d, block)[0] = (a + b) + (c + e);
}

void LOOP(daxpy)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(const double, x, 0);
    ARRAY(double, y, 1);
    ARGUMENT(COUNT);
    uint64_t n = d->n;
    (void)k;
    for (uint64_t i = 0; i < n; i++) {
        htmt_at_code(k, 0, 8);
        LOAD(0, i);
        REAL(HTMT_MUL, 1);
        LOAD(1, i);
        REAL(HTMT_ADD, 1);
        STORE(1, i);
        y[i] += HTMT__KERNELS_LOOP_FACTOR * x[i];
        TURN(7, i + 1 < n);
    }
}

void LOOP(triad)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(double, a, 0);
    ARRAY(const double, b, 1);
    ARRAY(const double, c, 2);
    ARGUMENT(COUNT);
    uint64_t n = d->n;
    (void)k;
    for (uint64_t i = 0; i < n; i++) {
        htmt_at_code(k, 0, 8);
        LOAD(2, i);
        REAL(HTMT_MUL, 1);
        LOAD(1, i);
        REAL(HTMT_ADD, 1);
        STORE(0, i);
        a[i] = b[i] + HTMT__KERNELS_LOOP_FACTOR * c[i];
        TURN(7, i + 1 < n);
    }
}

/* The field at the origin of n dipoles, none of which is there: of each, with its place r, moment p
 * and unit vector u to it,
 *     exp(i w r) / r (w^2 (p - u (u.p)) + (1 - i w r) / r^2 (3 u (u.p) - p)). */
void LOOP(dipole)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(const double, x, 0);
    ARRAY(const double, y, 1);
    ARRAY(const double, z, 2);
    ARRAY(const double, px, 3);
    ARRAY(const double, py, 4);
    ARRAY(const double, pz, 5);
    ARRAY(const double, qx, 6);
    ARRAY(const double, qy, 7);
    ARRAY(const double, qz, 8);
    ARGUMENT(COUNT);
    uint64_t n = d->n;
    const double w = HTMT__KERNELS_LOOP_WAVE;
    double ex = 0, ey = 0, ez = 0, fx = 0, fy = 0, fz = 0;
    (void)k;
    for (uint64_t i = 0; i < n; i++) {
        htmt_at_code(k, 0, 97);
        for (int array = 0; array < HTMT__KERNELS_LOOP_ARRAYS; array++)
            LOAD(array, i);
        REAL(HTMT_SQRT, 1);
        REAL(HTMT_DIV, 1);
        REAL(HTMT_COS, 1);
        REAL(HTMT_SIN, 1);
        REAL(HTMT_MUL, 49);
        REAL(HTMT_ADD, 24);
        REAL(HTMT_SUB, 8);
        double r = sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]), s = 1 / r;
        double ux = x[i] * s, uy = y[i] * s, uz = z[i] * s;
        double c = cos(w * r) * s, t = sin(w * r) * s;
        double up = ux * px[i] + uy * py[i] + uz * pz[i];
        double uq = ux * qx[i] + uy * qy[i] + uz * qz[i];
        /* a of p, b of u (u.p): real parts a, b, imaginary parts g, h */
        double near = s * s, turn = w * s;
        double a = w * w - near, g = turn;
        double b = 3 * near - w * w, h = -3 * turn;
        double ar = c * a - t * g, ai = c * g + t * a;
        double br = c * b - t * h, bi = c * h + t * b;
        double vr = br * up - bi * uq, vi = br * uq + bi * up;
        ex += ar * px[i] - ai * qx[i] + vr * ux;
        fx += ar * qx[i] + ai * px[i] + vi * ux;
        ey += ar * py[i] - ai * qy[i] + vr * uy;
        fy += ar * qy[i] + ai * py[i] + vi * uy;
        ez += ar * pz[i] - ai * qz[i] + vr * uz;
        fz += ar * qz[i] + ai * pz[i] + vi * uz;
        TURN(96, i + 1 < n);
    }
    double *out = results(d, block);
    RESULTS_PLACE;
    for (int i = 0; i < HTMT__KERNELS_LOOP_RESULTS; i++)
        RESULT(i);
    out[0] = ex;
    out[1] = fx;
    out[2] = ey;
    out[3] = fy;
    out[4] = ez;
    out[5] = fz;
}

/* c = a b, of n rows and columns; row by row of b. */
void LOOP(dgemm)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(const double, a, 0);
    ARRAY(const double, b, 1);
    ARRAY(double, c, 2);
    ARGUMENT(COUNT);
    uint64_t n = d->n;
    (void)k;
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t j = 0; j < n; j++) {
            htmt_at_code(k, 0, 4);
            STORE(2, i * n + j);
            c[i * n + j] = 0;
            TURN(3, j + 1 < n);
        }
        for (uint64_t m = 0; m < n; m++) {
            htmt_at_code(k, 4, 5);
            LOAD(0, i * n + m);
            double factor = a[i * n + m];
            for (uint64_t j = 0; j < n; j++) {
                htmt_at_code(k, 9, 8);
                LOAD(1, m * n + j);
                REAL(HTMT_MUL, 1);
                LOAD(2, i * n + j);
                REAL(HTMT_ADD, 1);
                STORE(2, i * n + j);
                c[i * n + j] += factor * b[m * n + j];
                TURN(16, j + 1 < n);
            }
            TURN(17, m + 1 < n);
        }
        TURN(18, i + 1 < n);
    }
}

/* From re, im to sr, si: in the order of reversed bits, then butterflies of growing reach. */
void LOOP(fft)(struct htmt_kernel *k, const struct htmt__kernels_loop_data *d, char *block)
{
    ARRAY(const double, re, 0);
    ARRAY(const double, im, 1);
    ARRAY(double, sr, 2);
    ARRAY(double, si, 3);
    ARRAY(const double, wr, 4);
    ARRAY(const double, wi, 5);
    ARGUMENT(COUNT);
    uint64_t n = d->n, reversed = 0;
    (void)k;
    for (uint64_t i = 0; i < n; i++) {
        htmt_at_code(k, 0, 9);
        LOAD(0, i);
        LOAD(1, i);
        STORE(2, reversed);
        STORE(3, reversed);
        sr[reversed] = re[i];
        si[reversed] = im[i];
        uint64_t bit = n >> 1;
        for (; bit && reversed & bit; bit >>= 1) {
            htmt_at_code(k, 9, 4);
            htmt_op_times(k, HTMT_LOGIC, HTMT_I64, 2);
            TURN(12, true);
            reversed ^= bit;
        }
        htmt_op(k, HTMT_LOGIC, HTMT_I64);
        reversed |= bit;
        TURN(14, i + 1 < n);
    }
    for (uint64_t half = 1; half < n; half *= 2)
        for (uint64_t from = 0; from < n; from += 2 * half) {
            htmt_at_code(k, 15, 4);
            for (uint64_t j = 0; j < half; j++) {
                htmt_at_code(k, 19, 24);
                uint64_t p = from + j, q = p + half, f = j * (n / 2 / half);
                LOAD(4, f);
                LOAD(5, f);
                LOAD(2, q);
                LOAD(3, q);
                LOAD(2, p);
                LOAD(3, p);
                REAL(HTMT_MUL, 4);
                REAL(HTMT_ADD, 3);
                REAL(HTMT_SUB, 3);
                STORE(2, q);
                STORE(3, q);
                STORE(2, p);
                STORE(3, p);
                double tr = wr[f] * sr[q] - wi[f] * si[q], ti = wr[f] * si[q] + wi[f] * sr[q];
                double ur = sr[p], ui = si[p];
                sr[q] = ur - tr;
                si[q] = ui - ti;
                sr[p] = ur + tr;
                si[p] = ui + ti;
                TURN(42, j + 1 < half);
            }
            TURN(43, from + 2 * half < n);
        }
}

/* The numbers are those of htmt__kernels_loops. */
static void turn(struct htmt_kernel *k, uint64_t loop, const struct htmt__kernels_loop_data *d,
                 char *block)
{
    switch (loop) {
    case 0:
        LOOP(ddot)(k, d, block);
        break;
    case 1:
        LOOP(ddot4)(k, d, block);
        break;
    case 2:
        LOOP(daxpy)(k, d, block);
        break;
    case 3:
        LOOP(dipole)(k, d, block);
        break;
    case 4:
        LOOP(triad)(k, d, block);
        break;
    case 5:
        LOOP(dgemm)(k, d, block);
        break;
    case 6:
        LOOP(fft)(k, d, block);
        break;
    default:
#ifndef HTMT_ANNOTATED
        LOOP(shape)(k, loop - HTMT__KERNELS_SHAPES, d, block);
#endif
        break;
    }
}

void LOOP(kernel)(struct htmt_kernel *k)
{
    const struct htmt__kernels_loop_args *a = htmt_kernel_args(k);
    char *block = htmt_used(k, BLOCK);
    ARGUMENT(TURNS);
    for (uint64_t i = 0; i < a->turns; i++) {
        ARGUMENT(NUMBER);
        turn(k, a->loop, &a->data, block);
        ARGUMENT(TURNS);
    }
}

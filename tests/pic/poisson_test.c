/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The field of the serial program against the sums that define it, in boxes of any edges.
 */
#include "apps/pic/reference.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static double noise(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(int64_t)(i ^ i >> 27) / 0x1p63;
}

static double wave_number(uint32_t mode, uint32_t n)
{
    return 2 * M_PI / n * (2 * mode > n ? (double)mode - n : (double)mode);
}

/* Place number i along an axis. */
static uint32_t along(const uint32_t n[3], uint64_t i, int axis)
{
    return (uint32_t)(axis == 0 ? i % n[0] : axis == 1 ? i / n[0] % n[1] : i / n[0] / n[1]);
}

static double complex amplitude(const struct htmt__pic_fields *f, uint64_t mode, uint64_t cells)
{
    double complex sum = 0;
    for (uint64_t i = 0; i < cells; i++) {
        double phase = 0;
        for (int axis = 0; axis < 3; axis++)
            phase += wave_number(along(f->n, mode, axis), f->n[axis]) * along(f->n, i, axis);
        sum += f->at[HTMT__PIC_RHO * cells + i] * cexp(-I * phase);
    }
    return sum / (double)cells;
}

/* Add the part of one mode to E; the derivative has no component at the Nyquist mode. */
static void add_mode(const struct htmt__pic_fields *f, uint64_t mode, uint64_t cells, double *e)
{
    double k[3], slope[3], square = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t m = along(f->n, mode, axis);
        k[axis] = wave_number(m, f->n[axis]);
        slope[axis] = 2 * m == f->n[axis] ? 0 : k[axis];
        square += k[axis] * k[axis];
    }
    if (square == 0)
        return;
    double complex phi = amplitude(f, mode, cells) / square;
    for (uint64_t i = 0; i < cells; i++) {
        double phase = 0;
        for (int axis = 0; axis < 3; axis++)
            phase += k[axis] * along(f->n, i, axis);
        for (uint64_t axis = 0; axis < 3; axis++)
            e[axis * cells + i] += creal(-I * slope[axis] * phi * cexp(I * phase));
    }
}

static struct htmt__pic_fields charged(const uint32_t n[3])
{
    struct htmt__pic_fields f;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_fields_create(&f, n, &fault), 0, "%s", fault.text);
    for (uint64_t i = 0; i < (uint64_t)n[0] * n[1] * n[2]; i++)
        f.at[i] = noise(i);
    return f;
}

static void solve(struct htmt__pic_fields *f)
{
    struct htmt__pic_poisson *p = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_poisson_create(&p, f->n, &fault), 0, "%s", fault.text);
    htmt__pic_poisson_solve(p, f);
    htmt__pic_poisson_destroy(&p);
}

Test(poisson, any_box_has_the_field_of_the_sums_over_its_modes)
{
    static const uint32_t boxes[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1},  {1, 1, 5},  {1, 4, 7},
                                        {7, 1, 3}, {5, 3, 2}, {13, 1, 1}, {1, 11, 2}, {6, 4, 5}};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        struct htmt__pic_fields f = charged(boxes[b]);
        uint64_t cells = (uint64_t)f.n[0] * f.n[1] * f.n[2];
        double *e = calloc(3 * cells, sizeof *e);
        cr_assert(e);
        for (uint64_t mode = 0; mode < cells; mode++)
            add_mode(&f, mode, cells, e);
        solve(&f);
        for (uint64_t i = 0; i < 3 * cells; i++)
            cr_assert_float_eq(f.at[HTMT__PIC_EX * cells + i], e[i], 1e-12, "%u x %u x %u: %zu",
                               f.n[0], f.n[1], f.n[2], (size_t)i);
        htmt__pic_fields_destroy(&f);
        free(e);
    }
}

/* Blocks of one number lie wherever the host has room, not only on multiples of 16 bytes. */
Test(poisson, a_box_of_one_cell_does_not_depend_on_addresses)
{
    enum { MANY = 16 };
    static const uint32_t one[3] = {1, 1, 1};
    struct htmt__pic_poisson *p[MANY] = {NULL};
    void *between[MANY]; /* of the smallest size, so that the next block has another place */
    struct htmt_fault fault = {0};
    for (int i = 0; i < MANY; i++) {
        struct htmt__pic_fields f = charged(one);
        between[i] = malloc(sizeof(double));
        cr_assert_eq(htmt__pic_poisson_create(&p[i], one, &fault), 0, "%s", fault.text);
        htmt__pic_poisson_solve(p[i], &f);
        cr_expect(f.at[HTMT__PIC_EX] == 0 && f.at[HTMT__PIC_EY] == 0 && f.at[HTMT__PIC_EZ] == 0);
        htmt__pic_fields_destroy(&f);
    }
    for (int i = 0; i < MANY; i++) {
        htmt__pic_poisson_destroy(&p[i]);
        free(between[i]);
    }
}

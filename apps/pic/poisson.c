/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/poisson.h"

#include "apps/fft/fft.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct htmt__pic_poisson {
    uint32_t n[3], half; /* half: modes of x; the others follow by symmetry */
    double *k[3];        /* wave number of each mode of an axis */
    double *grid;        /* aligned as the transforms want it */
    double complex *phi, *e;
    struct htmt__fft_cube *fft;
};

static uint64_t points(const struct htmt__pic_poisson *p)
{
    return (uint64_t)p->n[0] * p->n[1] * p->n[2];
}

static uint64_t modes(const struct htmt__pic_poisson *p)
{
    return (uint64_t)p->half * p->n[1] * p->n[2];
}

static double *wave_numbers(uint32_t n)
{
    double *k = malloc(n * sizeof *k);
    for (uint32_t m = 0; k && m < n; m++)
        k[m] = 2 * M_PI / n * (m <= n / 2 ? (double)m : (double)m - n);
    return k;
}

static bool make(struct htmt__pic_poisson *p)
{
    for (int axis = 0; axis < 3; axis++)
        p->k[axis] = wave_numbers(p->n[axis]);
    p->grid = htmt__fft_alloc(points(p) * sizeof *p->grid);
    p->phi = htmt__fft_alloc(modes(p) * sizeof *p->phi);
    p->e = htmt__fft_alloc(modes(p) * sizeof *p->e);
    return p->k[0] && p->k[1] && p->k[2] && p->grid && p->phi && p->e &&
           !htmt__fft_cube_create((uint32_t[]){p->n[2], p->n[1], p->n[0]}, &p->fft, NULL);
}

int htmt__pic_poisson_create(struct htmt__pic_poisson **out, const uint32_t n[3],
                             struct htmt_fault *fault)
{
    struct htmt__pic_poisson *p = calloc(1, sizeof *p);
    if (p) {
        memcpy(p->n, n, sizeof p->n);
        p->half = n[0] / 2 + 1;
    }
    if (p && make(p)) {
        *out = p;
        return 0;
    }
    htmt__pic_poisson_destroy(&p);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the modes of %u x %u x %u cells",
                          n[0], n[1], n[2]);
}

void htmt__pic_poisson_destroy(struct htmt__pic_poisson **out)
{
    struct htmt__pic_poisson *p = *out;
    *out = NULL;
    if (!p)
        return;
    htmt__fft_cube_destroy(&p->fft);
    free(p->e);
    free(p->phi);
    free(p->grid);
    for (int axis = 0; axis < 3; axis++)
        free(p->k[axis]);
    free(p);
}

/* The derivative along an axis: no wave at the Nyquist mode is real and odd. */
static double slope(const struct htmt__pic_poisson *p, int axis, uint32_t mode)
{
    return 2 * mode == p->n[axis] ? 0 : p->k[axis][mode];
}

/* rho_k becomes phi_k; 1/N is the transforms' missing norm. */
static void potential(struct htmt__pic_poisson *p)
{
    double norm = 1 / (double)points(p);
    double complex *at = p->phi;
    for (uint32_t z = 0; z < p->n[2]; z++)
        for (uint32_t y = 0; y < p->n[1]; y++)
            for (uint32_t x = 0; x < p->half; x++, at++) {
                double kx = p->k[0][x], ky = p->k[1][y], kz = p->k[2][z];
                double square = kx * kx + ky * ky + kz * kz;
                *at = square > 0 ? *at * (norm / square) : 0;
            }
}

static void gradient(struct htmt__pic_poisson *p, int axis, double *e)
{
    double complex *to = p->e;
    const double complex *phi = p->phi;
    for (uint32_t z = 0; z < p->n[2]; z++)
        for (uint32_t y = 0; y < p->n[1]; y++)
            for (uint32_t x = 0; x < p->half; x++)
                *to++ = -I * slope(p, axis, (uint32_t[]){x, y, z}[axis]) * *phi++;
    htmt__fft_cube_backward(p->fft, p->e, p->grid);
    memcpy(e, p->grid, points(p) * sizeof *e);
}

void htmt__pic_poisson_solve(struct htmt__pic_poisson *p, struct htmt__pic_fields *f)
{
    uint64_t cells = points(p);
    memcpy(p->grid, f->at + HTMT__PIC_RHO * cells, cells * sizeof *p->grid);
    htmt__fft_cube_forward(p->fft, p->grid, p->phi);
    potential(p);
    for (int axis = 0; axis < 3; axis++)
        gradient(p, axis, f->at + (HTMT__PIC_EX + (uint64_t)axis) * cells);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/poisson.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct htmt__poisson {
    uint32_t n[3], half; /* half: modes of x, the rest follow by symmetry */
    double *k[3];        /* wave number of each mode of an axis */
    double *grid;        /* FFTW's own, transformed from and to */
    fftw_complex *rho, *e;
    fftw_plan forth, back;
};

static uint64_t points(const struct htmt__poisson *p)
{
    return (uint64_t)p->n[0] * p->n[1] * p->n[2];
}

static uint64_t modes(const struct htmt__poisson *p)
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

static void plan(struct htmt__poisson *p)
{
    int nx = (int)p->n[0], ny = (int)p->n[1], nz = (int)p->n[2];
    p->forth = fftw_plan_dft_r2c_3d(nz, ny, nx, p->grid, p->rho, FFTW_ESTIMATE);
    p->back = fftw_plan_dft_c2r_3d(nz, ny, nx, p->e, p->grid, FFTW_ESTIMATE);
}

static bool make(struct htmt__poisson *p)
{
    for (int axis = 0; axis < 3; axis++)
        p->k[axis] = wave_numbers(p->n[axis]);
    p->grid = fftw_alloc_real(points(p));
    p->rho = fftw_alloc_complex(modes(p));
    p->e = fftw_alloc_complex(modes(p));
    if (!p->k[0] || !p->k[1] || !p->k[2] || !p->grid || !p->rho || !p->e)
        return false;
    plan(p);
    return p->forth && p->back;
}

int htmt__poisson_create(struct htmt__poisson **out, const uint32_t n[3], struct htmt_fault *fault)
{
    struct htmt__poisson *p = calloc(1, sizeof *p);
    if (p) {
        memcpy(p->n, n, sizeof p->n);
        p->half = n[0] / 2 + 1;
    }
    if (p && make(p)) {
        *out = p;
        return 0;
    }
    htmt__poisson_destroy(&p);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the modes of %u x %u x %u cells",
                          n[0], n[1], n[2]);
}

void htmt__poisson_destroy(struct htmt__poisson **out)
{
    struct htmt__poisson *p = *out;
    *out = NULL;
    if (!p)
        return;
    fftw_destroy_plan(p->forth);
    fftw_destroy_plan(p->back);
    fftw_free(p->e);
    fftw_free(p->rho);
    fftw_free(p->grid);
    for (int axis = 0; axis < 3; axis++)
        free(p->k[axis]);
    free(p);
}

/* The derivative along an axis: no wave at the Nyquist mode is real and odd. */
static double slope(const struct htmt__poisson *p, int axis, uint32_t mode)
{
    return 2 * mode == p->n[axis] ? 0 : p->k[axis][mode];
}

/* rho_k becomes phi_k; 1/N is FFTW's missing norm. */
static void potential(struct htmt__poisson *p)
{
    double norm = 1 / (double)points(p);
    fftw_complex *at = p->rho;
    for (uint32_t z = 0; z < p->n[2]; z++)
        for (uint32_t y = 0; y < p->n[1]; y++)
            for (uint32_t x = 0; x < p->half; x++, at++) {
                double kx = p->k[0][x], ky = p->k[1][y], kz = p->k[2][z];
                double square = kx * kx + ky * ky + kz * kz;
                *at = square > 0 ? *at * (norm / square) : 0;
            }
}

static void gradient(struct htmt__poisson *p, int axis, double *e)
{
    fftw_complex *to = p->e;
    const fftw_complex *phi = p->rho;
    for (uint32_t z = 0; z < p->n[2]; z++)
        for (uint32_t y = 0; y < p->n[1]; y++)
            for (uint32_t x = 0; x < p->half; x++)
                *to++ = -I * slope(p, axis, (uint32_t[]){x, y, z}[axis]) * *phi++;
    fftw_execute(p->back);
    memcpy(e, p->grid, points(p) * sizeof *e);
}

void htmt__poisson_solve(struct htmt__poisson *p, struct htmt__pic_fields *f)
{
    uint64_t cells = points(p);
    memcpy(p->grid, f->at + HTMT__PIC_RHO * cells, cells * sizeof *p->grid);
    fftw_execute(p->forth);
    potential(p);
    for (int axis = 0; axis < 3; axis++)
        gradient(p, axis, f->at + (HTMT__PIC_EX + (uint64_t)axis) * cells);
}

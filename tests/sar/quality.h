/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How well a point target is focused: its impulse response, measured in the complex image by a
 * zero-padded transform of the 64 x 64 pixels around it. Nothing of the processors is used here.
 */
#ifndef HTMT_TESTS_SAR_QUALITY_H
#define HTMT_TESTS_SAR_QUALITY_H

#include "apps/sar/io/radar.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { T_CHIP = 64, T_FINER = 16, T_FINE = T_CHIP * T_FINER };

struct t_picture {
    const struct htmt__sar_radar *radar;
    uint32_t lines, samples;
    int64_t first_line; /* number of line 0 */
    double first_range; /* R of column 0, m */
    bool single;
    const void *at;
};

struct t_response {    /* one cut through the peak */
    double width;      /* -3 dB, pixels */
    double pslr, islr; /* dB; within 10 cells of the peak, a cell being 1 / bandwidth */
    double offset;     /* of the peak from the truth, pixels */
};

struct t_quality {
    struct t_response range, azimuth;
    double phase; /* of the peak, less that of exp(-j 4 pi R / wavelength), degrees */
    double peak;  /* magnitude */
};

static inline double complex t_pixel(const struct t_picture *p, int64_t line, int64_t column)
{
    int64_t i = line * p->samples + column;
    return p->single ? ((const float complex *)p->at)[i] : ((const double complex *)p->at)[i];
}

/* The chip, its spectrum brought to the middle: at the target the image turns with the Doppler
 * centroid from line to line, and, where the beam squints, from column to column. */
static inline void t_cut_chip(const struct t_picture *p, double line, double column,
                              double complex chip[T_CHIP][T_CHIP])
{
    const struct htmt__sar_radar *r = p->radar;
    double s = HTMT__SPEED_OF_LIGHT * r->centroid / (2 * r->velocity * r->carrier);
    double per_line = r->centroid / r->prf;
    double per_column = (sqrt(1 - s * s) - 1) * r->carrier / r->sampling;
    int64_t top = llround(line) - T_CHIP / 2, left = llround(column) - T_CHIP / 2;
    cr_assert(top >= 0 && left >= 0 && top + T_CHIP <= p->lines && left + T_CHIP <= p->samples,
              "no room for a chip around line %g, column %g", line, column);
    for (int64_t i = 0; i < T_CHIP; i++)
        for (int64_t j = 0; j < T_CHIP; j++) {
            double turns =
                per_line * ((double)(top + i) - line) + per_column * ((double)(left + j) - column);
            chip[i][j] = t_pixel(p, top + i, left + j) * cexp(-2 * M_PI * I * turns);
        }
}

/* A chip of T_CHIP pixels a side at T_FINE points a side. */
static inline void t_refine(double complex chip[T_CHIP][T_CHIP], fftw_complex *fine)
{
    fftw_complex *at = &chip[0][0];
    fftw_plan there = fftw_plan_dft_2d(T_CHIP, T_CHIP, at, at, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_2d(T_FINE, T_FINE, fine, fine, FFTW_BACKWARD, FFTW_ESTIMATE);
    fftw_execute(there);
    memset(fine, 0, sizeof *fine * T_FINE * T_FINE);
    for (int i = -T_CHIP / 2; i < T_CHIP / 2; i++)
        for (int j = -T_CHIP / 2; j < T_CHIP / 2; j++)
            fine[(i & (T_FINE - 1)) * T_FINE + (j & (T_FINE - 1))] =
                chip[i & (T_CHIP - 1)][j & (T_CHIP - 1)] / (T_CHIP * T_CHIP);
    fftw_execute(back);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
}

/* Where the parabola through three points is highest. */
static inline double t_vertex(double before, double at, double behind)
{
    return (before - behind) / (2 * (before - 2 * at + behind));
}

/* Position at which the cut falls below `level`, going from `from` in direction `step`. */
static inline double t_falls(const double *power, int from, int step, double level)
{
    int i = from;
    while (power[i] >= level)
        i += step;
    double share = (power[i - step] - level) / (power[i - step] - power[i]);
    return i - step + step * share;
}

/* `cell` is the resolution cell in pixels. */
static inline struct t_response t_cut(const double *power, int peak, double cell)
{
    double vertex = peak + t_vertex(power[peak - 1], power[peak], power[peak + 1]);
    double half = power[peak] / pow(10, 0.3);
    double main = 0, side = 0, highest = 0;
    for (int i = 0; i < T_FINE; i++) {
        double cells = fabs(i - vertex) / T_FINER / cell;
        if (cells < 1)
            main += power[i];
        else if (cells < 10) {
            side += power[i];
            highest = fmax(highest, power[i]);
        }
    }
    return (struct t_response){
        .width = (t_falls(power, peak, 1, half) - t_falls(power, peak, -1, half)) / T_FINER,
        .pslr = 10 * log10(highest / power[peak]),
        .islr = 10 * log10(side / main),
        .offset = vertex / T_FINER};
}

static inline double t_power(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

static inline int t_peak(const fftw_complex *fine)
{
    int peak = 0;
    for (int i = T_FINE * 3 / 8; i < T_FINE * 5 / 8; i++)
        for (int j = T_FINE * 3 / 8; j < T_FINE * 5 / 8; j++)
            if (t_power(fine[i * T_FINE + j]) > t_power(fine[peak]))
                peak = i * T_FINE + j;
    return peak;
}

/* The target of closest approach `range` (m) and zero-Doppler line `number`. */
static inline struct t_quality t_measure(const struct t_picture *p, double range, double number)
{
    const struct htmt__sar_radar *r = p->radar;
    double line = number - (double)p->first_line;
    double column = (range - p->first_range) / htmt__sar_spacing(r);
    double complex chip[T_CHIP][T_CHIP];
    fftw_complex *fine = fftw_alloc_complex(T_FINE * T_FINE);
    cr_assert_not_null(fine);
    t_cut_chip(p, line, column, chip);
    t_refine(chip, fine);
    int peak = t_peak(fine), row = peak / T_FINE, at = peak % T_FINE;
    double across[T_FINE], along[T_FINE];
    for (int i = 0; i < T_FINE; i++) {
        across[i] = t_power(fine[row * T_FINE + i]);
        along[i] = t_power(fine[i * T_FINE + at]);
    }
    struct t_quality q = {.range = t_cut(across, at, r->sampling / htmt__sar_chirp_bandwidth(r)),
                          .azimuth = t_cut(along, row, r->prf / r->bandwidth),
                          .peak = cabs(fine[peak])};
    q.range.offset += (double)(llround(column) - T_CHIP / 2) - column;
    q.azimuth.offset += (double)(llround(line) - T_CHIP / 2) - line;
    double turns = 2 * range / htmt__sar_wavelength(r);
    q.phase = carg(fine[peak] * cexp(2 * M_PI * I * (turns - floor(turns)))) * 180 / M_PI;
    fftw_free(fine);
    return q;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doppler.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static void convert(const struct htmt__sar_raw *raw, uint32_t line, double complex *z)
{
    double gain = raw->gain ? raw->gain[line] : 1, i, q;
    for (uint32_t s = 0; s < raw->samples; s++) {
        htmt__sar_pair(raw, line, s, &i, &q);
        z[s] = gain * CMPLX(i - raw->mean_i, q - raw->mean_q);
    }
}

/* Sum of conj(a) b, its parts apart: no NaN rules of complex products in the loop. */
static double complex correlate(const double complex *a, const double complex *b, uint32_t n)
{
    double re = 0, im = 0;
    for (uint32_t k = 0; k < n; k++) {
        re += creal(a[k]) * creal(b[k]) + cimag(a[k]) * cimag(b[k]);
        im += creal(a[k]) * cimag(b[k]) - cimag(a[k]) * creal(b[k]);
    }
    return CMPLX(re, im);
}

static double complex correlate_lines(const struct htmt__sar_raw *raw, double complex *line[2])
{
    double complex all = 0;
    convert(raw, 0, line[0]);
    for (uint32_t n = 1; n < raw->lines; n++) {
        convert(raw, n, line[n % 2]);
        all += correlate(line[(n - 1) % 2], line[n % 2], raw->samples);
    }
    return all;
}

int htmt__sar_doppler_fraction(const struct htmt__sar_raw *raw, double prf, double *fraction,
                               struct htmt_fault *fault)
{
    double complex *room = calloc(2 * (size_t)raw->samples, sizeof *room);
    if (!room)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for two lines");
    double complex all = correlate_lines(raw, (double complex *[]){room, room + raw->samples});
    free(room);
    if (all == 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the lines do not correlate: no Doppler centroid can be estimated");
    *fraction = prf / (2 * M_PI) * carg(all);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doppler.h"

#include "apps/fft.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int uncorrelated(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "the lines do not correlate: no Doppler centroid can be estimated");
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
        return uncorrelated(fault);
    *fraction = prf / (2 * M_PI) * carg(all);
    return 0;
}

/* ---- ambiguity ------------------------------------------------------------------------------ */

/* Bins of the lower half of the chirp's band end with -1, of the upper begin with 1; `width` each.
 * Their middles lie width + 1 bins apart. */
struct halves {
    uint32_t length, width;
    double complex lower, upper;
};

static void add_halves(const double complex *a, const double complex *b, struct halves *h)
{
    uint32_t up = 1, low = h->length - h->width;
    h->upper += correlate(a + up, b + up, h->width);
    h->lower += correlate(a + low, b + low, h->width);
}

static int correlate_halves(const struct htmt__sar_raw *raw, const struct htmt__fft *fft,
                            double complex *line[2], struct halves *h)
{
    int rc = 0;
    for (uint32_t n = 0; n < raw->lines && !rc; n++) {
        memset(line[n % 2], 0, h->length * sizeof *line[0]);
        convert(raw, n, line[n % 2]);
        rc = htmt__fft_run(fft, line[n % 2]);
        if (!rc && n)
            add_halves(line[(n - 1) % 2], line[n % 2], h);
    }
    return rc;
}

static int measure_halves(const struct htmt__sar_raw *raw, struct halves *h,
                          struct htmt_fault *fault)
{
    struct htmt__fft *fft = NULL;
    double complex *room = calloc(2 * (size_t)h->length, sizeof *room);
    int rc = room ? htmt__fft_create(&(struct htmt__fft_shape){.length = h->length}, &fft, fault)
                  : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for two spectra");
    if (!rc && (rc = correlate_halves(raw, fft, (double complex *[]){room, room + h->length}, h)))
        htmt_fault_set(fault, rc, "no memory for a transform");
    htmt__fft_destroy(&fft);
    free(room);
    return rc;
}

int htmt__sar_doppler_ambiguity(const struct htmt__sar_raw *raw,
                                const struct htmt__sar_radar *radar, double fraction,
                                double *ambiguity, struct htmt_fault *fault)
{
    struct halves h = {.length = htmt__fft_fast_length(raw->samples)};
    double bin = radar->sampling / h.length;
    h.width = (uint32_t)(htmt__sar_chirp_bandwidth(radar) / 2 / bin);
    if (h.width >= h.length / 2)
        h.width = h.length / 2 - 1;
    int rc = measure_halves(raw, &h, fault);
    if (rc)
        return rc;
    if (h.width == 0 || h.lower == 0 || h.upper == 0)
        return uncorrelated(fault);
    double apart = (h.width + 1) * bin, turn = carg(h.upper * conj(h.lower)) / (2 * M_PI);
    double centroid = radar->prf * turn * radar->carrier / apart;
    *ambiguity = round((centroid - fraction) / radar->prf);
    return 0;
}

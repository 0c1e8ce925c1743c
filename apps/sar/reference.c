/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program's tables, in double for either precision; reference_program.h is the program.
 */
#include "apps/sar/reference.h"

#include "apps/fft.h"
#include "apps/sar/geometry.h"
#include "apps/sar/reference_tables.h"

#include <complex.h>
#include <inttypes.h>

#define PHASES (1 << HTMT__SAR_PHASE_BITS)

static double sinc(double u)
{
    return u == 0 ? 1 : sin(M_PI * u) / (M_PI * u);
}

/* Modified Bessel function I0 by its series, which is quick for the arguments of a window. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (unsigned k = 1; term > 1e-17 * sum; k++) {
        term *= x / 2 / k * (x / 2 / k);
        sum += term;
    }
    return sum;
}

static void make_weights(double *weights)
{
    for (unsigned p = 0; p < PHASES; p++, weights += HTMT__SAR_TAPS) {
        double sum = 0;
        for (unsigned t = 0; t < HTMT__SAR_TAPS; t++) {
            double u = (double)t - HTMT__SAR_BEFORE - (double)p / PHASES;
            double edge = u / (HTMT__SAR_TAPS / 2.0);
            weights[t] = sinc(u) * bessel(HTMT__SAR_BETA * sqrt(1 - edge * edge));
            sum += weights[t];
        }
        for (unsigned t = 0; t < HTMT__SAR_TAPS; t++)
            weights[t] /= sum;
    }
}

static int make_matched(const struct htmt__sar_plan *p, double complex *h, struct htmt_fault *fault)
{
    struct htmt__fft *fft = NULL;
    int rc = htmt__fft_create(&(struct htmt__fft_shape){.length = p->range_length}, &fft, fault);
    for (uint32_t n = 0; n < p->range_length; n++)
        h[n] = n < p->pulse ? cexp(I * htmt__sar_pulse_phase(&p->radar, n)) : 0;
    rc = rc ? rc : htmt__fft_run(fft, h);
    htmt__fft_destroy(&fft);
    for (uint32_t k = 0; k < p->range_length; k++) {
        double turns = 2 * (uint64_t)k < p->range_length ? k : (double)k - p->range_length;
        double g = turns * p->radar.sampling / p->range_length;
        h[k] = conj(h[k]) * cexp(I * htmt__sar_src_phase(&p->radar, p->src_range, g)) /
               ((double)p->range_length * p->pulse);
    }
    return rc;
}

static int check_size(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                      struct htmt_fault *fault)
{
    if (raw->lines == plan->radar.lines && raw->samples == plan->radar.samples)
        return 0;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "found raw data of %" PRIu32 " lines of %" PRIu32
                          " samples, expected %" PRIu32 " of %" PRIu32,
                          raw->lines, raw->samples, plan->radar.lines, plan->radar.samples);
}

int htmt__sar_reference(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                        bool single, void *image, struct htmt_fault *fault)
{
    int rc = check_size(plan, raw, fault);
    if (rc)
        return rc;
    double complex *matched = malloc(sizeof *matched * plan->range_length);
    double *weights = malloc(sizeof *weights * PHASES * HTMT__SAR_TAPS);
    if (!matched || !weights)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program's filters");
    rc = rc ? rc : make_matched(plan, matched, fault);
    if (rc)
        goto out;
    make_weights(weights);
    rc = (single ? htmt__sar_reference_single : htmt__sar_reference_double)(
        plan, raw, (const double *)matched, weights, image, fault);
out:
    free(matched);
    free(weights);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program's tables, in double for either precision; reference_program.h is the program.
 *
 * A row of `work` is as long as the interpolator reaches: from the first cell that any column of
 * any bin needs, which may lie before cell 0, to the last. The margins are zero, so the program has
 * no special case at the ends of a line. The parcel program has one, and the check compares the
 * two.
 */
#include "apps/sar/reference.h"

#include "apps/fft/fft.h"
#include "apps/sar/geometry.h"
#include "apps/sar/reference_tables.h"

#include <complex.h>
#include <inttypes.h>

#define PHASES (1 << HTMT__SAR_PHASE_BITS)

/* A windowed sinc for each phase, scaled to the sum 1. The window is Kaiser's: I0, the modified
 * Bessel function, by its series, which is quick for the arguments of a window. */
static void make_weights(double *weights)
{
    for (unsigned p = 0; p < PHASES; p++, weights += HTMT__SAR_TAPS) {
        double sum = 0;
        for (unsigned t = 0; t < HTMT__SAR_TAPS; t++) {
            double u = (double)t - HTMT__SAR_BEFORE - (double)p / PHASES;
            double edge = u / (HTMT__SAR_TAPS / 2.0);
            double sinc = u == 0 ? 1 : sin(M_PI * u) / (M_PI * u);
            double x = HTMT__SAR_BETA * sqrt(1 - edge * edge), window = 1, term = 1;
            for (unsigned k = 1; term > 1e-17 * window; k++) {
                term *= x / 2 / k * (x / 2 / k);
                window += term;
            }
            weights[t] = sinc * window;
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

/* A row of work reaches from the first cell that the interpolator needs to the last. */
static void measure_rows(const struct htmt__sar_plan *p, uint64_t *left, uint64_t *stride)
{
    int64_t low = 0, high = p->compressed;
    for (uint32_t j = 0; p->rcmc && j < p->band; j++) {
        struct htmt__sar_track t = htmt__sar_plan_track(p, p->band_first + j);
        int64_t from = htmt__sar_cell(t.start) - HTMT__SAR_BEFORE;
        int64_t to =
            htmt__sar_cell(t.start + (p->samples - 1) * t.step) + HTMT__SAR_TAPS - HTMT__SAR_BEFORE;
        low = from < low ? from : low;
        high = to > high ? to : high;
    }
    *left = (uint64_t)-low;
    *stride = (uint64_t)(high - low);
}

size_t htmt__sar_reference_bytes(const struct htmt__sar_plan *plan, bool single)
{
    uint64_t left, stride, rows = plan->patch_lines > plan->band ? plan->patch_lines : plan->band;
    measure_rows(plan, &left, &stride);
    return rows * stride * 2 * (single ? sizeof(float) : sizeof(double));
}

int htmt__sar_reference_in(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                           bool single, unsigned threads, void *work, void *const *image,
                           struct htmt_fault *fault)
{
    struct htmt__sar_tables tables;
    int rc = 0;
    if (raw->lines != plan->radar.lines || raw->samples != plan->radar.samples)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found raw data of %" PRIu32 " lines of %" PRIu32
                              " samples, expected %" PRIu32 " of %" PRIu32,
                              raw->lines, raw->samples, plan->radar.lines, plan->radar.samples);
    measure_rows(plan, &tables.left, &tables.stride);
    tables.matched = malloc(sizeof *tables.matched * 2 * plan->range_length);
    tables.weights = malloc(sizeof *tables.weights * PHASES * HTMT__SAR_TAPS);
    if (!tables.matched || !tables.weights)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program's filters");
    rc = rc ? rc : make_matched(plan, (double complex *)tables.matched, fault);
    if (rc)
        goto out;
    make_weights(tables.weights);
    rc = (single ? htmt__sar_reference_single
                 : htmt__sar_reference_double)(plan, raw, &tables, threads, work, image, fault);
out:
    free(tables.matched);
    free(tables.weights);
    return rc;
}

int htmt__sar_reference_patches(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                                bool single, unsigned threads, void *const *image,
                                struct htmt_fault *fault)
{
    size_t bytes = htmt__sar_reference_bytes(plan, single);
    void *work = malloc(bytes);
    if (!work)
        return htmt_fault_set(fault, HTMT_ENOMEM,
                              "no host memory for a patch of the serial program, %zu bytes", bytes);
    int rc = htmt__sar_reference_in(plan, raw, single, threads, work, image, fault);
    free(work);
    return rc;
}

void **htmt__sar_reference_places(const struct htmt__sar_plan *plan, bool single, void *image)
{
    uint64_t line = (uint64_t)plan->samples * 2 * (single ? sizeof(float) : sizeof(double));
    void **place = calloc(plan->patches, sizeof *place);
    for (uint32_t n = 0; place && n < plan->patches; n++)
        place[n] = (char *)image + htmt__sar_plan_patch(plan, n).image_line * line;
    return place;
}

int htmt__sar_reference(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                        bool single, void *image, struct htmt_fault *fault)
{
    void **place = htmt__sar_reference_places(plan, single, image);
    int rc = place ? htmt__sar_reference_patches(plan, raw, single, 1, place, fault)
                   : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program");
    free(place);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/check.h"

#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Largest phase of a filter over band and image, rad. */
static double largest_phase(const struct htmt__sar_plan *p)
{
    double range = htmt__sar_plan_range(p, p->samples - 1);
    double low = htmt__sar_plan_frequency(p, p->band_first);
    double high = htmt__sar_plan_frequency(p, p->band_first + p->band - 1);
    return fmax(fabs(htmt__sar_azimuth_phase(&p->radar, range, low)),
                fabs(htmt__sar_azimuth_phase(&p->radar, range, high)));
}

double htmt__sar_tolerance(const struct htmt__sar_plan *p, bool single)
{
    double eps = single ? 0x1p-24 : 0x1p-53;
    return 8 * eps * (log2(p->range_length) + log2(p->azimuth_length) + 4) +
           16 * largest_phase(p) * 0x1p-53;
}

/* ---- scale ---------------------------------------------------------------------------------- */

static double line_energy(const struct htmt__sar_raw *raw, uint32_t line)
{
    double gain = raw->gain ? raw->gain[line] : 1, sum = 0;
    for (uint32_t j = 0; j < raw->samples; j++) {
        double i, q;
        htmt__sar_pair(raw, line, j, &i, &q);
        sum += (i - raw->mean_i) * (i - raw->mean_i) + (q - raw->mean_q) * (q - raw->mean_q);
    }
    return gain * gain * sum;
}

/* Number of patches that contain the line. */
static uint32_t users(const struct htmt__sar_plan *p, uint32_t line)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->patches; k++) {
        uint32_t first = htmt__sar_plan_patch(p, k).first;
        count += line >= first && line - first < p->patch_lines;
    }
    return count;
}

double htmt__sar_scale(const struct htmt__sar_plan *p, const struct htmt__sar_raw *raw)
{
    const struct htmt__sar_radar *r = &p->radar;
    double gain = fmin(1, r->sampling / (p->pulse * sqrt(fabs(r->chirp_rate)))), energy = 0;
    for (uint32_t line = 0; line < raw->lines; line++)
        energy += users(p, line) * line_energy(raw, line);
    return gain * sqrt(energy);
}

/* ---- comparison ----------------------------------------------------------------------------- */

static double apart_double(const double *a, const double *b, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double apart_single(const float *a, const float *b, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        double d = (double)a[i] - (double)b[i];
        sum += d * d;
    }
    return sqrt(sum);
}

int htmt__sar_check(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw, bool single,
                    const void *image, struct htmt__sar_check *check, struct htmt_fault *fault)
{
    uint64_t numbers = 2 * (uint64_t)plan->lines * plan->samples;
    void *serial = malloc(numbers * (single ? sizeof(float) : sizeof(double)));
    if (!serial)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program's image");
    int rc = htmt__sar_reference(plan, raw, single, serial, fault);
    if (!rc) {
        double apart =
            single ? apart_single(image, serial, numbers) : apart_double(image, serial, numbers);
        check->value = apart == 0 ? 0 : apart / htmt__sar_scale(plan, raw);
        check->tolerance = htmt__sar_tolerance(plan, single);
        check->pass = check->value <= check->tolerance;
    }
    free(serial);
    return rc;
}

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

struct sums {
    double apart, all;
};

static struct sums compare_double(const double *a, const double *b, uint64_t n)
{
    struct sums s = {0, 0};
    for (uint64_t i = 0; i < n; i++) {
        s.apart += (a[i] - b[i]) * (a[i] - b[i]);
        s.all += b[i] * b[i];
    }
    return s;
}

static struct sums compare_single(const float *a, const float *b, uint64_t n)
{
    struct sums s = {0, 0};
    for (uint64_t i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        s.apart += (x - y) * (x - y);
        s.all += y * y;
    }
    return s;
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
        struct sums s = single ? compare_single(image, serial, numbers)
                               : compare_double(image, serial, numbers);
        check->value = s.apart == 0 ? 0 : sqrt(s.apart / s.all);
        check->tolerance = htmt__sar_tolerance(plan, single);
        check->pass = check->value <= check->tolerance;
    }
    free(serial);
    return rc;
}

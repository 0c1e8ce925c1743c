/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison of two images, by processes that each have some of the patches.
 *
 * Sums of many numbers depend on their order in the last bits. So that any number of processes
 * finds the value that one process finds, patches are added one after another, in their order,
 * wherever they are: who has the next patch takes the sums so far, adds its own and gives them to
 * all. That costs one exchange of 16 bytes a slice for each patch, little beside focusing it.
 */
#include "apps/sar/check.h"

#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"
#include "parcels/emulator.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

double htmt__sar_tolerance(const struct htmt__sar_plan *p, bool single)
{
    double eps = single ? 0x1p-24 : 0x1p-53, range = htmt__sar_plan_range(p, p->samples - 1);
    double low = htmt__sar_plan_frequency(p, p->band_first);
    double high = htmt__sar_plan_frequency(p, p->band_first + p->band - 1);
    double phase = fmax(fabs(htmt__sar_azimuth_phase(&p->radar, range, low)),
                        fabs(htmt__sar_azimuth_phase(&p->radar, range, high)));
    return 8 * eps * (log2(p->range_length) + log2(p->azimuth_length) + 4) + 16 * phase * 0x1p-53;
}

/* ---- scale ---------------------------------------------------------------------------------- */

/* The energy of the lines of patch n that no patch before has, once for each patch that contains
 * them. */
static void add_energy(const struct htmt__sar_plan *p, const struct htmt__sar_raw *raw, uint32_t n,
                       double *energy)
{
    uint32_t first = htmt__sar_plan_patch(p, n).first, end = first + p->patch_lines;
    uint32_t seen = n ? htmt__sar_plan_patch(p, n - 1).first + p->patch_lines : 0;
    for (uint32_t line = seen > first ? seen : first; line < end; line++) {
        uint32_t users = 0;
        for (uint32_t k = 0; k < p->patches; k++) {
            uint32_t from = htmt__sar_plan_patch(p, k).first;
            users += line >= from && line - from < p->patch_lines;
        }
        double gain = raw->gain ? raw->gain[line] : 1, sum = 0;
        for (uint32_t j = 0; j < raw->samples; j++) {
            double i, q;
            htmt__sar_pair(raw, line, j, &i, &q);
            sum += (i - raw->mean_i) * (i - raw->mean_i) + (q - raw->mean_q) * (q - raw->mean_q);
        }
        *energy += users * (gain * gain * sum);
    }
}

static double scale_of(const struct htmt__sar_plan *p, double energy)
{
    const struct htmt__sar_radar *r = &p->radar;
    return fmin(1, r->sampling / (p->pulse * sqrt(fabs(r->chirp_rate)))) * sqrt(energy);
}

double htmt__sar_scale(const struct htmt__sar_plan *p, const struct htmt__sar_raw *raw)
{
    double energy = 0;
    for (uint32_t n = 0; n < p->patches; n++)
        add_energy(p, raw, n, &energy);
    return scale_of(p, energy);
}

/* ---- comparison ----------------------------------------------------------------------------- */

struct comparison {
    struct htmt_emulator *e;
    const struct htmt__sar_plan *plan;
    const struct htmt__sar_raw *raw;
    bool single;
    void *const *image;
    void **serial; /* the serial program's lines of each patch that is here */
};

/* Sums over all patches so far. */
struct sums {
    double apart, energy;
};

static uint64_t numbers_of(const struct comparison *c, uint32_t n)
{
    return 2 * (uint64_t)htmt__sar_plan_patch(c->plan, n).lines * c->plan->samples;
}

/* Patch by patch, as one process adds them: who has the next patch goes on with the sums. */
static int add_all(const struct comparison *c, struct sums *sum)
{
    uint32_t slices = c->e ? htmt_emulator_slices(c->e) : 1;
    struct sums *of_slice = calloc(slices, sizeof *of_slice);
    int rc = of_slice ? 0 : HTMT_ENOMEM;
    for (uint32_t n = 0; n < c->plan->patches && !rc; n++) {
        struct sums *here = &of_slice[n % slices];
        *here = *sum;
        const float *a = c->image[n], *b = c->serial[n];
        const double *x = c->image[n], *y = c->serial[n];
        for (uint64_t i = 0, numbers = x ? numbers_of(c, n) : 0; i < numbers; i++) {
            double d = c->single ? (double)a[i] - (double)b[i] : x[i] - y[i];
            here->apart += d * d;
        }
        if (x)
            add_energy(c->plan, c->raw, n, &here->energy);
        rc = c->e ? htmt_slices_share(c->e, of_slice, sizeof *of_slice, sizeof *of_slice) : 0;
        *sum = *here;
    }
    free(of_slice);
    return rc;
}

int htmt__sar_check(struct htmt_emulator *e, const struct htmt__sar_plan *plan,
                    const struct htmt__sar_raw *raw, bool single, unsigned threads,
                    void *const *image, struct htmt__sar_check *check, struct htmt_fault *fault)
{
    struct comparison c = {.e = e, .plan = plan, .raw = raw, .single = single, .image = image};
    struct sums sum = {0, 0};
    bool whole = (c.serial = calloc(plan->patches, sizeof *c.serial));
    for (uint32_t n = 0; n < plan->patches && whole; n++)
        if (image[n])
            whole = (c.serial[n] =
                         malloc(numbers_of(&c, n) * (single ? sizeof(float) : sizeof(double))));
    int rc =
        whole ? htmt__sar_reference_patches(plan, raw, single, threads, c.serial, fault)
              : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program's image");
    if (!rc)
        rc = add_all(&c, &sum);
    double apart = sqrt(sum.apart);
    check->value = apart == 0 ? 0 : apart / scale_of(plan, sum.energy);
    check->tolerance = htmt__sar_tolerance(plan, single);
    check->pass = check->value <= check->tolerance;
    for (uint32_t n = 0; c.serial && n < plan->patches; n++)
        free(c.serial[n]);
    free(c.serial);
    return rc;
}

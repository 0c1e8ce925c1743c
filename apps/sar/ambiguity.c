/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/ambiguity.h"

#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"
#include "apps/sar/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The part that is focused: so many cells of whole echoes, so many lines beside an exposure. */
#define CELLS 512
#define LINES 1024
/* Numbers from -TRIED to TRIED are tried. */
#define TRIED  10
#define TRIALS (2 * TRIED + 1)

/* ---- the part ------------------------------------------------------------------------------- */

/* A bell over `count` places, 0 at the ends: a point that one trial has inside of an end and the
 * next outside of it counts little. NULL: no memory. */
static double *make_bell(uint32_t count)
{
    double *bell = malloc(count * sizeof *bell);
    for (uint32_t k = 0; bell && k < count; k++)
        bell[k] = pow(sin(M_PI * (k + 0.5) / count), 2);
    return bell;
}

/* The first of `width` cells with the most squares under a bell. */
static uint32_t richest(const double *squares, uint32_t cells, const double *bell, uint32_t width)
{
    double most = -1;
    uint32_t best = 0;
    for (uint32_t first = 0; first + width <= cells; first++) {
        double sum = 0;
        for (uint32_t j = 0; j < width; j++)
            sum += squares[first + j] * bell[j];
        if (sum > most) {
            most = sum;
            best = first;
        }
    }
    return best;
}

/* A copy of the lines `first` and following, the samples `left` and following. */
static int copy_part(const struct htmt__sar_raw *raw, uint32_t first, uint32_t lines, uint32_t left,
                     uint32_t samples, struct htmt__sar_raw *part, struct htmt_fault *fault)
{
    int rc = htmt__sar_raw_create(part, lines, samples, raw->format, fault);
    if (rc)
        return rc;
    size_t pair = htmt__sar_pair_bytes(raw->format);
    for (uint32_t n = 0; n < lines; n++)
        memcpy((char *)part->bytes + n * samples * pair,
               (const char *)raw->bytes + ((size_t)(first + n) * raw->samples + left) * pair,
               samples * pair);
    part->mean_i = raw->mean_i;
    part->mean_q = raw->mean_q;
    if (!raw->gain)
        return 0;
    part->gain = malloc(lines * sizeof *part->gain);
    if (!part->gain)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for gains of lines");
    memcpy(part->gain, raw->gain + first, lines * sizeof *part->gain);
    return 0;
}

/* The part and its radar. */
static int cut_part(const struct htmt__sar_raw *raw, struct htmt__sar_radar *r,
                    struct htmt__sar_raw *part, struct htmt_fault *fault)
{
    struct htmt__sar_contrast c;
    int rc = htmt__sar_contrast(raw, r, false, &c, fault);
    if (rc)
        return rc;
    uint32_t cells = c.cells < CELLS ? c.cells : CELLS;
    double *bell = make_bell(cells);
    uint32_t left = bell ? richest(c.squares, c.cells, bell, cells) : 0;
    free(c.squares);
    free(bell);
    if (!bell)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for weights");
    double wanted = LINES + ceil(htmt__sar_aperture(r, htmt__sar_range(r, r->samples - 1)));
    uint32_t lines = wanted < raw->lines ? (uint32_t)wanted : raw->lines;
    r->near_range = htmt__sar_range(r, left);
    r->lines = lines;
    r->samples = cells + (raw->samples - c.cells);
    return copy_part(raw, (raw->lines - lines) / 2, lines, left, r->samples, part, fault);
}

/* ---- trials --------------------------------------------------------------------------------- */

struct trials {
    struct htmt__sar_radar radar; /* of the part */
    struct htmt__sar_raw part;
    double fraction;
    double entropy[TRIALS]; /* of number k - TRIED */
};

/* Entropy of the powers of an image in single precision under bells; infinite without power. */
static double entropy(const float *image, const struct htmt__sar_plan *p, const double *down,
                      const double *across)
{
    double sum = 0, logs = 0;
    for (uint32_t n = 0; n < p->lines; n++)
        for (uint32_t j = 0; j < p->samples; j++, image += 2) {
            double re = (double)image[0], im = (double)image[1];
            double power = (re * re + im * im) * down[n] * across[j];
            sum += power;
            logs += power > 0 ? power * log(power) : 0;
        }
    return sum > 0 ? log(sum) - logs / sum : INFINITY;
}

/* Focus the part with an ambiguity number. Numbers that the radar cannot have are infinitely bad.
 */
static int focus(struct trials *t, int number, double *out, struct htmt_fault *fault)
{
    struct htmt__sar_problem problem = {.radar = t->radar,
                                        .patch_lines = t->radar.lines,
                                        .rcmc = HTMT__RCMC_ON,
                                        .lengths = HTMT__FAST_LENGTH,
                                        .keep_edges = true};
    struct htmt__sar_plan plan;
    struct htmt_fault unfit = {0};
    problem.radar.centroid = t->fraction + number * t->radar.prf;
    *out = INFINITY;
    if (htmt__sar_plan(&problem, &plan, &unfit))
        return 0;
    float *image = calloc((size_t)plan.lines * plan.samples, 2 * sizeof *image);
    double *down = make_bell(plan.lines), *across = make_bell(plan.samples);
    int rc = image && down && across
                 ? htmt__sar_reference(&plan, &t->part, true, image, fault)
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for a trial image");
    if (!rc)
        *out = entropy(image, &plan, down, across);
    free(across);
    free(down);
    free(image);
    return rc;
}

/* The number with the least entropy but for `other`; -1: of all. */
static int least(const struct trials *t, int other)
{
    int best = other == 0;
    for (int k = 0; k < TRIALS; k++)
        if (k != other && t->entropy[k] < t->entropy[best])
            best = k;
    return best;
}

/* Every other number, then those beside the best. */
static int try_all(struct trials *t, struct htmt_fault *fault)
{
    int rc = 0;
    for (int k = 0; k < TRIALS; k++)
        t->entropy[k] = INFINITY;
    for (int k = 0; k < TRIALS && !rc; k += 2)
        rc = focus(t, k - TRIED, &t->entropy[k], fault);
    int best = least(t, -1);
    if (!rc && best > 0)
        rc = focus(t, best - 1 - TRIED, &t->entropy[best - 1], fault);
    if (!rc && best < TRIALS - 1)
        rc = focus(t, best + 1 - TRIED, &t->entropy[best + 1], fault);
    return rc;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static int choose(const struct trials *t, struct htmt__sar_ambiguity *found,
                  struct htmt_fault *fault)
{
    int best = least(t, -1), next = least(t, best);
    double margin = isfinite(t->entropy[next]) ? t->entropy[next] - t->entropy[best] : 0;
    if (margin < HTMT__SAR_MARGIN)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the Doppler ambiguity cannot be found from this data: %d gives the "
                              "sharpest trial image, but %d only %.3f nats more entropy, expected "
                              "%g or more; give its number",
                              best - TRIED, next - TRIED, margin, HTMT__SAR_MARGIN);
    if (best == 0 || best == TRIALS - 1)
        return htmt_fault_set(
            fault, HTMT_EFORMAT,
            "the Doppler ambiguity cannot be found from this data: %d gives the "
            "sharpest trial image, and no number beyond is tried; give its number",
            best - TRIED);
    *found = (struct htmt__sar_ambiguity){
        .number = best - TRIED, .next = next - TRIED, .margin = margin, .searched = true};
    return 0;
}

int htmt__sar_ambiguity(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                        double fraction, struct htmt__sar_ambiguity *found,
                        struct htmt_fault *fault)
{
    struct trials t = {.radar = *radar, .fraction = fraction};
    int rc = cut_part(raw, &t.radar, &t.part, fault);
    if (!rc)
        rc = try_all(&t, fault);
    htmt__sar_raw_destroy(&t.part);
    return rc ? rc : choose(&t, found, fault);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/ambiguity.h"

#include "apps/sar/contrast.h"
#include "apps/sar/doppler.h"
#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The part that is focused: so many cells of whole echoes, so many lines beside an exposure. */
#define CELLS 512
#define LINES 1024
/* On either side of the best number. */
#define NEIGHBOURS 2
#define TRIALS     21

/* ---- the part ------------------------------------------------------------------------------- */

/* The first of `width` cells with the most squares. */
static uint32_t richest(const double *squares, uint32_t cells, uint32_t width)
{
    double sum = 0, most = -1;
    uint32_t best = 0;
    for (uint32_t j = 0; j < cells; j++) {
        sum += squares[j] - (j >= width ? squares[j - width] : 0);
        if (j + 1 >= width && sum > most) {
            most = sum;
            best = j + 1 - width;
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
    uint32_t left = richest(c.squares, c.cells, cells);
    free(c.squares);
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
    int64_t least, most; /* numbers that were tried */
    double entropy[TRIALS];
    int64_t first; /* number of entropy[0] */
};

/* Entropy of the powers of an image in single precision; infinite without power. */
static double entropy(const float *image, size_t pixels)
{
    double sum = 0, logs = 0;
    for (size_t k = 0; k < pixels; k++) {
        double re = (double)image[2 * k], im = (double)image[2 * k + 1], p = re * re + im * im;
        sum += p;
        logs += p > 0 ? p * log(p) : 0;
    }
    return sum > 0 ? log(sum) - logs / sum : INFINITY;
}

/* Numbers that the radar cannot have are infinitely bad. */
static int focus(struct trials *t, int64_t number, double *out, struct htmt_fault *fault)
{
    struct htmt__sar_problem problem = {.radar = t->radar,
                                        .patch_lines = t->radar.lines,
                                        .rcmc = HTMT__RCMC_ON,
                                        .lengths = HTMT__FAST_LENGTH,
                                        .keep_edges = true};
    struct htmt__sar_plan plan;
    struct htmt_fault unfit = {0};
    problem.radar.centroid = t->fraction + (double)number * t->radar.prf;
    *out = INFINITY;
    if (htmt__sar_plan(&problem, &plan, &unfit))
        return 0;
    size_t pixels = (size_t)plan.lines * plan.samples;
    float *image = calloc(pixels, 2 * sizeof *image);
    int rc = image ? htmt__sar_reference(&plan, &t->part, true, image, fault)
                   : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for a trial image");
    if (!rc)
        *out = entropy(image, pixels);
    free(image);
    return rc;
}

static int64_t best_of(const struct trials *t)
{
    int64_t best = t->least;
    for (int64_t n = t->least; n <= t->most; n++)
        if (t->entropy[n - t->first] < t->entropy[best - t->first])
            best = n;
    return best;
}

/* The next number to try: up to two on either side of the best, the guess first. */
static int64_t next_trial(const struct trials *t)
{
    int64_t best = best_of(t);
    return t->most - best < NEIGHBOURS ? t->most + 1 : t->least - 1;
}

static bool is_done(const struct trials *t)
{
    int64_t best = best_of(t);
    bool room = t->most - t->first < TRIALS - 1 && t->least > t->first;
    return (t->most - best >= NEIGHBOURS && best - t->least >= NEIGHBOURS) || !room;
}

static int try_all(struct trials *t, int64_t guess, struct htmt_fault *fault)
{
    t->least = t->most = guess;
    t->first = guess - TRIALS / 2;
    int rc = focus(t, guess, &t->entropy[guess - t->first], fault);
    while (!rc && !is_done(t)) {
        int64_t number = next_trial(t);
        rc = focus(t, number, &t->entropy[number - t->first], fault);
        t->least = number < t->least ? number : t->least;
        t->most = number > t->most ? number : t->most;
    }
    return rc;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static int choose(const struct trials *t, struct htmt__sar_ambiguity *found,
                  struct htmt_fault *fault)
{
    int64_t best = best_of(t);
    struct htmt__sar_ambiguity a = {.number = best,
                                    .next = best,
                                    .margin = INFINITY,
                                    .trials = (unsigned)(t->most - t->least + 1)};
    for (int64_t n = t->least; n <= t->most; n++) {
        double more = t->entropy[n - t->first] - t->entropy[best - t->first];
        if (n == best || more >= a.margin)
            continue;
        a.margin = more;
        a.next = n;
    }
    if (!(a.margin >= HTMT__SAR_MARGIN) || isinf(a.margin))
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the Doppler ambiguity cannot be found from this data: of %u numbers "
                              "%" PRId64 " gives the sharpest trial image, but %" PRId64
                              " only %.3f nats more entropy, expected %g or more; give its number",
                              a.trials, a.number, a.next, isfinite(a.margin) ? a.margin : 0.0,
                              HTMT__SAR_MARGIN);
    *found = a;
    return 0;
}

int htmt__sar_ambiguity(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                        double fraction, struct htmt__sar_ambiguity *found,
                        struct htmt_fault *fault)
{
    struct trials t = {.radar = *radar, .fraction = fraction};
    double guess = 0;
    int rc = htmt__sar_doppler_guess(raw, radar, fraction, &guess, fault);
    if (!rc)
        rc = cut_part(raw, &t.radar, &t.part, fault);
    if (!rc)
        rc = try_all(&t, (int64_t)guess, fault);
    htmt__sar_raw_destroy(&t.part);
    return rc ? rc : choose(&t, found, fault);
}

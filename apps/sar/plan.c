/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan: patches and sizes from geometry.
 *
 * Range first: which columns of the image the data has all cells for, once the pulse is compressed
 * and migration corrected. Migration grows with range, so the first column is bound by the
 * frequency that migrates least and the last by the one that migrates most. Then azimuth: a point
 * is lit for `aperture` lines, at far range longest, and a squinted beam lights far points later
 * than near ones (the shear). Lines that do not have the whole exposure at every range are the
 * overlap of neighbouring patches.
 *
 * Example: 10,000 lines of data with an overlap of 1500 lines, in patches of 4096. Each patch gives
 * 4096 - 1500 = 2596 lines, so four patches are needed: the first begins at data line 0, the second
 * and third 2596 lines further each, and the last at 10,000 - 4096 = 5904, since it ends with the
 * data. The image has 8500 lines; the last patch gives those that the third does not.
 */
#include "apps/sar/plan.h"

#include "apps/fft/fft.h"
#include "apps/sar/geometry.h"

#include <inttypes.h>
#include <math.h>

#define LENGTH_MAX  (UINT32_C(1) << 30)
#define PATCH_LINES 4096
#define CELL        ((double)(INT64_C(1) << HTMT__SAR_FRACTION_BITS))
#define HALF_PHASE  (INT64_C(1) << (HTMT__SAR_FRACTION_BITS - HTMT__SAR_PHASE_BITS - 1))

struct band { /* Hz */
    double from, to;
};

static struct band around_centroid(const struct htmt__sar_radar *r, double width)
{
    return (struct band){r->centroid - width / 2, r->centroid + width / 2};
}

/* The frequencies of a band that migrate least and most. */
static double slowest(struct band b)
{
    return b.from <= 0 && b.to >= 0 ? 0 : fmin(fabs(b.from), fabs(b.to));
}

static double fastest(struct band b)
{
    return fmax(fabs(b.from), fabs(b.to));
}

/* ---- lengths -------------------------------------------------------------------------------- */

uint32_t htmt__sar_length(enum htmt__sar_lengths kind, uint32_t n)
{
    if (n > LENGTH_MAX)
        return 0;
    if (kind == HTMT__FAST_LENGTH)
        return 8 * htmt__fft_fast_length(n / 8 + (n % 8 != 0));
    uint32_t length = 1;
    while (length < n)
        length *= 2;
    return length;
}

static int transform(enum htmt__sar_lengths kind, uint64_t n, const char *of, uint32_t *length,
                     struct htmt_fault *fault)
{
    *length = n <= LENGTH_MAX ? htmt__sar_length(kind, (uint32_t)n) : 0;
    if (*length)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "found %" PRIu64 " %s, expected transforms of at most %" PRIu32, n, of,
                          LENGTH_MAX);
}

/* ---- range ---------------------------------------------------------------------------------- */

/* Column 0 is the nearest column for which the data holds the least migrated cells and the taps
 * before them. Range and migration grow together, so the second step rounds to the safe side. */
static int64_t first_cell(const struct htmt__sar_plan *p, double f)
{
    const struct htmt__sar_radar *r = &p->radar;
    int64_t room = p->keep_edges ? 0 : HTMT__SAR_BEFORE;
    double cell = (double)room - floor(htmt__sar_migration(r, r->near_range, f));
    return room - (int64_t)floor(htmt__sar_migration(r, htmt__sar_range(r, cell), f));
}

/* The columns that are straightened. The last one is the last for which the data holds the most
 * migrated cells and the taps behind them; column c is at (first_cell + c) (1 + m) + m near_range /
 * spacing. If edges are kept it is all of them, unless the bins of one point are further apart than
 * a line is long. */
static int corrected(struct htmt__sar_plan *p, struct htmt_fault *fault)
{
    const struct htmt__sar_radar *r = &p->radar;
    const struct band b = around_centroid(r, r->bandwidth);
    const double near = htmt__sar_migration(r, r->near_range, fastest(b));
    p->first_cell = first_cell(p, slowest(b));
    p->first_range = htmt__sar_range(r, (double)p->first_cell);
    double count;
    if (p->keep_edges) {
        double least = htmt__sar_migration(r, r->near_range, slowest(b));
        double most = htmt__sar_migration(r, htmt__sar_range(r, r->samples - 1), fastest(b));
        count = most - least < r->samples ? r->samples : 0;
    } else {
        double m = htmt__sar_migration(r, htmt__sar_spacing(r), fastest(b));
        double last = (double)p->compressed - (HTMT__SAR_TAPS - HTMT__SAR_BEFORE) -
                      ldexp(1, -HTMT__SAR_PHASE_BITS) - near;
        count = floor(last / (1 + m) - (double)p->first_cell) + 1;
    }
    if (count < 1)
        return htmt_fault_set(
            fault, HTMT_ERANGE,
            "found %" PRIu32 " samples a line of which the pulse of %" PRIu32 " leaves %" PRIu32
            " cells, too few for a migration of %.1f to %.1f cells; expected longer lines%s",
            r->samples, p->pulse, r->samples - p->pulse + 1,
            htmt__sar_migration(r, r->near_range, slowest(b)), near,
            p->keep_edges ? "" : " or edges to be kept");
    p->samples = (uint32_t)count;
    return 0;
}

static int plan_range(const struct htmt__sar_problem *problem, struct htmt__sar_plan *p,
                      struct htmt_fault *fault)
{
    const struct htmt__sar_radar *r = &p->radar;
    p->keep_edges = problem->keep_edges;
    p->rcmc = problem->rcmc == HTMT__RCMC_ON;
    if (problem->rcmc == HTMT__RCMC_AUTO) {
        struct band all = around_centroid(r, r->prf);
        double least = htmt__sar_migration(r, r->near_range, slowest(all));
        double most = htmt__sar_migration(r, htmt__sar_range(r, r->samples - 1), fastest(all));
        /* also if it is not a number: squinted beyond the velocity's limit */
        p->rcmc = !(most - least < 0.5);
    }
    p->pulse = htmt__sar_pulse_samples(r);
    if (p->pulse < 1 || p->pulse > r->samples)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "found a pulse of %" PRIu32 " samples, expected 1 to the %" PRIu32
                              " samples of a line",
                              p->pulse, r->samples);
    p->compressed = p->keep_edges ? r->samples : r->samples - p->pulse + 1;
    uint64_t room = (uint64_t)r->samples + (p->keep_edges ? p->pulse - 1 : 0);
    int rc = transform(problem->lengths, room, "samples", &p->range_length, fault);
    const struct band b = around_centroid(r, r->bandwidth);
    if (!rc && p->rcmc)
        rc = corrected(p, fault);
    if (rc)
        return rc;
    if (!p->rcmc) {
        /* migration stays in the data; its mean over the band at mid range, by Simpson's rule,
         * since it is nearly a parabola, is taken off the range */
        double range = htmt__sar_range(r, (r->samples - 1) / 2.0);
        double mean =
            (htmt__sar_migration(r, range, b.from) +
             4 * htmt__sar_migration(r, range, r->centroid) + htmt__sar_migration(r, range, b.to)) /
            6;
        p->samples = p->compressed;
        p->first_cell = 0;
        p->first_range = htmt__sar_range(r, -mean);
    }
    p->src_range = htmt__sar_plan_range(p, p->samples / 2);
    p->migration_least = htmt__sar_migration(r, p->first_range, slowest(b));
    p->migration_most = htmt__sar_migration(r, htmt__sar_plan_range(p, p->samples - 1), fastest(b));
    return 0;
}

/* ---- azimuth -------------------------------------------------------------------------------- */

static int plan_azimuth(const struct htmt__sar_problem *problem, struct htmt__sar_plan *p,
                        struct htmt_fault *fault)
{
    const struct htmt__sar_radar *r = &p->radar;
    /* the beam lights a point of line n from n + from to n + to; both are proportional to R */
    const struct band b = around_centroid(r, r->bandwidth);
    const double near = p->first_range, far = htmt__sar_plan_range(p, p->samples - 1);
    double from = fmin(htmt__sar_exposure(r, near, b.to), htmt__sar_exposure(r, far, b.to));
    double to = fmax(htmt__sar_exposure(r, near, b.from), htmt__sar_exposure(r, far, b.from));
    p->exposed = (int64_t)ceil(-from);
    p->overlap = (uint32_t)fmin(ceil(-from) + ceil(to), LENGTH_MAX);

    uint64_t patch = problem->patch_lines ? problem->patch_lines : PATCH_LINES;
    while (!problem->patch_lines && patch < 2 * (uint64_t)p->overlap)
        patch *= 2;
    p->patch_lines = patch < r->lines ? (uint32_t)patch : r->lines;
    bool whole = p->keep_edges && p->patch_lines == r->lines;
    if (p->patch_lines <= p->overlap && !whole)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "found %" PRIu32 " lines in a patch of which %" PRIu32
                              " are not in full exposure (points are lit for %.1f lines at far "
                              "range); expected more lines or edges to be kept",
                              p->patch_lines, p->overlap, htmt__sar_aperture(r, far));
    bool apart = p->keep_edges && problem->lengths == HTMT__FAST_LENGTH;
    int rc = transform(problem->lengths, (uint64_t)p->patch_lines + (apart ? p->overlap : 0),
                       "lines", &p->azimuth_length, fault);
    if (rc)
        return rc;

    /* patches, and the lines of the image */
    uint32_t more = r->lines - p->patch_lines;
    uint32_t step = p->patch_lines > p->overlap ? p->patch_lines - p->overlap : 1;
    double middle = htmt__sar_plan_range(p, p->samples / 2);
    p->patches = 1 + more / step + (more % step != 0);
    p->lines = p->keep_edges ? r->lines : r->lines - p->overlap;
    p->first_line =
        p->keep_edges ? (int64_t)round(-htmt__sar_exposure(r, middle, r->centroid)) : p->exposed;

    /* the band; at the width of the prf both ends would be the same bin */
    double bins = p->azimuth_length / r->prf;
    double first = ceil(b.from * bins), last = floor(b.to * bins);
    p->band_first = (int64_t)first;
    p->band = (uint32_t)fmin(fmax(last - first + 1, 0), p->azimuth_length);
    if (p->band)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "bandwidth: found %g Hz, in which none of the bins lies; they are %g Hz "
                          "apart",
                          r->bandwidth, r->prf / p->azimuth_length);
}

/* ---- the plan ------------------------------------------------------------------------------- */

int htmt__sar_plan(const struct htmt__sar_problem *problem, struct htmt__sar_plan *plan,
                   struct htmt_fault *fault)
{
    struct htmt__sar_plan p = {.radar = problem->radar};
    int rc = htmt__sar_radar_check(&p.radar, fault);
    if (!rc)
        rc = plan_range(problem, &p, fault);
    if (!rc)
        rc = plan_azimuth(problem, &p, fault);
    if (!rc)
        *plan = p;
    return rc;
}

struct htmt__sar_patch htmt__sar_plan_patch(const struct htmt__sar_plan *plan, uint32_t number)
{
    bool first = number == 0, last = number == plan->patches - 1;
    int64_t step = (int64_t)plan->patch_lines - plan->overlap;
    int64_t data = last ? (int64_t)plan->radar.lines - plan->patch_lines : number * step;
    int64_t from = first ? plan->first_line : plan->exposed + number * step;
    int64_t to = last ? plan->first_line + plan->lines : plan->exposed + (number + 1) * step;
    int64_t turns = plan->azimuth_length, row = (from - data) % turns;
    return (struct htmt__sar_patch){.first = (uint32_t)data,
                                    .image_line = (uint32_t)(from - plan->first_line),
                                    .lines = (uint32_t)(to - from),
                                    .row = (uint32_t)(row < 0 ? row + turns : row)};
}

double htmt__sar_plan_range(const struct htmt__sar_plan *plan, uint32_t column)
{
    return plan->first_range + column * htmt__sar_spacing(&plan->radar);
}

double htmt__sar_plan_frequency(const struct htmt__sar_plan *plan, int64_t bin)
{
    return (double)bin * plan->radar.prf / plan->azimuth_length;
}

uint32_t htmt__sar_plan_bin_row(const struct htmt__sar_plan *plan, int64_t bin)
{
    int64_t row = bin % (int64_t)plan->azimuth_length;
    return (uint32_t)(row < 0 ? row + plan->azimuth_length : row);
}

struct htmt__sar_track htmt__sar_plan_track(const struct htmt__sar_plan *plan, int64_t bin)
{
    if (!plan->rcmc)
        return (struct htmt__sar_track){0, INT64_C(1) << HTMT__SAR_FRACTION_BITS};
    const struct htmt__sar_radar *r = &plan->radar;
    double f = htmt__sar_plan_frequency(plan, bin);
    double start = (double)plan->first_cell + htmt__sar_migration(r, plan->first_range, f);
    double step = 1 + htmt__sar_migration(r, htmt__sar_spacing(r), f);
    return (struct htmt__sar_track){llround(start * CELL) + HALF_PHASE, llround(step * CELL)};
}

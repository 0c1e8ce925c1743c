/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How strip-map data is divided into patches, which transforms focus a patch, and where the result
 * belongs in the image. The serial and the parcel program follow the same plan; reference.h has the
 * operations.
 *
 * Azimuth registration is by zero Doppler. Lines are numbered by slow time times prf, and line 0 of
 * the data is the origin: a point whose closest approach is at slow time t0 is imaged in line t0
 * prf. A squinted beam sees the point thousands of lines before or after that line. The first line
 * of an image may therefore have any number, negative or beyond the data. The number is kept, so
 * patches join to the line. In range the image is registered by range of closest approach.
 *
 * A point is in full exposure when the patch has all lines in which the beam lights it, at every
 * range of the image. The other lines are a patch's overlap with its neighbour: the aperture at far
 * range and the shear. The shear is the delay of the exposure at far range against near range.
 */
#ifndef HTMT_APPS_SAR_PLAN_H
#define HTMT_APPS_SAR_PLAN_H

#include "apps/sar/io/radar.h"

#include <stdbool.h>

/* Points of the interpolator that corrects range migration: cells -7 to 8, counted from the cell at
 * or before the wanted position. */
#define HTMT__SAR_TAPS   16
#define HTMT__SAR_BEFORE 7
/* Positions are fixed-point numbers of cells. The interpolator distinguishes 1024 phases of a cell,
 * so its error is at most 1/2048 cell. */
#define HTMT__SAR_FRACTION_BITS 40
#define HTMT__SAR_PHASE_BITS    10

enum htmt__sar_rcmc { HTMT__RCMC_AUTO, HTMT__RCMC_ON, HTMT__RCMC_OFF };

enum htmt__sar_lengths {
    HTMT__POWER_OF_TWO, /* the next power of two */
    HTMT__FAST_LENGTH,  /* the next multiple of 8 with no prime factor above 7 */
};

struct htmt__sar_problem {
    struct htmt__sar_radar radar;
    uint32_t patch_lines; /* 0: chosen */
    enum htmt__sar_rcmc rcmc;
    enum htmt__sar_lengths lengths;
    bool keep_edges; /* image as large as the data: keep pixels that are not in full exposure */
};

struct htmt__sar_plan {
    struct htmt__sar_radar radar;
    bool rcmc, keep_edges;

    /* Range. A focused line has cells 0 to compressed - 1. Column c of the image has the R of data
     * cell first_cell + c. With rcmc off first_cell is 0 and first_range less than near_range by
     * the mean migration, which stays in the data. */
    uint32_t pulse, range_length; /* samples; of the transforms */
    uint32_t compressed, samples; /* of a focused line; of the image */
    int64_t first_cell;
    double first_range;                     /* R of column 0, m */
    double src_range;                       /* where secondary range compression is exact, m */
    double migration_least, migration_most; /* cells, over the band and the image */

    /* Azimuth. The band is bins band_first to band_first + band - 1; `overlap` lines of a patch are
     * not in full exposure; `exposed` is the number of the first line that is, for a patch that
     * begins with data line 0. */
    uint32_t patches, patch_lines, azimuth_length;
    int64_t band_first;
    uint32_t band;
    uint32_t overlap;
    int64_t exposed;
    uint32_t lines;     /* of the image */
    int64_t first_line; /* its first line's number */
};

/* The lines of the data that a patch takes, and the lines of the image that it gives. Row `row` of
 * the azimuth transform holds the first of the latter; row numbers wrap around at azimuth_length.
 */
struct htmt__sar_patch {
    uint32_t first;             /* data line of its row 0 */
    uint32_t image_line, lines; /* of the image */
    uint32_t row;
};

/* The positions of the image's columns in the data cells of one azimuth bin: column c at
 * start + c step, in 2^-40 cells. The interpolator takes cells (p >> 40) - 7 to (p >> 40) + 8 and
 * phase (p >> 30) & 1023. start includes half a phase, so that this rounds to nearest. Cells
 * outside 0 to compressed - 1 are zero. */
struct htmt__sar_track {
    int64_t start, step;
};

/* The rules:
 *  - transforms have the next length of the chosen kind that is not below samples, or patch_lines;
 *  - of a line that begins with sample 0, the last pulse - 1 cells lack part of their echo and are
 *    dropped, unless edges are kept;
 *  - where edges are kept, transforms have room for pulse - 1 more samples. In the fast kind they
 *    also have room for `overlap` more lines, so that no end of the image shows the other end. The
 *    paper's rule has no additional lines, and its image wraps around there;
 *  - a patch has all lines if they are 4096 or fewer; otherwise 4096, or the power of two that is
 *    at least twice its overlap. All patches have the same number of lines, and the last ends with
 *    the data;
 *  - the band is every bin q, f = q prf / azimuth_length, within half the bandwidth of the
 *    centroid, ends included;
 *  - rcmc `auto` is on when migration over the prf around the centroid, less the part that is the
 *    same at all its frequencies and ranges, reaches half a cell.
 *
 * Errors: those of htmt__sar_radar_check(), HTMT_ERANGE with the arithmetic (no line or no cell in
 * full exposure, no bin in the band, more than 2^30 points in a transform). *plan is untouched on
 * failure. */
int htmt__sar_plan(const struct htmt__sar_problem *problem, struct htmt__sar_plan *plan,
                   struct htmt_fault *fault);

struct htmt__sar_patch htmt__sar_plan_patch(const struct htmt__sar_plan *plan, uint32_t number);

/* R of an image column, m. */
double htmt__sar_plan_range(const struct htmt__sar_plan *plan, uint32_t column);

/* Absolute frequency in Hz of a bin with any integer number; and the row of the transform that
 * holds the bin. */
double htmt__sar_plan_frequency(const struct htmt__sar_plan *plan, int64_t bin);
uint32_t htmt__sar_plan_bin_row(const struct htmt__sar_plan *plan, int64_t bin);

struct htmt__sar_track htmt__sar_plan_track(const struct htmt__sar_plan *plan, int64_t bin);

/* The smallest length of that kind that is at least n; 0 beyond 2^30. */
uint32_t htmt__sar_length(enum htmt__sar_lengths kind, uint32_t n);

#endif

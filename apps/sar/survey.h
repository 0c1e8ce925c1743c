/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What raw data say of themselves: preparation of the input, shared by the serial and the parcel
 * program. The fraction of the Doppler centroid, its ambiguity number, how sharp a chirp makes the
 * lines, and reasons to doubt the data, their description, or what is made of them.
 */
#ifndef HTMT_APPS_SAR_SURVEY_H
#define HTMT_APPS_SAR_SURVEY_H

#include "apps/lib/warnings.h"
#include "apps/sar/io/raw.h"
#include "apps/sar/plan.h"

/* ---- the centroid --------------------------------------------------------------------------- */

/* By lag-one correlation of lines: with z converted as in raw.h (mean and gains are used) and
 * S = sum conj(z[n][j]) z[n+1][j], the fraction is prf / (2 pi) arg S. */
struct htmt__sar_doppler {
    double fraction;     /* Hz, in (-prf/2, prf/2]; 0 where S is 0 */
    double error;        /* its standard error by the noise, Hz; prf where S is 0 */
    double coherence;    /* |S| over the power of the lines, 0 to 1 */
    double significance; /* |S| over its standard deviation if neighbouring lines had nothing in
                            common; the sums of blocks of samples tell the latter */
    double rise;     /* fraction of the far half of the samples less that of the near half, Hz */
    bool rise_known; /* both halves are significant */
};

/* Lines without a signal have a significance below this, but for one of 7e10 inputs. */
#define HTMT__SAR_SIGNIFICANT 5.0

/* Errors: HTMT_ENOMEM. */
int htmt__sar_doppler_measure(const struct htmt__sar_raw *raw, double prf,
                              struct htmt__sar_doppler *doppler, struct htmt_fault *fault);

/* What a frequency is beside the nearest multiple of the prf, in [-prf/2, prf/2]. */
double htmt__sar_doppler_fold(double frequency, double prf);

/* ---- contrast ------------------------------------------------------------------------------- */

/* Up to so many lines, evenly spaced, are compressed. */
#define HTMT__SAR_CONTRAST_LINES 128

struct htmt__sar_contrast {
    double value;    /* n sum p^2 / (sum p)^2 of the powers p of all cells: 2 of noise, 1 if all are
                        equal; 0 without power */
    double error;    /* standard error of that value for noise */
    uint32_t cells;  /* of a line that hold whole echoes */
    double *squares; /* sum of p^2 of each cell over the lines */
};

/* Compress with the radar's chirp, or with its complex conjugate if `opposite`. The caller frees
 * squares. Errors: HTMT_ENOMEM. */
int htmt__sar_contrast(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                       bool opposite, struct htmt__sar_contrast *contrast,
                       struct htmt_fault *fault);

/* ---- the ambiguity number ------------------------------------------------------------------- */

/* Nats of entropy by which the next number must be worse. */
#define HTMT__SAR_MARGIN 0.1

struct htmt__sar_ambiguity {
    int number;
    /* of a search: */
    bool searched;
    int next;      /* the second best */
    double margin; /* its entropy less that of `number`, nats */
};

/* With a wrong number range migration is corrected along a wrong slope, and each point is spread
 * over several cells. So a part of the data is focused with every other number from -10 to 10, and
 * with those beside the best; the right one gives the image with the least entropy of its powers,
 * - sum p ln p. The part is the middle
 * lines, and the samples with the most contrast; powers count less towards its ends. A margin below
 * HTMT__SAR_MARGIN, and a number at an end, are refused with HTMT_EFORMAT. Other errors:
 * HTMT_ENOMEM. */
int htmt__sar_ambiguity(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                        double fraction, struct htmt__sar_ambiguity *found,
                        struct htmt_fault *fault);

/* ---- doubts --------------------------------------------------------------------------------- */

/* Warn of numbers that are all the same ("constant"), of codes that are all equally frequent
 * ("random"), of a sign bit that is read the wrong way ("codes"). bits: of I8.
 * false: they are constant, so their spectrum says nothing. */
bool htmt__sar_doubt_codes(const struct htmt__sar_raw *raw, unsigned bits,
                           struct htmt_warnings *warnings);

/* Warn of lines that do not correlate ("correlation"), of a given centroid that is more than
 * 0.1 prf away from the measured fraction ("centroid"), of a centroid that changes by more over the
 * range ("rise"). */
void htmt__sar_doubt_centroid(const struct htmt__sar_radar *radar,
                              const struct htmt__sar_doppler *doppler, bool given,
                              struct htmt_warnings *warnings);

/* Warn of data that the opposite chirp compresses better ("iq-order"). Errors: HTMT_ENOMEM. */
int htmt__sar_doubt_chirp(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                          struct htmt_warnings *warnings, struct htmt_fault *fault);

/* Warn of range migration that is left in ("migration"). */
void htmt__sar_doubt_migration(const struct htmt__sar_plan *plan, struct htmt_warnings *warnings);

#endif

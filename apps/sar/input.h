/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The input of a run: a radar with all its numbers, and its raw data. Both come from a parameter
 * file and a raw file, or from the scene that is made in memory when no file is given.
 */
#ifndef HTMT_APPS_SAR_INPUT_H
#define HTMT_APPS_SAR_INPUT_H

#include "apps/lib/warnings.h"
#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"
#include "apps/sar/survey.h"

struct htmt__sar_input {
    struct htmt__sar_radar radar;
    struct htmt__sar_raw raw;
    char name[96];                     /* "vancouver.yaml", "scene of 5 points, ers" */
    char note[200];                    /* for the report: an estimate; empty: none */
    char moved[160];                   /* for the report: moved lines; empty: none */
    uint32_t first_line, first_sample; /* of the window, in the file */
    bool measured;                     /* there were data */
    double mean_i, mean_q;             /* measured, where others are given, too */
    struct htmt__sar_doppler doppler;
    struct htmt__sar_ambiguity ambiguity; /* with margin and trials if it was searched */
    struct htmt_warnings *warnings;       /* NULL: none, where no file was read */
};

/* Read the parameter file and the raw file (NULL: the one that the parameter file names). Measure
 * the mean and estimate the Doppler centroid where the file asks for it. The caller gives *input to
 * htmt__sar_input_destroy(). Errors: every fault of either file, in one line. */
int htmt__sar_input_read(const char *parameters, const char *raw, struct htmt__sar_input *input,
                         struct htmt_fault *fault);

/* The same without the data: raw has its sizes, format and means, but no bytes and no gains. The
 * raw file is read only to estimate the centroid or to count missing lines, and may otherwise be
 * missing. Errors: as above.
 */
int htmt__sar_input_describe(const char *parameters, const char *raw, struct htmt__sar_input *input,
                             struct htmt_fault *fault);

/* The scene of a run without files, of `lines` x `samples` (0: the default, 512 x 1024). Errors:
 * HTMT_ERANGE (too small for its pulse), HTMT_EHOSTFIT, HTMT_ENOMEM. */
int htmt__sar_input_default(uint32_t lines, uint32_t samples, uint64_t seed, unsigned threads,
                            struct htmt__sar_input *input, struct htmt_fault *fault);

void htmt__sar_input_destroy(struct htmt__sar_input *input);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameter file beside a raw file: the radar, the layout of the raw file, and the wanted
 * window. docs/sar.md has its keys.
 */
#ifndef HTMT_APPS_SAR_IO_PARAMETERS_H
#define HTMT_APPS_SAR_IO_PARAMETERS_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

struct htmt__sar_parameters {
    struct htmt__sar_radar
        radar; /* of the window; without a given centroid: its ambiguity times prf */
    struct htmt__sar_layout layout;
    bool estimate; /* estimate the fraction of the centroid */
    bool search;   /* estimate its ambiguity, too */
    int64_t ambiguity;
    bool measure; /* the mean */
    double mean_i, mean_q;
    double *gain; /* per line of the window; NULL: 1, or in the headers */
    char *raw;    /* path of the raw file; NULL: not given */
};

/* On success the caller gives *p to htmt__sar_parameters_destroy(). Errors: those of
 * htmt_parameters_read(), htmt__sar_radar_check(), and contradictions, each in one line with file
 * and line. */
int htmt__sar_parameters_read(const char *path, struct htmt__sar_parameters *p,
                              struct htmt_fault *fault);
void htmt__sar_parameters_destroy(struct htmt__sar_parameters *p);

/* Read a text file with one number of dB for each of `lines` lines, -200 to 200; '#' begins a
 * comment. The caller frees *decibels. Errors: HTMT_ENOENT, HTMT_EFORMAT with file and line (no
 * number, too many, too few), HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. */
int htmt__sar_gains_read(const char *path, uint32_t lines, double **decibels,
                         struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frequency and growth of the deck's wave as the records of a run have them.
 */
#ifndef HTMT_APPS_PIC_IO_WAVE_FIT_H
#define HTMT_APPS_PIC_IO_WAVE_FIT_H

#include "apps/pic/io/series.h"

struct htmt__pic_wave_fit {
    double omega, gamma;
    double from, to; /* times of the first and the last value of the fit */
};

/* Fit a wave that theory lets grow with `gamma`.
 *   gamma > 0    a line through the logarithm of the amplitude, from 50 to 85 % of its way up;
 *                omega from the turn of its phase
 *   otherwise    lines through the extremes of half waves, their times and logarithms, from the
 *                third half wave on and, in a damped wave, as long as they fall, to a tenth
 * False, and *fit untouched: too few values, or no single wave. */
bool htmt__pic_fit_wave(const struct htmt__pic_series *series, double gamma,
                        struct htmt__pic_wave_fit *fit);

#endif

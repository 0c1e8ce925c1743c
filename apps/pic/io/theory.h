/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear theory of a deck: the frequency, growth or damping of its mode, and the field energy of
 * thermal noise; and the frequency and growth that the records of a run have.
 *
 * The grid softens the force by the spline's shape factor twice: omega_p^2 becomes omega_p^2
 * S^2(k), S^2 = product over axes of [sin(k/2) / (k/2)]^6 (C. K. Birdsall, A. B. Langdon, Plasma
 * Physics via Computer Simulation, chapters 4 and 8).
 */
#ifndef HTMT_APPS_PIC_IO_THEORY_H
#define HTMT_APPS_PIC_IO_THEORY_H

#include "apps/pic/io/record.h"

#include <complex.h>

/* The plasma dispersion function Z(zeta) = i sqrt(pi) w(zeta), for any zeta. */
double complex htmt__pic_plasma_z(double complex zeta);

/* S^2 of a wave vector. */
double htmt__pic_shape(const double k[3]);

/* The fastest growing, or least damped, wave of the deck's mode: a root omega + i gamma,
 * omega >= 0, of 1 = S^2 sum over species of the terms
 *
 *     cold: omega_s^2 / W^2                    W = (2 / dt) sin((omega - k v) dt / 2)
 *     warm: omega_s^2 Z'(zeta) / (2 k^2 u^2)   zeta = (omega - k v) / (sqrt(2) k u)
 *
 * W has the time differences of leapfrog. The result is zero when the mode is (0, 0, 0) or no root
 * was found. */
double complex htmt__pic_wave(const struct htmt__pic_deck *deck);

/* Field energy of a thermal plasma of the first species, in units of its particles' m v_th^2:
 * the sum over modes of (1/2) / (1 + k^2 lambda_D^2 / S^2(k)). */
double htmt__pic_thermal_energy(const struct htmt__pic_deck *deck);

/* The same while the start relaxes, at t = n dt, n = 0 ... steps - 1, averaged over a plasma
 * period. With x = k^2 lambda_D^2 / S^2 a mode begins with the field energy 1/(2x) of particles at
 * random, or none of a lattice, and with 1/2 of their motion. It shares both between field and
 * motion and approaches (1/2) / (1 + x) as exp(2 gamma t), gamma of Landau damping. Long waves are
 * hardly damped and keep their start. */
void htmt__pic_thermal_relaxation(const struct htmt__pic_deck *deck, uint64_t steps,
                                  double *energy);

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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of a run about its plasma, as figures for programs to read.
 */
#ifndef HTMT_APPS_PIC_DIAGNOSTICS_H
#define HTMT_APPS_PIC_DIAGNOSTICS_H

#include "apps/lib/steps.h"
#include "apps/pic/io/record.h"

/* The number of steps with a record; energies of the last; the largest deviations of energy,
 * momentum and charge over all steps, relative to the energy, to sqrt(2 mass energy) and to the
 * electrons' charge; the wave of theory where the deck has one, and the fitted wave where the start
 * was perturbed. The series has at least one step. */
void htmt__pic_diagnostics(const struct htmt__pic_series *series, struct htmt_task *task);

#endif

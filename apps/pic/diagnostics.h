/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of a run about its plasma, as figures for programs to read.
 */
#ifndef HTMT_APPS_PIC_DIAGNOSTICS_H
#define HTMT_APPS_PIC_DIAGNOSTICS_H

#include "apps/lib/app.h"
#include "apps/pic/io/deck.h"
#include "apps/pic/io/record.h"

/* Energies of the last step; the largest deviations of energy, momentum and charge over all steps,
 * relative to the energy, to sqrt(2 mass energy) and to the electrons' charge; and the wave of
 * theory where the deck has one. */
void htmt__pic_diagnostics(const struct htmt__pic_deck *deck, const struct htmt__pic_record *record,
                           struct htmt_outcome *out);

#endif

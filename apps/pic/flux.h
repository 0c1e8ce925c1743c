/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many particles go through a face, where positions are not known: in model runs and in the
 * closed form.
 */
#ifndef HTMT_APPS_PIC_FLUX_H
#define HTMT_APPS_PIC_FLUX_H

#include "apps/pic/io/deck.h"

/* Cells that the mean of all particles of a species moves upwards along the axis in a step,
 * counting those that move downwards as at rest; sign -1: the other way. Times the density and the
 * area of a face, the particles that go through it. */
double htmt__pic_flux(const struct htmt__pic_deck *deck, uint32_t species, int axis, int sign);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flux of particles through a face, for model runs and the closed form, which have no
 * positions.
 */
#ifndef HTMT_APPS_PIC_FLUX_H
#define HTMT_APPS_PIC_FLUX_H

#include "apps/pic/io/deck.h"

/* Mean number of cells that the particles of a species move upwards along the axis in a step.
 * Particles that move downwards count as at rest. With sign -1 the directions are exchanged. The
 * result times the density and the area of a face is the number of particles that cross the face.
 */
double htmt__pic_flux(const struct htmt__pic_deck *deck, uint32_t species, int axis, int sign);

#endif

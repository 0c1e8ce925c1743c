/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inside of a network, in its band.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_MACHINE_INSIDE_H
#define HTMT_EMUL_LIB_PICTURE_MACHINE_INSIDE_H

#include "emul/lib/picture/machine_parts.h"

/* Of a network with a topology, in a band of that width. */
double htmt__machine_inside_height(const struct htmt__machine_picture *p, uint32_t network,
                                   double band);

/* From the line at y on; x is the band's. Returns where it ends. */
double htmt__machine_draw_inside(struct htmt__machine_picture *p, uint32_t network, double x,
                                 double y, double band);

#endif

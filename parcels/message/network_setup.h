/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: networks with ports inside, from the creation of the emulator to its end.
 */
#ifndef HTMT_PARCELS_MESSAGE_NETWORK_SETUP_H
#define HTMT_PARCELS_MESSAGE_NETWORK_SETUP_H

#include "parcels/message/packet_network.h"

/* At the creation of the emulator, when its machine is there. Errors (latched): HTMT_ENOMEM,
 * HTMT_ESYMMETRY: slices are not alike inside; HTMT_EINVAL. */
int htmt__fabrics_create(struct htmt_emulator *e);
void htmt__fabrics_destroy(struct htmt_emulator *e);
/* Packets wait for each other in a circle: text for people; false: none do. */
bool htmt__fabric_stuck_text(const struct htmt_emulator *e, char *text, size_t room);
/* The run is over: accounts of all ports, packets that still wait. Errors (latched): HTMT_ENOMEM.
 */
void htmt__fabrics_settle(struct htmt_emulator *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: packets inside networks: their events, and the target's side of a message, or
 * of a parcel that moves, which is there when its last packet is.
 */
#ifndef HTMT_PARCELS_MESSAGE_PACKET_H
#define HTMT_PARCELS_MESSAGE_PACKET_H

#include "parcels/message/packet_network.h"

/* For a clock, the whole's or that of a partition, where a network has ports inside. Errors:
 * HTMT_ENOMEM. */
int htmt__packet_clock_create(struct htmt_emulator *e);
void htmt__packet_clock_destroy(struct htmt_emulator *e);
/* At the begin of the run: the critical path is followed through ports. */
void htmt__packet_watch(struct htmt_emulator *e);
/* The next event inside networks; there is one. */
void htmt__packet_turn(struct htmt_emulator *e);

#endif

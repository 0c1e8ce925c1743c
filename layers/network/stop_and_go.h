/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks where a packet that finds its port taken starts again at its sender (Pauer's model of
 * Myrinet, Figures 4 and 7). The packet queues at the port, its way stays held; Stop goes back,
 * and each port on the way voids what it predicted. When the port is free, it waits for the first
 * in its queue: Go travels back, and the sender starts the packet again.
 */
#ifndef HTMT_LAYERS_NETWORK_STOP_AND_GO_H
#define HTMT_LAYERS_NETWORK_STOP_AND_GO_H

#include "layers/network/fabric_parts.h"

/* Events, played as in packet.h. */
void htmt__from_source_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_stop(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_go(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_again(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

/* It is at its sender. */
void htmt__from_source_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

#endif

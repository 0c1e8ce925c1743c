/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of a packet: from inlet to outlet, and on.
 */
#ifndef HTMT_LAYERS_NETWORK_PACKET_H
#define HTMT_LAYERS_NETWORK_PACKET_H

#include "layers/network/fabric_parts.h"

/* Each plays an event. If its packet goes on it is that packet's next one afterwards, which the
 * turn says. */

/* It is at its sender. */
void htmt__packet_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

void htmt__packet_credit(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_tail(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_void(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_arrives(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_first(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_ready(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_head(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_last(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what ports inside networks do, in a recording: intervals of their states, and
 * of packets in their queues.
 *
 * Intervals of a slice's ports become bytes in the order in which they end; runs of them are
 * deflated, and stay in memory until the file has all blocks. So the file is the same however the
 * clock is cut.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_PORTS_H
#define HTMT_PARCELS_OBSERVE_RECORD_PORTS_H

#include "layers/network/fabric.h"
#include "parcels/observe/recorder.h"

#include <jansson.h>

/* NULL: no network has ports inside. Errors (latched): HTMT_ENOMEM. */
int htmt__record_ports_create(struct htmt_emulator *e, struct htmt__record_ports **ports);
void htmt__record_ports_destroy(struct htmt__record_ports **ports);

/* A port changes, or a packet of p's message queues there. Errors (latched): HTMT_ENOMEM. */
void htmt__record_port(struct htmt_emulator *e, uint32_t network, const struct htmt__entity *p,
                       const struct htmt__port_change *change);

/* Of a partition: what it noted is written; nothing stays that comes behind the failure. */
void htmt__record_ports_note_write(struct htmt_emulator *part);
void htmt__record_ports_note_cut(struct htmt__recorder *part, struct htmt__failure failure);

/* The run is over: all goes to the file. Errors: HTMT_ENOMEM, HTMT_EIO. */
int htmt__record_ports_finish(struct htmt_emulator *e, struct htmt_fault *fault);
/* What the footer says of them. NULL: out of memory. */
json_t *htmt__record_ports_footer(const struct htmt_emulator *e);

#endif

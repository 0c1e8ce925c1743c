/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the states of ports inside networks, and who queues there, for a recording.
 * They are few beside a run's intervals, and go into its footer (docs/trace-format.md).
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_PORT_H
#define HTMT_PARCELS_OBSERVE_RECORD_PORT_H

#include "parcels/timing/engine.h"

#include <jansson.h>

struct htmt__port_change;
struct htmt__record_ports;

/* NULL: out of memory. */
struct htmt__record_ports *htmt__record_ports_create(const struct htmt_emulator *e);
void htmt__record_ports_destroy(struct htmt__record_ports *r);
/* A port of that network changes, of the message of that serial. */
void htmt__record_port(struct htmt_emulator *e, struct htmt__record_ports *r, uint32_t network,
                       const struct htmt__port_change *change, uint64_t serial);
/* What the footer has of them, with all that is open up to now. NULL: out of memory. */
json_t *htmt__record_ports_json(const struct htmt_emulator *e, struct htmt__record_ports *r);

#endif

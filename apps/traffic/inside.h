/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What traffic asks of the inside of a network: routes, and the way from an end to its memory.
 */
#ifndef HTMT_APPS_TRAFFIC_INSIDE_H
#define HTMT_APPS_TRAFFIC_INSIDE_H

#include "apps/traffic/io/table.h"
#include "parcels/htmt.h"

/* The routes of a table's messages in an emulator. */
struct htmt__traffic_routes;

/* Before the run. A network without ports inside takes none. On success the caller gives *routes to
 * htmt__traffic_routes_destroy(). Errors: HTMT_ENOMEM; a route that does not lead from its source
 * to its target ends the run. */
int htmt__traffic_routes_create(struct htmt_emulator *e, uint32_t network,
                                const struct htmt__traffic_table *t,
                                struct htmt__traffic_routes **routes);
void htmt__traffic_routes_destroy(struct htmt__traffic_routes **routes);

/* The put takes the route of the message, if it has one. */
void htmt__traffic_route(const struct htmt__traffic_routes *routes, uint32_t message,
                         struct htmt_put *put);

/* Time from an end to its memory of so many bytes, by the network's local-rate; -1: overflow. */
htmt_time htmt__traffic_local(const struct htmt_machine *m, uint32_t network, uint64_t bytes);

/* What the start-up of a message after the first is shorter (startup-next). */
htmt_time htmt__traffic_saved(const struct htmt_machine *m, uint32_t network);

/* Whether there are ports inside the network, so that messages take routes. */
bool htmt__traffic_has_ports(const struct htmt_machine *m, uint32_t network);

#endif

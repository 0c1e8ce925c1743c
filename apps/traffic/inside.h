/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What traffic asks of the inside of a network. Networks here are their ports: a message has no
 * ports on its way, and the way from an end to its memory takes no time.
 */
#ifndef HTMT_APPS_TRAFFIC_INSIDE_H
#define HTMT_APPS_TRAFFIC_INSIDE_H

#include "apps/traffic/io/table.h"
#include "parcels/htmt.h"

/* The routes of a table's messages in an emulator. */
struct htmt__traffic_routes;

/* Before the run. On success the caller gives *routes to htmt__traffic_routes_destroy(). Errors:
 * HTMT_EROUTE (a route over a missing link, or to another end), HTMT_ENOMEM. */
int htmt__traffic_routes_create(struct htmt_emulator *e, uint32_t network,
                                const struct htmt__traffic_table *t,
                                struct htmt__traffic_routes **routes, struct htmt_fault *fault);
void htmt__traffic_routes_destroy(struct htmt__traffic_routes **routes);

/* The put takes the route of the message, if it has one. */
void htmt__traffic_route(const struct htmt__traffic_routes *routes, uint32_t message,
                         struct htmt_put *put);

/* Time from an end to its memory of so many bytes; -1: overflow. */
htmt_time htmt__traffic_local(const struct htmt_machine *m, uint32_t network, uint64_t bytes);

/* Whether messages take the routes that a table gives. */
bool htmt__traffic_routes_count(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a topology's making: links of the regular shapes, tables of the routings.
 */
#ifndef HTMT_LAYERS_NETWORK_WIRING_H
#define HTMT_LAYERS_NETWORK_WIRING_H

#include "layers/network/switch_graph.h"

/* Where a channel leads, from a port to a port. */
struct htmt__way {
    uint32_t to, port, to_port;
};

/* Of a shape that htmt__topology_ends() counts: the k-th channel of an element, by its ports; how
 * many of those below `port` it has; how many it has. */
struct htmt__way htmt__generated_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                     uint32_t k);
uint32_t htmt__generated_rank(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                              uint32_t port);
uint32_t htmt__generated_degree(const struct htmt__inside *inside, uint32_t ends, uint32_t e);

/* Switches of that shape. */
uint32_t htmt__generated_switches(const struct htmt__inside *inside, uint32_t ends);

/* Tables of the routing, into t->routes. Errors: HTMT_ENOMEM, HTMT_EROUTE. */
int htmt__routes_create(struct htmt__topology *t, struct htmt_fault *fault);
void htmt__routes_destroy(struct htmt__topology *t);

#endif

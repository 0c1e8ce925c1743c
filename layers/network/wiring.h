/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a topology's making: links of the regular shapes, tables of the routings.
 */
#ifndef HTMT_LAYERS_NETWORK_WIRING_H
#define HTMT_LAYERS_NETWORK_WIRING_H

#include "layers/network/switch_graph.h"

/* The links of a shape that htmt__topology_ends() counts; the caller frees links->at. */
void htmt__generate(const struct htmt__inside *inside, uint32_t ends,
                    struct htmt__graph_links *links);

/* Switches of that shape. */
uint32_t htmt__generated_switches(const struct htmt__inside *inside, uint32_t ends);

/* Tables of the routing, into t->routes. Errors: HTMT_ENOMEM, HTMT_EROUTE. */
int htmt__routes_create(struct htmt__topology *t, struct htmt_fault *fault);
void htmt__routes_destroy(struct htmt__topology *t);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The three innermost layers of a machine, which parcels percolate through, and the networks that
 * join layers. `who` names the application in messages: "a plasma".
 */
#ifndef HTMT_APPS_LIB_CHAIN_H
#define HTMT_APPS_LIB_CHAIN_H

#include "layers/machine/machine.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Errors: HTMT_EINVAL (fewer layers, or one of the three has no processors). */
int htmt_chain_layers(const struct htmt_machine *m, const char *who, uint32_t *outer,
                      uint32_t *middle, uint32_t *inner, struct htmt_fault *fault);

/* As htmt_machine_route(). Errors: HTMT_EINVAL (there is none). */
int htmt_chain_network(const struct htmt_machine *m, const char *who, uint32_t from, uint32_t to,
                       bool across, uint32_t *network, struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which end of a network each slice takes.
 */
#ifndef HTMT_LAYERS_NETWORK_PLACEMENT_H
#define HTMT_LAYERS_NETWORK_PLACEMENT_H

#include "layers/network/switch_graph.h"

/* `how`: "rows" (in the order of the ends), "hilbert" (along the curve through a square of 2^n x
 * 2^n), or a file with a list of ends (a path with '/' or ".yaml"; `beside`: the machine file, to
 * whose folder it is relative). `end` gets one for each slice. Errors: HTMT_EFORMAT (the fault has
 * its own place if `how` is a file), and those of htmt_schema_open(). */
int htmt__place(const char *how, const char *beside, const struct htmt__inside *inside,
                const struct htmt__switch_graph *graph, uint32_t ends, uint32_t slices,
                uint32_t *end, struct htmt_fault *fault);

#endif

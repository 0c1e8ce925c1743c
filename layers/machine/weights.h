/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What only bounds of loops ask of a layer. A file need not have these figures; then they are in
 * neither the dump nor the hash.
 */
#ifndef HTMT_LAYERS_MACHINE_WEIGHTS_H
#define HTMT_LAYERS_MACHINE_WEIGHTS_H

#include "layers/machine/machine.h"

struct htmt__machine_weights {
    uint64_t divide, function; /* flop that one of them is worth; 1 where not modelled */
    uint64_t vector; /* numbers that an operation, a load or a store takes at once; 0: not given */
    uint64_t line;   /* words that the memory moves at once; 1 where not modelled */
};

/* Of a machine that is built. */
struct htmt__machine_weights htmt__machine_weights(const struct htmt_machine *machine,
                                                   uint32_t layer);

#endif

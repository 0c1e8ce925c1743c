/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machines whose processors have an inside (docs/nodes.md).
 */
#ifndef HTMT_LAYERS_MACHINE_NODES_H
#define HTMT_LAYERS_MACHINE_NODES_H

#include "layers/machine/machine.h"
#include "layers/node/figures.h"

/* The inside of the layer's processor; NULL: it has none of operations. The machine's own. */
const struct htmt__node_figures *htmt__machine_node(const struct htmt_machine *machine,
                                                    uint32_t layer);
/* Its processors of a slice share bus and DRAM. */
/* The first processor's that has one; NULL: none has. */
const struct htmt__node_figures *htmt__machine_inside(const struct htmt_machine *machine);
/* Cycles of an instruction that does nothing there; 0: nobody has an inside. */
double htmt__machine_nothing(const struct htmt_machine *machine);
bool htmt__machine_node_shares(const struct htmt_machine *machine, uint32_t layer);
/* A service depends on others of its slice: caches stay, or a bus is shared. */
bool htmt__machine_node_depends(const struct htmt_machine *machine, uint32_t layer);
/* Caches stay, and the layer's one processor is the only one of the run: its services play one
 * after another, each as its kernel runs (parcels/data/op_recorder.h). */
bool htmt__machine_node_keeps(const struct htmt_machine *machine, uint32_t layer, uint32_t slices);

#endif

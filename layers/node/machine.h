/* temporary stand-in until branch node has it */
#ifndef HTMT_LAYERS_NODE_MACHINE_H
#define HTMT_LAYERS_NODE_MACHINE_H
#include "layers/machine/machine.h"
#include "layers/node/figures.h"
const struct htmt__node_figures *htmt__machine_node(const struct htmt_machine *m, uint32_t layer);
#endif

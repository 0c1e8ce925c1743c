/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of a processor with an inside: what a machine file says of it (docs/nodes.md).
 */
#ifndef HTMT_LAYERS_NODE_NODE_MODEL_H
#define HTMT_LAYERS_NODE_NODE_MODEL_H

#include "layers/file/figures.h"
#include "layers/model.h"
#include "layers/node/figures.h"

extern const struct htmt__processor_model htmt__model_node;

/* Keys that go into struct htmt__node_figures, in the order of the dump. A row that is not optional
 * is needed where another key of its component is given. */
extern const struct htmt_schema_row htmt__node_before[], htmt__node_after[];

/* Whether the mapping under `inside` is of this model: it has one of its keys and names none. */
bool htmt__node_is(const struct htmt_yaml *inside);

/* Once the mapping was read: the model's name. */
int htmt__node_complete(struct htmt__figures *figures, const struct htmt_yaml *node,
                        const char *key, struct htmt_fault *fault);

#endif

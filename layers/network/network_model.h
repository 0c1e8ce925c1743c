/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of a network with an inside: what a machine file says of it (docs/networks.md).
 */
#ifndef HTMT_LAYERS_NETWORK_NETWORK_MODEL_H
#define HTMT_LAYERS_NETWORK_NETWORK_MODEL_H

#include "layers/file/figures.h"
#include "layers/model.h"

#define HTMT__NO_ROUTER "none" /* inside.router */

extern const struct htmt__network_model htmt__model_fabric;

/* The keys below `inside` that go into struct htmt__inside, in the order of the dump; rows without
 * a size are read by their owner. Then those beside `startup`, of the network, and those inside
 * that a file leaves out where they mean nothing. */
extern const struct htmt_schema_row htmt__fabric_figures[], htmt__fabric_beside[],
    htmt__fabric_more[];

/* Whether the mapping under `inside` is of this model: it has a topology or a graph. */
bool htmt__fabric_is(const struct htmt_yaml *inside);

/* Once the mapping was read: the model's name, and words that the file may leave out. */
int htmt__fabric_complete(struct htmt__figures *figures, const struct htmt_yaml *node,
                          const char *key, struct htmt_fault *fault);

/* Remove the keys beside `startup` of the network whose `inside` is `key`. */
void htmt__fabric_forget(struct htmt__figures *figures, const char *key);

#endif

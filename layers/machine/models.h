/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The models, by the names of their files.
 */
#ifndef HTMT_LAYERS_MACHINE_MODELS_H
#define HTMT_LAYERS_MACHINE_MODELS_H

#include "layers/model.h"

extern const struct htmt__processor_model htmt__model_node;
extern const struct htmt__processor_model htmt__model_stream;
extern const struct htmt__processor_model htmt__model_core; /* "cells" */
extern const struct htmt__network_model htmt__model_cells;
extern const struct htmt__network_model htmt__model_fabric;
extern const struct htmt__network_model htmt__model_hub;

#endif

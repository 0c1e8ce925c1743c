/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The models that a machine file may name: one row each.
 */
#include "layers/machine/models.h"

#include <string.h>

static const struct htmt__processor_model *const processors[] = {
    &htmt__model_core,
    &htmt__model_node,
    &htmt__model_stream,
};

static const struct htmt__network_model *const networks[] = {
    &htmt__model_cells,
    &htmt__model_fabric,
    &htmt__model_hub,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
_Static_assert(COUNT(processors) < 16 && COUNT(networks) < 16, "room for all names");

const struct htmt__processor_model *htmt__processor_model(const char *name,
                                                          const char *names[static 16])
{
    const struct htmt__processor_model *found = NULL;
    for (size_t i = 0; i < COUNT(processors); i++) {
        names[i] = processors[i]->name;
        found = strcmp(name, names[i]) == 0 ? processors[i] : found;
    }
    names[COUNT(processors)] = NULL;
    return found;
}

const struct htmt__network_model *htmt__network_model(const char *name,
                                                      const char *names[static 16])
{
    const struct htmt__network_model *found = NULL;
    for (size_t i = 0; i < COUNT(networks); i++) {
        names[i] = networks[i]->name;
        found = strcmp(name, names[i]) == 0 ? networks[i] : found;
    }
    names[COUNT(networks)] = NULL;
    return found;
}

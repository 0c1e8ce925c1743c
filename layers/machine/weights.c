/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/machine/weights.h"

#include "layers/machine/parts.h"

/* The figure was checked when the machine was built. */
static uint64_t weight(const struct htmt_figure *figure, const struct htmt_schema_row *row)
{
    struct htmt_quantity q;
    char why[200];
    if (!figure || !htmt__figure_modelled(figure) ||
        htmt_quantity_read(figure->value, (enum htmt_dimension)row->kind, row->noun, &q, why,
                           sizeof why))
        return row->absent;
    return q.value.num;
}

struct htmt__machine_weights htmt__machine_weights(const struct htmt_machine *machine,
                                                   uint32_t layer)
{
    const char *name = machine->layer[layer].name;
    return (struct htmt__machine_weights){
        .divide = weight(htmt__machine_figure(machine, "layers.%s.processor.divide", name),
                         &htmt__processor_weights[0]),
        .function = weight(htmt__machine_figure(machine, "layers.%s.processor.function", name),
                           &htmt__processor_weights[1]),
        .vector = weight(htmt__machine_figure(machine, "layers.%s.processor.vector", name),
                         &htmt__processor_weights[2]),
        .line = weight(htmt__machine_figure(machine, "layers.%s.memory.line", name),
                       &htmt__memory_weights[0])};
}

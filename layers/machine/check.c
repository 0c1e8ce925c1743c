/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What no single figure shows: names that mean two layers, memories without room, layers that no
 * network joins, ports that contradict themselves. Each is refused at the figure that a user would
 * change.
 */
#include "layers/bank/controller.h"
#include "layers/machine/models.h"
#include "layers/machine/parts.h"
#include "layers/network/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct htmt_figure *htmt__machine_figure(const struct htmt_machine *machine,
                                               const char *format, ...)
{
    char key[sizeof machine->figure->key];
    va_list list;
    va_start(list, format);
    vsnprintf(key, sizeof key, format, list);
    va_end(list);
    for (uint32_t i = 0; i < machine->figure_count; i++)
        if (strcmp(machine->figure[i].key, key) == 0)
            return &machine->figure[i];
    return NULL;
}

uint32_t htmt_machine_processors_of(const struct htmt_machine *m, uint32_t layer)
{
    const size_t before = strlen(HTMT__PROCESSOR_AS);
    const struct htmt_figure *as =
        m && layer < m->layer_count
            ? htmt__machine_figure(m, "layers.%s.processor", m->layer[layer].name)
            : NULL;
    if (!as || strncmp(as->value, HTMT__PROCESSOR_AS, before) != 0)
        return layer;
    uint32_t of = 0;
    while (of < layer && strcmp(m->layer[of].name, as->value + before) != 0)
        of++;
    return of;
}

/* Options and programs name a layer by itself, its processor or its memory, in any case of letters.
 */
static bool answers_to(const struct htmt_layer *layer, const char *name)
{
    return *name &&
           (strcasecmp(layer->name, name) == 0 || strcasecmp(layer->processor.name, name) == 0 ||
            strcasecmp(layer->memory.name, name) == 0);
}

static int check_layer(const struct htmt_machine *m, uint32_t i, struct htmt_fault *fault)
{
    const struct htmt_layer *layer = &m->layer[i];
    const struct htmt_memory *memory = &layer->memory;
    const char *name = layer->name;
    uint64_t all;
    for (uint32_t j = 0; j < i; j++) {
        const struct htmt_layer *other = &m->layer[j];
        bool processor =
            answers_to(other, layer->processor.name) && htmt_machine_processors_of(m, i) == i;
        if (processor || answers_to(other, memory->name) || answers_to(other, name))
            return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.%s.name", name,
                                                            processor ? "processor" : "memory"),
                                       HTMT_EFORMAT, fault, "this name also means layer '%s'",
                                       other->name);
    }
    if (memory->reserve >= memory->capacity)
        return htmt__figure_refuse(
            htmt__machine_figure(m, "layers.%s.memory.reserve", name), HTMT_ERANGE, fault,
            "%llu words leave nothing of the capacity of %llu words",
            (unsigned long long)memory->reserve, (unsigned long long)memory->capacity);
    if (__builtin_mul_overflow(memory->capacity, m->slices, &all) || all > INT64_MAX / HTMT_WORD)
        return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.memory.capacity", name),
                                   HTMT_ERANGE, fault,
                                   "%llu words in each of %u slices are more than can be counted",
                                   (unsigned long long)memory->capacity, m->slices);
    if (*layer->processor.name && !htmt__processor_scale(&layer->processor))
        return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.processor.clock", name),
                                   HTMT_ERANGE, fault,
                                   "the times of this processor have no common denominator below "
                                   "2^62 (use rounder figures)");
    /* The controller of a machine of memory banks reaches the bank by the bus. */
    if (i == 0 || (m->bank_machine && i == m->bank_machine->bank))
        return 0;
    bool inward = htmt_machine_route(m, i - 1, i, false) >= 0;
    bool outward = htmt_machine_route(m, i, i - 1, false) >= 0;
    if (inward && outward)
        return 0;
    return htmt__figure_refuse(
        htmt__machine_figure(m, "layers.%s.memory.name", name), HTMT_EFORMAT, fault,
        "no network carries words from layer '%s' to its neighbour '%s'",
        m->layer[inward ? i : i - 1].name, m->layer[inward ? i - 1 : i].name);
}

static int check_network(const struct htmt_machine *m, const struct htmt_network *network,
                         struct htmt_fault *fault)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < m->layer_count; i++) {
        const struct htmt_port *port = &network->port[i];
        const char *name = m->layer[i].name, *key = NULL, *what = NULL;
        if (port->out == 0 && port->in == 0 &&
            !htmt__machine_figure(m, "networks.%s.ports.%s.out", network->name, name))
            continue;
        ports++;
        if (port->out == 0 && port->in == 0) {
            key = "out";
            what = "a port with no channel out and none in";
        } else if (port->out == 0 && port->out_word.num > 0) {
            key = "out-rate";
            what = "the rate of 0 channels, expected '" HTMT__NOT_MODELLED "'";
        } else if (port->in == 0 && port->in_word.num > 0) {
            key = "in-rate";
            what = "the rate of channels that are not modelled, expected '" HTMT__NOT_MODELLED "'";
        }
        if (what)
            return htmt__figure_refuse(
                htmt__machine_figure(m, "networks.%s.ports.%s.%s", network->name, name, key),
                HTMT_EFORMAT, fault, "%s", what);
    }
    if (ports >= (network->machine_wide ? 1 : 2))
        return 0;
    return htmt__figure_refuse(
        htmt__machine_figure(m, "networks.%s.scope", network->name), HTMT_EFORMAT, fault, "%s",
        network->machine_wide ? "the network has no port"
                              : "a network inside a slice needs ports of two layers");
}

/* ---- cells ---------------------------------------------------------------------------------- */

int htmt__machine_check_square(const struct htmt_machine *m, const struct htmt_network *n,
                               uint32_t slices, struct htmt_fault *fault)
{
    uint32_t less = 1;
    if (n->model != &htmt__model_cells || htmt__cells_side(slices))
        return 0;
    while ((less + 1) * (less + 1) <= slices && less < HTMT__CELLS_SIDE_MOST)
        less++;
    return htmt__figure_refuse(htmt__machine_figure(m, "networks.%s.inside.shape", n->name),
                               HTMT_ERANGE, fault,
                               "a square does not hold %u slices, expected %u or %u", slices,
                               less * less, (less + 1) * (less + 1));
}

/* A cell is a core and its router: what one of the two says without the other means nothing. */
static int check_cells(const struct htmt_machine *m, const struct htmt_network *n,
                       struct htmt_fault *fault)
{
    const struct htmt_figure *model = htmt__machine_figure(m, "networks.%s.inside.model", n->name);
    uint32_t ports = 0, layer = 0;
    for (uint32_t i = 0; i < m->layer_count; i++)
        if (n->port[i].out || n->port[i].in) {
            layer = i;
            ports++;
        }
    const struct htmt_layer *l = &m->layer[layer];
    if (!n->machine_wide)
        return htmt__figure_refuse(model, HTMT_EFORMAT, fault,
                                   "cells are one a slice, expected a network of scope 'machine'");
    if (ports != 1)
        return htmt__figure_refuse(model, HTMT_EFORMAT, fault,
                                   "cells are joined by ports of one layer, found %u", ports);
    if (l->model != &htmt__model_core)
        return htmt__figure_refuse(model, HTMT_EFORMAT, fault,
                                   "the processors of layer '%s' are no cells, expected 'inside: "
                                   "{model: cells}' there, too",
                                   l->name);
    if (l->processor.count != 1)
        return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.processor.count", l->name),
                                   HTMT_ERANGE, fault, "a cell has one core, found %u",
                                   l->processor.count);
    if (htmt_charge_time(l->processor.time[HTMT_CYCLE], 1) != n->latency)
        return htmt__figure_refuse(
            htmt__machine_figure(m, "networks.%s.latency", n->name), HTMT_ERANGE, fault,
            "a hop of %lld fs, expected a cycle of the cells of %lld fs", (long long)n->latency,
            (long long)htmt_charge_time(l->processor.time[HTMT_CYCLE], 1));
    return htmt__machine_check_square(m, n, m->slices, fault);
}

static int check_cores(const struct htmt_machine *m, struct htmt_fault *fault)
{
    uint32_t grids = 0;
    for (uint32_t i = 0; i < m->network_count; i++) {
        grids += m->network[i].model == &htmt__model_cells;
        if (grids == 2)
            return htmt__figure_refuse(
                htmt__machine_figure(m, "networks.%s.inside.model", m->network[i].name),
                HTMT_EFORMAT, fault, "a second network of cells, expected one");
    }
    for (uint32_t i = 0; i < m->layer_count && !grids; i++)
        if (m->layer[i].model == &htmt__model_core)
            return htmt__figure_refuse(
                htmt__machine_figure(m, "layers.%s.inside.model", m->layer[i].name), HTMT_EFORMAT,
                fault, "no network has cells inside that would join these");
    return 0;
}

int htmt__machine_check(const struct htmt_machine *m, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->network_count && !rc && !m->bank_machine; i++)
        rc = check_network(m, &m->network[i], fault);
    for (uint32_t i = 0; i < m->layer_count && !rc; i++)
        rc = check_layer(m, i, fault);
    rc = rc ? rc : check_cores(m, fault);
    for (uint32_t i = 0; i < m->network_count && !rc; i++)
        if (m->network[i].model == &htmt__model_cells)
            rc = check_cells(m, &m->network[i], fault);
    return rc;
}

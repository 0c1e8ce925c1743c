/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/bank/controller.h"
#include "layers/machine/parts.h"

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

static bool same_name(const char *a, const char *b)
{
    return *a && strcasecmp(a, b) == 0;
}

static bool answers_to(const struct htmt_layer *layer, const char *name)
{
    return same_name(layer->name, name) || same_name(layer->processor.name, name) ||
           same_name(layer->memory.name, name);
}

static int check_names(const struct htmt_machine *m, uint32_t i, struct htmt_fault *fault)
{
    const struct htmt_layer *layer = &m->layer[i];
    for (uint32_t j = 0; j < i; j++) {
        const struct htmt_layer *other = &m->layer[j];
        bool processor = *layer->processor.name && answers_to(other, layer->processor.name);
        if (!processor && !answers_to(other, layer->memory.name) && !answers_to(other, layer->name))
            continue;
        char what[120];
        snprintf(what, sizeof what, "this name also means layer '%s'", other->name);
        const struct htmt_figure *at = htmt__machine_figure(m, "layers.%s.%s.name", layer->name,
                                                            processor ? "processor" : "memory");
        return htmt__figure_refuse(at, HTMT_EFORMAT, what, fault);
    }
    return 0;
}

static int check_memory(const struct htmt_machine *m, const struct htmt_layer *layer,
                        struct htmt_fault *fault)
{
    char what[120];
    const struct htmt_memory *memory = &layer->memory;
    uint64_t all;
    if (memory->reserve >= memory->capacity) {
        snprintf(what, sizeof what, "%llu words leave nothing of the capacity of %llu words",
                 (unsigned long long)memory->reserve, (unsigned long long)memory->capacity);
        return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.memory.reserve", layer->name),
                                   HTMT_ERANGE, what, fault);
    }
    if (!__builtin_mul_overflow(memory->capacity, m->slices, &all) && all <= INT64_MAX / HTMT_WORD)
        return 0;
    snprintf(what, sizeof what, "%llu words in each of %u slices are more than can be counted",
             (unsigned long long)memory->capacity, m->slices);
    return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.memory.capacity", layer->name),
                               HTMT_ERANGE, what, fault);
}

static int check_processor(const struct htmt_machine *m, const struct htmt_layer *layer,
                           struct htmt_fault *fault)
{
    if (!*layer->processor.name || htmt__processor_scale(&layer->processor))
        return 0;
    return htmt__figure_refuse(
        htmt__machine_figure(m, "layers.%s.processor.clock", layer->name), HTMT_ERANGE,
        "the times of this processor have no common denominator below 2^62 (use rounder figures)",
        fault);
}

static int check_inward(const struct htmt_machine *m, uint32_t i, struct htmt_fault *fault)
{
    if (i == 0 || (m->bank_host && i == m->bank_host->bank))
        return 0;
    bool inward = htmt_machine_route(m, i - 1, i, false) >= 0;
    bool outward = htmt_machine_route(m, i, i - 1, false) >= 0;
    if (inward && outward)
        return 0;
    char what[160];
    snprintf(what, sizeof what, "no network carries words from layer '%s' to its neighbour '%s'",
             m->layer[inward ? i : i - 1].name, m->layer[inward ? i - 1 : i].name);
    return htmt__figure_refuse(htmt__machine_figure(m, "layers.%s.memory.name", m->layer[i].name),
                               HTMT_EFORMAT, what, fault);
}

static int check_layer(const struct htmt_machine *m, uint32_t i, struct htmt_fault *fault)
{
    int rc = check_names(m, i, fault);
    if (!rc)
        rc = check_memory(m, &m->layer[i], fault);
    if (!rc)
        rc = check_processor(m, &m->layer[i], fault);
    return rc ? rc : check_inward(m, i, fault);
}

/* A figure of a port that the port's own channels contradict. */
static int check_port(const struct htmt_machine *m, const struct htmt_network *network,
                      uint32_t layer, struct htmt_fault *fault)
{
    const struct htmt_port *port = &network->port[layer];
    const char *name = m->layer[layer].name;
    const char *key = NULL, *what = NULL;
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
    if (!what)
        return 0;
    return htmt__figure_refuse(
        htmt__machine_figure(m, "networks.%s.ports.%s.%s", network->name, name, key), HTMT_EFORMAT,
        what, fault);
}

static int check_network(const struct htmt_machine *m, const struct htmt_network *network,
                         struct htmt_fault *fault)
{
    uint32_t ports = 0;
    int rc = 0;
    for (uint32_t i = 0; i < m->layer_count && !rc; i++) {
        if (!htmt__machine_figure(m, "networks.%s.ports.%s.out", network->name, m->layer[i].name))
            continue;
        ports++;
        rc = check_port(m, network, i, fault);
    }
    uint32_t least = network->machine_wide ? 1 : 2;
    if (rc || ports >= least)
        return rc;
    return htmt__figure_refuse(htmt__machine_figure(m, "networks.%s.scope", network->name),
                               HTMT_EFORMAT,
                               least == 1 ? "the network has no port"
                                          : "a network inside a slice needs ports of two layers",
                               fault);
}

int htmt__machine_check(const struct htmt_machine *m, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->network_count && !rc && !m->bank_host; i++)
        rc = check_network(m, &m->network[i], fault);
    for (uint32_t i = 0; i < m->layer_count && !rc; i++)
        rc = check_layer(m, i, fault);
    return rc;
}

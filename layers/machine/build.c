/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine from its figures, group by group. The hash of each figure is that of builder.c; the
 * machine's hash is FNV-1a over these, 8 little-endian bytes each.
 */
#include "layers/machine/builder.h"
#include "layers/machine/weights.h"
#include "layers/model.h"
#include "layers/network/network_model.h"
#include "layers/node/node_model.h"
#include "runtime/base/fnv.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)

/* The component of a key after `prefix`; false when the key has another prefix or nothing more. */
static bool component(const char *key, const char *prefix, char name[HTMT_NAME_MAX])
{
    size_t before = strlen(prefix);
    if (strncmp(key, prefix, before) != 0)
        return false;
    size_t length = strcspn(key + before, ".");
    if (length == 0 || length >= HTMT_NAME_MAX || key[before + length] != '.')
        return false;
    memcpy(name, key + before, length);
    name[length] = '\0';
    return true;
}

/* The different names that follow `prefix`, in the order of their first figures, each `stride`
 * bytes after the last. */
static int collect_names(struct htmt__builder *b, const char *prefix, uint32_t most, char *names,
                         size_t stride, uint32_t *count)
{
    for (unsigned i = 0; i < b->from->count; i++) {
        char name[HTMT_NAME_MAX];
        bool known = !component(b->from->at[i].key, prefix, name);
        for (uint32_t j = 0; j < *count && !known; j++)
            known = strcmp(names + j * stride, name) == 0;
        if (known)
            continue;
        char what[80];
        snprintf(what, sizeof what, "expected at most %u of '%s*'", most, prefix);
        if (*count == most)
            return htmt__figure_refuse(&b->from->at[i], HTMT_ERANGE, what, b->fault);
        memcpy(names + (*count)++ * stride, name, sizeof name);
    }
    return 0;
}

/* Figures that need not be there: read to be checked, kept as they are written. */
static int build_weights(struct htmt__builder *b, const struct htmt_schema_row *rows,
                         const char *prefix)
{
    struct htmt__machine_weights weights = {0};
    int rc = 0;
    for (; rows->key && !rc; rows++) {
        char key[KEY_ROOM + 16];
        snprintf(key, sizeof key, "%s.%s", prefix, rows->key);
        if (htmt__figures_find(b->from, key))
            rc = htmt__build_row(b, rows, prefix, &weights);
    }
    return rc;
}

static int build_full_processor(struct htmt__builder *b, const char *prefix,
                                struct htmt_processor *processor)
{
    int rc = htmt__build_group(b, htmt__processor_rows, prefix, processor);
    return rc ? rc : build_weights(b, htmt__processor_weights, prefix);
}

static int build_processor(struct htmt__builder *b, const char *layer,
                           struct htmt_processor *processor)
{
    char prefix[KEY_ROOM];
    snprintf(prefix, sizeof prefix, "%s.processor", layer);
    const struct htmt_figure *none = htmt__figures_find(b->from, prefix);
    if (!none)
        return build_full_processor(b, prefix, processor);
    if (strcmp(none->value, HTMT__NO_PROCESSOR) != 0)
        return htmt__figure_refuse(none, HTMT_EFORMAT, "expected '" HTMT__NO_PROCESSOR "'",
                                   b->fault);
    htmt__build_keep(b, none);
    htmt__build_absorb(b, none->value);
    return 0;
}

/* NULL: nothing is modelled inside. */
static const struct htmt_figure *model_of(const struct htmt__builder *b, const char *of)
{
    char key[KEY_ROOM];
    snprintf(key, sizeof key, "%s.inside.model", of);
    return htmt__figures_find(b->from, key);
}

/* --set can name a model that is not there. */
static int refuse_model(struct htmt__builder *b, const struct htmt_figure *model,
                        const char *const names[16])
{
    char what[300], hint[200];
    unsigned count = 0;
    while (names[count])
        count++;
    htmt__suggest(model->value, names, count, hint, sizeof hint);
    snprintf(what, sizeof what, "found '%.60s', %s", model->value, hint);
    return htmt__figure_refuse(model, HTMT_EFORMAT, what, b->fault);
}

/* The figures of the model; the first of its rows is its name. */
static int build_inside(struct htmt__builder *b, const char *of, const struct htmt_figure *model,
                        const struct htmt_schema_row *rows, void *inside)
{
    char prefix[KEY_ROOM];
    snprintf(prefix, sizeof prefix, "%s.inside", of);
    htmt__build_keep(b, model);
    htmt__build_absorb(b, model->value);
    return htmt__build_group(b, rows, prefix, inside);
}

static int build_processor_model(struct htmt__builder *b, const char *of, struct htmt_layer *layer)
{
    const char *names[16];
    const struct htmt_figure *model = model_of(b, of);
    if (!model)
        return 0;
    if (!*layer->processor.name)
        return htmt__figure_refuse(model, HTMT_EFORMAT, "the layer has no processor", b->fault);
    layer->model = htmt__processor_model(model->value, names);
    b->cycle = &layer->processor.time[HTMT_CYCLE];
    if (layer->model == &htmt__model_node)
        return htmt__build_node(b, of, model, layer);
    return layer->model ? build_inside(b, of, model, layer->model->rows, layer->inside)
                        : refuse_model(b, model, names);
}

/* Keys that only a network with a topology inside has. */
static int refuse_beside(struct htmt__builder *b, const char *of)
{
    for (const struct htmt_schema_row *r = htmt__fabric_beside; r->key; r++) {
        char key[KEY_ROOM];
        snprintf(key, sizeof key, "%s.%s", of, r->key);
        const struct htmt_figure *figure = htmt__figures_find(b->from, key);
        if (figure)
            return htmt__figure_refuse(figure, HTMT_EFORMAT,
                                       "the network has no topology inside, which alone knows it",
                                       b->fault);
    }
    return 0;
}

static int build_network_model(struct htmt__builder *b, const char *of,
                               struct htmt_network *network)
{
    const char *names[16];
    const struct htmt_figure *model = model_of(b, of);
    if (!model)
        return refuse_beside(b, of);
    network->model = htmt__network_model(model->value, names);
    b->cycle = NULL;
    if (network->model == &htmt__model_fabric)
        return htmt__build_fabric(b, of, network);
    int rc = refuse_beside(b, of);
    if (rc)
        return rc;
    return network->model ? build_inside(b, of, model, network->model->rows, network->inside)
                          : refuse_model(b, model, names);
}

static int build_layer(struct htmt__builder *b, struct htmt_layer *layer)
{
    char prefix[HTMT_NAME_MAX + 8], memory[HTMT_NAME_MAX + 16];
    snprintf(prefix, sizeof prefix, "layers.%s", layer->name);
    snprintf(memory, sizeof memory, "%s.memory", prefix);
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        layer->processor.time[i] = (struct htmt_ratio){0, 1};
    layer->processor.clock = layer->processor.lambda = (struct htmt_ratio){0, 1};
    b->cycle = &layer->processor.time[HTMT_CYCLE];
    bool done;
    int rc = htmt__build_host_processor(b, prefix, (uint32_t)(layer - b->machine->layer), &done);
    if (!rc && !done)
        rc = build_processor(b, prefix, &layer->processor);
    if (!rc)
        rc = htmt__build_group(b, htmt__memory_rows, memory, &layer->memory);
    if (!rc)
        rc = build_weights(b, htmt__memory_weights, memory);
    return rc ? rc : build_processor_model(b, prefix, layer);
}

/* A port of a layer that is not there. */
static int check_ports(struct htmt__builder *b, const char *prefix)
{
    for (unsigned i = 0; i < b->from->count; i++) {
        char name[HTMT_NAME_MAX], what[300], hint[200];
        const char *layer[HTMT_LAYERS_MAX];
        bool known = !component(b->from->at[i].key, prefix, name);
        for (uint32_t j = 0; j < b->machine->layer_count; j++) {
            layer[j] = b->machine->layer[j].name;
            known = known || strcmp(layer[j], name) == 0;
        }
        if (known)
            continue;
        htmt__suggest(name, layer, b->machine->layer_count, hint, sizeof hint);
        snprintf(what, sizeof what, "a port of a layer that is not there, %s", hint);
        return htmt__figure_refuse(&b->from->at[i], HTMT_EFORMAT, what, b->fault);
    }
    return 0;
}

static bool has_group(const struct htmt__figures *figures, const char *prefix)
{
    char name[HTMT_NAME_MAX];
    for (unsigned i = 0; i < figures->count; i++)
        if (strncmp(figures->at[i].key, prefix, strlen(prefix)) == 0 &&
            !component(figures->at[i].key, prefix, name))
            return true;
    return false;
}

static int build_network(struct htmt__builder *b, struct htmt_network *network)
{
    char prefix[HTMT_NAME_MAX + 12], ports[HTMT_NAME_MAX + 20];
    snprintf(prefix, sizeof prefix, "networks.%s", network->name);
    snprintf(ports, sizeof ports, "%s.ports.", prefix);
    bool done;
    int rc = htmt__build_host_network(b, prefix, (uint32_t)(network - b->machine->network), &done);
    if (rc || done)
        return rc;
    rc = htmt__build_group(b, htmt__network_rows, prefix, network);
    if (!rc)
        rc = check_ports(b, ports);
    for (uint32_t i = 0; i < b->machine->layer_count && !rc; i++) {
        char port[KEY_ROOM];
        network->port[i].out_word = network->port[i].in_word = (struct htmt_ratio){0, 1};
        snprintf(port, sizeof port, "%s%s.", ports, b->machine->layer[i].name);
        if (!has_group(b->from, port))
            continue;
        port[strlen(port) - 1] = '\0';
        rc = htmt__build_group(b, htmt__port_rows, port, &network->port[i]);
    }
    return rc ? rc : build_network_model(b, prefix, network);
}

static int build_all(struct htmt__builder *b)
{
    struct htmt_machine *m = b->machine;
    int rc = htmt__build_group(b, htmt__machine_rows, "", m);
    if (!rc)
        rc = collect_names(b, "layers.", HTMT_LAYERS_MAX, m->layer[0].name, sizeof m->layer[0],
                           &m->layer_count);
    if (!rc && m->layer_count == 0)
        rc = htmt__build_refuse_missing(b, "layers");
    for (uint32_t i = 0; i < m->layer_count && !rc; i++)
        rc = build_layer(b, &m->layer[i]);
    if (!rc)
        rc = htmt__build_host(b);
    if (!rc)
        rc = collect_names(b, "networks.", HTMT_NETWORKS_MAX, m->network[0].name,
                           sizeof m->network[0], &m->network_count);
    for (uint32_t i = 0; i < m->network_count && !rc; i++)
        rc = build_network(b, &m->network[i]);
    return rc ? rc : htmt__build_host_end(b);
}

int htmt__machine_build(const struct htmt__figures *figures, const char *file,
                        struct htmt_machine *machine, struct htmt_fault *fault)
{
    struct htmt__builder b = {figures, file, machine, fault, NULL};
    machine->hash = HTMT__HASH_BASIS;
    machine->figure = calloc(figures->count + 1, sizeof *machine->figure);
    if (!machine->figure)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    int rc = build_all(&b);
    for (uint32_t i = 0; i < machine->figure_count; i++)
        htmt__hash_u64(&machine->hash, machine->figure[i].hash);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine from its figures, group by group. The hash of each figure is that of builder.c; the
 * machine's hash is FNV-1a over these, 8 little-endian bytes each.
 */
#include "layers/machine/builder.h"
#include "layers/machine/queues.h"
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
        if (*count == most)
            return htmt__figure_refuse(&b->from->at[i], HTMT_ERANGE, b->fault,
                                       "expected at most %u of '%s*'", most, prefix);
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
    for (; rows->key && !rc; rows++)
        if (htmt__figures_find_under(b->from, prefix, rows->key))
            rc = htmt__build_row(b, rows, prefix, &weights);
    return rc;
}

/* ---- what is inside a processor or network ----------------------------------------------------
 */

/* NULL: nothing is modelled inside. */
static const struct htmt_figure *model_of(const struct htmt__builder *b, const char *of)
{
    return htmt__figures_find_under(b->from, of, "inside.model");
}

/* The figures of a model, of which the first row is its name. `rows` NULL: no model has this name,
 * which --set can say; `names` has those there are. */
static int build_inside(struct htmt__builder *b, const char *of, const struct htmt_figure *model,
                        const struct htmt_schema_row *rows, const char *const names[16],
                        void *inside)
{
    char prefix[KEY_ROOM], hint[200];
    unsigned count = 0;
    if (!rows) {
        while (names[count])
            count++;
        htmt__suggest(model->value, names, count, hint, sizeof hint);
        return htmt__figure_refuse(model, HTMT_EFORMAT, b->fault, "found '%.60s', %s", model->value,
                                   hint);
    }
    snprintf(prefix, sizeof prefix, "%s.inside", of);
    htmt__build_keep(b, model);
    htmt__build_absorb(b, model->value);
    return htmt__build_group(b, rows, prefix, inside);
}

/* ---- layers and networks ----------------------------------------------------------------------
 */

/* The processors of an outer layer, which this layer's services take, too: with what is inside
 * them, the one copy of which the machine that is given away has for each layer. */
static int build_shared(struct htmt__builder *b, const struct htmt_figure *as,
                        struct htmt_layer *layer)
{
    const char *name = as->value + strlen(HTMT__PROCESSOR_AS);
    const struct htmt_layer *from = b->machine->layer;
    char inside[KEY_ROOM];
    while (from < layer && strcmp(from->name, name) != 0)
        from++;
    if (from == layer || !*from->processor.name)
        return htmt__figure_refuse(as, HTMT_EFORMAT, b->fault,
                                   "found '%.60s', expected an outer layer with processors",
                                   as->value);
    if (htmt_machine_processors_of(b->machine, (uint32_t)(from - b->machine->layer)) !=
        (uint32_t)(from - b->machine->layer))
        return htmt__figure_refuse(as, HTMT_EFORMAT, b->fault,
                                   "found '%.60s', expected a layer with processors of its own",
                                   as->value);
    snprintf(inside, sizeof inside, "layers.%s", layer->name);
    if (model_of(b, inside))
        return htmt__figure_refuse(model_of(b, inside), HTMT_EFORMAT, b->fault,
                                   "the processors are those of layer %s, with their inside", name);
    htmt__build_keep(b, as);
    htmt__build_absorb(b, as->value);
    layer->processor = from->processor;
    layer->model = from->model;
    memcpy(layer->inside, from->inside, sizeof layer->inside);
    return htmt__machine_copy_node(layer)
               ? htmt_fault_set(b->fault, HTMT_ENOMEM, "%s: out of memory", b->file)
               : 0;
}

static int build_layer(struct htmt__builder *b, struct htmt_layer *layer)
{
    struct htmt_processor *p = &layer->processor;
    char prefix[HTMT_NAME_MAX + 8], memory[HTMT_NAME_MAX + 16], processor[HTMT_NAME_MAX + 24];
    snprintf(prefix, sizeof prefix, "layers.%s", layer->name);
    snprintf(memory, sizeof memory, "%s.memory", prefix);
    snprintf(processor, sizeof processor, "%s.processor", prefix);
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        p->time[i] = (struct htmt_ratio){0, 1};
    p->clock = p->lambda = (struct htmt_ratio){0, 1};
    b->cycle = &p->time[HTMT_CYCLE];
    const char *names[16];
    bool done;
    int rc =
        htmt__build_controller_processor(b, prefix, (uint32_t)(layer - b->machine->layer), &done);
    if (rc)
        return rc;
    const struct htmt_figure *none = done ? NULL : htmt__figures_find(b->from, processor);
    if (none && strncmp(none->value, HTMT__PROCESSOR_AS, strlen(HTMT__PROCESSOR_AS)) == 0)
        rc = build_shared(b, none, layer);
    else if (none) {
        if (strcmp(none->value, HTMT__NO_PROCESSOR) != 0)
            return htmt__figure_refuse(none, HTMT_EFORMAT, b->fault,
                                       "expected '" HTMT__NO_PROCESSOR "'");
        htmt__build_keep(b, none);
        htmt__build_absorb(b, none->value);
    } else if (!done) {
        rc = htmt__build_group(b, htmt__processor_rows, processor, p);
        if (!rc)
            rc = build_weights(b, htmt__processor_weights, processor);
        if (!rc)
            rc = htmt__queues_build(b, processor);
    }
    if (!rc)
        rc = htmt__build_group(b, htmt__memory_rows, memory, &layer->memory);
    if (!rc)
        rc = build_weights(b, htmt__memory_weights, memory);
    const struct htmt_figure *model = model_of(b, prefix);
    if (rc || !model)
        return rc;
    if (!*p->name)
        return htmt__figure_refuse(model, HTMT_EFORMAT, b->fault, "the layer has no processor");
    layer->model = htmt__processor_model(model->value, names);
    b->cycle = &p->time[HTMT_CYCLE];
    if (layer->model == &htmt__model_node)
        return htmt__build_node(b, prefix, model, layer);
    return build_inside(b, prefix, model, layer->model ? layer->model->rows : NULL, names,
                        layer->inside);
}

/* A port of a layer that is not there. */
static int check_ports(struct htmt__builder *b, const char *prefix)
{
    for (unsigned i = 0; i < b->from->count; i++) {
        char name[HTMT_NAME_MAX], hint[200];
        const char *layer[HTMT_LAYERS_MAX];
        bool known = !component(b->from->at[i].key, prefix, name);
        for (uint32_t j = 0; j < b->machine->layer_count; j++) {
            layer[j] = b->machine->layer[j].name;
            known = known || strcmp(layer[j], name) == 0;
        }
        if (known)
            continue;
        htmt__suggest(name, layer, b->machine->layer_count, hint, sizeof hint);
        return htmt__figure_refuse(&b->from->at[i], HTMT_EFORMAT, b->fault,
                                   "a port of a layer that is not there, %s", hint);
    }
    return 0;
}

/* Has it figures of its own, and not only of groups in it? */
static bool has_group(const struct htmt__figures *figures, const char *prefix)
{
    char name[HTMT_NAME_MAX];
    for (unsigned i = 0; i < figures->count; i++)
        if (strncmp(figures->at[i].key, prefix, strlen(prefix)) == 0 &&
            !component(figures->at[i].key, prefix, name))
            return true;
    return false;
}

/* The network's own figures, its ports, and then its model; only a model with a topology knows the
 * figures beside `startup`. */
static int build_network(struct htmt__builder *b, struct htmt_network *network)
{
    const char *names[16];
    char prefix[HTMT_NAME_MAX + 12], ports[HTMT_NAME_MAX + 20];
    snprintf(prefix, sizeof prefix, "networks.%s", network->name);
    snprintf(ports, sizeof ports, "%s.ports.", prefix);
    bool done;
    int rc =
        htmt__build_controller_network(b, prefix, (uint32_t)(network - b->machine->network), &done);
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
    if (rc)
        return rc;
    const struct htmt_figure *model = model_of(b, prefix);
    if (model) {
        network->model = htmt__network_model(model->value, names);
        b->cycle = NULL;
        if (network->model == &htmt__model_fabric)
            return htmt__build_fabric(b, prefix, network);
    }
    for (const struct htmt_schema_row *r = htmt__fabric_beside; r->key; r++) {
        const struct htmt_figure *figure = htmt__figures_find_under(b->from, prefix, r->key);
        if (figure)
            return htmt__figure_refuse(figure, HTMT_EFORMAT, b->fault,
                                       "the network has no topology inside, which alone knows it");
    }
    return model ? build_inside(b, prefix, model, network->model ? network->model->rows : NULL,
                                names, network->inside)
                 : 0;
}

/* The order is the dump's and the hash's: the machine's own figures, all layers, all networks. A
 * network's rate may count cycles of a layer, so layers come first. */
int htmt__machine_build(const struct htmt__figures *figures, const char *file,
                        struct htmt_machine *machine, struct htmt_fault *fault)
{
    struct htmt__builder b = {figures, file, machine, fault, NULL};
    struct htmt_machine *m = machine;
    m->hash = HTMT__HASH_BASIS;
    m->figure = malloc((figures->count + 1u) * sizeof *m->figure);
    if (!m->figure)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    int rc = htmt__build_group(&b, htmt__machine_rows, "", m);
    if (!rc)
        rc = collect_names(&b, "layers.", HTMT_LAYERS_MAX, m->layer[0].name, sizeof m->layer[0],
                           &m->layer_count);
    if (!rc && m->layer_count == 0)
        rc = htmt__build_refuse_missing(&b, "layers");
    for (uint32_t i = 0; i < m->layer_count && !rc; i++)
        rc = build_layer(&b, &m->layer[i]);
    if (!rc)
        rc = htmt__build_controller(&b);
    if (!rc)
        rc = collect_names(&b, "networks.", HTMT_NETWORKS_MAX, m->network[0].name,
                           sizeof m->network[0], &m->network_count);
    for (uint32_t i = 0; i < m->network_count && !rc; i++)
        rc = build_network(&b, &m->network[i]);
    if (!rc)
        rc = htmt__build_controller_end(&b);
    for (uint32_t i = 0; i < m->figure_count; i++)
        htmt__hash_u64(&m->hash, m->figure[i].hash);
    return rc;
}

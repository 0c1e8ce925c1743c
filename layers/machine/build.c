/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures to plain data, group by group and row by row, in the order of the dump. Each figure has
 * a hash of its exact value (FNV-1a, 64 bit, over the key, a zero, then 'a' for not-modelled, 't'
 * and the text with its zero, or 'v' and numerator and denominator as 8 little-endian bytes each);
 * the machine's hash is the same function over these, 8 little-endian bytes each.
 */
#include "layers/machine/parts.h"
#include "layers/model.h"
#include "runtime/base/fnv.h"
#include "runtime/base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)

struct builder {
    const struct htmt__figures *from;
    const char *file;
    struct htmt_machine *machine;
    struct htmt_fault *fault;
    const struct htmt_ratio *cycle; /* of the processor at hand; NULL: none has a clock */
};

static uint64_t *last_hash(struct builder *b)
{
    return &b->machine->figure[b->machine->figure_count - 1].hash;
}

static void absorb_text(struct builder *b, const char *text)
{
    htmt__hash_bytes(last_hash(b), "t", 1);
    htmt__hash_bytes(last_hash(b), text, strlen(text) + 1);
}

static void absorb_ratio(struct builder *b, struct htmt_ratio value)
{
    htmt__hash_bytes(last_hash(b), "v", 1);
    htmt__hash_u64(last_hash(b), value.num);
    htmt__hash_u64(last_hash(b), value.den);
}

/* Where a message about a missing key points: the first figure of the same group, else of the
 * group around it, else the top of the file. */
static int refuse_missing(struct builder *b, const char *key)
{
    char prefix[KEY_ROOM];
    const char *last = strrchr(key, '.');
    size_t length = last ? (size_t)(last - key) + 1 : 0;
    memcpy(prefix, key, length);
    while (length > 0) {
        for (unsigned i = 0; i < b->from->count; i++)
            if (strncmp(b->from->at[i].key, prefix, length) == 0)
                return htmt_fault_set(b->fault, HTMT_EFORMAT, "%s:%d: key '%s' is missing",
                                      b->from->at[i].file, b->from->at[i].line, key);
        for (length--; length > 0 && prefix[length - 1] != '.'; length--)
            ;
    }
    return htmt_fault_set(b->fault, HTMT_EFORMAT, "%s:1: key '%s' is missing", b->file, key);
}

static void keep(struct builder *b, const struct htmt_figure *figure)
{
    b->machine->figure[b->machine->figure_count++] = *figure;
    *last_hash(b) = HTMT__HASH_BASIS;
    htmt__hash_bytes(last_hash(b), figure->key, strlen(figure->key) + 1);
}

static int store_name(struct builder *b, const struct htmt_figure *figure, char *to)
{
    size_t length = strlen(figure->value);
    bool good = length < HTMT_NAME_MAX && strcmp(figure->value, HTMT__NO_PROCESSOR) != 0;
    for (size_t i = 0; i < length && good; i++)
        good = isalnum((unsigned char)figure->value[i]) || strchr("-_", figure->value[i]);
    if (!good)
        return htmt__figure_refuse(figure, HTMT_EFORMAT,
                                   "expected a name of letters, digits, '-' and '_'", b->fault);
    memcpy(to, figure->value, length + 1);
    absorb_text(b, figure->value);
    return 0;
}

static int store_scope(struct builder *b, const struct htmt_figure *figure, bool *machine_wide)
{
    bool wide = strcmp(figure->value, "machine") == 0;
    char what[120];
    snprintf(what, sizeof what, "found '%s', expected 'slice' or 'machine'", figure->value);
    if (!wide && strcmp(figure->value, "slice") != 0)
        return htmt__figure_refuse(figure, HTMT_EFORMAT, what, b->fault);
    *machine_wide = wide;
    absorb_text(b, figure->value);
    return 0;
}

/* What the clock and the row's struct already hold that a value in cycles or words of an access
 * needs. */
static int to_time(const struct builder *b, const struct htmt_schema_row *row, const void *base,
                   struct htmt_quantity *q)
{
    const struct htmt_memory *memory = base;
    if (row->kind == HTMT_UNIT_OPERATION && q->basis == HTMT_IN_CYCLES)
        return b->cycle ? htmt_ratio_mul(q->value, *b->cycle, &q->value) : HTMT_EUNIT;
    if (row->kind == HTMT_UNIT_ACCESS && q->basis == HTMT_PER_WORD)
        return htmt_ratio_mul(q->value, (struct htmt_ratio){memory->access_words, 1}, &q->value);
    return 0;
}

static int check_value(struct builder *b, const struct htmt_schema_row *row,
                       const struct htmt_figure *figure, struct htmt_ratio value)
{
    char what[200];
    const char *instead =
        row->optional ? " (say '" HTMT__NOT_MODELLED "' where it shall cost nothing)" : "";
    uint64_t most = (uint64_t)row->most;
    if (value.num == 0 && row->above_least) {
        snprintf(what, sizeof what, "found '%s', expected more than zero%s", figure->value,
                 instead);
        return htmt__figure_refuse(figure, HTMT_ERANGE, what, b->fault);
    }
    if (most && htmt_ratio_cmp(value, (struct htmt_ratio){most, 1}) > 0) {
        snprintf(what, sizeof what, "found '%s', expected at most %llu%s", figure->value,
                 (unsigned long long)most,
                 row->kind == HTMT_UNIT_SIZE   ? " words"
                 : row->kind == HTMT_UNIT_TIME ? " fs"
                                               : "");
        return htmt__figure_refuse(figure, HTMT_ERANGE, what, b->fault);
    }
    return 0;
}

static int read_value(struct builder *b, const struct htmt_schema_row *row,
                      const struct htmt_figure *figure, const void *base, struct htmt_ratio *value)
{
    struct htmt_quantity q;
    int rc = htmt__figure_quantity(figure, row, &q, b->fault);
    if (rc)
        return rc;
    rc = to_time(b, row, base, &q);
    if (rc == HTMT_EUNIT)
        return htmt__figure_refuse(figure, rc, "counts cycles, but there is no clock", b->fault);
    if (rc)
        return htmt__figure_refuse(figure, rc, "is too large or too fine to be held exactly",
                                   b->fault);
    rc = check_value(b, row, figure, q.value);
    if (!rc)
        *value = q.value;
    return rc;
}

/* A ratio, or a whole number of 32 or 64 bits. */
static void store_value(const struct htmt_schema_row *row, void *base, struct htmt_ratio value)
{
    char *at = (char *)base + row->offset;
    uint32_t small = (uint32_t)value.num;
    if (row->size == sizeof value)
        memcpy(at, &value, sizeof value);
    else if (row->size == sizeof small)
        memcpy(at, &small, sizeof small);
    else
        memcpy(at, &value.num, sizeof value.num);
}

static int store_quantity(struct builder *b, const struct htmt_schema_row *row,
                          const struct htmt_figure *figure, void *base)
{
    if (!htmt__figure_modelled(figure)) {
        if (!row->optional)
            return htmt__figure_refuse(
                figure, HTMT_EFORMAT,
                "found '" HTMT__NOT_MODELLED "', but the model cannot do without", b->fault);
        store_value(row, base, (struct htmt_ratio){row->absent, 1});
        htmt__hash_bytes(last_hash(b), "a", 1);
        return 0;
    }
    struct htmt_ratio value;
    int rc = read_value(b, row, figure, base, &value);
    if (rc)
        return rc;
    store_value(row, base, value);
    absorb_ratio(b, value);
    return 0;
}

/* The cycle is no figure of its own: it follows from the clock. */
static int derive_cycle(struct builder *b, const struct htmt_figure *figure, void *base)
{
    struct htmt_processor *processor = base;
    struct htmt_ratio second = {HTMT_SECOND, 1};
    int rc = htmt_ratio_div(second, processor->clock, &processor->time[HTMT_CYCLE]);
    return rc ? htmt__figure_refuse(figure, rc, "the cycle cannot be held exactly", b->fault) : 0;
}

static int build_row(struct builder *b, const struct htmt_schema_row *row, const char *prefix,
                     void *base)
{
    char key[KEY_ROOM];
    snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", row->key);
    const struct htmt_figure *figure = htmt__figures_find(b->from, key);
    if (!figure)
        return refuse_missing(b, key);
    keep(b, figure);
    if (row->kind == HTMT_SCHEMA_TEXT)
        return store_name(b, figure, (char *)base + row->offset);
    if (row->kind == HTMT_SCHEMA_CHOICE)
        return store_scope(b, figure, (bool *)((char *)base + row->offset));
    int rc = store_quantity(b, row, figure, base);
    if (!rc && row->kind == HTMT_UNIT_FREQUENCY)
        rc = derive_cycle(b, figure, base);
    return rc;
}

/* The rows that go into the struct at `base`; groups in it have structs of their own. */
static int build_group(struct builder *b, const struct htmt_schema_row *rows, const char *prefix,
                       void *base)
{
    int rc = 0;
    for (; rows->key && !rc; rows++)
        if (rows->size)
            rc = build_row(b, rows, prefix, base);
    return rc;
}

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
static int collect_names(struct builder *b, const char *prefix, uint32_t most, char *names,
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

static int build_processor(struct builder *b, const char *layer, struct htmt_processor *processor)
{
    char prefix[KEY_ROOM];
    snprintf(prefix, sizeof prefix, "%s.processor", layer);
    const struct htmt_figure *none = htmt__figures_find(b->from, prefix);
    if (!none)
        return build_group(b, htmt__processor_rows, prefix, processor);
    if (strcmp(none->value, HTMT__NO_PROCESSOR) != 0)
        return htmt__figure_refuse(none, HTMT_EFORMAT, "expected '" HTMT__NO_PROCESSOR "'",
                                   b->fault);
    keep(b, none);
    absorb_text(b, none->value);
    return 0;
}

/* NULL: nothing is modelled inside. */
static const struct htmt_figure *model_of(const struct builder *b, const char *of)
{
    char key[KEY_ROOM];
    snprintf(key, sizeof key, "%s.inside.model", of);
    return htmt__figures_find(b->from, key);
}

/* --set can name a model that is not there. */
static int refuse_model(struct builder *b, const struct htmt_figure *model,
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
static int build_inside(struct builder *b, const char *of, const struct htmt_figure *model,
                        const struct htmt_schema_row *rows, void *inside)
{
    char prefix[KEY_ROOM];
    snprintf(prefix, sizeof prefix, "%s.inside", of);
    keep(b, model);
    absorb_text(b, model->value);
    return build_group(b, rows, prefix, inside);
}

static int build_processor_model(struct builder *b, const char *of, struct htmt_layer *layer)
{
    const char *names[16];
    const struct htmt_figure *model = model_of(b, of);
    if (!model)
        return 0;
    if (!*layer->processor.name)
        return htmt__figure_refuse(model, HTMT_EFORMAT, "the layer has no processor", b->fault);
    layer->model = htmt__processor_model(model->value, names);
    b->cycle = &layer->processor.time[HTMT_CYCLE];
    return layer->model ? build_inside(b, of, model, layer->model->rows, layer->inside)
                        : refuse_model(b, model, names);
}

static int build_network_model(struct builder *b, const char *of, struct htmt_network *network)
{
    const char *names[16];
    const struct htmt_figure *model = model_of(b, of);
    if (!model)
        return 0;
    network->model = htmt__network_model(model->value, names);
    b->cycle = NULL;
    return network->model ? build_inside(b, of, model, network->model->rows, network->inside)
                          : refuse_model(b, model, names);
}

static int build_layer(struct builder *b, struct htmt_layer *layer)
{
    char prefix[HTMT_NAME_MAX + 8], memory[HTMT_NAME_MAX + 16];
    snprintf(prefix, sizeof prefix, "layers.%s", layer->name);
    snprintf(memory, sizeof memory, "%s.memory", prefix);
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        layer->processor.time[i] = (struct htmt_ratio){0, 1};
    layer->processor.clock = layer->processor.lambda = (struct htmt_ratio){0, 1};
    b->cycle = &layer->processor.time[HTMT_CYCLE];
    int rc = build_processor(b, prefix, &layer->processor);
    if (!rc)
        rc = build_group(b, htmt__memory_rows, memory, &layer->memory);
    return rc ? rc : build_processor_model(b, prefix, layer);
}

/* A port of a layer that is not there. */
static int check_ports(struct builder *b, const char *prefix)
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

static int build_network(struct builder *b, struct htmt_network *network)
{
    char prefix[HTMT_NAME_MAX + 12], ports[HTMT_NAME_MAX + 20];
    snprintf(prefix, sizeof prefix, "networks.%s", network->name);
    snprintf(ports, sizeof ports, "%s.ports.", prefix);
    int rc = build_group(b, htmt__network_rows, prefix, network);
    if (!rc)
        rc = check_ports(b, ports);
    for (uint32_t i = 0; i < b->machine->layer_count && !rc; i++) {
        char port[KEY_ROOM];
        network->port[i].out_word = network->port[i].in_word = (struct htmt_ratio){0, 1};
        snprintf(port, sizeof port, "%s%s.", ports, b->machine->layer[i].name);
        if (!has_group(b->from, port))
            continue;
        port[strlen(port) - 1] = '\0';
        rc = build_group(b, htmt__port_rows, port, &network->port[i]);
    }
    return rc ? rc : build_network_model(b, prefix, network);
}

static int build_all(struct builder *b)
{
    struct htmt_machine *m = b->machine;
    int rc = build_group(b, htmt__machine_rows, "", m);
    if (!rc)
        rc = collect_names(b, "layers.", HTMT_LAYERS_MAX, m->layer[0].name, sizeof m->layer[0],
                           &m->layer_count);
    if (!rc && m->layer_count == 0)
        rc = refuse_missing(b, "layers");
    for (uint32_t i = 0; i < m->layer_count && !rc; i++)
        rc = build_layer(b, &m->layer[i]);
    if (!rc)
        rc = collect_names(b, "networks.", HTMT_NETWORKS_MAX, m->network[0].name,
                           sizeof m->network[0], &m->network_count);
    for (uint32_t i = 0; i < m->network_count && !rc; i++)
        rc = build_network(b, &m->network[i]);
    return rc;
}

int htmt__machine_build(const struct htmt__figures *figures, const char *file,
                        struct htmt_machine *machine, struct htmt_fault *fault)
{
    struct builder b = {figures, file, machine, fault, NULL};
    machine->hash = HTMT__HASH_BASIS;
    machine->figure = calloc(figures->count + 1, sizeof *machine->figure);
    if (!machine->figure)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", file);
    int rc = build_all(&b);
    for (uint32_t i = 0; i < machine->figure_count; i++)
        htmt__hash_u64(&machine->hash, machine->figure[i].hash);
    return rc;
}

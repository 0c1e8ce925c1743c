/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine file may hold, and the two groups that a plain value may replace.
 */
#include "layers/file/curve.h"
#include "layers/machine/models.h"
#include "layers/machine/parts.h"
#include "layers/machine/queues.h"
#include "layers/machine/weights.h"
#include "layers/model.h"
#include "layers/network/network_model.h"
#include "layers/node/node_model.h"
#include "runtime/base/operation.h"
#include "runtime/base/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SLICES_MAX 1048576
#define WORDS_MAX  (UINT64_C(1) << 60) /* their bytes fit 63 bits */
#define TIME_MOST  (HTMT_TIME_MAX / 4) /* a message that takes longer ends no run */

#define AT(type, member)                                                                           \
    .offset = offsetof(struct htmt_##type, member),                                                \
    .size = sizeof(((struct htmt_##type *)NULL)->member)
#define TIME_OF(operation) AT(processor, time[operation])
#define MORE               .above_least = true
#define MAY_BE_ABSENT      .optional = true

/* A figure for each operation of the file: "load", "store", or a name of runtime/base/operation.h,
 * with "compare" for its "cmp". */
static int read_instructions(struct htmt__figures *figures, const struct htmt_yaml *node,
                             const char *prefix, const struct htmt_schema_row *rows,
                             struct htmt_fault *fault)
{
    char key[sizeof((struct htmt_figure){0}.key)];
    int rc = htmt_yaml_expect(node, HTMT_YAML_MAPPING, prefix, fault);
    (void)rows;
    for (const struct htmt_yaml *child = node->first; child && !rc; child = child->next) {
        char whole[HTMT_NAME_MAX];
        const char *name = child->key;
        enum htmt_operation operation;
        enum htmt_type_of_operand type;
        const bool compares = strncmp(name, "compare-", 8) == 0;
        snprintf(whole, sizeof whole, "%s%s", compares ? "cmp-" : "", compares ? name + 8 : name);
        rc = htmt__figures_key(child, prefix, name, key, fault);
        if (!rc && strcmp(name, "load") != 0 && strcmp(name, "store") != 0 &&
            !htmt_operation_of(whole, &operation, &type))
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%d: %s: found operation '%.60s', expected load, store, or one "
                                "with its type such as 'add-i32'",
                                child->file, child->key_line, prefix, child->key);
        if (!rc)
            rc = htmt__figures_read(figures, child, key, fault);
    }
    return rc;
}

/* Of a layer of one slice. Some models keep a state for each processor that is used, so a count
 * that no machine has is refused here and not by the host's memory. */
#define PROCESSORS_MOST (UINT32_C(1) << 20)

const struct htmt_schema_row htmt__processor_rows[] = {
    {"name", HTMT_SCHEMA_TEXT, AT(processor, name)},
    {"count", HTMT_UNIT_COUNT, AT(processor, count), MORE, .most = PROCESSORS_MOST},
    {"clock", HTMT_UNIT_FREQUENCY, AT(processor, clock), MORE},
    {"flop", HTMT_UNIT_OPERATION, TIME_OF(HTMT_FLOP), MORE, .noun = "flop", MAY_BE_ABSENT},
    {"iop", HTMT_UNIT_OPERATION, TIME_OF(HTMT_IOP), MORE, .noun = "iop", MAY_BE_ABSENT},
    {"load", HTMT_UNIT_OPERATION, TIME_OF(HTMT_LOAD), MORE, .noun = "word", MAY_BE_ABSENT},
    {"store", HTMT_UNIT_OPERATION, TIME_OF(HTMT_STORE), MORE, .noun = "word", MAY_BE_ABSENT},
    {"lambda", HTMT_UNIT_SHARE, AT(processor, lambda), .most = 1, MAY_BE_ABSENT},
    {.key = "divide", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "function", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "vector", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "threads", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "slots", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "code", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "instructions", .kind = HTMT_SCHEMA_GROUP, .read = read_instructions, MAY_BE_ABSENT},
    {.key = "queues", .kind = HTMT_SCHEMA_GROUP, .read = htmt__queues_read, MAY_BE_ABSENT},
    {.key = "aggregate", .kind = HTMT_SCHEMA_GROUP, .rows = htmt__aggregate_rows, MAY_BE_ABSENT},
    {.key = NULL}};

#define WEIGHT_MOST 1000000
#define WEIGHT(member)                                                                             \
    .offset = offsetof(struct htmt__machine_weights, member),                                      \
    .size = sizeof(((struct htmt__machine_weights *)NULL)->member)

const struct htmt_schema_row htmt__processor_weights[] = {
    {"divide", HTMT_UNIT_OPERATIONS, WEIGHT(divide), .noun = "flop", MORE, .most = WEIGHT_MOST,
     MAY_BE_ABSENT, .absent = 1},
    {"function", HTMT_UNIT_OPERATIONS, WEIGHT(function), .noun = "flop", MORE, .most = WEIGHT_MOST,
     MAY_BE_ABSENT, .absent = 1},
    {"vector", HTMT_UNIT_COUNT, WEIGHT(vector), MORE, .most = 1024, MAY_BE_ABSENT},
    {.key = NULL}};

const struct htmt_schema_row htmt__memory_weights[] = {
    {"line", HTMT_UNIT_SIZE, WEIGHT(line), MORE, .most = 65536, MAY_BE_ABSENT, .absent = 1},
    {.key = NULL}};

const struct htmt_schema_row htmt__memory_rows[] = {
    {"name", HTMT_SCHEMA_TEXT, AT(memory, name)},
    {"capacity", HTMT_UNIT_SIZE, AT(memory, capacity), MORE, .most = WORDS_MAX},
    {"reserve", HTMT_UNIT_SIZE, AT(memory, reserve), .most = WORDS_MAX, MAY_BE_ABSENT},
    {"access-words", HTMT_UNIT_COUNT, AT(memory, access_words), MORE, .most = UINT32_MAX,
     MAY_BE_ABSENT, .absent = 1},
    {"access", HTMT_UNIT_ACCESS, AT(memory, access), MORE, MAY_BE_ABSENT},
    {"ports", HTMT_UNIT_COUNT, AT(memory, ports), MORE, .most = UINT32_MAX, MAY_BE_ABSENT},
    {.key = "line", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = NULL}};

const struct htmt_schema_row htmt__port_rows[] = {
    {"out", HTMT_UNIT_COUNT, AT(port, out), .most = HTMT_CHANNELS_MAX},
    {"out-rate", HTMT_UNIT_RATE, AT(port, out_word), MORE, MAY_BE_ABSENT},
    {"in", HTMT_UNIT_COUNT, AT(port, in), MORE, .most = HTMT_CHANNELS_MAX, MAY_BE_ABSENT},
    {"in-rate", HTMT_UNIT_RATE, AT(port, in_word), MORE, MAY_BE_ABSENT},
    {.key = NULL}};

static const char *const scopes[] = {"slice", "machine", NULL};

/* A processor is a group, or the word that there is none, or whose it is; one takes the other's
 * place. */
static int read_processor(struct htmt__figures *figures, const struct htmt_yaml *node,
                          const char *key, const struct htmt_schema_row *rows,
                          struct htmt_fault *fault)
{
    char below[sizeof((struct htmt_figure){0}.key) + 1];
    if (node->kind != HTMT_YAML_SCALAR) {
        if (htmt__figures_find(figures, key))
            htmt__figures_drop(figures, key);
        return htmt__figures_walk(figures, node, key, rows, fault);
    }
    if (strcmp(node->text, HTMT__NO_PROCESSOR) != 0 &&
        strncmp(node->text, HTMT__PROCESSOR_AS, strlen(HTMT__PROCESSOR_AS)) != 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: %s: found '%.60s', expected '" HTMT__NO_PROCESSOR
                              "', '" HTMT__PROCESSOR_AS "LAYER' or a mapping",
                              node->file, node->line, key, node->text);
    snprintf(below, sizeof below, "%s.", key);
    htmt__figures_drop(figures, below);
    return htmt__figures_read_plain(figures, node, key, fault);
}

bool htmt__machine_empty(struct htmt__figures *figures, const char *key)
{
    char below[sizeof((struct htmt_figure){0}.key) + 16];
    unsigned before = figures->count;
    snprintf(below, sizeof below, "%s.", key);
    htmt__figures_drop(figures, below);
    htmt__fabric_forget(figures, key);
    return figures->count < before;
}

/* A network that is not modelled keeps its scope and its ports; all figures that say what something
 * costs there take the value and the source of `by`. */
int htmt__machine_forget(struct htmt__figures *figures, const struct htmt_figure *by,
                         struct htmt_fault *fault)
{
    const size_t length = strlen(by->key);
    char inside[sizeof by->key + 8];
    snprintf(inside, sizeof inside, "%s.inside", by->key);
    bool known = htmt__machine_empty(figures, inside);
    for (unsigned i = 0; i < figures->count; i++) {
        struct htmt_figure *at = &figures->at[i], figure = *by;
        if (strncmp(at->key, by->key, length) != 0 || at->key[length] != '.')
            continue;
        const char *last = strrchr(at->key, '.') + 1;
        if (strcmp(last, "scope") == 0 || strcmp(last, "out") == 0)
            continue;
        memcpy(figure.key, at->key, sizeof figure.key);
        *at = figure;
        known = true;
    }
    if (known)
        return 0;
    return htmt__figure_refuse(by, HTMT_EFORMAT, fault,
                               "found '" HTMT__NOT_MODELLED "', but no base has this network");
}

/* ---- networks of a machine with a controller ------------------------------------------------- */

static int read_curve(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                      const struct htmt_schema_row *rows, struct htmt_fault *fault)
{
    (void)rows;
    return htmt__curve_read(figures, node, key, fault);
}

#define CURVE(name)                                                                                \
    {                                                                                              \
        .key = (name), .kind = HTMT_SCHEMA_GROUP, .read = read_curve                               \
    }
#define GROUP(name, table)                                                                         \
    {                                                                                              \
        .key = (name), .kind = HTMT_SCHEMA_GROUP, .rows = (table)                                  \
    }

static const struct htmt_schema_row transfer_rows[] = {
    CURVE("start"), CURVE("rate"), CURVE("time"), {.key = NULL}};
static const struct htmt_schema_row way_rows[] = {
    GROUP("to", transfer_rows), GROUP("from", transfer_rows), {.key = NULL}};
static const struct htmt_schema_row mode_rows[] = {GROUP("serial", way_rows),
                                                   GROUP("parallel", way_rows),
                                                   GROUP("broadcast", way_rows),
                                                   {.key = NULL}};
static const struct htmt_schema_row bus_rows[] = {{.key = "group", .kind = HTMT_SCHEMA_FIGURE},
                                                  {.key = "lanes", .kind = HTMT_SCHEMA_FIGURE},
                                                  CURVE("launch"),
                                                  CURVE("first-launch"),
                                                  GROUP("serial", way_rows),
                                                  GROUP("parallel", way_rows),
                                                  GROUP("broadcast", way_rows),
                                                  GROUP("scratch", mode_rows),
                                                  {.key = NULL}};
static const struct htmt_schema_row latency_rows[] = {{.key = "read", .kind = HTMT_SCHEMA_FIGURE},
                                                      {.key = "write", .kind = HTMT_SCHEMA_FIGURE},
                                                      {.key = NULL}};
static const struct htmt_schema_row engine_rows[] = {
    {.key = "startup", .kind = HTMT_SCHEMA_FIGURE}, GROUP("latency", latency_rows),
    {.key = "rate", .kind = HTMT_SCHEMA_FIGURE},    {.key = "largest", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "align", .kind = HTMT_SCHEMA_FIGURE},   {.key = NULL}};

/* Whether the file, or a base before it, gives the network this key. */
static bool has_key(const struct htmt__figures *figures, const struct htmt_yaml *node,
                    const char *network, const char *key)
{
    char name[2 * sizeof((struct htmt_figure){0}.key)];
    snprintf(name, sizeof name, "%s.%s", network, key);
    return htmt_yaml_get(node, key) || htmt__figures_find(figures, name);
}

/* A value, which can only be that the network is not modelled; a bus, an engine, or a network. */
static int read_network(struct htmt__figures *figures, const struct htmt_yaml *node,
                        const char *key, const struct htmt_schema_row *rows,
                        struct htmt_fault *fault)
{
    if (node->kind == HTMT_YAML_SCALAR || htmt_yaml_get(node, "value")) {
        struct htmt__figures one = {0};
        int rc = htmt__figures_read(&one, node, key, fault);
        if (!rc && htmt__figure_modelled(&one.at[0]))
            rc = htmt__figure_refuse(&one.at[0], HTMT_EFORMAT, fault,
                                     "expected a network or the value '" HTMT__NOT_MODELLED "'");
        if (!rc)
            rc = htmt__machine_forget(figures, &one.at[0], fault);
        htmt__figures_fini(&one);
        return rc;
    }
    if (has_key(figures, node, key, "group"))
        return htmt__figures_walk(figures, node, key, bus_rows, fault);
    if (has_key(figures, node, key, "rate"))
        return htmt__figures_walk(figures, node, key, engine_rows, fault);
    return htmt__figures_walk(figures, node, key, rows, fault);
}

/* ---- inside a processor or a network --------------------------------------------------------- */

/* The model that a mapping names, or that a base has named before. */
static const char *model_name(const struct htmt__figures *figures, const struct htmt_yaml *node,
                              const char *key)
{
    char name[sizeof((struct htmt_figure){0}.key) + 8];
    const struct htmt_yaml *named = htmt_yaml_get(node, "model");
    snprintf(name, sizeof name, "%s.model", key);
    const struct htmt_figure *before = htmt__figures_find(figures, name);
    /* A topology is the fabric's, unless the base has named cells, which have one, too. */
    if (!named && htmt__fabric_is(node) &&
        (!before || strcmp(before->value, htmt__model_cells.name) != 0))
        return htmt__model_fabric.name;
    if (!named && !before && strncmp(key, "layers.", 7) == 0 && htmt__node_is(node))
        return htmt__model_node.name;
    return named && named->kind == HTMT_YAML_SCALAR ? named->text : before ? before->value : "";
}

/* A mapping with the figures of a model, whose rows are NULL if no model has that name; or the word
 * that nothing inside is modelled. Figures of another model, which a base has named, go. */
static int read_inside(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                       const struct htmt_schema_row *rows, const char *name,
                       const char *const names[16], struct htmt_fault *fault)
{
    char hint[200], model[sizeof((struct htmt_figure){0}.key) + 8];
    unsigned count = 0;
    if (node->kind == HTMT_YAML_SCALAR) {
        if (strcmp(node->text, HTMT__NOT_MODELLED) != 0)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found '%.60s', expected '" HTMT__NOT_MODELLED
                                  "' or a mapping",
                                  node->file, node->line, key, node->text);
        htmt__machine_empty(figures, key);
        return 0;
    }
    if (!rows && !*name)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: key '%s.model' is missing", node->file,
                              node->line, key);
    if (!rows) {
        while (names[count])
            count++;
        htmt__suggest(name, names, count, hint, sizeof hint);
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s.model: found '%.60s', %s", node->file,
                              node->line, key, name, hint);
    }
    snprintf(model, sizeof model, "%s.model", key);
    const struct htmt_figure *before = htmt__figures_find(figures, model);
    if (before && strcmp(before->value, name) != 0)
        htmt__machine_empty(figures, key);
    return htmt__figures_walk(figures, node, key, rows, fault);
}

static int read_processor_inside(struct htmt__figures *figures, const struct htmt_yaml *node,
                                 const char *key, const struct htmt_schema_row *rows,
                                 struct htmt_fault *fault)
{
    const char *names[16], *name = model_name(figures, node, key);
    const struct htmt__processor_model *model = htmt__processor_model(name, names);
    (void)rows;
    int rc = read_inside(figures, node, key, model ? model->rows : NULL, name, names, fault);
    bool own = model == &htmt__model_node && node->kind == HTMT_YAML_MAPPING;
    return rc || !own ? rc : htmt__node_complete(figures, node, key, fault);
}

static int read_network_inside(struct htmt__figures *figures, const struct htmt_yaml *node,
                               const char *key, const struct htmt_schema_row *rows,
                               struct htmt_fault *fault)
{
    const char *names[16], *name = model_name(figures, node, key);
    const struct htmt__network_model *model = htmt__network_model(name, names);
    (void)rows;
    int rc = read_inside(figures, node, key, model ? model->rows : NULL, name, names, fault);
    bool fabric = model == &htmt__model_fabric && node->kind == HTMT_YAML_MAPPING;
    return rc || !fabric ? rc : htmt__fabric_complete(figures, node, key, fault);
}

static const struct htmt_schema_row any_rows[] = {HTMT__MODEL_NAME, {.key = NULL}};

const struct htmt_schema_row htmt__network_rows[] = {
    {"scope", HTMT_SCHEMA_CHOICE, AT(network, machine_wide), .words = scopes},
    {"startup", HTMT_UNIT_TIME, AT(network, startup), .most = TIME_MOST, MAY_BE_ABSENT},
    {"latency", HTMT_UNIT_TIME, AT(network, latency), .most = TIME_MOST, MAY_BE_ABSENT},
    {.key = "startup-next", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "receive", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "local-rate", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {"ports", HTMT_SCHEMA_NAMED, .rows = htmt__port_rows},
    {.key = "inside",
     .kind = HTMT_SCHEMA_GROUP,
     .rows = any_rows,
     .read = read_network_inside,
     .optional = true},
    {.key = NULL}};

static const struct htmt_schema_row layer_rows[] = {
    {.key = "scope", .kind = HTMT_SCHEMA_CHOICE, .words = scopes, .optional = true},
    {"processor", HTMT_SCHEMA_GROUP, .rows = htmt__processor_rows, .read = read_processor},
    {.key = "memory", .kind = HTMT_SCHEMA_GROUP, .rows = htmt__memory_rows},
    {.key = "inside",
     .kind = HTMT_SCHEMA_GROUP,
     .rows = any_rows,
     .read = read_processor_inside,
     .optional = true},
    {.key = NULL}};

const struct htmt_schema_row htmt__machine_rows[] = {
    {.key = "htmt-machine", .kind = HTMT_SCHEMA_NODE},
    {.key = "base", .kind = HTMT_SCHEMA_NODE},
    {.key = "about", .kind = HTMT_SCHEMA_NODE},
    {"slices", HTMT_UNIT_COUNT, AT(machine, slices), MORE, .most = SLICES_MAX},
    {"layers", HTMT_SCHEMA_NAMED, .rows = layer_rows},
    {"networks", HTMT_SCHEMA_NAMED, .rows = htmt__network_rows, .read = read_network},
    {.key = NULL}};

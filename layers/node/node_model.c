/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A processor with an inside: issue, units, caches, bus and DRAM (docs/nodes.md). What happens
 * there is layers/node; here are the keys. `inside` of the layer holds a pointer to the figures.
 * Kernels without a tape keep their counted operations.
 */
#include "layers/node/node_model.h"

#include "runtime/base/library.h"

#include <stdio.h>
#include <string.h>

#define NAME "node"

#define AT(member)                                                                                 \
    .offset = offsetof(struct htmt__node_figures, member),                                         \
    .size = sizeof(((struct htmt__node_figures *)NULL)->member)
#define TIME(member)  .kind = HTMT_UNIT_OPERATION, AT(member), .noun = "op"
#define BYTES(member) .kind = HTMT_UNIT_BYTES, AT(member), .above_least = true
#define COUNT(member) .kind = HTMT_UNIT_COUNT, AT(member), .most = UINT32_MAX
#define MAY_BE_ABSENT .optional = true
#define CROWD(name, i)                                                                             \
    {.key = "cores-" name ".cache", TIME(crowd[i].cache), .above_least = true, MAY_BE_ABSENT},     \
        {.key = "cores-" name ".cache-write",                                                      \
         TIME(crowd[i].cache_write),                                                               \
         .above_least = true,                                                                      \
         MAY_BE_ABSENT},                                                                           \
        {.key = "cores-" name ".memory", TIME(crowd[i].memory), .above_least = true},              \
    {                                                                                              \
        .key = "cores-" name ".memory-write", TIME(crowd[i].memory_write), .above_least = true     \
    }

static const char *const predictors[] = {"none", "static", "counters", "loops", "history", NULL};
static const char *const orders[] = {"program", "window", NULL};
static const char *const fetches[] = {"free", "memory", NULL};
static const char *const replacements[] = {"lru", "fifo", "random", NULL};
static const char *const writes[] = {"back", "through", "not-modelled", NULL};
static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const indices[] = {"plain", "hashed", NULL};
static const char *const places[] = {"l1-l2", "cpu-l1", "l2-dram", "l3-dram", NULL};
static const char *const policies[] = {"open", "closed", NULL};
static const char *const sharings[] = {"alone", "bus", NULL};
static const char *const caches[] = {"cold", "warm", NULL};

const struct htmt_schema_row htmt__node_before[] = {
    {.key = "issue", TIME(issue), .above_least = true, MAY_BE_ABSENT},
    {.key = "load", TIME(load), MAY_BE_ABSENT},
    {.key = "store", TIME(store), MAY_BE_ABSENT},
    {.key = NULL}};

const struct htmt_schema_row htmt__node_after[] = {
#define CALIBRATION(name, bound)                                                                   \
    {"calibration." name "-low",  HTMT_UNIT_SHARE,     AT(calibration[bound].low),                 \
     .most = HTMT__NODE_OFF_MOST, .above_least = true, MAY_BE_ABSENT},                             \
    {                                                                                              \
        "calibration." name "-high", HTMT_UNIT_SHARE, AT(calibration[bound].high),                 \
            .most = HTMT__NODE_OFF_MOST, .above_least = true, MAY_BE_ABSENT                        \
    }
    CALIBRATION("issue", HTMT__NODE_BY_ISSUE),
    CALIBRATION("units", HTMT__NODE_BY_UNITS),
    CALIBRATION("chains", HTMT__NODE_BY_CHAINS),
    CALIBRATION("l1", HTMT__NODE_BY_L1),
    CALIBRATION("caches", HTMT__NODE_BY_CACHES),
    CALIBRATION("memory", HTMT__NODE_BY_MEMORY),
    CALIBRATION("branches", HTMT__NODE_BY_BRANCHES),
    {"overlap", HTMT_UNIT_SHARE, AT(overlap), .most = 1, MAY_BE_ABSENT},
    {.key = "branch", TIME(branch), MAY_BE_ABSENT},
    {"predictor", HTMT_SCHEMA_CHOICE, AT(predictor), .words = predictors, MAY_BE_ABSENT},
    {.key = "reach", COUNT(reach), .above_least = true, MAY_BE_ABSENT},
    {.key = "outcomes", COUNT(outcomes), .above_least = true, MAY_BE_ABSENT},
    {"fetch", HTMT_SCHEMA_CHOICE, AT(fetched), .words = fetches, MAY_BE_ABSENT},
    {.key = "l1.size", BYTES(l1.size)},
    {.key = "l1.line", BYTES(l1.line)},
    {.key = "l1.ways", COUNT(l1.ways)},
    {"l1.replace", HTMT_SCHEMA_CHOICE, AT(l1.replace), .words = replacements, MAY_BE_ABSENT},
    {"l1.write", HTMT_SCHEMA_CHOICE, AT(l1.write), .words = writes, MAY_BE_ABSENT},
    {.key = "l1.buffer", COUNT(l1.buffer), MAY_BE_ABSENT},
    {.key = "l1.seed", COUNT(l1.seed), MAY_BE_ABSENT},
    {"l1.split", HTMT_SCHEMA_CHOICE, AT(l1.split), .words = no_yes, MAY_BE_ABSENT},
    {.key = "l1.hit", TIME(l1.hit)},
    {.key = "l1.every", TIME(l1.every), MAY_BE_ABSENT},
    {.key = "l1.store-every", TIME(l1.store_every), MAY_BE_ABSENT},
    {.key = "l1.fill", TIME(l1.fill), MAY_BE_ABSENT},
    {.key = "l1.spill", TIME(l1.spill), MAY_BE_ABSENT},
    {.key = "l1.every-16", TIME(l1.wide[0]), MAY_BE_ABSENT},
    {.key = "l1.every-32", TIME(l1.wide[1]), MAY_BE_ABSENT},
    {.key = "l1.every-64", TIME(l1.wide[2]), MAY_BE_ABSENT},
    {.key = "l1.every-across", TIME(l1.across), MAY_BE_ABSENT},
    {.key = "l1.store-every-across", TIME(l1.store_across), MAY_BE_ABSENT},
    {.key = "l1.store-apart", TIME(l1.store_apart), MAY_BE_ABSENT},
    {.key = "l1.store-every-16", TIME(l1.wide_store[0]), MAY_BE_ABSENT},
    {.key = "l1.store-every-32", TIME(l1.wide_store[1]), MAY_BE_ABSENT},
    {.key = "l1.store-every-64", TIME(l1.wide_store[2]), MAY_BE_ABSENT},
    {.key = "l2.size", BYTES(l2.size)},
    {.key = "l2.line", BYTES(l2.line)},
    {.key = "l2.ways", COUNT(l2.ways)},
    {.key = "l2.cores", COUNT(l2.cores), .above_least = true, MAY_BE_ABSENT},
    {.key = "l2.fewest", COUNT(l2.fewest), .above_least = true, MAY_BE_ABSENT},
    {"l2.replace", HTMT_SCHEMA_CHOICE, AT(l2.replace), .words = replacements, MAY_BE_ABSENT},
    {"l2.write", HTMT_SCHEMA_CHOICE, AT(l2.write), .words = writes, MAY_BE_ABSENT},
    {.key = "l2.seed", COUNT(l2.seed), MAY_BE_ABSENT},
    {.key = "l2.stream", COUNT(l2.streams), .above_least = true},
    {.key = "l2.depth", COUNT(l2.depth), .above_least = true},
    {.key = "l2.hit", TIME(l2.hit)},
    {.key = "l2.every", TIME(l2.every), MAY_BE_ABSENT},
    {.key = "l2.back", TIME(l2.back), MAY_BE_ABSENT},
    {.key = "l2.banks", COUNT(l2.banks), .above_least = true, MAY_BE_ABSENT},
    {.key = "l2.bank-every", TIME(l2.bank), MAY_BE_ABSENT},
    {.key = "l2.store-behind", TIME(l2.behind), MAY_BE_ABSENT},
    {.key = "l3.size", BYTES(l3.size)},
    {.key = "l3.line", BYTES(l3.line)},
    {.key = "l3.ways", COUNT(l3.ways)},
    {.key = "l3.cores", COUNT(l3.cores), .above_least = true, MAY_BE_ABSENT},
    {.key = "l3.fewest", COUNT(l3.fewest), .above_least = true, MAY_BE_ABSENT},
    {"l3.replace", HTMT_SCHEMA_CHOICE, AT(l3.replace), .words = replacements, MAY_BE_ABSENT},
    {"l3.write", HTMT_SCHEMA_CHOICE, AT(l3.write), .words = writes, MAY_BE_ABSENT},
    {.key = "l3.seed", COUNT(l3.seed), MAY_BE_ABSENT},
    {.key = "l3.hit", TIME(l3.hit)},
    {.key = "l3.every", TIME(l3.every), MAY_BE_ABSENT},
    {.key = "l3.back", TIME(l3.back), MAY_BE_ABSENT},
    {.key = "l3.banks", COUNT(l3.banks), .above_least = true, MAY_BE_ABSENT},
    {.key = "l3.bank-every", TIME(l3.bank), MAY_BE_ABSENT},
    {.key = "l3.store-behind", TIME(l3.behind), MAY_BE_ABSENT},
    {.key = "sram.size", BYTES(sram.bytes)},
    {.key = "sram.at", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "sram.hit", TIME(sram.hit)},
    {"bus.at", HTMT_SCHEMA_CHOICE, AT(bus.at), .words = places, MAY_BE_ABSENT},
    {.key = "bus.width", BYTES(bus.width)},
    {.key = "bus.clock", .kind = HTMT_SCHEMA_FIGURE, MAY_BE_ABSENT},
    {.key = "bus.arbitration", TIME(bus.arbitration), MAY_BE_ABSENT},
    {"bus.duplex", HTMT_SCHEMA_CHOICE, AT(bus.duplex), .words = no_yes, MAY_BE_ABSENT},
    {.key = "window", COUNT(window), .above_least = true, MAY_BE_ABSENT},
    {"order", HTMT_SCHEMA_CHOICE, AT(order), .words = orders, MAY_BE_ABSENT},
    {.key = "reorder", COUNT(reorder), .above_least = true, MAY_BE_ABSENT},
    {.key = "waiting", COUNT(waiting), .above_least = true, MAY_BE_ABSENT},
    {.key = "loads", COUNT(loads), .above_least = true, MAY_BE_ABSENT},
    {.key = "stores", COUNT(stores), .above_least = true, MAY_BE_ABSENT},
    {.key = "forward", TIME(forward), MAY_BE_ABSENT},
    {.key = "forward-part", TIME(forward_part), MAY_BE_ABSENT},
    {.key = "jump.every", TIME(jump.every)},
    {.key = "jump.taken", TIME(jump.taken), MAY_BE_ABSENT},
    {.key = "jump.units", COUNT(jump.units), .above_least = true, MAY_BE_ABSENT},
    {.key = "jump.group", COUNT(jump.group), .above_least = true, MAY_BE_ABSENT},
    {.key = "beside", TIME(beside), MAY_BE_ABSENT},
    {.key = "unfused.add", TIME(unfused.add), MAY_BE_ABSENT},
    {.key = "unfused.add-index", TIME(unfused.add_index), MAY_BE_ABSENT},
    {.key = "unfused.index", TIME(unfused.index), MAY_BE_ABSENT},
    {.key = "tlb.page", BYTES(tlb.page)},
    {.key = "tlb.entries", COUNT(tlb.entries), .above_least = true},
    {.key = "tlb.late", TIME(tlb.late)},
    {.key = "tlb.second", COUNT(tlb.second), .above_least = true, MAY_BE_ABSENT},
    {.key = "tlb.walk", TIME(tlb.walk), MAY_BE_ABSENT},
    {.key = "tlb.every", TIME(tlb.every), MAY_BE_ABSENT},
    {.key = "tlb.tables", COUNT(tlb.tables), MAY_BE_ABSENT},
    {"tlb.index", HTMT_SCHEMA_CHOICE, AT(tlb.hashed), .words = indices, MAY_BE_ABSENT},
    {.key = "outstanding", COUNT(outstanding), .above_least = true, MAY_BE_ABSENT, .absent = 1},
    {.key = "outstanding-stores", COUNT(outstanding_stores), .above_least = true, MAY_BE_ABSENT},
    {.key = "prefetch.streams", COUNT(prefetch_streams), .above_least = true},
    {.key = "prefetch.lines", COUNT(prefetch_lines), .above_least = true},
    CROWD("1", 0),
    CROWD("2", 1),
    CROWD("4", 2),
    CROWD("8", 3),
    CROWD("16", 4),
    CROWD("32", 5),
    CROWD("64", 6),
    CROWD("128", 7),
    CROWD("all", 8),
    {.key = "cores-all.count", COUNT(crowd[8].count), .above_least = true},
    {.key = "threads", COUNT(threads), .above_least = true, MAY_BE_ABSENT},
    {.key = "registers", COUNT(registers), .above_least = true, MAY_BE_ABSENT},
    {.key = "dram.banks", COUNT(dram.banks), .above_least = true, MAY_BE_ABSENT, .absent = 1},
    {.key = "dram.page", BYTES(dram.page)},
    {.key = "dram.interleave", BYTES(dram.interleave), MAY_BE_ABSENT},
    {"dram.policy", HTMT_SCHEMA_CHOICE, AT(dram.closed), .words = policies, MAY_BE_ABSENT},
    {.key = "dram.hit", TIME(dram.hit)},
    {.key = "dram.miss", TIME(dram.miss)},
    {.key = "dram.latency", TIME(dram.latency), MAY_BE_ABSENT},
    {.key = "dram.refresh", TIME(dram.refresh), MAY_BE_ABSENT},
    {.key = "dram.busy", TIME(dram.busy), MAY_BE_ABSENT},
    {"sharing", HTMT_SCHEMA_CHOICE, AT(shared), .words = sharings, MAY_BE_ABSENT},
    {"caches", HTMT_SCHEMA_CHOICE, AT(warm), .words = caches, MAY_BE_ABSENT},
    {.key = NULL}};

/* ---- reading --------------------------------------------------------------------------------- */

#define WORD(name)                                                                                 \
    {                                                                                              \
        .key = name, .kind = HTMT_SCHEMA_TEXT, .optional = true                                    \
    }
#define VALUE(name)                                                                                \
    {                                                                                              \
        .key = name, .kind = HTMT_SCHEMA_FIGURE, .optional = true                                  \
    }
#define SOURCE                                                                                     \
    {                                                                                              \
        .key = "source", .kind = HTMT_SCHEMA_NODE, .optional = true                                \
    }

/* Parts of a component; the value of an operation is its latency. */
static const struct htmt_schema_row operation_parts[] = {
    VALUE("value"),  VALUE("latency"),      VALUE("every"),  VALUE("onward"), VALUE("units"),
    VALUE("within"), VALUE("instructions"), VALUE("places"), SOURCE,          {.key = NULL}};
/* Of a function: also of calls whose argument is in one range. */
#define IN_RANGE(n)                                                                                \
    VALUE("latency-" #n), VALUE("every-" #n), VALUE("instructions-" #n), VALUE("places-" #n)
static const struct htmt_schema_row function_parts[] = {
    VALUE("value"),  VALUE("latency"),      VALUE("every"),  VALUE("onward"), VALUE("units"),
    VALUE("within"), VALUE("instructions"), VALUE("places"), SOURCE,          IN_RANGE(0),
    IN_RANGE(1),     IN_RANGE(2),           IN_RANGE(3),     IN_RANGE(4),     IN_RANGE(5),
    IN_RANGE(6),     IN_RANGE(7),           IN_RANGE(8),     IN_RANGE(9),     IN_RANGE(10),
    IN_RANGE(11),    IN_RANGE(12),          IN_RANGE(13),    IN_RANGE(14),    {.key = NULL}};
static const struct htmt_schema_row first_parts[] = {VALUE("size"),
                                                     VALUE("line"),
                                                     VALUE("ways"),
                                                     WORD("replace"),
                                                     WORD("write"),
                                                     VALUE("buffer"),
                                                     VALUE("seed"),
                                                     WORD("split"),
                                                     VALUE("hit"),
                                                     VALUE("every"),
                                                     VALUE("store-every"),
                                                     VALUE("fill"),
                                                     VALUE("spill"),
                                                     SOURCE,
                                                     VALUE("every-16"),
                                                     VALUE("every-32"),
                                                     VALUE("every-64"),
                                                     VALUE("store-every-16"),
                                                     VALUE("store-every-32"),
                                                     VALUE("store-every-64"),
                                                     VALUE("every-across"),
                                                     VALUE("store-every-across"),
                                                     VALUE("store-apart"),
                                                     {.key = NULL}};
static const struct htmt_schema_row cache_parts[] = {
    VALUE("size"),         VALUE("line"),   VALUE("ways"),  WORD("replace"), WORD("write"),
    VALUE("seed"),         VALUE("stream"), VALUE("depth"), VALUE("hit"),    VALUE("every"),
    VALUE("back"),         VALUE("fewest"), VALUE("cores"), VALUE("banks"),  VALUE("bank-every"),
    VALUE("store-behind"), SOURCE,          {.key = NULL}};
static const struct htmt_schema_row crowd_parts[] = {
    VALUE("count"),        VALUE("cache"), VALUE("cache-write"), VALUE("memory"),
    VALUE("memory-write"), SOURCE,         {.key = NULL}};
static const struct htmt_schema_row sram_parts[] = {
    VALUE("size"), VALUE("at"), VALUE("hit"), SOURCE, {.key = NULL}};
static const struct htmt_schema_row bus_parts[] = {
    WORD("at"),     VALUE("width"), VALUE("clock"), VALUE("arbitration"),
    WORD("duplex"), SOURCE,         {.key = NULL}};
static const struct htmt_schema_row jump_parts[] = {VALUE("every"), VALUE("taken"), VALUE("units"),
                                                    VALUE("group"), SOURCE,         {.key = NULL}};
static const struct htmt_schema_row unfused_parts[] = {
    VALUE("add"), VALUE("add-index"), VALUE("index"), SOURCE, {.key = NULL}};
static const struct htmt_schema_row tlb_parts[] = {
    VALUE("page"),  VALUE("entries"), VALUE("late"), VALUE("second"), VALUE("walk"),
    VALUE("every"), VALUE("tables"),  WORD("index"), SOURCE,          {.key = NULL}};
#define RANGE(name) VALUE(name "-low"), VALUE(name "-high")
static const struct htmt_schema_row calibration_parts[] = {
    RANGE("issue"),  RANGE("units"),    RANGE("chains"), RANGE("l1"),  RANGE("caches"),
    RANGE("memory"), RANGE("branches"), SOURCE,          {.key = NULL}};
static const struct htmt_schema_row prefetch_parts[] = {
    VALUE("streams"), VALUE("lines"), SOURCE, {.key = NULL}};
static const struct htmt_schema_row dram_parts[] = {
    VALUE("banks"), VALUE("page"), VALUE("interleave"), WORD("policy"),
    VALUE("hit"),   VALUE("miss"), VALUE("latency"),    VALUE("refresh"),
    VALUE("busy"),  SOURCE,        {.key = NULL}};

/* Several values with one source; or the words that nothing is modelled, which drop what a machine
 * below this one in the file said of the component. */
static int read_component(struct htmt__figures *figures, const struct htmt_yaml *node,
                          const char *key, const struct htmt_schema_row *rows,
                          struct htmt_fault *fault)
{
    char under[sizeof((struct htmt_figure){0}.key) + 1];
    if (node->kind == HTMT_YAML_SCALAR) {
        if (strcmp(node->text, HTMT__NOT_MODELLED) != 0)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%d: %s: found '%.60s', expected '" HTMT__NOT_MODELLED
                                  "' or a mapping",
                                  node->file, node->line, key, node->text);
        snprintf(under, sizeof under, "%s.", key);
        htmt__figures_drop(figures, under);
        return 0;
    }
    int rc = htmt_schema_keys(node, key, rows, fault);
    const struct htmt_yaml *source = rc ? NULL : htmt_yaml_get(node, "source");
    for (; rows->key && !rc; rows++) {
        const struct htmt_yaml *part = htmt_yaml_get(node, rows->key);
        if (!part || rows->kind == HTMT_SCHEMA_NODE)
            continue;
        if (rows->kind == HTMT_SCHEMA_TEXT) {
            rc = htmt__figures_key(part, key, rows->key, under, fault);
            if (!rc)
                rc = htmt__figures_read_plain(figures, part, under, fault);
            continue;
        }
        const char *name = strcmp(rows->key, "value") == 0 ? "latency" : rows->key;
        rc = htmt__figures_read_shared(figures, part, source, key, name, fault);
    }
    return rc;
}

#define COMPONENT(name, parts)                                                                     \
    {                                                                                              \
        .key = name, .kind = HTMT_SCHEMA_GROUP, .rows = parts, .read = read_component              \
    }
#define OPERATION(name) COMPONENT(name, operation_parts)
#define OPERATIONS_OF(name, lanes)                                                                 \
    OPERATION(name "-i32" lanes), OPERATION(name "-i64" lanes), OPERATION(name "-f32" lanes),      \
        OPERATION(name "-f64" lanes)
#define ONE(operation, name, like, from, to)                                                       \
    COMPONENT(#name "-f32", function_parts), COMPONENT(#name "-f64", function_parts),              \
        OPERATION(#name "-f32x2"), OPERATION(#name "-f64x2"), OPERATION(#name "-f32x4"),           \
        OPERATION(#name "-f64x4"), OPERATION(#name "-f32x8"), OPERATION(#name "-f64x8"),           \
        OPERATION(#name "-f32x16"), OPERATION(#name "-f64x16"),
#define TWO(operation, name, like, from, to, second) ONE(operation, name, like, from, to)
#define LENGTH(operation, name)                      OPERATION(#name),
#define OPERATIONS(name)                                                                           \
    OPERATIONS_OF(name, ""), OPERATIONS_OF(name, "x2"), OPERATIONS_OF(name, "x4"),                 \
        OPERATIONS_OF(name, "x8"), OPERATIONS_OF(name, "x16")

static const struct htmt_schema_row rows[] = {
    HTMT__MODEL_NAME,
    VALUE("issue"),
    VALUE("load"),
    VALUE("store"),
    OPERATION("constant"),
    OPERATION("call"),
    OPERATIONS("add"),
    OPERATIONS("sub"),
    OPERATIONS("mul"),
    OPERATIONS("div"),
    OPERATION("rem-i32"),
    OPERATION("rem-i64"),
    COMPONENT("rem-f32", function_parts),
    COMPONENT("rem-f64", function_parts),
    OPERATIONS_OF("rem", "x2"),
    OPERATIONS_OF("rem", "x4"),
    OPERATIONS_OF("rem", "x8"),
    OPERATIONS_OF("rem", "x16"),
    OPERATIONS("logic"),
    OPERATIONS("cmp"),
    OPERATIONS("convert"),
    OPERATIONS("fma"),
    OPERATIONS("sqrt"),
    HTMT__LIBRARY_CODE(ONE, TWO) HTMT__LIBRARY_SHORT(ONE, TWO) HTMT__LIBRARY_LENGTHS(LENGTH)
        OPERATIONS("min"),
    OPERATIONS("shuffle"),
    OPERATIONS("gather"),
    OPERATIONS("scatter"),
    OPERATIONS("shift"),
    OPERATIONS("shift-add"),
    OPERATIONS("select"),
    OPERATIONS("select-two"),
    VALUE("overlap"),
    VALUE("branch"),
    WORD("predictor"),
    VALUE("reach"),
    VALUE("outcomes"),
    WORD("fetch"),
    COMPONENT("l1", first_parts),
    COMPONENT("l2", cache_parts),
    COMPONENT("l3", cache_parts),
    COMPONENT("sram", sram_parts),
    COMPONENT("bus", bus_parts),
    VALUE("window"),
    WORD("order"),
    VALUE("reorder"),
    VALUE("waiting"),
    VALUE("loads"),
    VALUE("stores"),
    VALUE("forward"),
    VALUE("forward-part"),
    VALUE("beside"),
    COMPONENT("jump", jump_parts),
    COMPONENT("unfused", unfused_parts),
    COMPONENT("tlb", tlb_parts),
    COMPONENT("calibration", calibration_parts),
    VALUE("outstanding"),
    VALUE("outstanding-stores"),
    COMPONENT("prefetch", prefetch_parts),
    COMPONENT("cores-1", crowd_parts),
    COMPONENT("cores-2", crowd_parts),
    COMPONENT("cores-4", crowd_parts),
    COMPONENT("cores-8", crowd_parts),
    COMPONENT("cores-16", crowd_parts),
    COMPONENT("cores-32", crowd_parts),
    COMPONENT("cores-64", crowd_parts),
    COMPONENT("cores-128", crowd_parts),
    COMPONENT("cores-all", crowd_parts),
    VALUE("threads"),
    VALUE("registers"),
    COMPONENT("dram", dram_parts),
    WORD("sharing"),
    WORD("caches"),
    {.key = NULL}};

bool htmt__node_is(const struct htmt_yaml *inside)
{
    if (inside->kind != HTMT_YAML_MAPPING || htmt_yaml_get(inside, "model"))
        return false;
    for (const struct htmt_schema_row *r = rows; r->key; r++)
        if (htmt_yaml_get(inside, r->key))
            return true;
    return false;
}

int htmt__node_complete(struct htmt__figures *figures, const struct htmt_yaml *node,
                        const char *key, struct htmt_fault *fault)
{
    char under[sizeof((struct htmt_figure){0}.key)], text[] = NAME;
    struct htmt_yaml word = {
        .kind = HTMT_YAML_SCALAR, .line = node->line, .file = node->file, .text = text};
    int rc = htmt__figures_key(node, key, "model", under, fault);
    if (rc || htmt__figures_find(figures, under))
        return rc;
    return htmt__figures_read_plain(figures, &word, under, fault);
}

const struct htmt__processor_model htmt__model_node = {
    .name = NAME, .rows = rows, .of_counts = true};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine with a controller, from its figures: the controller's layer, the processor with
 * threads, the DMA engine and the bus. Its chain is always the same: the controller over the whole
 * machine, a bank without a processor in each slice, and the scratch memory of the processor with
 * threads. Such a machine knows no other keys than those below: every figure of the file must have
 * been kept by a row.
 */
#include "layers/bank/controller.h"
#include "layers/machine/builder.h"
#include "runtime/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM      sizeof((struct htmt_figure){0}.key)
#define LAYERS        3 /* controller, bank, scratch */
#define CODE_MOST     (UINT64_C(1) << 32)
#define TRANSFER_MOST (UINT64_C(1) << 32)

#define AT(type, member)                                                                           \
    .offset = offsetof(struct type, member), .size = sizeof(((struct type *)NULL)->member)
#define MORE          .above_least = true
#define MAY_BE_ABSENT .optional = true

/* ---- layers ---------------------------------------------------------------------------------- */

static const struct htmt_schema_row thread_processor[] = {
    {"name", HTMT_SCHEMA_TEXT, AT(htmt_processor, name)},
    {"clock", HTMT_UNIT_FREQUENCY, AT(htmt_processor, clock), MORE},
    {.key = NULL}};

static const struct htmt_schema_row issue_rows[] = {
    {"threads", HTMT_UNIT_COUNT, AT(htmt__issue_figures, threads), MORE,
     .most = HTMT__ISSUE_THREADS_MAX},
    {"slots", HTMT_UNIT_COUNT, AT(htmt__issue_figures, slots), MORE, .most = UINT16_MAX},
    {"code", HTMT_UNIT_BYTES, AT(htmt__issue_figures, code), MORE, .most = CODE_MOST,
     MAY_BE_ABSENT},
    {.key = NULL}};

static const struct htmt_schema_row controller_processor[] = {
    {"name", HTMT_SCHEMA_TEXT, AT(htmt_processor, name)}, {.key = NULL}};

static const struct htmt_schema_row instruction_row = {.kind = HTMT_UNIT_SHARE, MORE};

static const struct htmt_figure *figure_of(const struct htmt__builder *b, const char *of,
                                           const char *key)
{
    return htmt__figures_find_under(b->from, of, key);
}

/* The processor with threads. Each counted operation, of whatever class, is one instruction and so
 * one cycle of the issue port; the rows under `instructions` name the operations that are several.
 */
static int build_threads(struct htmt__builder *b, const char *processor, uint32_t layer)
{
    struct htmt_processor *p = &b->machine->layer[layer].processor;
    struct htmt__bank_machine *h = b->machine->bank_machine;
    struct htmt__issue_figures *issue = &h->issue;
    char prefix[KEY_ROOM + 16];
    int rc = htmt__build_group(b, thread_processor, processor, p);
    if (!rc)
        rc = htmt__build_group(b, issue_rows, processor, issue);
    if (rc)
        return rc;
    p->count = 1;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        p->time[i] = p->time[HTMT_CYCLE];
    issue->cycle = p->time[HTMT_CYCLE];
    h->scratch = layer;
    if (htmt__issue_prepare(issue))
        return htmt__figure_refuse(figure_of(b, processor, "threads"), HTMT_ERANGE, b->fault,
                                   "the port's rates have no common denominator below 2^62 (use "
                                   "fewer threads or a rounder clock)");
    const size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s.instructions.", processor);
    for (unsigned i = 0; i < b->from->count; i++) {
        const struct htmt_figure *figure = &b->from->at[i];
        struct htmt_quantity q;
        if (strncmp(figure->key, prefix, length) != 0)
            continue;
        rc = htmt__figure_quantity(figure, &instruction_row, &q, b->fault);
        if (!rc && q.value.num == 0)
            rc = htmt__figure_refuse(figure, HTMT_ERANGE, b->fault,
                                     "found 0, expected more than zero");
        if (!rc && !htmt__array_fits(&h->instruction, &h->instruction_room,
                                     (size_t)h->instruction_count + 1, sizeof *h->instruction))
            rc = htmt_fault_set(b->fault, HTMT_ENOMEM, "out of memory for instructions");
        if (rc)
            return rc;
        struct htmt__instruction_row *row = &h->instruction[h->instruction_count++];
        *row = (struct htmt__instruction_row){.count = q.value};
        snprintf(row->name, sizeof row->name, "%s", figure->key + length);
        htmt__build_keep(b, figure);
        htmt__build_absorb_ratio(b, q.value);
    }
    return 0;
}

/* A layer of scope `machine` is the controller, whose work costs no time. */
int htmt__build_controller_processor(struct htmt__builder *b, const char *of, uint32_t layer,
                                     bool *done)
{
    struct htmt_processor *p = &b->machine->layer[layer].processor;
    const struct htmt_figure *scope = figure_of(b, of, "scope");
    const bool controller = scope && strcmp(scope->value, "machine") == 0;
    char processor[KEY_ROOM];
    int rc;
    snprintf(processor, sizeof processor, "%s.processor", of);
    *done = controller || figure_of(b, processor, "threads");
    if (scope) {
        if (!controller && strcmp(scope->value, "slice") != 0)
            return htmt__figure_refuse(scope, HTMT_EFORMAT, b->fault,
                                       "expected 'slice' or 'machine'");
        htmt__build_keep(b, scope);
        htmt__build_absorb(b, scope->value);
    }
    if (!*done)
        return 0;
    if (!b->machine->bank_machine)
        b->machine->bank_machine = calloc(1, sizeof *b->machine->bank_machine);
    if (!b->machine->bank_machine)
        return htmt_fault_set(b->fault, HTMT_ENOMEM, "out of memory");
    if (!controller)
        return build_threads(b, processor, layer);
    rc = htmt__build_group(b, controller_processor, processor, p);
    p->count = 1;
    b->machine->bank_machine->controller = layer;
    return rc;
}

/* The chain as a whole, once its layers are there. */
int htmt__build_controller(struct htmt__builder *b)
{
    const struct htmt_machine *m = b->machine;
    struct htmt__bank_machine *h = m->bank_machine;
    if (!h)
        return 0;
    h->bank = 1;
    bool good = m->layer_count == LAYERS && h->controller == 0 && h->scratch == 2 &&
                *m->layer[0].processor.name && h->issue.threads > 0 && !*m->layer[1].processor.name;
    return good ? 0
                : htmt__figure_refuse(&m->figure[0], HTMT_EFORMAT, b->fault,
                                      "expected three layers: a host of 'scope: machine', a bank "
                                      "without processor, a scratch memory with 'threads'");
}

/* ---- networks -------------------------------------------------------------------------------- */

static const struct htmt_schema_row engine_rows[] = {
    {"startup", HTMT_UNIT_OPERATION, AT(htmt__dma_figures, startup), MAY_BE_ABSENT},
    {"latency.read", HTMT_UNIT_OPERATION, AT(htmt__dma_figures, read), MAY_BE_ABSENT},
    {"latency.write", HTMT_UNIT_OPERATION, AT(htmt__dma_figures, write), MAY_BE_ABSENT},
    {"rate", HTMT_UNIT_BYTE_CYCLES, AT(htmt__dma_figures, byte), MORE},
    {"largest", HTMT_UNIT_BYTES, AT(htmt__dma_figures, largest), MORE, .most = TRANSFER_MOST,
     MAY_BE_ABSENT},
    {"align", HTMT_UNIT_BYTES, AT(htmt__dma_figures, align), MORE, .most = 4096, MAY_BE_ABSENT},
    {.key = NULL}};

static const struct htmt_schema_row bus_rows[] = {
    {"group", HTMT_UNIT_COUNT, AT(htmt__bus, group), MORE, .most = UINT32_MAX}, {.key = NULL}};

/* Slices that share a line: no time depends on them. */
static const struct htmt_schema_row lanes_row = {
    "lanes", HTMT_UNIT_COUNT, .size = sizeof(uint32_t), MORE, .most = UINT32_MAX, MAY_BE_ABSENT};

static const struct htmt_schema_row time_row = {.kind = HTMT_UNIT_TIME, MAY_BE_ABSENT};
static const struct htmt_schema_row rate_row = {.kind = HTMT_UNIT_BANDWIDTH, MORE, MAY_BE_ABSENT};

static void keep_point(void *with, const struct htmt_figure *figure, const struct htmt_ratio *value)
{
    struct htmt__builder *b = with;
    htmt__build_keep(b, figure);
    if (value)
        htmt__build_absorb_ratio(b, *value);
    else
        htmt__build_absorb(b, figure->value);
}

/* A launch moves no bytes. */
static int check_argument(struct htmt__builder *b, const char *key, const char *part,
                          const char *name)
{
    const bool launch = strcmp(strrchr(key, '.'), ".launch") == 0 ||
                        strcmp(strrchr(key, '.'), ".first-launch") == 0;
    bool good = !*name || strcmp(name, "processors") == 0 || strcmp(name, "ranks") == 0 ||
                (!launch && strcmp(name, "bytes") == 0);
    return good ? 0
                : htmt__figure_refuse(figure_of(b, key, part), HTMT_EFORMAT, b->fault, "%s",
                                      launch ? "expected 'processors' or 'ranks'"
                                             : "expected 'processors', 'ranks' or 'bytes'");
}

static int build_curve(struct htmt__builder *b, const char *key, const struct htmt_schema_row *row,
                       struct htmt_curve *curve)
{
    int rc = htmt__curve_build(b->from, key, row, keep_point, b, curve, b->fault);
    if (!rc)
        rc = check_argument(b, key, "by", curve->by[0]);
    if (!rc)
        rc = check_argument(b, key, "by-next", curve->by[1]);
    if (!rc && *curve->by[1] && strcmp(curve->by[0], curve->by[1]) == 0)
        rc = htmt__figure_refuse(figure_of(b, key, "by-next"), HTMT_EFORMAT, b->fault,
                                 "expected another argument than the first");
    return rc;
}

/* All transfers of one end: each mode in each direction has a curve for its start, its rate and its
 * whole time. Those of the bank stand in the bus itself, those of the scratch memory in a group. */
static int build_transfers(struct htmt__builder *b, const char *of, enum htmt__bus_end end)
{
    static const char *const modes[] = {"serial", "parallel", "broadcast"};
    static const char *const ways[] = {"to", "from"};
    struct htmt__bus *bus = &b->machine->bank_machine->figures;
    int rc = 0;
    for (int mode = 0; mode < HTMT__BUS_MODES && !rc; mode++)
        for (int way = 0; way < HTMT__BUS_WAYS && !rc; way++) {
            struct htmt__bus_transfer *t = &bus->transfer[end][mode][way];
            char key[3 * KEY_ROOM];
            snprintf(key, sizeof key, "%s.%s.%s.start", of, modes[mode], ways[way]);
            rc = build_curve(b, key, &time_row, &t->start);
            snprintf(key, sizeof key, "%s.%s.%s.rate", of, modes[mode], ways[way]);
            if (!rc)
                rc = build_curve(b, key, &rate_row, &t->rate);
            snprintf(key, sizeof key, "%s.%s.%s.time", of, modes[mode], ways[way]);
            if (!rc)
                rc = build_curve(b, key, &time_row, &t->time);
        }
    return rc;
}

/* A network with `rate` is the DMA engine between bank and scratch memory, one with `group` the bus
 * of the controller. Their times come from their own figures, so no port has a time a word. */
int htmt__build_controller_network(struct htmt__builder *b, const char *of, uint32_t network,
                                   bool *done)
{
    const struct htmt_figure *rate = figure_of(b, of, "rate"), *group = figure_of(b, of, "group");
    struct htmt__bank_machine *h = b->machine->bank_machine;
    struct htmt_network *n = &b->machine->network[network];
    char key[KEY_ROOM + 16];
    uint32_t lanes;
    *done = rate || group;
    if (!*done)
        return 0;
    if (!h)
        return htmt__figure_refuse(rate ? rate : group, HTMT_EFORMAT, b->fault,
                                   "only a machine with a host ('scope: machine') knows this key");
    for (int i = 0; i < HTMT_LAYERS_MAX; i++)
        n->port[i].out_word = n->port[i].in_word = (struct htmt_ratio){0, 1};
    b->cycle = &b->machine->layer[h->scratch].processor.time[HTMT_CYCLE];
    if (rate) {
        n->port[h->bank].out = n->port[h->scratch].out = 1;
        h->dma = network;
        return htmt__build_group(b, engine_rows, of, &h->engine);
    }
    n->machine_wide = true;
    for (uint32_t i = 0; i < LAYERS; i++)
        n->port[i].out = 1;
    h->bus = network;
    int rc = htmt__build_group(b, bus_rows, of, &h->figures);
    if (!rc && figure_of(b, of, "lanes"))
        rc = htmt__build_row(b, &lanes_row, of, &lanes);
    snprintf(key, sizeof key, "%s.launch", of);
    if (!rc)
        rc = build_curve(b, key, &time_row, &h->figures.launch);
    snprintf(key, sizeof key, "%s.first-launch", of);
    if (!rc)
        rc = build_curve(b, key, &time_row, &h->figures.first_launch);
    if (!rc)
        rc = build_transfers(b, of, HTMT__TO_BANK);
    snprintf(key, sizeof key, "%s.scratch", of);
    return rc ? rc : build_transfers(b, key, HTMT__TO_SCRATCH);
}

/* ---- the whole ------------------------------------------------------------------------------- */

int htmt__build_controller_end(struct htmt__builder *b)
{
    const struct htmt__bank_machine *h = b->machine->bank_machine;
    if (!h)
        return 0;
    for (unsigned i = 0; i < b->from->count; i++) {
        const struct htmt_machine *m = b->machine;
        bool kept = false;
        for (uint32_t j = 0; j < m->figure_count && !kept; j++)
            kept = strcmp(m->figure[j].key, b->from->at[i].key) == 0;
        if (!kept)
            return htmt__figure_refuse(&b->from->at[i], HTMT_EFORMAT, b->fault,
                                       "a machine with a host does not know this key");
    }
    if (h->engine.byte.num == 0 || h->figures.group == 0)
        return htmt_fault_set(b->fault, HTMT_EFORMAT,
                              "%s:1: a machine with a host needs a network with 'rate' (its DMA) "
                              "and one with 'group' (its bus)",
                              b->file);
    return 0;
}

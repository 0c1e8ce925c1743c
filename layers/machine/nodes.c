/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine file says of the inside of a processor becomes its figures. Rules that no single
 * figure shows are checked at the end, each at the figure that broke it.
 */
#include "layers/machine/nodes.h"

#include "layers/machine/builder.h"
#include "layers/node/node_model.h"
#include "layers/node/tape/tape.h"
#include "runtime/base/library.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel's frames lie below it (parcels/data/op_recorder.h). */
#define STACK_TOP (HTMT__TAPE_STACK + (UINT64_C(16) << 20))
#define KEY_ROOM  sizeof((struct htmt_figure){0}.key)

struct nodes {
    struct htmt__builder *b;
    const char *of; /* "layers.NAME" */
    char prefix[KEY_ROOM];
    const struct htmt_ratio *cycle; /* the processor's */
    struct htmt__node_figures *f;
};

static const struct htmt_figure *given(const struct nodes *s, const char *key)
{
    return htmt__figures_find_under(s->b->from, s->prefix, key);
}

/* The first figure of the component that a dotted key belongs to; NULL: it is not given. */
static const struct htmt_figure *component(const struct nodes *s, const char *key)
{
    char full[2 * KEY_ROOM];
    snprintf(full, sizeof full, "%s.%.*s.", s->prefix, (int)strcspn(key, "."), key);
    for (unsigned i = 0; i < s->b->from->count; i++)
        if (strncmp(s->b->from->at[i].key, full, strlen(full)) == 0)
            return &s->b->from->at[i];
    return NULL;
}

__attribute__((format(printf, 3, 4))) static int refuse(const struct nodes *s, const char *key,
                                                        const char *format, ...)
{
    char what[200];
    const struct htmt_figure *f = given(s, key);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    f = f ? f : component(s, key);
    return htmt__figure_refuse(f ? f : given(s, "model"), HTMT_ERANGE, s->b->fault, "%s", what);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Cycles of the bus are its clock's. */
static int build_clock(struct nodes *s, const struct htmt_figure *figure)
{
    static const struct htmt_schema_row clock = {.key = "clock", .kind = HTMT_UNIT_FREQUENCY};
    struct htmt_quantity q;
    int rc = htmt__figure_quantity(figure, &clock, &q, s->b->fault);
    if (rc)
        return rc;
    if (q.value.num == 0 ||
        htmt_ratio_div((struct htmt_ratio){HTMT_SECOND, 1}, q.value, &s->f->bus.cycle))
        return htmt__figure_refuse(figure, HTMT_ERANGE, s->b->fault,
                                   "the cycle cannot be held exactly");
    htmt__build_keep(s->b, figure);
    htmt__build_absorb_ratio(s->b, s->f->bus.cycle);
    return 0;
}

/* An address; or the word for what a kernel's frames take first. */
static int build_place(struct nodes *s, const struct htmt_figure *figure)
{
    static const struct htmt_schema_row place = {.key = "at", .kind = HTMT_UNIT_BYTES};
    struct htmt_quantity q = {.value = {STACK_TOP - s->f->sram.bytes, 1}};
    bool stack = strcmp(figure->value, "stack") == 0;
    int rc = stack ? 0 : htmt__figure_quantity(figure, &place, &q, s->b->fault);
    if (rc)
        return rc;
    s->f->sram.at = q.value.num;
    htmt__build_keep(s->b, figure);
    htmt__build_absorb_ratio(s->b, q.value);
    return 0;
}

/* One key that the rows name. The second level is a cache, with all keys of `l2`, or stream
 * buffers, with `l2.stream`, `l2.depth` and `l2.hit`. */
static int build_key(struct nodes *s, const struct htmt_schema_row *row)
{
    char full[2 * KEY_ROOM];
    const char *key = row->key;
    const struct htmt_figure *figure = given(s, key);
    const bool streams = given(s, "l2.stream") != NULL;
    const bool of_streams = strcmp(key, "l2.stream") == 0 || strcmp(key, "l2.depth") == 0;
    const bool concerned = of_streams                    ? streams
                           : strncmp(key, "l2.", 3) == 0 ? !streams || strcmp(key, "l2.hit") == 0
                                                         : true;
    snprintf(full, sizeof full, "%s.%s", s->prefix, key);
    if (figure && !concerned)
        return htmt__figure_refuse(figure, HTMT_EFORMAT, s->b->fault,
                                   "l2 is a cache, or stream buffers, but not both");
    if (figure && row->kind == HTMT_SCHEMA_FIGURE)
        return strcmp(key, "bus.clock") == 0 ? build_clock(s, figure) : build_place(s, figure);
    s->b->cycle = strcmp(key, "bus.arbitration") == 0 ? &s->f->bus.cycle : s->cycle;
    if (figure)
        return htmt__build_row(s->b, row, s->prefix, s->f);
    bool needed = !row->optional && concerned && component(s, key);
    return needed ? htmt__build_refuse_missing(s->b, full) : 0;
}

#define TIME_OF(member)                                                                            \
    .kind = HTMT_UNIT_OPERATION, .noun = "op", .offset = offsetof(struct htmt__node_unit, member), \
    .size = sizeof unit->member
#define NUMBER_OF(member, top)                                                                     \
    .kind = HTMT_UNIT_COUNT, .above_least = true, .most = top,                                     \
    .offset = offsetof(struct htmt__node_unit, member), .size = sizeof unit->member

/* `every` alone is no operation; without it a unit takes one operation after the other.
 * `function`: the operation is one of the C library. */
static int build_operation(struct nodes *s, const char *name, bool function,
                           struct htmt__node_unit *unit)
{
    char key[40];
    const struct htmt_schema_row rows[] = {
        {.key = key, TIME_OF(latency)},
        {.key = key, TIME_OF(every)},
        {.key = key, TIME_OF(onward)},
        {.key = key, NUMBER_OF(units, HTMT__NODE_UNITS_MOST)},
        {.key = key, NUMBER_OF(within, HTMT__NODE_UNITS_MOST)},
        {.key = key, NUMBER_OF(instructions, HTMT__NODE_WINDOW_MOST)},
        {.key = key, NUMBER_OF(places, HTMT__NODE_WINDOW_MOST)}};
    static const char *const parts[] = {"latency", "every",        "onward", "units",
                                        "within",  "instructions", "places"};
    int rc = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !rc; i++) {
        snprintf(key, sizeof key, "%s.%s", name, parts[i]);
        s->b->cycle = s->cycle;
        if (i == 0 && !component(s, key))
            return 0;
        if (rows[i].offset >= offsetof(struct htmt__node_unit, instructions) && !function &&
            given(s, key))
            return htmt__figure_refuse(given(s, key), HTMT_EFORMAT, s->b->fault,
                                       "is of a function, such as sin-f64");
        if (i == 0 || given(s, key))
            rc = htmt__build_row(s->b, &rows[i], s->prefix, unit);
        if (i == 0)
            unit->every = unit->latency;
    }
    unit->given = true;
    return rc;
}

/* `latency-5` and so on: calls whose argument is in range 5, or in one behind it up to the next
 * that is given. Below the first they are as all calls. */
static int build_ranges(struct nodes *s, const char *name, const struct htmt__node_unit *unit,
                        struct htmt__node_call call[HTMT__LIBRARY_RANGES])
{
    static const char *const parts[] = {"latency", "every", "instructions", "places"};
    struct htmt__node_unit of = *unit;
    bool any = false;
    int rc = 0;
    for (int i = 0; i < HTMT__LIBRARY_RANGES && unit->given && !rc; i++) {
        char key[48];
        const struct htmt_schema_row rows[] = {
            {.key = key, TIME_OF(latency)},
            {.key = key, TIME_OF(every)},
            {.key = key, NUMBER_OF(instructions, HTMT__NODE_WINDOW_MOST)},
            {.key = key, NUMBER_OF(places, HTMT__NODE_WINDOW_MOST)}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows && !rc; k++) {
            snprintf(key, sizeof key, "%s.%s-%d", name, parts[k], i);
            if (!given(s, key))
                continue;
            s->b->cycle = s->cycle;
            rc = htmt__build_row(s->b, &rows[k], s->prefix, &of);
            any = true;
        }
        if (any)
            call[i] = (struct htmt__node_call){of.latency, of.every, of.instructions, of.places};
    }
    return rc;
}

/* A call takes the latency, each 16 bytes of it the other figure. */
static void build_lengths(struct htmt__node_unit *unit)
{
    struct htmt__node_unit *call = &unit[HTMT_I64], *bytes = &unit[HTMT_I32];
    *bytes = *call;
    bytes->latency = bytes->every;
    call->every = call->latency;
}

/* Operations without figures of their own have those of the one that they are like. */
static void borrow(struct htmt__node_figures *f)
{
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++) {
            const enum htmt_operation like = htmt__operation_like((enum htmt_operation)o);
            if (f->unit[o][t].given || (int)like == o)
                continue;
            f->unit[o][t] = f->unit[like][t];
            f->unit[o][t].borrowed = true;
        }
}

/* Units by operation and type of operand; a constant or a call has no type, and branches have keys
 * of their own. */
static int build_operations(struct nodes *s)
{
    int rc = 0;
    for (int o = 0; o < HTMT_OPERATIONS && !rc; o++) {
        struct htmt__node_unit *unit = s->f->unit[o];
        const char *of = htmt_operation_name((enum htmt_operation)o);
        const bool lengths = htmt__operation_by_length((enum htmt_operation)o);
        const bool untyped = htmt__operation_untyped((enum htmt_operation)o) && !lengths;
        const bool function = htmt__operation_is_function((enum htmt_operation)o);
        if (o == HTMT_BRANCH)
            continue;
        if (untyped || lengths)
            rc = build_operation(s, of, function, &unit[lengths ? HTMT_I64 : 0]);
        if (lengths)
            build_lengths(unit);
        for (int t = 0; t < HTMT_OPERAND_TYPES && !rc && !lengths; t++) {
            char name[24];
            if (untyped) {
                unit[t] = unit[0];
                continue;
            }
            snprintf(name, sizeof name, "%s-%s", of,
                     htmt_operand_name((enum htmt_type_of_operand)t));
            rc = build_operation(s, name, function, &unit[t]);
            if (!rc &&
                htmt__library_has_range((enum htmt_operation)o, (enum htmt_type_of_operand)t))
                rc = build_ranges(s, name, &unit[t], s->f->call[o][t == HTMT_F64]);
        }
    }
    borrow(s->f);
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int check(const struct nodes *s, const struct htmt_layer *layer)
{
    const struct htmt__node_figures *f = s->f;
    const struct {
        const char *key;
        uint64_t bytes;
    } sizes[] = {{"l1.size", f->l1.size},
                 {"l2.size", f->l2.size},
                 {"l3.size", f->l3.size},
                 {"sram.size", f->sram.bytes}};
    char key[80], why[160];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].bytes / HTMT_WORD > layer->memory.capacity)
            return refuse(s, sizes[i].key,
                          "found %llu bytes, which are more than the layer's memory",
                          (unsigned long long)sizes[i].bytes);
    if (f->l1.kind && (f->load.num || f->store.num))
        return refuse(s, f->load.num ? "load" : "store",
                      "is of a processor without l1, whose accesses take l1.hit");
    return htmt__node_figures_good(f, key, why, sizeof why) ? 0 : refuse(s, key, "%s", why);
}

int htmt__build_node(struct htmt__builder *b, const char *of, const struct htmt_figure *model,
                     struct htmt_layer *layer)
{
    struct nodes s = {.b = b, .of = of, .cycle = &layer->processor.time[HTMT_CYCLE]};
    snprintf(s.prefix, sizeof s.prefix, "%s.inside", of);
    s.f = calloc(1, sizeof *s.f);
    if (!s.f)
        return htmt_fault_set(b->fault, HTMT_ENOMEM, "%s: out of memory", b->file);
    s.f->overlap = (struct htmt_ratio){0, 1};
    s.f->cycle = s.f->bus.cycle = *s.cycle;
    s.f->dram.banks = s.f->outstanding = 1;
    memcpy(layer->inside, &s.f, sizeof s.f);
    htmt__build_keep(b, model);
    htmt__build_absorb(b, model->value);
    int rc = 0;
    for (const struct htmt_schema_row *r = htmt__node_before; r->key && !rc; r++)
        rc = build_key(&s, r);
    if (!rc)
        rc = build_operations(&s);
    for (const struct htmt_schema_row *r = htmt__node_after; r->key && !rc; r++)
        rc = build_key(&s, r);
    if (rc)
        return rc;
    /* What the components that are given imply. */
    struct htmt__node_figures *f = s.f;
    f->l1.kind = component(&s, "l1") ? HTMT__NODE_CACHE : HTMT__NODE_NO_LEVEL;
    f->l2.kind = given(&s, "l2.stream") ? HTMT__NODE_STREAMS
                 : component(&s, "l2")  ? HTMT__NODE_CACHE
                                        : HTMT__NODE_NO_LEVEL;
    f->l3.kind = component(&s, "l3") ? HTMT__NODE_CACHE : HTMT__NODE_NO_LEVEL;
    f->dram.given = component(&s, "dram") != NULL;
    if (f->l1.every.num == 0)
        f->l1.every = f->l1.hit;
    if (f->l1.store_every.num == 0)
        f->l1.store_every = f->l1.every;
    return check(&s, layer);
}

static struct htmt__node_figures *figures_of(const struct htmt_layer *layer)
{
    struct htmt__node_figures *f = NULL;
    if (layer->model == &htmt__model_node)
        memcpy(&f, layer->inside, sizeof f);
    return f;
}

const struct htmt__node_figures *htmt__machine_node(const struct htmt_machine *m, uint32_t layer)
{
    return m && layer < m->layer_count ? figures_of(&m->layer[layer]) : NULL;
}

static uint32_t first_inside(const struct htmt_machine *m)
{
    uint32_t l = 0;
    while (l < m->layer_count && !htmt__machine_node(m, l))
        l++;
    return l;
}

const struct htmt__node_figures *htmt__machine_inside(const struct htmt_machine *m)
{
    return htmt__machine_node(m, first_inside(m));
}

double htmt__machine_nothing(const struct htmt_machine *m)
{
    const uint32_t l = first_inside(m);
    const struct htmt__node_figures *f = htmt__machine_node(m, l);
    if (!f || !f->issue.num)
        return 0;
    const struct htmt_ratio cycle = m->layer[l].processor.time[HTMT_CYCLE];
    return (double)f->issue.num / (double)f->issue.den * (double)cycle.den / (double)cycle.num;
}

bool htmt__machine_node_shares(const struct htmt_machine *m, uint32_t layer)
{
    const struct htmt__node_figures *f = htmt__machine_node(m, layer);
    return f && f->shared && htmt_machine_servers(m, layer) > 1;
}

bool htmt__machine_node_depends(const struct htmt_machine *m, uint32_t layer)
{
    const struct htmt__node_figures *f = htmt__machine_node(m, layer);
    return f && (f->warm || htmt__machine_node_shares(m, layer));
}

bool htmt__machine_node_keeps(const struct htmt_machine *m, uint32_t layer, uint32_t slices)
{
    const struct htmt__node_figures *f = htmt__machine_node(m, layer);
    return f && f->warm && slices == 1 && htmt_machine_servers(m, layer) == 1;
}

int htmt__machine_copy_node(struct htmt_layer *layer)
{
    const struct htmt__node_figures *old = figures_of(layer);
    struct htmt__node_figures *own = old ? malloc(sizeof *own) : NULL;
    if (!old)
        return 0;
    if (own)
        *own = *old;
    memcpy(layer->inside, &own, sizeof own);
    return own ? 0 : HTMT_ENOMEM;
}

int htmt__machine_copy_nodes(struct htmt_machine *m)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->layer_count; i++)
        if (htmt__machine_copy_node(&m->layer[i]))
            rc = HTMT_ENOMEM;
    return rc;
}

void htmt__machine_free_nodes(struct htmt_machine *m)
{
    for (uint32_t i = 0; i < m->layer_count; i++)
        free(figures_of(&m->layer[i]));
}

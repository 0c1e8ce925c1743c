/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The set-up of a table's program, and what it leaves.
 */
#include "apps/traffic/program.h"

#include "apps/traffic/contents.h"
#include "apps/traffic/program_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct htmt__traffic_program program;

/* ---- types ----------------------------------------------------------------------------------- */

static void no_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    (void)ops;
}

/* Types differ in the messages that a node hears, up to a power of two. */
static unsigned class_of(uint32_t hears)
{
    unsigned found = 0;
    while (UINT32_C(1) << found < hears)
        found++;
    return found;
}

static void fill_fibers(struct htmt_stage *fiber, uint32_t hears)
{
    fiber[HTMT__STEP - 1] =
        (struct htmt_stage){.control = htmt__traffic_step, .count = 1, .reset = 1};
    fiber[HTMT__LEFT - 1] =
        (struct htmt_stage){.control = htmt__traffic_left, .count = 1, .reset = 1};
    fiber[HTMT__MOVE - 1] =
        (struct htmt_stage){.control = htmt__traffic_move, .count = 1, .reset = 1};
    fiber[HTMT__MOVED - 1] =
        (struct htmt_stage){.control = htmt__traffic_moved, .count = 1, .reset = 1};
    for (uint32_t i = 0; i < hears; i++)
        fiber[HTMT__IN - 1 + i] = (struct htmt_stage){.kernel = htmt__traffic_check,
                                                      .cost = no_cost,
                                                      .control = htmt__traffic_arrive,
                                                      .count = 1,
                                                      .reset = 1};
}

static int create_type(program *p, unsigned of_class)
{
    uint32_t hears = UINT32_C(1) << of_class, fibers = HTMT__IN - 1 + hears;
    struct htmt_stage *fiber = calloc(fibers, sizeof *fiber);
    struct htmt_type_desc d = htmt_type_desc_init();
    const char *layer = htmt_emulator_machine(p->e)->layer[p->desc.layer].name;
    char name[32];
    if (!fiber)
        return HTMT_ENOMEM;
    snprintf(name, sizeof name, "Node %" PRIu32, hears);
    fill_fibers(fiber, hears);
    d.name = name;
    d.home = d.exec = layer;
    d.execute.control = htmt__traffic_begin;
    d.footprint = HTMT_RESIDENT;
    d.fibers = fiber;
    d.fiber_count = fibers;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof p;
    d.user = p;
    int rc = htmt_type_create(p->e, &d, &p->type[of_class]);
    free(fiber);
    return rc;
}

static int create_types(program *p)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->table->nodes && !rc; i++) {
        unsigned c = class_of(p->table->node[i].hears);
        if (!p->type[c])
            rc = create_type(p, c);
    }
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int create_area(program *p, uint32_t slice, uint64_t bytes, const char *name,
                       struct htmt_object **area)
{
    return bytes ? htmt_object_create(p->e, slice, p->desc.layer, bytes, name, area) : 0;
}

static void fill_area(const program *p, uint32_t slice)
{
    unsigned char *bytes = p->out[slice] ? htmt_object_bytes(p->out[slice]) : NULL;
    const struct htmt__traffic_node *n = &p->table->node[slice];
    for (uint32_t i = n->first; i < n->first + n->count && bytes; i++) {
        const struct htmt__traffic_op *op = &p->table->op[i];
        if (op->kind == HTMT__TRAFFIC_SEND || op->kind == HTMT__TRAFFIC_ASEND)
            htmt__traffic_fill(&p->table->message[op->message],
                               bytes + p->table->message[op->message].from);
    }
}

static uint64_t times_of(const program *p, uint32_t slice)
{
    const struct htmt__traffic_node *n = &p->table->node[slice];
    return 2 * p->desc.iterations + p->desc.kept * (n->sends + n->hears);
}

/* Of a slice that is played here. */
static int create_state(const program *p, uint32_t slice)
{
    struct htmt__traffic_state *s = &p->state[slice];
    uint32_t hears = p->table->node[slice].hears;
    uint64_t times = times_of(p, slice);
    s->arrived = calloc(3 * (size_t)hears + 1, sizeof *s->arrived);
    s->times = malloc(times * sizeof *s->times);
    if (!s->arrived || !s->times)
        return HTMT_ENOMEM;
    s->taken = s->arrived + hears;
    s->told = s->taken + hears;
    memset(s->times, 0xff, times * sizeof *s->times);
    for (uint32_t i = 0; i < hears; i++)
        s->missing += !htmt__traffic_heard(p->table, slice, i)->named;
    if (!s->missing) /* nothing is gathered: ALL has nothing to wait for */
        s->moved = UINT64_MAX;
    return 0;
}

static int create_node(program *p, uint32_t slice)
{
    const struct htmt__traffic_node *n = &p->table->node[slice];
    int rc = create_area(p, slice, n->out_bytes, "out", &p->out[slice]);
    if (!rc)
        rc = create_area(p, slice, n->in_bytes, "in", &p->in[slice]);
    if (!rc && htmt_slice_here(p->e, slice))
        rc = create_state(p, slice);
    if (rc)
        return rc;
    if (htmt_slice_here(p->e, slice))
        fill_area(p, slice);
    p->leaves[slice] =
        p->desc.iterations > 1 && !n->period && n->sends && !htmt__traffic_waits(p->table, slice);
    const program *args = p;
    return htmt_assemble(htmt_root(p->e),
                         &(struct htmt_parcel_desc){
                             .type = p->type[class_of(n->hears)], .slice = slice, .args = &args},
                         &p->ref[slice]);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int create_arrays(program *p)
{
    uint32_t n = p->table->nodes;
    p->out = calloc(n, sizeof *p->out);
    p->in = calloc(n, sizeof *p->in);
    p->ref = calloc(n, sizeof *p->ref);
    p->leaves = calloc(n, sizeof *p->leaves);
    p->state = htmt_per_slice_create(n, sizeof *p->state);
    return p->out && p->in && p->ref && p->leaves && p->state ? 0 : HTMT_ENOMEM;
}

static int fill(program *p)
{
    int rc = create_arrays(p);
    if (!rc)
        rc = create_types(p);
    if (!rc)
        rc = htmt_frame_create(p->e, p->desc.layer, sizeof(struct htmt__traffic_checked), "verdict",
                               &p->verdict);
    if (!rc)
        rc = htmt__traffic_routes_create(p->e, p->desc.network, p->table, &p->routes);
    for (uint32_t i = 0; i < p->table->nodes && !rc; i++)
        rc = create_node(p, i);
    return rc;
}

int htmt__traffic_program_create(struct htmt_emulator *e,
                                 const struct htmt__traffic_program_desc *desc,
                                 struct htmt__traffic_program **out, struct htmt_fault *fault)
{
    program *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->desc = *desc;
    p->table = desc->table;
    p->e = e;
    int rc = fill(p);
    *out = p;
    if (!rc)
        return 0;
    const struct htmt_fault *why = htmt_emulator_fault(e);
    htmt_fault_set(fault, rc, "%s", why->code ? why->text : htmt_strerror(rc));
    htmt__traffic_program_destroy(out);
    return rc;
}

void htmt__traffic_program_destroy(struct htmt__traffic_program **out)
{
    program *p = *out;
    if (!p)
        return;
    for (uint32_t i = 0; p->state && i < p->table->nodes; i++) {
        free(p->state[i].arrived);
        free(p->state[i].times);
    }
    htmt__traffic_routes_destroy(&p->routes);
    free(p->out);
    free(p->in);
    free(p->ref);
    free(p->leaves);
    free(p->state);
    free(p);
    *out = NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

int htmt__traffic_program_checked(const struct htmt__traffic_program *p,
                                  struct htmt__traffic_checked *checked)
{
    struct htmt__traffic_checked *of = calloc(p->table->nodes, sizeof *of);
    int rc = of ? htmt_frame_gather(p->verdict, of, sizeof *of) : HTMT_ENOMEM;
    *checked = (struct htmt__traffic_checked){.blocks = 0};
    for (uint32_t i = 0; i < p->table->nodes && !rc; i++) {
        checked->blocks += of[i].blocks;
        checked->wrong_blocks += of[i].wrong_blocks;
        checked->wrong_bytes += of[i].wrong_bytes;
    }
    free(of);
    return rc;
}

int htmt__traffic_program_gather(struct htmt__traffic_program *p)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->table->nodes && !rc; i++) {
        void *at = p->state[i].times;
        size_t size = at ? times_of(p, i) * sizeof *p->state[i].times : 0;
        rc = htmt_per_slice_fetch(p->e, i, &at, &size);
        p->state[i].times = at;
    }
    return rc;
}

/* -1 also in a process that has no times. */
static htmt_time time_at(const program *p, uint32_t slice, uint64_t place)
{
    return p->state[slice].times ? p->state[slice].times[place] : -1;
}

htmt_time htmt__traffic_began(const struct htmt__traffic_program *p, uint32_t node, uint64_t i)
{
    return time_at(p, node, i);
}

htmt_time htmt__traffic_ended(const struct htmt__traffic_program *p, uint32_t node, uint64_t i)
{
    return time_at(p, node, p->desc.iterations + i);
}

htmt_time htmt__traffic_sent(const struct htmt__traffic_program *p, uint32_t message, uint64_t i)
{
    const struct htmt__traffic_message *m = &p->table->message[message];
    return time_at(p, m->source, htmt__traffic_sent_at(p, m, i));
}

htmt_time htmt__traffic_came(const struct htmt__traffic_program *p, uint32_t message, uint64_t i)
{
    const struct htmt__traffic_message *m = &p->table->message[message];
    return time_at(p, m->target, htmt__traffic_came_at(p, m, i));
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The outer program is one activation, whose fiber STEP begins a step and hears when it is over. On
 * a machine with a host a step is a command of the host. On others it is as many puts, gets or
 * signals as there are slices, whose ends the slot of STEP counts. So the program is a list of
 * steps (enum htmt__prim_step) on either machine, and the time of a step is from its beginning to
 * the beginning of the next one.
 */
#include "apps/prim/program.h"

#include <stdlib.h>

enum { STEP = 1, MERGE, FIBERS = MERGE };

static struct htmt__prim_run *run_of(const struct htmt_context *c)
{
    return (struct htmt__prim_run *)htmt_user(c);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static const enum htmt__prim_phase phase_of[HTMT__PRIM_STEPS] = {
    [HTMT__PRIM_PUSH_FIRST] = HTMT__PRIM_TO,       [HTMT__PRIM_PUSH_SECOND] = HTMT__PRIM_TO,
    [HTMT__PRIM_BROADCAST_SECOND] = HTMT__PRIM_TO, [HTMT__PRIM_LAUNCH] = HTMT__PRIM_KERNEL,
    [HTMT__PRIM_LAUNCH_AGAIN] = HTMT__PRIM_KERNEL, [HTMT__PRIM_PULL_RESULT] = HTMT__PRIM_OTHER,
    [HTMT__PRIM_PUSH_OFFSET] = HTMT__PRIM_OTHER,   [HTMT__PRIM_MERGE] = HTMT__PRIM_OTHER,
    [HTMT__PRIM_PULL_OUT] = HTMT__PRIM_FROM,
};

static void launch(struct htmt_context *c, htmt_time start)
{
    const struct htmt__prim_run *r = run_of(c);
    htmt_delay(c, start);
    if (!r->plan->hosted) {
        htmt_slot_set(c, STEP, r->plan->slices, 1);
        for (uint32_t i = 0; i < r->plan->slices; i++)
            htmt_signal(c, htmt__prim_entry(r, i));
        return;
    }
    struct htmt_launch l = htmt_launch_init();
    l.slot = htmt__prim_entry(r, 0);
    l.count = r->plan->slices;
    l.wait = true;
    l.on_done = htmt_slot(c, STEP);
    htmt_launch(c, &l);
}

/* Parts of the slices go from the outer object to the bank (`push`), or back. */
static void transfer(struct htmt_context *c, struct htmt_object *outer, bool push,
                     struct htmt_transfer *t)
{
    const struct htmt__prim_run *r = run_of(c);
    if (r->plan->hosted) {
        t->host = htmt_in(outer, 0);
        t->frame = r->bank;
        t->count = r->plan->slices;
        t->on_done = htmt_slot(c, STEP);
        if (push)
            htmt_push(c, t);
        else
            htmt_pull(c, t);
        return;
    }
    htmt_slot_set(c, STEP, r->plan->slices, 1);
    for (uint32_t i = 0; i < r->plan->slices; i++) {
        struct htmt_addr there = htmt_in(outer, i * t->stride),
                         bank = htmt_at(r->bank, i, t->offset);
        struct htmt_put put = htmt_put_init();
        put.src = push ? there : bank;
        put.dst = push ? bank : there;
        put.bytes = t->bytes;
        put.on_arrived = htmt_slot(c, STEP);
        htmt_put(c, &put);
    }
}

/* What each slice keeps is known before (the plan's kept()). One by one each comes as it is;
 * transfers in parallel are equal, and take what any slice keeps at most. */
static void pull_out(struct htmt_context *c, struct htmt_transfer *t)
{
    const struct htmt__prim_run *r = run_of(c);
    t->stride = t->bytes = r->plan->out_bytes;
    t->offset = r->plan->at.out;
    if (r->kept) {
        t->bytes = 0;
        for (uint32_t i = 0; i < r->plan->slices; i++)
            t->bytes = r->kept[i] > t->bytes ? r->kept[i] : t->bytes;
        t->each = r->plan->serial ? r->kept : NULL;
        t->mode = r->plan->serial ? HTMT_SERIAL : HTMT_PARALLEL;
    }
    if (t->bytes)
        transfer(c, r->out, false, t);
    else
        htmt_signal(c, htmt_slot(c, STEP));
}

static void begin(struct htmt_context *c, enum htmt__prim_step step)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_plan *p = r->plan;
    struct htmt_transfer t = htmt_transfer_init();
    t.mode = HTMT_PARALLEL;
    switch (step) {
    case HTMT__PRIM_PUSH_FIRST:
        t.stride = t.bytes = p->in_bytes;
        t.offset = p->at.in[0];
        transfer(c, r->in[0], true, &t);
        break;
    case HTMT__PRIM_PUSH_SECOND:
        t.stride = t.bytes = p->second_bytes;
        t.offset = p->at.in[1];
        transfer(c, r->in[1], true, &t);
        break;
    case HTMT__PRIM_BROADCAST_SECOND:
        t.mode = HTMT_BROADCAST;
        t.bytes = p->second_bytes;
        t.offset = p->at.in[1];
        transfer(c, r->in[1], true, &t);
        break;
    case HTMT__PRIM_LAUNCH:
        launch(c, p->start);
        break;
    case HTMT__PRIM_LAUNCH_AGAIN:
        launch(c, 0);
        break;
    case HTMT__PRIM_PULL_RESULT:
        t.mode = p->serial && p->program->result_bytes == HTMT_WORD ? HTMT_SERIAL : HTMT_PARALLEL;
        t.stride = t.bytes = p->program->result_bytes;
        t.offset = p->at.result;
        transfer(c, r->result, false, &t);
        break;
    case HTMT__PRIM_MERGE:
        htmt_signal(c, htmt_slot(c, MERGE));
        break;
    case HTMT__PRIM_PUSH_OFFSET:
        t.stride = p->program->result_bytes;
        t.bytes = HTMT_WORD;
        t.offset = p->at.offset;
        transfer(c, r->result, true, &t);
        break;
    case HTMT__PRIM_PULL_OUT:
        pull_out(c, &t);
        break;
    case HTMT__PRIM_STEPS:
        break;
    }
}

/* A step is over: its time is that since it began. */
static void step(struct htmt_context *c)
{
    struct htmt__prim_run *r = run_of(c);
    const uint8_t *steps = r->plan->program->step;
    const htmt_time now = htmt_began(c);
    if (r->at)
        r->time[phase_of[steps[r->at - 1]]] += now - r->since;
    r->since = now;
    if (steps[r->at])
        begin(c, (enum htmt__prim_step)steps[r->at++]);
    else
        htmt_retire(c, htmt_self(c));
}

static void first_step(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, STEP));
}

/* What it costs the outer processor nobody gives: it is not modelled. */
static void merge(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    if (r->result)
        htmt_use(c, htmt_in(r->result, 0), htmt_object_size(r->result), HTMT_UPDATE);
    if (r->out)
        htmt_use(c, htmt_in(r->out, 0), htmt_object_size(r->out), HTMT_UPDATE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, STEP));
}

static void merge_kernel(struct htmt_kernel *k)
{
    const struct htmt__prim_run *r = htmt__prim_kernel_run(k);
    r->plan->program->merge(r->plan, k);
}

static void no_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user, (void)ops;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int create_objects(struct htmt__prim_run *r)
{
    const struct htmt__prim_plan *p = r->plan;
    const struct htmt__prim_program *g = p->program;
    bool writes = g->pass[0].writes || g->pass[g->passes - 1].writes;
    uint64_t second = g->rows ? p->second_bytes : p->second_bytes * p->slices;
    int rc =
        htmt_object_create(r->e, r->place, p->outer, p->in_bytes * p->slices, "input", &r->in[0]);
    if (!rc && g->pass[0].reads > 1)
        rc = htmt_object_create(r->e, r->place, p->outer, second, "second input", &r->in[1]);
    if (!rc && writes)
        rc = htmt_object_create(r->e, r->place, p->outer, p->out_bytes * p->slices, "output",
                                &r->out);
    if (!rc && g->result_bytes)
        rc = htmt_object_create(r->e, r->place, p->outer, (uint64_t)g->result_bytes * p->slices,
                                "results", &r->result);
    return rc;
}

int htmt__prim_outer_create(struct htmt__prim_run *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(r->e);
    const struct htmt__prim_plan *p = r->plan;
    const struct htmt_stage fibers[FIBERS] = {
        [STEP - 1] = {.control = step, .count = 1, .reset = 1},
        [MERGE - 1] = {
            .control = merge, .kernel = merge_kernel, .cost = no_cost, .count = 1, .reset = 1}};
    static const char *const names[FIBERS] = {[STEP - 1] = "step", [MERGE - 1] = "merge"};
    struct htmt_type_desc d = htmt_type_desc_init();
    struct htmt_type *type = NULL;
    struct htmt_ref ref = {0};
    d.name = "outer";
    d.home = d.exec = m->layer[p->outer].name;
    d.execute = (struct htmt_stage){.control = first_step};
    d.fibers = fibers;
    d.fiber_count = FIBERS;
    d.fiber_names = names;
    d.footprint = HTMT_RESIDENT;
    d.user = r;
    r->place = p->hosted ? htmt_host(r->e) : 0;
    if (p->program->kept) {
        r->kept = calloc(p->slices, sizeof *r->kept);
        if (!r->kept)
            return HTMT_ENOMEM;
        for (uint32_t i = 0; i < p->slices; i++)
            r->kept[i] = p->program->kept(p, i, 0, htmt__prim_elements(p, i)) * p->program->bytes;
    }
    int rc = create_objects(r);
    rc = rc ? rc : htmt_type_create(r->e, &d, &type);
    const struct htmt_parcel_desc parcel = {.type = type, .slice = r->place};
    rc = rc ? rc : htmt_assemble(htmt_root(r->e), &parcel, &ref);
    r->outer = htmt_slot_of(ref, STEP);
    return rc;
}

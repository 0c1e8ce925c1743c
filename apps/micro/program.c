/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tasklet waits for a launch. Then, block by block, it reads (START or NEXT), computes (COMPUTE)
 * and writes; the end of what it writes is NEXT's. Behind its last block REPEAT begins the next
 * repetition, or signals MET of tasklet 0, whose slot counts all tasklets: the slice has ended.
 */
#include "apps/micro/program.h"

#include <stdlib.h>

enum { START = 1, COMPUTE, NEXT, REPEAT, MET, TASKLET_FIBERS = MET };

struct args {
    uint32_t tasklet;
    uint64_t block, repetition;
};

static const struct htmt__micro_run *run_of(const struct htmt_context *c)
{
    return htmt_user(c);
}

static struct htmt_slot slot_of(const struct htmt__micro_run *r, uint32_t slice, uint32_t tasklet,
                                uint32_t fiber)
{
    return htmt_slot_in(htmt_slot_of(r->tasklet[tasklet], fiber), slice);
}

/* ---- a tasklet ------------------------------------------------------------------------------- */

/* A copy within scratch memory, and an operation there, are one loop over the tasklet's share. */
static bool is_loop(const struct htmt__micro_plan *p)
{
    return !p->block_bytes;
}

/* From the source, or to the destination, which is behind it in the bank. */
static void copy(struct htmt_context *c, bool inward, uint32_t fiber)
{
    const struct htmt__micro_run *r = run_of(c);
    const struct htmt__micro_plan *p = r->plan;
    const struct args *a = htmt_args(c);
    const uint32_t slice = htmt_slice(c);
    uint64_t at = htmt__micro_place(p, a->block) + (inward ? 0 : p->array_bytes);
    struct htmt_addr bank = htmt_at(r->arrays, slice, at),
                     scratch = htmt_at(r->scratch, slice, a->tasklet * p->scratch_bytes);
    struct htmt_put put = htmt_put_init();
    put.src = inward ? bank : scratch;
    put.dst = inward ? scratch : bank;
    put.bytes = p->block_bytes;
    *(inward ? &put.on_arrived : &put.on_sent) = htmt_slot(c, fiber);
    htmt_put(c, &put);
}

static void begin_block(struct htmt_context *c)
{
    const struct htmt__micro_plan *p = run_of(c)->plan;
    const struct args *a = htmt_args(c);
    if (is_loop(p) || a->block >= p->blocks)
        htmt_signal(c, htmt_slot(c, REPEAT));
    else
        copy(c, true, COMPUTE);
}

static void start(struct htmt_context *c)
{
    const struct htmt__micro_run *r = run_of(c);
    struct args *a = htmt_args(c);
    for (uint32_t i = 1; i < r->plan->tasklets && !a->tasklet; i++)
        htmt_signal(c, slot_of(r, htmt_slice(c), i, START));
    a->block = a->tasklet;
    begin_block(c);
}

static void write_block(struct htmt_context *c)
{
    copy(c, false, NEXT);
}

static void next(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    a->block += run_of(c)->plan->tasklets;
    begin_block(c);
}

/* The end of a repetition. */
static void repeat(struct htmt_context *c)
{
    const struct htmt__micro_run *r = run_of(c);
    struct args *a = htmt_args(c);
    a->block = a->tasklet;
    if (++a->repetition < r->plan->repetitions) {
        begin_block(c);
        return;
    }
    htmt_signal(c, slot_of(r, htmt_slice(c), 0, MET));
    if (a->tasklet)
        htmt_retire(c, htmt_self(c));
}

static void met(struct htmt_context *c)
{
    htmt_ended(c);
    htmt_retire(c, htmt_self(c));
}

static void nothing(struct htmt_context *c)
{
    (void)c;
}

static void block_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__micro_run *r = user;
    (void)args;
    ops->n[HTMT_CYCLE] = r->plan->block_issue;
}

static void end_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__micro_run *r = user;
    const struct htmt__micro_plan *p = r->plan;
    const struct args *a = args;
    uint64_t share = (p->blocks + p->tasklets - 1 - a->tasklet) / p->tasklets;
    ops->n[HTMT_CYCLE] = p->end_issue + (is_loop(p) ? share * p->block_issue : 0);
}

enum { STEP = 1, HOST_FIBERS = STEP };

static void transfer(struct htmt_context *c, bool push)
{
    const struct htmt__micro_run *r = run_of(c);
    const struct htmt__micro_plan *p = r->plan;
    struct htmt_transfer t = htmt_transfer_init();
    bool broadcast = p->mode == HTMT_BROADCAST;
    t.host = htmt_in(push ? r->source : r->target, 0);
    t.stride = p->array_bytes;
    t.frame = r->arrays;
    t.offset = push || p->arrays == 1 ? 0 : p->array_bytes;
    t.count = p->slices;
    t.bytes = p->array_bytes;
    t.mode = broadcast && !push ? HTMT_PARALLEL : p->mode;
    t.on_done = htmt_slot(c, STEP);
    if (!t.bytes)
        htmt_signal(c, htmt_slot(c, STEP));
    else if (push)
        htmt_push(c, &t);
    else
        htmt_pull(c, &t);
}

/* Push, launch, pull, each only if the program has it; then the end. A phase that is left out still
 * takes a turn of STEP, in no time, so that the phases keep their places in r->time. */
static void step(struct htmt_context *c)
{
    struct htmt__micro_run *r = (struct htmt__micro_run *)htmt_user(c);
    const struct htmt__micro_plan *p = r->plan;
    const htmt_time now = htmt_began(c);
    const unsigned at = r->at++;
    if (at)
        r->time[at - 1] = now - r->since;
    r->since = now;
    if (at == HTMT__MICRO_PHASES) {
        htmt_retire(c, htmt_self(c));
    } else if (at == HTMT__MICRO_LAUNCHED && p->launches) {
        struct htmt_launch l = htmt_launch_init();
        l.slot = slot_of(r, 0, 0, START);
        l.count = p->slices;
        l.wait = true;
        l.on_done = htmt_slot(c, STEP);
        htmt_launch(c, &l);
    } else if ((at == HTMT__MICRO_PUSHED && p->pushes) || (at == HTMT__MICRO_PULLED && p->pulls)) {
        transfer(c, at == HTMT__MICRO_PUSHED);
    } else {
        htmt_signal(c, htmt_slot(c, STEP));
    }
}

static void first_step(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, STEP));
}

/* ---- creation -------------------------------------------------------------------------------- */

/* What the program needs: frames of the slices and objects of the host, tasklets if it launches
 * any, and the host's activation. */
int htmt__micro_create(struct htmt__micro_run *r)
{
    const struct htmt__micro_plan *p = r->plan;
    const struct htmt_machine *m = htmt_emulator_machine(r->e);
    const bool moves = (p->pushes || p->pulls) && p->array_bytes;
    const uint64_t all = p->array_bytes * p->slices;
    const struct htmt_stage tasklet_fibers[TASKLET_FIBERS] = {
        [START - 1] = {.control = start, .count = 1},
        [COMPUTE - 1] = {.control = write_block, .cost = block_cost, .count = 1, .reset = 1},
        [NEXT - 1] = {.control = next, .count = 1, .reset = 1},
        [REPEAT - 1] = {.control = repeat, .cost = end_cost, .count = 1, .reset = 1},
        [MET - 1] = {.control = met, .count = p->tasklets}};
    static const char *const tasklet_names[TASKLET_FIBERS] = {[START - 1] = "start",
                                                              [COMPUTE - 1] = "compute",
                                                              [NEXT - 1] = "next",
                                                              [REPEAT - 1] = "repeat",
                                                              [MET - 1] = "met"};
    static const char *const host_name = "step";
    const struct htmt_stage host_fiber = {.control = step, .count = 1, .reset = 1};
    struct htmt_type_desc tasklet = htmt_type_desc_init(), host = htmt_type_desc_init();
    struct htmt_type *tasklet_type = NULL, *host_type = NULL;
    tasklet.name = "tasklet";
    tasklet.home = tasklet.exec = m->layer[p->scratch].name;
    tasklet.execute = (struct htmt_stage){.control = nothing};
    tasklet.fibers = tasklet_fibers;
    tasklet.fiber_count = TASKLET_FIBERS;
    tasklet.fiber_names = tasklet_names;
    tasklet.args_bytes = sizeof(struct args);
    host.name = "host";
    host.home = host.exec = m->layer[p->host].name;
    host.execute = (struct htmt_stage){.control = first_step};
    host.fibers = &host_fiber;
    host.fiber_count = HOST_FIBERS;
    host.fiber_names = &host_name;
    host.user = tasklet.user = r;
    r->tasklet = calloc(p->tasklets, sizeof *r->tasklet);
    int rc = r->tasklet ? 0 : HTMT_ENOMEM;
    if (!rc && p->heap_bytes)
        rc = htmt_frame_create(r->e, p->scratch, p->heap_bytes, "buffers", &r->scratch);
    if (!rc && moves)
        rc = htmt_frame_create(r->e, htmt__micro_layer(p), p->arrays * p->array_bytes, "arrays",
                               &r->arrays);
    if (!rc && moves && p->pushes)
        rc = htmt_object_create(r->e, htmt_host(r->e), p->host, all, "source", &r->source);
    if (!rc && moves && p->pulls)
        rc = htmt_object_create(r->e, htmt_host(r->e), p->host, all, "target", &r->target);
    if (!rc && p->launches)
        rc = htmt_type_create(r->e, &tasklet, &tasklet_type);
    for (uint32_t i = 0; i < p->slices * p->tasklets && p->launches && !rc; i++) {
        const struct args args = {.tasklet = i % p->tasklets};
        const struct htmt_parcel_desc d = {
            .type = tasklet_type, .slice = i / p->tasklets, .args = &args};
        rc = htmt_assemble(htmt_root(r->e), &d, i < p->tasklets ? &r->tasklet[i] : NULL);
    }
    if (!rc)
        rc = htmt_type_create(r->e, &host, &host_type);
    const struct htmt_parcel_desc d = {.type = host_type, .slice = htmt_host(r->e)};
    return rc ? rc : htmt_assemble(htmt_root(r->e), &d, NULL);
}

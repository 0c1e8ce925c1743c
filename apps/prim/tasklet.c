/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tasklet is an activation that waits for a launch, and then, block by block, reads, computes and
 * writes. Each wait ends a fiber; the next one begins when what it waits for has come:
 *
 *     START     launched                  tasklet 0 starts the others
 *     READ      a block has come          the second array's, or compute at once
 *     COMPUTE   all of it has come        the kernel; then the block is written
 *     TURN      computed, and the block before has had its turn
 *     NEXT      the block is written      the next one, or meet the others
 *     MET       in tasklet 0: a slot that counts all of them is the barrier
 *     WRITTEN   in tasklet 0: the slice's result is in the bank
 *
 * Turns. Programs in turn deal single blocks, so that the owner of block b + 1 is the next tasklet,
 * and the slot of its TURN counts two signals: its own, that b + 1 is computed, and that of the
 * owner of b, whose turn it was. Neither can come twice: its own next block is read only when b + 1
 * is written, and the neighbour's next turn comes only behind all blocks between, b + 1 among them.
 *
 * With two tasklets and the blocks 0, 1, 2: tasklet 0 computes 0 and has its turn at once, since
 * START stood in for a block before it; it signals tasklet 1, writes 0, reads and computes 2, and
 * then waits until tasklet 1 has computed 1 and had its turn. So copies and computations overlap,
 * and only turns are one after another.
 */
#include "apps/prim/program.h"

#include <stdlib.h>
#include <string.h>

enum { START = 1, READ, COMPUTE, TURN, NEXT, MET, WRITTEN, FIBERS = WRITTEN };

/* A word that all tasklets of a slice share: what the block before leaves. */
#define SHARED_BYTES 16u

static const struct htmt__prim_run *run_of(const struct htmt_context *c)
{
    return htmt_user(c);
}

static const struct htmt__prim_pass *pass_of(const struct htmt__prim_run *r,
                                             const struct htmt__prim_tasklet *t)
{
    return &r->plan->program->pass[t->pass];
}

struct htmt_slot htmt__prim_slot(const struct htmt__prim_run *r, uint32_t slice, uint32_t tasklet,
                                 uint32_t fiber)
{
    return htmt_slot_in(htmt_slot_of(r->tasklet[tasklet], fiber), slice);
}

struct htmt_slot htmt__prim_entry(const struct htmt__prim_run *r, uint32_t slice)
{
    return htmt__prim_slot(r, slice, 0, START);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Whole words between the slice's bank and the tasklet's part of the scratch memory. What comes in
 * starts the fiber when it is there; what goes out, when its buffer is free again. Over a network
 * it may then still be on its way: MET, or WRITTEN, waits for its arrival too. */
static void copy(struct htmt_context *c, bool inward, uint64_t bank, uint64_t scratch,
                 uint64_t bytes, uint32_t fiber)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_tasklet *t = htmt_args(c);
    const uint32_t slice = htmt_slice(c);
    struct htmt_addr in_bank = htmt_at(r->bank, slice, bank),
                     in_scratch = htmt_at(r->scratch, slice,
                                          t->tasklet * r->plan->at.scratch_bytes + scratch);
    struct htmt_put put = htmt_put_init();
    put.src = inward ? in_bank : in_scratch;
    put.dst = inward ? in_scratch : in_bank;
    put.bytes = (bytes + HTMT_WORD - 1) / HTMT_WORD * HTMT_WORD;
    const bool awaited = inward || (fiber == WRITTEN && !r->plan->hosted);
    *(awaited ? &put.on_arrived : &put.on_sent) = htmt_slot(c, fiber);
    if (!awaited && !r->plan->hosted)
        put.on_arrived = htmt__prim_slot(r, slice, 0, MET);
    htmt_put(c, &put);
}

/* Of the block: from where it lies in a part of an array. */
static void read_block(struct htmt_context *c, unsigned array, uint32_t fiber)
{
    const struct htmt__prim_plan *p = run_of(c)->plan;
    const struct htmt__prim_tasklet *t = htmt_args(c);
    const uint64_t bytes = p->program->bytes;
    uint64_t first = t->first * bytes;
    if (array && p->program->rows)
        first = t->first % p->columns * bytes;
    const uint64_t from = pass_of(run_of(c), t)->again ? p->at.out : p->at.in[array];
    copy(c, true, from + first, p->at.buffer[array], t->count * bytes, fiber);
}

/* The elements of the block. One of a matrix is a piece of a row; the row behind an odd last one
 * counts like all others, though it is not there. */
static void find_block(const struct htmt__prim_plan *p, uint32_t slice,
                       struct htmt__prim_tasklet *t)
{
    uint64_t end; /* of the row, or of the slice's part, counted as t->first is */
    if (p->program->rows) {
        const uint64_t chunks = (p->columns + p->in_block - 1) / p->in_block,
                       row = t->block / chunks * p->columns;
        t->first = row + t->block % chunks * p->in_block;
        end = row + p->columns;
    } else {
        t->first = t->block * p->in_block;
        end = htmt__prim_elements(p, slice);
    }
    t->count = end - t->first < p->in_block ? end - t->first : p->in_block;
}

/* Behind the last block the tasklet meets the others. */
static void begin_block(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    struct htmt__prim_tasklet *t = htmt_args(c);
    if (t->block >= t->blocks) {
        htmt_signal(c, htmt__prim_slot(r, htmt_slice(c), 0, MET));
        return;
    }
    find_block(r->plan, htmt_slice(c), t);
    read_block(c, 0, pass_of(r, t)->reads > 1 ? READ : COMPUTE);
}

/* Bytes that the block writes, maybe none, and where in the output. Sums of rows are written in
 * pairs, by the last block of a group. Where programs keep some elements, the bytes before the
 * block are what the blocks before it keep: all tasklets know it without asking, since the plan can
 * count.
 */
static uint64_t output_of(const struct htmt__prim_run *r, uint32_t slice,
                          const struct htmt__prim_tasklet *t, uint64_t *at)
{
    const struct htmt__prim_plan *p = r->plan;
    const struct htmt__prim_program *g = p->program;
    *at = 0;
    if (!pass_of(r, t)->writes)
        return 0;
    if (g->rows) {
        *at = t->block / p->in_group * HTMT_WORD;
        return (t->block + 1) % p->in_group ? 0 : HTMT_WORD;
    }
    if (g->kept) {
        *at = g->kept(p, slice, 0, t->first) * g->bytes;
        return g->kept(p, slice, t->first, t->first + t->count) * g->bytes;
    }
    *at = t->first * g->bytes;
    return t->count * g->bytes;
}

static void write_block(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_plan *p = r->plan;
    uint64_t at;
    const uint64_t bytes = output_of(r, htmt_slice(c), htmt_args(c), &at);
    if (bytes)
        copy(c, false, p->at.out + at, p->program->rows ? p->at.private : p->at.buffer[0], bytes,
             NEXT);
    else
        htmt_signal(c, htmt_slot(c, NEXT));
}

/* Writes of all tasklets of the slice, in the pass of `t`. */
static uint32_t count_writes(const struct htmt__prim_run *r, uint32_t slice,
                             const struct htmt__prim_tasklet *t)
{
    struct htmt__prim_tasklet one = *t;
    uint64_t at;
    uint32_t writes = 0;
    for (one.block = 0; one.block < t->blocks && pass_of(r, t)->writes; one.block++) {
        find_block(r->plan, slice, &one);
        writes += output_of(r, slice, &one, &at) > 0;
    }
    return writes;
}

/* ---- kernels and their costs ----------------------------------------------------------------- */

/* The kernel works on the tasklet's scratch bytes, or on those of all, and on the shared word if it
 * stands in a turn or behind the barrier: then nobody else does. */
static void use(struct htmt_context *c, bool all, bool shared)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_tasklet *t = htmt_args(c);
    const uint64_t each = r->plan->at.scratch_bytes;
    const uint32_t slice = htmt_slice(c);
    htmt_use(c, htmt_at(r->scratch, slice, all ? 0 : t->tasklet * each),
             all ? r->plan->tasklets * each : each, HTMT_UPDATE);
    if (shared)
        htmt_use(c, htmt_at(r->shared, slice, 0), SHARED_BYTES, HTMT_UPDATE);
    htmt_work(c);
}

const struct htmt__prim_run *htmt__prim_kernel_run(struct htmt_kernel *k)
{
    const struct htmt__prim_run *r = htmt_kernel_user(k);
    htmt_constants(k, r, sizeof *r);
    htmt_constants(k, r->plan, sizeof *r->plan);
    return r;
}

static void compute_kernel(struct htmt_kernel *k)
{
    const struct htmt__prim_run *r = htmt__prim_kernel_run(k);
    pass_of(r, htmt_kernel_args(k))->compute(r->plan, k);
}

static void turn_kernel(struct htmt_kernel *k)
{
    const struct htmt__prim_run *r = htmt__prim_kernel_run(k);
    pass_of(r, htmt_kernel_args(k))->turn(r->plan, k);
}

static void finish_kernel(struct htmt_kernel *k)
{
    const struct htmt__prim_run *r = htmt__prim_kernel_run(k);
    const struct htmt__prim_pass *pass = pass_of(r, htmt_kernel_args(k));
    if (pass->finish)
        pass->finish(r->plan, k);
}

/* Without a table of instructions, operations are counted by class: those of a type f32 or f64 are
 * flop. */
static void compute_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__prim_run *r = user;
    const struct htmt__prim_tasklet *t = args;
    const struct htmt__prim_pass *pass = pass_of(r, t);
    if (!r->plan->counts || htmt__prim_constant(r->plan)) {
        ops->n[HTMT_CYCLE] = htmt__prim_instructions(r->plan, t->pass, t->count);
        return;
    }
    for (unsigned i = 0; i < HTMT__PRIM_OPS && pass->op[i]; i++) {
        const char *name = pass->op[i];
        const size_t n = strlen(name);
        const bool real = n > 3 && name[n - 3] == 'f';
        ops->n[strcmp(name, "load") == 0    ? HTMT_LOAD
               : strcmp(name, "store") == 0 ? HTMT_STORE
               : real                       ? HTMT_FLOP
                                            : HTMT_IOP] += t->count;
    }
}

static void finish_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__prim_run *r = user;
    const struct htmt__prim_tasklet *t = args;
    const uint64_t each = htmt__prim_finish_instructions(r->plan, t->pass);
    if (r->plan->counts)
        ops->n[HTMT_LOAD] = ops->n[HTMT_IOP] = ops->n[HTMT_STORE] = each / 3;
    else
        ops->n[HTMT_CYCLE] = each;
}

/* Of a turn: what it does is in the constant of an element, or in its operations. */
static void no_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user, (void)ops;
}

/* ---- fibers ---------------------------------------------------------------------------------- */

static void wait_for_launch(struct htmt_context *c)
{
    (void)c;
}

/* Tasklet 0 is launched, and starts the others. Nobody is before block 0: its turn has half of what
 * it waits for. */
static void start(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_plan *p = r->plan;
    struct htmt__prim_tasklet *t = htmt_args(c);
    const uint32_t slice = htmt_slice(c);
    for (uint32_t i = 1; i < p->tasklets && !t->tasklet; i++)
        htmt_signal(c, htmt__prim_slot(r, slice, i, START));
    t->blocks = htmt__prim_blocks(p, slice);
    if (!t->tasklet) {
        const uint32_t writes = p->hosted ? 0 : count_writes(r, slice, t);
        htmt_slot_set(c, MET, p->tasklets + writes, p->tasklets + writes);
    }
    t->block = (uint64_t)t->tasklet * p->in_group;
    if (pass_of(r, t)->in_turn && !t->tasklet && t->blocks)
        htmt_signal(c, htmt_slot(c, TURN));
    if (pass_of(r, t)->offset)
        copy(c, true, p->at.offset, p->at.private, HTMT_WORD, NEXT);
    else
        begin_block(c);
}

static void read_second(struct htmt_context *c)
{
    read_block(c, 1, COMPUTE);
}

static void compute(struct htmt_context *c)
{
    use(c, false, false);
    if (pass_of(run_of(c), htmt_args(c))->in_turn)
        htmt_signal(c, htmt_slot(c, TURN));
    else
        write_block(c);
}

/* The neighbour has the next block: its turn comes. */
static void turn(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_tasklet *t = htmt_args(c);
    use(c, false, true);
    if (t->block + 1 < t->blocks)
        htmt_signal(c,
                    htmt__prim_slot(r, htmt_slice(c), (t->tasklet + 1) % r->plan->tasklets, TURN));
    write_block(c);
}

/* Groups of blocks are dealt in turn. What was read before the first block is the offset: no block
 * is done yet. */
static void next(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_plan *p = r->plan;
    struct htmt__prim_tasklet *t = htmt_args(c);
    if (t->begun || !pass_of(r, t)->offset) {
        t->block++;
        if (t->block % p->in_group == 0)
            t->block += (uint64_t)(p->tasklets - 1) * p->in_group;
    }
    t->begun = true;
    begin_block(c);
}

/* Of tasklet 0: all have met, and what they wrote has arrived. */
static void met(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_plan *p = r->plan;
    use(c, true, true);
    if (pass_of(r, htmt_args(c))->result)
        copy(c, false, p->at.result, p->at.private, p->program->result_bytes, WRITTEN);
    else
        htmt_signal(c, htmt_slot(c, WRITTEN)); /* the kernel still knows its pass */
}

/* The pass is over: tasklet 0 tells the others and whoever launched it. Each is then ready for the
 * next pass, or done. */
static void written(struct htmt_context *c)
{
    const struct htmt__prim_run *r = run_of(c);
    const struct htmt__prim_plan *p = r->plan;
    struct htmt__prim_tasklet *t = htmt_args(c);
    if (!t->tasklet) {
        for (uint32_t i = 1; i < p->tasklets; i++)
            htmt_signal(c, htmt__prim_slot(r, htmt_slice(c), i, WRITTEN));
        if (p->hosted)
            htmt_ended(c);
        else
            htmt_signal(c, r->outer);
    }
    t->begun = false;
    if (++t->pass == p->program->passes)
        htmt_retire(c, htmt_self(c));
}

/* ---- creation -------------------------------------------------------------------------------- */

static int create_type(struct htmt__prim_run *r, struct htmt_type **type)
{
    const struct htmt_machine *m = htmt_emulator_machine(r->e);
    const struct htmt_stage fibers[FIBERS] = {
        [START - 1] = {.control = start, .count = 1, .reset = 1},
        [READ - 1] = {.control = read_second, .count = 1, .reset = 1},
        [COMPUTE - 1] = {.control = compute,
                         .kernel = compute_kernel,
                         .cost = compute_cost,
                         .count = 1,
                         .reset = 1},
        [TURN -
            1] = {.control = turn, .kernel = turn_kernel, .cost = no_cost, .count = 2, .reset = 2},
        [NEXT - 1] = {.control = next, .count = 1, .reset = 1},
        [MET - 1] = {.control = met, .kernel = finish_kernel, .cost = finish_cost, .count = 1},
        [WRITTEN - 1] = {.control = written, .count = 1, .reset = 1}};
    static const char *const names[FIBERS] = {
        [START - 1] = "start", [READ - 1] = "read", [COMPUTE - 1] = "compute", [TURN - 1] = "turn",
        [NEXT - 1] = "next",   [MET - 1] = "met",   [WRITTEN - 1] = "written"};
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "tasklet";
    d.home = d.exec = m->layer[r->plan->scratch].name;
    d.execute = (struct htmt_stage){.control = wait_for_launch};
    d.fibers = fibers;
    d.fiber_count = FIBERS;
    d.fiber_names = names;
    d.args_bytes = sizeof(struct htmt__prim_tasklet);
    d.code_words = (r->plan->code + HTMT_WORD - 1) / HTMT_WORD;
    d.code_resident = true;
    d.user = r;
    return htmt_type_create(r->e, &d, type);
}

int htmt__prim_tasklets_create(struct htmt__prim_run *r)
{
    const struct htmt__prim_plan *p = r->plan;
    struct htmt_type *type = NULL;
    r->tasklet = calloc(p->tasklets, sizeof *r->tasklet);
    int rc = r->tasklet ? create_type(r, &type) : HTMT_ENOMEM;
    if (!rc)
        rc = htmt_frame_create(r->e, p->bank, p->at.bank_bytes, "bank", &r->bank);
    if (!rc)
        rc = htmt_frame_create(r->e, p->scratch, p->tasklets * p->at.scratch_bytes, "heap",
                               &r->scratch);
    if (!rc)
        rc = htmt_frame_create(r->e, p->scratch, SHARED_BYTES, "shared", &r->shared);
    if (!rc && p->hosted && p->stack)
        rc = htmt_frame_create(r->e, p->scratch, p->tasklets * p->stack, "stacks", &r->stacks);
    for (uint32_t i = 0; i < p->slices && !rc; i++)
        for (uint32_t t = 0; t < p->tasklets && !rc; t++) {
            const struct htmt__prim_tasklet args = {.tasklet = t};
            const struct htmt_parcel_desc d = {.type = type, .slice = i, .args = &args};
            struct htmt_ref ref;
            rc = htmt_assemble(htmt_root(r->e), &d, &ref);
            if (!i)
                r->tasklet[t] = ref;
        }
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/bound/bound.h"

#include "emul/loops/bound/together.h"
#include "emul/loops/nest/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A bound that is being made. */
struct making {
    struct htmt__bounds *b;
    struct htmt_fault *fault;
};

static int fail(const struct making *m, const char *name, int rc)
{
    if (!rc)
        return 0;
    int code = rc == HTMT_EOVERFLOW ? HTMT_ERANGE : rc;
    return htmt_fault_set(m->fault, code, "nest %s: %s", name,
                          rc == HTMT_EOVERFLOW ? "a number passes 128 bits"
                          : rc == HTMT_ERANGE  ? "too many references and offsets"
                                               : htmt_strerror(rc));
}

double htmt__bound_ratio(htmt_wide bytes, struct htmt__nest_number work)
{
    return work.num ? (double)bytes / htmt__nest_value(work) : 0;
}

htmt_wide htmt__bound_units(const struct htmt__bound_loop *loop)
{
    return loop->traffic[0].read + loop->traffic[0].written;
}

const char *htmt__bound_level(const struct htmt__bound_loop *loop)
{
    static const char *const names[] = {"cell", "pencil", "plane", "box"};
    unsigned inside = loop->run->plan->depth - 1 - loop->working.loop;
    return names[inside < 3 ? inside : 3];
}

/* ---- operations --------------------------------------------------------------------------------
 */

/* Flop of a cell: a division or function is worth so many, fewer with vectors. */
static int weigh(const struct htmt__bounds *b, const struct htmt__nest_plan *plan,
                 struct htmt__nest_number *flops)
{
    htmt_wide vector = b->request.vector ? (htmt_wide)b->request.vector : 1;
    struct htmt__nest_number divide, function;
    int rc = htmt__nest_divide(htmt__nest_whole((htmt_wide)b->rates->divide),
                               htmt__nest_whole(vector), &divide);
    if (!rc)
        rc = htmt__nest_divide(htmt__nest_whole((htmt_wide)b->rates->function),
                               htmt__nest_whole(vector), &function);
    if (!rc)
        rc = htmt__nest_add(plan->ops[HTMT__NEST_ADD], plan->ops[HTMT__NEST_MUL], flops);
    if (!rc)
        rc = htmt__nest_gather(plan->ops[HTMT__NEST_DIV], divide, flops);
    return rc ? rc : htmt__nest_gather(plan->ops[HTMT__NEST_FUNCTION], function, flops);
}

/* ---- registers ---------------------------------------------------------------------------------
 */

static int compare_uses(const void *left, const void *right)
{
    const struct htmt__nest_number *a = left, *b = right;
    int sign = 0;
    return htmt__nest_compare(*b, *a, &sign) ? 0 : sign;
}

/* References of each word of state that could be in a register, most used first. */
static int spill(const struct htmt__bounds *b, const struct htmt__nest_plan *plan,
                 struct htmt__bound_loop *loop)
{
    struct htmt__nest_number *uses = calloc(plan->scalars + 1, sizeof *uses);
    unsigned count = 0;
    int rc = uses ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < plan->scalars && !rc; i++) {
        const struct htmt__nest_scalar *s = &plan->scalar[i];
        struct htmt__nest_number use;
        rc = htmt__nest_add(s->loads, s->stores, &use);
        if (s->words.num == s->words.den)
            uses[count++] = use;
        else if (!rc)
            rc = htmt__nest_add(loop->spills, use, &loop->spills);
    }
    if (!rc)
        qsort(uses, count, sizeof *uses, compare_uses);
    for (unsigned i = 0; i < count && !rc; i++) {
        bool held = !b->request.registers || i < b->request.registers;
        struct htmt__nest_number *sum = held ? &loop->hits : &loop->spills;
        rc = htmt__nest_add(*sum, uses[i], sum);
    }
    free(uses);
    return rc;
}

static int count_state(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    loop->hits = loop->spills = htmt__nest_whole(0);
    for (unsigned i = 0; i < plan->scalars; i++)
        *(plan->scalar[i].integer ? &loop->integers : &loop->reals) += 1;
    int rc = htmt__nest_add(plan->loads, plan->stores, &loop->streamed);
    return rc ? rc : spill(b, plan, loop);
}

/* ---- traffic -----------------------------------------------------------------------------------
 */

static int time_traffic(const struct htmt__bound_link *link, uint64_t unit,
                        struct htmt__bound_traffic *t)
{
    htmt_wide in, out;
    struct htmt__nest_number read = {t->read * (htmt_wide)unit, 1}, written = read;
    written.num = t->written * (htmt_wide)unit;
    int rc = htmt__bound_time(read, link->inward, HTMT_WORD, &in);
    if (!rc)
        rc = htmt__bound_time(written, link->outward, HTMT_WORD, &out);
    t->bytes = read.num + written.num;
    t->fs = rc ? 0 : in + out;
    return rc;
}

/* Units of the nest that a memory holds. */
static htmt_wide units_of(const struct htmt__bounds *b, unsigned link, uint64_t unit)
{
    htmt_wide words = b->rates->link[link].capacity;
    if (link == 0 && b->request.capacity >= 0)
        words = b->request.capacity;
    return words * HTMT_WORD / (htmt_wide)unit;
}

/* A memory that the program manages keeps all, once the spans fit. */
static htmt_wide kept(const struct htmt__bounds *b, const struct htmt__bound_loop *loop,
                      htmt_wide capacity)
{
    bool fits = b->request.local_store && loop->working.store <= capacity;
    return fits ? HTMT__NEST_ALL : capacity;
}

static int move(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    struct htmt__nest_plan *plan = loop->run->plan;
    struct htmt__nest_moved moved[HTMT_LAYERS_MAX];
    htmt_wide capacity[HTMT_LAYERS_MAX];
    loop->links = b->rates->links;
    for (unsigned i = 0; i < loop->links; i++)
        capacity[i] = kept(b, loop, units_of(b, i, plan->unit));
    int rc = htmt__nest_blocks_move(plan, &b->request.keeping, loop->block, capacity, loop->links,
                                    moved, &loop->full);
    if (b->request.local_store && loop->working.store < loop->full)
        loop->full = loop->working.store;
    for (unsigned i = 0; i < loop->links && !rc; i++) {
        loop->traffic[i].read = moved[i].read;
        loop->traffic[i].written = moved[i].written;
        rc = time_traffic(&b->rates->link[i], plan->unit, &loop->traffic[i]);
    }
    return rc;
}

/* ---- a loop ------------------------------------------------------------------------------------
 */

static void cut_loop(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    int64_t cut[HTMT__NEST_DEPTH];
    for (unsigned l = 0; l < plan->depth; l++) {
        int64_t block = b->request.block[plan->depth - 1 - l];
        loop->extent[l] = plan->extent[l];
        loop->block[l] = block && block < plan->extent[l] ? block : 0;
        cut[l] = loop->block[l] ? loop->block[l] : plan->extent[l];
    }
    htmt__nest_working(plan, &b->request.keeping, cut, &loop->working);
    if (b->request.local_store)
        loop->working.words = loop->working.store;
}

static int work_loop(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    int rc = weigh(b, loop->run->plan, &loop->flops);
    if (!rc)
        rc = htmt__nest_multiply(loop->flops, htmt__nest_whole(loop->cells), &loop->work);
    if (!rc)
        rc = htmt__bound_time(loop->work, b->rates->flop, b->rates->processors, &loop->compute_fs);
    return rc;
}

static void time_loop(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    htmt_wide time[HTMT_LAYERS_MAX + 1] = {loop->compute_fs};
    for (unsigned i = 0; i < loop->links; i++)
        time[i + 1] = loop->traffic[i].fs;
    loop->fs = htmt__bound_overlap(b->rates, time, loop->links + 1);
}

static int bound_loop(const struct making *m, struct htmt__bound_loop *loop)
{
    const struct htmt__bounds *b = m->b;
    loop->cells = loop->run->plan->count;
    cut_loop(b, loop);
    int rc = work_loop(b, loop);
    if (!rc)
        rc = move(b, loop);
    if (!rc)
        rc = count_state(b, loop);
    if (!rc)
        time_loop(b, loop);
    return fail(m, loop->run->name, rc);
}

/* A block that passes the box of every nest is a mistake. */
static int check_block(const struct making *m)
{
    const struct htmt__bounds *b = m->b;
    for (unsigned axis = 0; axis < HTMT__NEST_DEPTH; axis++) {
        int64_t most = 0;
        for (unsigned i = 0; i < b->loops; i++) {
            const struct htmt__nest_plan *plan = b->loop[i].run->plan;
            int64_t n = axis < plan->depth ? plan->extent[plan->depth - 1 - axis] : 0;
            most = n > most ? n : most;
        }
        if (b->request.block[axis] && !most)
            return htmt_fault_set(m->fault, HTMT_EUSAGE,
                                  "--block: found more lengths than any nest has loops");
        if (b->request.block[axis] > most)
            return htmt_fault_set(m->fault, HTMT_EUSAGE,
                                  "--block: found %lld, but the longest loop there has %lld "
                                  "iterations",
                                  (long long)b->request.block[axis], (long long)most);
    }
    return 0;
}

/* ---- ghosts, sums ------------------------------------------------------------------------------
 */

/* m / b + l; the arrays of one exchange are one message. */
static int time_exchange(struct htmt__bounds *b, const struct htmt__nest_exchange *x,
                         htmt_wide bytes, bool first)
{
    htmt_wide fs;
    int rc = htmt__bound_time(htmt__nest_whole(bytes), b->rates->message_word, HTMT_WORD, &fs);
    if (!rc)
        b->ghosts.fs += (fs + (first ? (htmt_wide)b->rates->message_latency : 0)) * x->times;
    return rc;
}

static int send_ghosts(struct htmt__bounds *b)
{
    struct htmt__bound_ghosts *g = &b->ghosts;
    int rc = 0;
    for (unsigned i = 0; i < b->program->exchanges && !rc; i++) {
        const struct htmt__nest_exchange *x = &b->program->exchange[i];
        htmt_wide bytes = htmt__nest_exchange_bytes(b->program, x);
        bool first = !i || b->program->exchange[i - 1].before != x->before;
        g->bytes += bytes * x->times;
        g->messages += first ? x->times : 0;
        if (htmt__bound_times_messages(b->rates))
            rc = time_exchange(b, x, bytes, first);
    }
    if (!rc)
        rc = htmt__nest_footprint(b->program, &b->arrays, &b->buffers);
    return rc;
}

/* *sum += each * times */
static int add_times(htmt_wide *sum, htmt_wide each, htmt_wide times)
{
    htmt_wide product;
    bool over =
        __builtin_mul_overflow(each, times, &product) || __builtin_add_overflow(*sum, product, sum);
    return over ? HTMT_EOVERFLOW : 0;
}

static int add_loop(struct htmt__bounds *b, const struct htmt__bound_loop *loop)
{
    htmt_wide working = loop->working.words * (htmt_wide)loop->run->plan->unit;
    b->largest = working > b->largest ? working : b->largest;
    int rc = add_times(&b->fs, loop->fs, loop->run->times);
    if (!rc)
        rc = add_times(&b->bytes, loop->traffic[0].bytes, loop->run->times);
    return rc ? rc : htmt__nest_gather(loop->work, htmt__nest_whole(loop->run->times), &b->work);
}

static int add_up(struct htmt__bounds *b)
{
    int rc = 0;
    b->work = htmt__nest_whole(0);
    for (unsigned i = 0; i < b->loops && !rc; i++)
        rc = add_loop(b, &b->loop[i]);
    return rc;
}

static int bound_all(struct making *m)
{
    struct htmt__bounds *b = m->b;
    int rc = 0;
    for (unsigned i = 0; i < b->program->runs; i++)
        if (b->program->run[i].plan)
            b->loop[b->loops++].run = &b->program->run[i];
    rc = check_block(m);
    for (unsigned i = 0; i < b->loops && !rc; i++)
        rc = bound_loop(m, &b->loop[i]);
    if (!rc && b->request.order == HTMT__BOUND_BLOCKS)
        rc = htmt__bound_together(b, m->fault);
    if (!rc && b->request.order == HTMT__BOUND_BLOCKS)
        for (unsigned i = 0; i < b->loops; i++)
            time_loop(b, &b->loop[i]);
    if (!rc)
        rc = fail(m, "all", add_up(b));
    return rc ? rc : fail(m, "ghosts", send_ghosts(b));
}

int htmt__bound_make(struct htmt__nest_program *program, const struct htmt__bound_rates *rates,
                     const struct htmt__bound_request *request, struct htmt__bounds *bound,
                     struct htmt_fault *fault)
{
    struct making m = {bound, fault};
    *bound = (struct htmt__bounds){.program = program, .rates = rates, .request = *request};
    bound->loop = calloc(program->runs + 1, sizeof *bound->loop);
    int rc = bound->loop ? bound_all(&m) : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    if (rc)
        htmt__bound_clear(bound);
    return rc;
}

void htmt__bound_clear(struct htmt__bounds *bound)
{
    free(bound->loop);
    *bound = (struct htmt__bounds){0};
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The least time of a program of nests: of each loop, what its flop take on all processors and what
 * its words take between each pair of memories. Of these the longest hides the others as far as the
 * machine overlaps them (lambda): max + (1 - lambda) (sum - max). With 6 ms of flop and 4 ms of
 * words, 1 hides all, 6 ms; 0 nothing, 10 ms; 0.5 half, 8 ms. The loops' times add up, with
 * repeats.
 */
#include "emul/loops/bound/bound.h"

#include "emul/loops/nest/blocks.h"
#include "emul/loops/nest/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct htmt_fault *fault, const char *name, int rc)
{
    if (!rc)
        return 0;
    int code = rc == HTMT_EOVERFLOW ? HTMT_ERANGE : rc;
    return htmt_fault_set(fault, code, "nest %s: %s", name,
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

/* References of state: the words that are used most are held in registers, the others are spilled,
 * as are tables (a scalar of several words). */
static int count_state(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    struct htmt__nest_number *uses = calloc(plan->scalars + 1, sizeof *uses);
    unsigned count = 0;
    int rc = uses ? 0 : HTMT_ENOMEM;
    loop->hits = loop->spills = htmt__nest_whole(0);
    if (!rc)
        rc = htmt__nest_add(plan->loads, plan->stores, &loop->streamed);
    for (unsigned i = 0; i < plan->scalars && !rc; i++) {
        const struct htmt__nest_scalar *s = &plan->scalar[i];
        struct htmt__nest_number use;
        *(s->integer ? &loop->integers : &loop->reals) += 1;
        rc = htmt__nest_add(s->loads, s->stores, &use);
        if (!rc && s->words.num == s->words.den)
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

/* ---- traffic -----------------------------------------------------------------------------------
 */

/* Where arrays lie, if lines count; kept by the program. */
static int lay_out(struct htmt__nest_program *program)
{
    const unsigned arrays = program->file->arrays;
    int64_t all;
    if (program->line <= 1 || program->layout)
        return 0;
    program->layout = calloc(arrays + 1, sizeof *program->layout);
    if (!program->layout)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < arrays; i++) {
        struct htmt__nest_layout *l = &program->layout[i];
        l->used = !program->file->array[i].formal;
        l->axes = program->file->array[i].axes;
        for (unsigned k = 0; k < l->axes && l->used; k++) {
            l->low[k] = (int64_t)program->low[i][k];
            l->size[k] = (int64_t)program->size[i][k];
        }
    }
    return htmt__nest_lay_out(program, (int64_t)program->line * HTMT_WORD, INT64_MAX / 2,
                              program->layout, &all);
}

/* The traffic of all links; with lines, of each as its memory sees them. */
static int ask_links(const struct htmt__bounds *b, struct htmt__bound_loop *loop,
                     const htmt_wide *capacity, struct htmt__nest_moved *moved)
{
    const struct htmt__nest_keeping *keeping = &b->request.keeping;
    struct htmt__nest_plan *plan = loop->run->plan;
    htmt_wide full = 0;
    int rc = 0;
    loop->lined = plan;
    if (plan->line <= 1)
        return htmt__nest_blocks_move(plan, keeping, loop->block, capacity, loop->links, moved,
                                      &loop->full);
    for (unsigned i = 0; i < loop->links && !rc; i++) {
        struct htmt__nest_plan *lined = plan;
        int64_t extent[HTMT__NEST_DEPTH];
        for (unsigned l = 0; l < plan->depth; l++)
            extent[l] = loop->block[l] ? loop->block[l] : plan->extent[l];
        rc = htmt__nest_lines_plan(plan, b->program->file, b->program->layout, extent, capacity[i],
                                   &lined);
        if (!rc)
            rc = htmt__nest_blocks_move(lined, keeping, loop->block, &capacity[i], 1, &moved[i],
                                        &full);
        if (!i) {
            loop->full = full;
            loop->lined = lined;
        }
    }
    return rc;
}

static int move(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    struct htmt__nest_plan *plan = loop->run->plan;
    struct htmt__nest_moved moved[HTMT__BOUND_LINKS];
    htmt_wide capacity[HTMT__BOUND_LINKS];
    loop->links = b->rates->links;
    for (unsigned i = 0; i < loop->links; i++) {
        bool asked = i == 0 && b->request.capacity >= 0;
        htmt_wide words = asked ? b->request.capacity : b->rates->link[i].capacity;
        capacity[i] = words * HTMT_WORD / (htmt_wide)plan->unit;
        /* A memory that the program manages keeps all, once the spans fit. */
        if (b->request.local_store && loop->working.store <= capacity[i])
            capacity[i] = HTMT__NEST_ALL;
    }
    int rc = ask_links(b, loop, capacity, moved);
    if (b->request.local_store && loop->working.store < loop->full)
        loop->full = loop->working.store;
    for (unsigned i = 0; i < loop->links && !rc; i++) {
        const struct htmt__bound_link *link = &b->rates->link[i];
        struct htmt__bound_traffic *t = &loop->traffic[i];
        const htmt_wide unit = (htmt_wide)plan->unit;
        t->read = moved[i].read;
        t->written = moved[i].written;
        rc = htmt__bound_pass(link, unit, t);
    }
    return rc;
}

/* ---- a loop ------------------------------------------------------------------------------------
 */

static void time_loop(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    htmt_wide time[HTMT__BOUND_LINKS + 2] = {loop->compute_fs, loop->references_fs};
    for (unsigned i = 0; i < loop->links; i++)
        time[i + 2] = loop->traffic[i].fs;
    loop->fs = htmt__bound_overlap(b->rates, b->request.hiding, time, loop->links + 2);
}

static int bound_loop(const struct htmt__bounds *b, struct htmt__bound_loop *loop)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    int64_t cut[HTMT__NEST_DEPTH];
    loop->cells = plan->count;
    for (unsigned l = 0; l < plan->depth; l++) {
        int64_t block = b->request.block[plan->depth - 1 - l];
        loop->extent[l] = plan->extent[l];
        loop->block[l] = block && block < plan->extent[l] ? block : 0;
        cut[l] = loop->block[l] ? loop->block[l] : plan->extent[l];
    }
    htmt__nest_working(plan, &b->request.keeping, cut, &loop->working);
    if (b->request.local_store)
        loop->working.words = loop->working.store;
    int rc = weigh(b, plan, &loop->flops);
    if (!rc)
        rc = htmt__bound_work(b, loop);
    if (!rc)
        rc = move(b, loop);
    if (!rc)
        rc = count_state(b, loop);
    if (!rc)
        time_loop(b, loop);
    return rc;
}

/* A block that passes the box of every nest is a mistake. */
static int check_block(const struct htmt__bounds *b, struct htmt_fault *fault)
{
    for (unsigned axis = 0; axis < HTMT__NEST_DEPTH; axis++) {
        int64_t most = 0;
        for (unsigned i = 0; i < b->loops; i++) {
            const struct htmt__nest_plan *plan = b->loop[i].run->plan;
            int64_t n = axis < plan->depth ? plan->extent[plan->depth - 1 - axis] : 0;
            most = n > most ? n : most;
        }
        if (b->request.block[axis] && !most)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--block: found more lengths than any nest has loops");
        if (b->request.block[axis] > most)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--block: found %lld, but the longest loop there has %lld "
                                  "iterations",
                                  (long long)b->request.block[axis], (long long)most);
    }
    return 0;
}

/* ---- ghosts, sums ------------------------------------------------------------------------------
 */

/* A message takes m / b + l; the arrays of one exchange are one message. */
static int send_ghosts(struct htmt__bounds *b)
{
    struct htmt__bound_ghosts *g = &b->ghosts;
    int rc = 0;
    for (unsigned i = 0; i < b->program->exchanges && !rc; i++) {
        const struct htmt__nest_exchange *x = &b->program->exchange[i];
        htmt_wide bytes = htmt__nest_exchange_bytes(b->program, x), fs;
        bool first = !i || b->program->exchange[i - 1].before != x->before;
        g->bytes += bytes * x->times;
        g->messages += first ? x->times : 0;
        if (!htmt__bound_times_messages(b->rates))
            continue;
        rc = htmt__bound_time(htmt__nest_whole(bytes), b->rates->message_word, HTMT_WORD, &fs);
        if (!rc)
            g->fs += (fs + (first ? (htmt_wide)b->rates->message_latency : 0)) * x->times;
    }
    return rc ? rc : htmt__nest_footprint(b->program, &b->arrays, &b->buffers);
}

/* *sum += each * times */
static int add_times(htmt_wide *sum, htmt_wide each, htmt_wide times)
{
    htmt_wide product;
    bool over =
        __builtin_mul_overflow(each, times, &product) || __builtin_add_overflow(*sum, product, sum);
    return over ? HTMT_EOVERFLOW : 0;
}

static int add_up(struct htmt__bounds *b)
{
    int rc = 0;
    b->work = htmt__nest_whole(0);
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        struct htmt__bound_loop *loop = &b->loop[i];
        htmt_wide working = loop->working.words * (htmt_wide)loop->run->plan->unit;
        b->largest = working > b->largest ? working : b->largest;
        rc = add_times(&b->fs, loop->fs, loop->run->times);
        /* Order blocks has told the ends of the innermost link. */
        const unsigned told = b->request.order == HTMT__BOUND_BLOCKS ? 1 : 0;
        for (unsigned k = told; k < loop->links && !rc && !b->whole; k++)
            rc = add_times(&loop->traffic[k].total, loop->traffic[k].bytes, loop->run->times);
        for (unsigned k = told; k < loop->links && !b->whole; k++)
            loop->traffic[k].most = loop->traffic[k].total;
        if (!rc)
            rc = add_times(&b->bytes, loop->traffic[0].total, 1);
        if (!rc)
            rc = add_times(&b->most, loop->traffic[0].most, 1);
        if (!rc)
            rc = htmt__nest_gather(loop->work, htmt__nest_whole(loop->run->times), &b->work);
    }
    return rc;
}

int htmt__bound_make(struct htmt__nest_program *program, const struct htmt__bound_rates *rates,
                     const struct htmt__bound_request *request, struct htmt__bounds *bound,
                     struct htmt_fault *fault)
{
    struct htmt__bounds *b = bound;
    *b = (struct htmt__bounds){.program = program, .rates = rates, .request = *request};
    b->loop = calloc(program->runs + 1, sizeof *b->loop);
    if (!b->loop)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < program->runs; i++)
        if (program->run[i].plan)
            b->loop[b->loops++].run = &program->run[i];
    int rc = check_block(b, fault);
    if (!rc)
        rc = fail(fault, "all", lay_out(program));
    for (unsigned i = 0; i < b->loops && !rc; i++)
        rc = fail(fault, b->loop[i].run->name, bound_loop(b, &b->loop[i]));
    if (!rc && request->order == HTMT__BOUND_BLOCKS) {
        rc = htmt__bound_together(b, fault);
        for (unsigned i = 0; i < b->loops && !rc; i++)
            time_loop(b, &b->loop[i]);
    }
    if (!rc)
        rc = fail(fault, "all", htmt__bound_whole(b));
    for (unsigned i = 0; i < b->loops && !rc && b->whole; i++)
        time_loop(b, &b->loop[i]);
    if (!rc)
        rc = fail(fault, "all", add_up(b));
    if (!rc)
        rc = fail(fault, "ghosts", send_ghosts(b));
    if (rc)
        htmt__bound_clear(b);
    return rc;
}

void htmt__bound_clear(struct htmt__bounds *bound)
{
    free(bound->loop);
    *bound = (struct htmt__bounds){0};
}

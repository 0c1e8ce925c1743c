/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Equation 4, its parts and what follows from them.
 */
#include "apps/cannon/closed_form.h"

#include "apps/cannon/counts.h"
#include "runtime/base/wide.h"

#include <inttypes.h>

typedef struct htmt__cannon_prediction prediction;

static const struct htmt_ratio hidden = {1, 1}, shown = {0, 1};

htmt_wide htmt__cannon_compose(struct htmt_ratio lambda, htmt_time a, htmt_time b)
{
    htmt_time most = a > b ? a : b, rest = a > b ? b : a;
    htmt_wide visible = (htmt_wide)(lambda.den - lambda.num) * rest;
    return most + (visible + (htmt_wide)(lambda.den / 2)) / (htmt_wide)lambda.den;
}

/* A move that meets no other: the receiving channel works while the sending one does. */
static htmt_time move_time(const struct htmt_machine *m, uint32_t network, uint32_t from,
                           uint32_t to, uint64_t words)
{
    htmt_time out = htmt_machine_out_time(m, network, from, to, words, 1, 1);
    htmt_time in = htmt_machine_in_time(m, network, to, words, 1);
    htmt_time longest = out > in ? out : in, arrival;
    if (out < 0 || in < 0 || __builtin_add_overflow(longest, m->network[network].latency, &arrival))
        return -1;
    return arrival;
}

/* Operations that all processors of the slice share, as many at once as the memory serves. */
static htmt_time shared_work(const struct htmt_machine *m, uint32_t layer, struct htmt_ops ops)
{
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        ops.n[k] = htmt__ceil_div(ops.n[k], htmt_machine_servers(m, layer));
    return htmt_machine_work(m, layer, &ops);
}

static htmt_time d_t(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return shared_work(m, p->outer, htmt__cannon_transform_ops(p));
}

static htmt_time d_t_c(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return shared_work(m, p->outer, htmt__cannon_restore_ops(p));
}

static htmt_time ip_ds(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return move_time(m, p->down, p->outer, p->middle, htmt__cannon_bundle_words(p));
}

static htmt_time op_sd(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return move_time(m, p->down, p->middle, p->outer, htmt__cannon_bundle_words(p));
}

static htmt_time ip_sc(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return move_time(m, p->up, p->middle, p->inner, htmt__cannon_subblock_words(p));
}

static htmt_time op_cs(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return move_time(m, p->up, p->inner, p->middle, htmt__cannon_subblock_words(p));
}

static htmt_time m_s(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    struct htmt_ops ops = htmt__cannon_multiply_ops(p);
    return htmt_machine_work(m, p->inner, &ops);
}

/* One SPELL alone has no neighbour. */
static htmt_time d_s(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    uint64_t words = p->s > 1 ? htmt__cannon_subblock_words(p) : 0;
    return words ? move_time(m, p->exchange, p->inner, p->inner, words) : 0;
}

/* A count of operations must not wrap before it becomes time. */
static int check_counts(const struct htmt__cannon_plan *p, struct htmt_fault *fault)
{
    long double b = (long double)p->b_c, side = (long double)p->t * b, s = (long double)p->s;
    long double flop = (long double)p->charges.flop * b * b * b;
    long double accesses = (long double)p->charges.accesses * side * side * (s + 1);
    long double accesses_c = (long double)p->charges.accesses_c * side * side;
    long double most = accesses > accesses_c ? accesses : accesses_c;
    if (flop < 0x1p63L && most < 0x1p63L)
        return 0;
    return htmt_fault_set(fault, HTMT_EOVERFLOW,
                          "t = %" PRIu64 ", b_c = %" PRIu64
                          ": found %.3Lg flop and %.3Lg accesses in a phase, expected below 2^63",
                          p->t, p->b_c, flop, most);
}

static int evaluate(const struct htmt_machine *m, const struct htmt__cannon_plan *p,
                    struct htmt__cannon_times *out, struct htmt_fault *fault)
{
    struct htmt__cannon_times t = {
        .d_t = d_t(m, p),
        .d_t_c = d_t_c(m, p),
        .ip_ds = ip_ds(m, p),
        .op_sd = op_sd(m, p),
        .ip_sc = ip_sc(m, p),
        .op_cs = op_cs(m, p),
        .m_s = m_s(m, p),
        .d_s = d_s(m, p),
    };
    if (t.d_t < 0 || t.d_t_c < 0 || t.ip_ds < 0 || t.op_sd < 0 || t.ip_sc < 0 || t.op_cs < 0 ||
        t.m_s < 0 || t.d_s < 0)
        return htmt_fault_set(fault, HTMT_EOVERFLOW,
                              "machine %s: a phase of the multiply with t = %" PRIu64
                              ", b_c = %" PRIu64 " takes more than 9223 s",
                              m->name, p->t, p->b_c);
    *out = t;
    return 0;
}

/* Far above every sum below, so that none of them overflows; in floating point, which cannot. */
static int check_sums(const struct htmt__cannon_plan *p, const struct htmt__cannon_times *t,
                      struct htmt_fault *fault)
{
    long double steps = (long double)p->s * ((long double)t->m_s + (long double)t->d_s);
    long double moves = 3 * ((long double)t->ip_sc + (long double)t->op_cs);
    long double bundles = 3 * ((long double)t->ip_ds + (long double)t->op_sd);
    long double side = (long double)p->q * (long double)p->t, all = (long double)p->dimension;
    long double sum = side * side * side * (steps + moves + bundles) +
                      3 * ((long double)t->d_t + (long double)t->d_t_c);
    if (sum < 0x1p125L && all * all * all < 0x1p125L)
        return 0;
    return htmt_fault_set(fault, HTMT_EOVERFLOW,
                          "the multiply with q = %" PRIu64 ", t = %" PRIu64 ", b_c = %" PRIu64
                          " takes %.3Lg fs and %.3Lg flop: more than 128 bits hold",
                          p->q, p->t, p->b_c, sum, 2 * all * all * all);
}

/* T_B, the block of C that s^2 SPELLs make from t pairs of blocks. */
static htmt_wide block_of_c(const prediction *p)
{
    return p->plan.t * (2 * (htmt_wide)p->times.ip_sc + p->block_multiply) + p->times.op_cs;
}

static htmt_wide product_paper(const prediction *p)
{
    htmt_wide t2 = (htmt_wide)p->plan.t * p->plan.t;
    return 2 * (htmt_wide)p->times.ip_ds + p->times.op_sd + t2 * p->t_b;
}

static htmt_wide larger(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

/* From the last two steps of a block product on the next pair comes in, with one step it is two
 * products ahead; behind the last of a subblock of C that goes down. The first pair shows. */
static htmt_wide product_overlapped(const prediction *p)
{
    htmt_wide t2 = (htmt_wide)p->plan.t * p->plan.t, pair = 2 * (htmt_wide)p->times.ip_sc;
    htmt_wide multiply = p->block_multiply, ends = multiply + p->times.op_cs;
    htmt_wide before = p->plan.s > 2 ? multiply / p->plan.s * (p->plan.s - 2) : 0;
    return 2 * (htmt_wide)p->times.ip_ds + p->times.op_sd + pair +
           t2 * (p->plan.t - 1) * larger(multiply, before + pair) +
           (t2 - 1) * larger(ends, before + pair) + ends;
}

static htmt_wide cube(uint64_t x)
{
    return (htmt_wide)x * x * x;
}

static void total(prediction *p)
{
    p->block_multiply = p->plan.s * htmt__cannon_compose(hidden, p->times.m_s, p->times.d_s);
    p->block_shown = p->plan.s * htmt__cannon_compose(shown, p->times.m_s, p->times.d_s);
    p->t_b = block_of_c(p);
    p->transforms = 2 * (htmt_wide)p->times.d_t + p->times.d_t_c;
    p->product[HTMT__CANNON_PAPER] = product_paper(p);
    p->product[HTMT__CANNON_OVERLAPPED] = product_overlapped(p);
    for (unsigned k = 0; k < HTMT__CANNON_SCHEDULES; k++)
        p->total[k] = p->transforms + cube(p->plan.q) * p->product[k];
    p->transforms_hide = p->transforms <= p->product[HTMT__CANNON_OVERLAPPED];
}

static void count_flops(prediction *p)
{
    const struct htmt__cannon_problem *problem = &p->plan.problem;
    p->flops = 2 * (htmt_uwide)problem->rows * problem->inner * problem->cols;
    p->machine_flops = 2 * (htmt_uwide)cube(p->plan.dimension);
}

int htmt__cannon_predict(const struct htmt_machine *m, const struct htmt__cannon_plan *plan,
                         prediction *out, struct htmt_fault *fault)
{
    prediction p = {.plan = *plan};
    int rc = check_counts(plan, fault);
    if (!rc)
        rc = evaluate(m, plan, &p.times, fault);
    if (!rc)
        rc = check_sums(plan, &p.times, fault);
    if (rc)
        return rc;
    total(&p);
    count_flops(&p);
    *out = p;
    return 0;
}

/* ---- by cause ------------------------------------------------------------------------------- */

void htmt__cannon_causes(const prediction *p, enum htmt__cannon_schedule schedule,
                         htmt_wide part[HTMT_PATH_CAUSES])
{
    const struct htmt__cannon_times *t = &p->times;
    htmt_wide t2 = (htmt_wide)p->plan.t * p->plan.t, t3 = t2 * p->plan.t;
    htmt_wide pair = 2 * (htmt_wide)t->ip_sc;
    if (p->plan.q != 1)
        return;
    part[HTMT_PATH_WORK] = t3 * p->plan.s * t->m_s;
    part[HTMT_PATH_FILL] = 2 * (htmt_wide)t->d_t + 2 * (htmt_wide)t->ip_ds + pair;
    part[HTMT_PATH_DRAIN] = (htmt_wide)t->op_cs + t->op_sd + t->d_t_c;
    part[HTMT_PATH_OVERHEAD] =
        p->total[schedule] - part[HTMT_PATH_WORK] - part[HTMT_PATH_FILL] - part[HTMT_PATH_DRAIN];
}

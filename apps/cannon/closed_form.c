/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Equation 4, its parts and what follows from them.
 */
#include "apps/cannon/closed_form.h"

#include "apps/cannon/counts.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

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
    const struct htmt_layer *l = &m->layer[layer];
    uint64_t at_once = l->processor.count;
    if (l->memory.ports && l->memory.ports < at_once)
        at_once = l->memory.ports;
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        ops.n[k] = ops.n[k] / at_once + (ops.n[k] % at_once != 0);
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

static htmt_time d_s(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return move_time(m, p->exchange, p->inner, p->inner, htmt__cannon_subblock_words(p));
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

static htmt_wide block_multiply(const prediction *p)
{
    return p->plan.s * htmt__cannon_compose(hidden, p->times.m_s, p->times.d_s);
}

/* T_B, the block of C that s^2 SPELLs make from t pairs of blocks. */
static htmt_wide block_of_c(const prediction *p)
{
    return p->plan.t * (2 * (htmt_wide)p->times.ip_sc + block_multiply(p)) + p->times.op_cs;
}

static htmt_wide product_paper(const prediction *p)
{
    htmt_wide t2 = (htmt_wide)p->plan.t * p->plan.t;
    return 2 * (htmt_wide)p->times.ip_ds + p->times.op_sd + t2 * block_of_c(p);
}

/* The first pair shows, then each block multiply hides the pair of the next. */
static htmt_wide product_overlapped(const prediction *p)
{
    htmt_wide t2 = (htmt_wide)p->plan.t * p->plan.t, t3 = t2 * p->plan.t;
    htmt_wide pair = 2 * (htmt_wide)p->times.ip_sc, multiply = block_multiply(p);
    return 2 * (htmt_wide)p->times.ip_ds + p->times.op_sd + pair +
           (t3 - 1) * (multiply > pair ? multiply : pair) + multiply + t2 * p->times.op_cs;
}

static htmt_wide cube(uint64_t x)
{
    return (htmt_wide)x * x * x;
}

static void total(prediction *p)
{
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

static void add_time(prediction *p, const char *name, htmt_wide fs, const char *expression)
{
    assert(p->term_count < HTMT__CANNON_TERMS_MAX);
    p->term[p->term_count++] = (struct htmt__cannon_term){.name = name,
                                                          .unit = "fs",
                                                          .expression = expression,
                                                          .fs = fs,
                                                          .value = 1e-15 * (double)fs};
}

static void add(prediction *p, const char *name, const char *unit, long double value,
                const char *expression)
{
    assert(p->term_count < HTMT__CANNON_TERMS_MAX);
    p->term[p->term_count++] = (struct htmt__cannon_term){
        .name = name, .unit = unit, .expression = expression, .value = (double)value};
}

static long double ratio(htmt_wide a, htmt_wide b)
{
    return b ? (long double)a / (long double)b : 0;
}

static void add_phases(prediction *p)
{
    const struct htmt__cannon_times *t = &p->times;
    bool file = p->plan.charges.from_file;
    const char *transform =
        file ? "transform.accesses (t b_c)^2 (s + 1)" : "2 (t b_c)^2 (s + 1) accesses";
    add_time(p, "D_t[A]", t->d_t, transform);
    add_time(p, "D_t[B]", t->d_t, transform);
    add_time(p, "D_t[C]", t->d_t_c,
             file ? "transform.accesses-c (t b_c)^2" : "2 (t b_c)^2 accesses");
    add_time(p, "IP_DS", t->ip_ds, "(t b_c)^2 words");
    add_time(p, "OP_SD", t->op_sd, "(t b_c)^2 words");
    add_time(p, "IP_SC", t->ip_sc, "b_c^2 words");
    add_time(p, "OP_CS", t->op_cs, "b_c^2 words");
    add_time(p, "M_S", t->m_s, file ? "multiply.flop b_c^3" : "2 b_c^3 flop");
    add_time(p, "D_S", t->d_s, "b_c^2 words");
}

static void add_parcels(prediction *p)
{
    const struct htmt__cannon_times *t = &p->times;
    add_time(p, "bundle up", 2 * (htmt_wide)t->ip_ds, "2 IP_DS");
    add_time(p, "bundle down", t->op_sd, "OP_SD");
    add_time(p, "inject", 2 * (htmt_wide)t->ip_sc, "2 IP_SC");
    add_time(p, "block multiply", block_multiply(p), "s f(M_S, D_S), lambda = 1: s max(M_S, D_S)");
    add_time(p, "block multiply, exchanges shown",
             p->plan.s * htmt__cannon_compose(shown, t->m_s, t->d_s),
             "s f(M_S, D_S), lambda = 0: s (M_S + D_S)");
    add_time(p, "T_B", block_of_c(p), "t (2 IP_SC + s max(M_S, D_S)) + OP_CS");
}

static void add_busy(prediction *p)
{
    const struct htmt__cannon_times *t = &p->times;
    htmt_wide q3 = cube(p->plan.q), t2 = (htmt_wide)p->plan.t * p->plan.t, t3 = t2 * p->plan.t;
    add_time(p, "transforms", p->transforms, "D_t[A] + D_t[B] + D_t[C]");
    add_time(p, "busy multiply", q3 * t3 * p->plan.s * t->m_s, "q^3 t^3 s M_S");
    add_time(p, "busy inject", q3 * t3 * 2 * t->ip_sc, "q^3 t^3 2 IP_SC");
    add_time(p, "busy eject", q3 * t2 * t->op_cs, "q^3 t^2 OP_CS");
    add_time(p, "busy inject and eject", q3 * (t3 * 2 * t->ip_sc + t2 * t->op_cs),
             "q^3 (t^3 2 IP_SC + t^2 OP_CS)");
    add_time(p, "busy bundle up", q3 * 2 * t->ip_ds, "q^3 2 IP_DS");
    add_time(p, "busy bundle down", q3 * t->op_sd, "q^3 OP_SD");
}

static void add_totals(prediction *p)
{
    htmt_wide paper = p->total[HTMT__CANNON_PAPER], over = p->total[HTMT__CANNON_OVERLAPPED];
    htmt_wide excess = p->transforms - p->product[HTMT__CANNON_OVERLAPPED];
    add_time(p, "product, paper", p->product[HTMT__CANNON_PAPER], "2 IP_DS + OP_SD + t^2 T_B");
    add_time(p, "product, overlapped", p->product[HTMT__CANNON_OVERLAPPED],
             "2 IP_DS + OP_SD + 2 IP_SC + (t^3 - 1) max(s max(M_S, D_S), 2 IP_SC) + s max(M_S, "
             "D_S) + t^2 OP_CS");
    add_time(p, "T, paper", paper, "transforms + q^3 product");
    add_time(p, "T, overlapped", over, "transforms + q^3 product");
    add_time(p, "saved by overlap", paper - over, "T, paper - T, overlapped");
    add_time(p, "transforms left out", p->transforms_hide ? 0 : (cube(p->plan.q) - 1) * excess,
             "(q^3 - 1) max(0, transforms - product, overlapped)");
}

static void add_rates(prediction *p)
{
    htmt_wide paper = p->total[HTMT__CANNON_PAPER], over = p->total[HTMT__CANNON_OVERLAPPED];
    htmt_wide multiply = cube(p->plan.q) * cube(p->plan.t) * p->plan.s * p->times.m_s;
    htmt_wide flops = (htmt_wide)p->flops, padded = (htmt_wide)p->machine_flops;
    long double second = HTMT_SECOND;
    add(p, "flop", "flop", (long double)flops, "2 rows inner cols");
    add(p, "flop, padded", "flop", (long double)padded, "2 (q t s b_c)^3");
    add(p, "rate, paper", "flop/s", second * ratio(flops, paper), "flop / T, paper");
    add(p, "rate, overlapped", "flop/s", second * ratio(flops, over), "flop / T, overlapped");
    add(p, "rate for large q", "flop/s",
        second * ratio(padded, cube(p->plan.q) * p->product[HTMT__CANNON_PAPER]),
        "flop, padded / (q^3 product, paper)");
    add(p, "rate of all SPELLs", "flop/s", second * ratio(padded, multiply),
        "flop, padded / busy multiply");
    add(p, "share of peak, paper", "%", 100 * ratio(multiply, paper), "busy multiply / T, paper");
    add(p, "share of peak, overlapped", "%", 100 * ratio(multiply, over),
        "busy multiply / T, overlapped");
}

static long double share(const struct htmt_machine *m, uint32_t layer, uint64_t words)
{
    return 100 * ratio((htmt_wide)words, (htmt_wide)m->layer[layer].memory.capacity);
}

static void add_use(prediction *p, const struct htmt_machine *m)
{
    const struct htmt__cannon_plan *plan = &p->plan;
    htmt_wide multiply = block_multiply(p);
    add(p, "M_S over D_S", "1", ratio(p->times.m_s, p->times.d_s), "M_S / D_S");
    add(p, "inject over block multiply", "%", 100 * ratio(2 * (htmt_wide)p->times.ip_sc, multiply),
        "2 IP_SC / (s max(M_S, D_S))");
    add(p, "eject over block multiply", "%",
        100 * ratio(p->times.op_cs, (htmt_wide)plan->t * multiply), "OP_CS / (t s max(M_S, D_S))");
    add(p, "CRAM", "words", plan->inner_words, "7 b_c^2");
    add(p, "SRAM", "words", plan->middle_words, "3 (t b_c)^2");
    add(p, "DRAM", "words", plan->outer_words, "3 (q t b_c)^2 + 3 (t b_c)^2, or 6 (t b_c)^2");
    add(p, "CRAM use", "%", share(m, plan->inner, plan->inner_words), "CRAM / its capacity");
    add(p, "SRAM use", "%", share(m, plan->middle, plan->middle_words), "SRAM / its capacity");
    add(p, "DRAM use", "%", share(m, plan->outer, plan->outer_words), "DRAM / its capacity");
    add(p, "largest b_c", "1", plan->b_c_most, "floor(sqrt((CRAM - reserve) / 7))");
    add(p, "largest t", "1", plan->t_most, "floor(sqrt((SRAM - reserve) / 3) / b_c)");
}

static void name_inputs(prediction *p)
{
    const struct htmt__cannon_plan *plan = &p->plan;
    const struct htmt__cannon_charges *c = &plan->charges;
    int used = snprintf(p->inputs, sizeof p->inputs,
                        "q = %" PRIu64 ", t = %" PRIu64 ", s = %" PRIu64 ", b_c = %" PRIu64,
                        plan->q, plan->t, plan->s, plan->b_c);
    if (c->from_file)
        snprintf(p->inputs + used, sizeof p->inputs - (size_t)used,
                 "; multiply.flop = %" PRIu64 ", transform.accesses = %" PRIu64
                 ", transform.accesses-c = %" PRIu64,
                 c->flop, c->accesses, c->accesses_c);
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
    name_inputs(&p);
    total(&p);
    count_flops(&p);
    add_phases(&p);
    add_parcels(&p);
    add_busy(&p);
    add_totals(&p);
    add_rates(&p);
    add_use(&p, m);
    *out = p;
    return 0;
}

const struct htmt__cannon_term *htmt__cannon_term(const prediction *p, const char *name)
{
    for (unsigned k = 0; k < p->term_count; k++)
        if (!strcmp(p->term[k].name, name))
            return &p->term[k];
    return NULL;
}

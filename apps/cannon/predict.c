/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/cannon/settings.h"
#include "apps/lib/term_tree.h"

#include <inttypes.h>

typedef struct htmt__cannon_prediction closed;
typedef struct htmt_prediction tree;

static htmt_wide power(uint64_t x, unsigned n)
{
    return n ? x * power(x, n - 1) : 1;
}

static double ratio(htmt_wide a, htmt_wide b)
{
    return b ? (double)((long double)a / (long double)b) : 0;
}

static void add_transforms(tree *out, const closed *p)
{
    bool file = p->plan.charges.from_file;
    const char *transform =
        file ? "transform.accesses (t b_c)^2 (s + 1)" : "2 (t b_c)^2 (s + 1) accesses";
    htmt__tree_time(out, 1, "transforms", "rearranging A, B and C in DRAM", p->transforms,
                    "D_t[A] + D_t[B] + D_t[C]");
    htmt__tree_time(out, 2, "D_t[A]", "rearranging A", p->times.d_t, transform);
    htmt__tree_time(out, 2, "D_t[B]", "rearranging B", p->times.d_t, transform);
    htmt__tree_time(out, 2, "D_t[C]", "putting C back in rows", p->times.d_t_c,
                    file ? "transform.accesses-c (t b_c)^2" : "2 (t b_c)^2 accesses");
}

static void add_block(tree *out, const closed *p)
{
    const struct htmt__cannon_times *t = &p->times;
    htmt__tree_time(out, 2, "T_B", "a subblock of C on each SPELL", p->t_b,
                    "t (2 IP_SC + s max(M_S, D_S)) + OP_CS");
    htmt__tree_time(out, 3, "inject", "a pair of subblocks, SRAM to CRAM", 2 * (htmt_wide)t->ip_sc,
                    "2 IP_SC");
    htmt__tree_time(out, 4, "IP_SC", "a subblock, SRAM to CRAM", t->ip_sc, "b_c^2 words");
    htmt__tree_time(out, 3, "block multiply", "s steps, exchanges hidden", p->block_multiply,
                    "s f(M_S, D_S), lambda = 1: s max(M_S, D_S)");
    htmt__tree_time(out, 3, "block multiply, exchanges shown",
                    "s steps, exchanges after the products", p->block_shown,
                    "s f(M_S, D_S), lambda = 0: s (M_S + D_S)");
    htmt__tree_time(out, 4, "M_S", "multiply one pair of subblocks", t->m_s,
                    p->plan.charges.from_file ? "multiply.flop b_c^3" : "2 b_c^3 flop");
    htmt__tree_time(out, 4, "D_S", "exchange subblocks with the neighbours", t->d_s, "b_c^2 words");
    htmt__tree_time(out, 3, "OP_CS", "a subblock of C, CRAM to SRAM", t->op_cs, "b_c^2 words");
}

static void add_product(tree *out, const closed *p)
{
    const struct htmt__cannon_times *t = &p->times;
    htmt__tree_time(
        out, 1, "product, overlapped", "one of the q^3 products",
        p->product[HTMT__CANNON_OVERLAPPED],
        "2 IP_DS + OP_SD + 2 IP_SC + t^2 (t - 1) max(B, H) + (t^2 - 1) max(B + OP_CS, H) "
        "+ B + OP_CS; B = block multiply, H = 2 IP_SC + (s - 2) B / s");
    htmt__tree_time(out, 1, "product, paper", "one of the q^3 products",
                    p->product[HTMT__CANNON_PAPER], "2 IP_DS + OP_SD + t^2 T_B");
    htmt__tree_time(out, 2, "bundle up", "A and B, DRAM to SRAM", 2 * (htmt_wide)t->ip_ds,
                    "2 IP_DS");
    htmt__tree_time(out, 3, "IP_DS", "a bundle, DRAM to SRAM", t->ip_ds, "(t b_c)^2 words");
    add_block(out, p);
    htmt__tree_time(out, 2, "bundle down", "C, SRAM to DRAM", t->op_sd, "OP_SD");
    htmt__tree_time(out, 3, "OP_SD", "a bundle, SRAM to DRAM", t->op_sd, "(t b_c)^2 words");
}

static void add_saved(tree *out, const closed *p)
{
    htmt_wide excess = p->transforms - p->product[HTMT__CANNON_OVERLAPPED];
    htmt__tree_time(out, 0, "saved by overlap", "what the schedules differ by",
                    p->total[HTMT__CANNON_PAPER] - p->total[HTMT__CANNON_OVERLAPPED],
                    "T, paper - T, overlapped");
    htmt__tree_time(out, 0, "transforms left out",
                    "of later products, where a product is too short to hide them",
                    p->transforms_hide ? 0 : (power(p->plan.q, 3) - 1) * excess,
                    "(q^3 - 1) max(0, transforms - product, overlapped)");
}

/* Of a SPELL, all multiplies. */
static htmt_wide busy_multiply(const closed *p)
{
    return power(p->plan.q, 3) * power(p->plan.t, 3) * p->plan.s * p->times.m_s;
}

static void add_busy(tree *out, const closed *p)
{
    const struct htmt__cannon_times *t = &p->times;
    htmt_wide q3 = power(p->plan.q, 3), t2 = power(p->plan.t, 2), t3 = power(p->plan.t, 3);
    htmt__tree_time(out, 0, "busy multiply", "a SPELL", busy_multiply(p), "q^3 t^3 s M_S");
    htmt__tree_time(out, 0, "busy inject", "SRAM to CRAM of a slice", q3 * t3 * 2 * t->ip_sc,
                    "q^3 t^3 2 IP_SC");
    htmt__tree_time(out, 0, "busy eject", "CRAM to SRAM of a slice", q3 * t2 * t->op_cs,
                    "q^3 t^2 OP_CS");
    htmt__tree_time(out, 0, "busy inject and eject", "both ways",
                    q3 * (t3 * 2 * t->ip_sc + t2 * t->op_cs), "q^3 (t^3 2 IP_SC + t^2 OP_CS)");
    htmt__tree_time(out, 0, "busy bundle up", "DRAM to SRAM of a slice", q3 * 2 * t->ip_ds,
                    "q^3 2 IP_DS");
    htmt__tree_time(out, 0, "busy bundle down", "SRAM to DRAM of a slice", q3 * t->op_sd,
                    "q^3 OP_SD");
}

static void add_rate(tree *out, const char *name, const char *meaning, htmt_wide flops,
                     htmt_wide time, const char *expression)
{
    double rate = time ? (double)(HTMT_SECOND * ((long double)flops / (long double)time)) : 0;
    htmt__tree_value(out, 0, name, meaning, "flop/s", rate, expression);
}

static void add_share(tree *out, const char *name, const char *meaning, htmt_wide part,
                      htmt_wide all, const char *expression)
{
    double share = all ? (double)(100 * ((long double)part / (long double)all)) : 0;
    htmt__tree_value(out, 0, name, meaning, "%", share, expression);
}

static void add_rates(tree *out, const closed *p)
{
    htmt_wide paper = p->total[HTMT__CANNON_PAPER], over = p->total[HTMT__CANNON_OVERLAPPED];
    htmt_wide flops = (htmt_wide)p->flops, padded = (htmt_wide)p->machine_flops;
    htmt_wide multiply = busy_multiply(p);
    htmt__tree_value(out, 0, "flop", "of the problem", "flop", (double)flops, "2 rows inner cols");
    htmt__tree_value(out, 0, "flop, padded", "of the multiplied squares", "flop", (double)padded,
                     "2 (q t s b_c)^3");
    add_rate(out, "rate, overlapped", "of the problem", flops, over, "flop / T, overlapped");
    add_rate(out, "rate, paper", "of the problem", flops, paper, "flop / T, paper");
    add_rate(out, "rate for large q", "transforms hidden", padded,
             power(p->plan.q, 3) * p->product[HTMT__CANNON_PAPER],
             "flop, padded / (q^3 product, paper)");
    add_rate(out, "rate of all SPELLs", "while they multiply", padded, multiply,
             "flop, padded / busy multiply");
    add_share(out, "share of peak, overlapped", "SPELLs that multiply", multiply, over,
              "busy multiply / T, overlapped");
    add_share(out, "share of peak, paper", "SPELLs that multiply", multiply, paper,
              "busy multiply / T, paper");
}

static void add_hiding(tree *out, const closed *p)
{
    const struct htmt__cannon_times *t = &p->times;
    htmt__tree_value(out, 0, "M_S over D_S", "above 1 exchanges hide", "1", ratio(t->m_s, t->d_s),
                     "M_S / D_S");
    add_share(out, "inject over block multiply", "below 100 injects can hide",
              2 * (htmt_wide)t->ip_sc, p->block_multiply, "2 IP_SC / (s max(M_S, D_S))");
    add_share(out, "eject over block multiply", "of t of them", t->op_cs,
              (htmt_wide)p->plan.t * p->block_multiply, "OP_CS / (t s max(M_S, D_S))");
}

static void add_use(tree *out, const char *name, const struct htmt_machine *m, uint32_t layer,
                    uint64_t words, const char *expression)
{
    add_share(out, name, "data", (htmt_wide)words, (htmt_wide)m->layer[layer].memory.capacity,
              expression);
}

static void add_memories(tree *out, const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    htmt__tree_value(out, 0, "CRAM", "data of a slice", "words", (double)p->inner_words, "7 b_c^2");
    htmt__tree_value(out, 0, "SRAM", "data of a slice", "words", (double)p->middle_words,
                     "3 (t b_c)^2");
    htmt__tree_value(out, 0, "DRAM", "data of a slice", "words", (double)p->outer_words,
                     "3 (q t b_c)^2 + 3 (t b_c)^2, or 6 (t b_c)^2");
    add_use(out, "CRAM use", m, p->inner, p->inner_words, "CRAM / its capacity");
    add_use(out, "SRAM use", m, p->middle, p->middle_words, "SRAM / its capacity");
    add_use(out, "DRAM use", m, p->outer, p->outer_words, "DRAM / its capacity");
    htmt__tree_value(out, 0, "largest b_c", "that CRAM holds", "1", (double)p->b_c_most,
                     "floor(sqrt((CRAM - reserve) / 7))");
    htmt__tree_value(out, 0, "largest t", "that SRAM holds", "1", (double)p->t_most,
                     "floor(sqrt((SRAM - reserve) / 3) / b_c)");
}

static void name_inputs(struct htmt_term *t, const struct htmt__cannon_plan *p)
{
    const struct htmt__cannon_charges *c = &p->charges;
    int used = snprintf(t->inputs, sizeof t->inputs,
                        "q = %" PRIu64 ", t = %" PRIu64 ", s = %" PRIu64 ", b_c = %" PRIu64, p->q,
                        p->t, p->s, p->b_c);
    if (c->from_file)
        snprintf(t->inputs + used, sizeof t->inputs - (size_t)used,
                 "; multiply.flop = %" PRIu64 ", transform.accesses = %" PRIu64
                 ", transform.accesses-c = %" PRIu64,
                 c->flop, c->accesses, c->accesses_c);
}

void htmt__cannon_tell(const struct htmt_machine *m, const closed *p, tree *out)
{
    struct htmt_term *first =
        htmt__tree_time(out, 0, "T, overlapped", "all, with what the buffers allow to overlap",
                        p->total[HTMT__CANNON_OVERLAPPED], "transforms + q^3 product");
    name_inputs(first, &p->plan);
    htmt__tree_time(out, 0, "T, paper", "all, injects between the block products",
                    p->total[HTMT__CANNON_PAPER], "transforms + q^3 product");
    add_transforms(out, p);
    add_product(out, p);
    add_saved(out, p);
    add_busy(out, p);
    add_rates(out, p);
    add_hiding(out, p);
    add_memories(out, m, &p->plan);
}

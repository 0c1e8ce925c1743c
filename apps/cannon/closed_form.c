/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Equation 4, its parts and what follows from them, as rows: their texts are evaluated and printed.
 *
 * Where the overlapped schedule saves time. A block product of s steps needs a new pair of
 * subblocks at its first step. Equation 4 injects the pair between two block products: inject +
 * block multiply. With three buffers the next pair may come in from the last two steps on, so from
 * one block product to the next pass
 *
 *     max(block multiply, inject + (s - 2) max(M_S, D_S)),
 *
 * which is the block multiply if two of its steps are longer than the inject. Behind the last block
 * product of a subblock of C, that subblock goes down in the meantime (block step). The first pair
 * of a product shows in full. For M_S = 12 us, D_S = 1 us, IP_SC = 7 us and s = 4, a block multiply
 * is 48 us and an inject 14 us: 62 us by equation 4, and max(48, 14 + 24) = 48 us overlapped.
 */
#include "apps/cannon/closed_form.h"

#include "apps/lib/servers.h"
#include "apps/lib/term_tree.h"
#include "runtime/base/wide.h"

#include <inttypes.h>

typedef struct htmt__cannon_prediction prediction;
typedef struct htmt__cannon_plan plan;
typedef struct htmt_term_tree tree;

/* ---- services ------------------------------------------------------------------------------- */

struct machine {
    struct htmt_servers servers;
    const plan *p;
};

/* Accesses that all processors of the slice share, as many at once as the memory serves. */
static htmt_time dpims(const struct machine *w, uint64_t each, uint64_t accesses)
{
    struct htmt_ops ops = htmt__cannon_access_ops(each, each ? accesses / each : 0);
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        ops.n[k] = htmt_ceil_div(ops.n[k], htmt_machine_servers(w->servers.m, w->p->outer));
    return htmt_machine_work(w->servers.m, w->p->outer, &ops);
}

static htmt_time transform(const void *user, unsigned server, uint64_t accesses)
{
    (void)server;
    const struct machine *w = user;
    return dpims(w, w->p->charges.accesses, accesses);
}

/* Of a single processor. */
static htmt_time alone(const void *user, unsigned server, uint64_t accesses)
{
    (void)server;
    const struct machine *w = user;
    const uint64_t each = w->p->charges.accesses;
    struct htmt_ops ops = htmt__cannon_access_ops(each, each ? accesses / each : 0);
    return htmt_machine_work(w->servers.m, w->p->outer, &ops);
}

static htmt_time restore(const void *user, unsigned server, uint64_t accesses)
{
    (void)server;
    const struct machine *w = user;
    return dpims(w, w->p->charges.accesses_c, accesses);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct htmt_term_row times[] = {
    HTMT_ROW(0, "s", "T, overlapped", "transforms + q * q * q * 'product, overlapped'",
             "all, with what the buffers allow to overlap"),
    HTMT_ROW(0, "s", "T, paper", "transforms + q * q * q * 'product, paper'",
             "all, injects between the block products"),
    HTMT_ROW(1, "s", "transforms", "D_t[A] + D_t[B] + D_t[C]", "rearranging A, B and C in DRAM"),
    HTMT_ROW_SERVED(2, "D_t[A]", "transform.accesses * t * b_c * t * b_c * (s + 1)",
                    "accesses of all DPIMs", transform, HTMT_SERVE_DPIM, "rearranging A"),
    HTMT_ROW_SERVED(2, "D_t[B]", "transform.accesses * t * b_c * t * b_c * (s + 1)",
                    "accesses of all DPIMs", transform, HTMT_SERVE_DPIM, "rearranging B"),
    HTMT_ROW_SERVED(2, "D_t[C]", "transform.accesses-c * t * b_c * t * b_c",
                    "accesses of all DPIMs", restore, HTMT_SERVE_DPIM, "putting C back in rows"),
    HTMT_ROW(
        1, "s", "product, overlapped",
        "bundle up + inject + t * t * (t - 1) * product step + (t * t - 1) * block step + block "
        "multiply + OP_CS + bundle down",
        "one of the q^3 products"),
    HTMT_ROW(1, "s", "product, paper", "bundle up + t * t * T_B + bundle down",
             "one of the q^3 products"),
    HTMT_ROW(2, "s", "bundle up", "2 * IP_DS", "A and B, DRAM to SRAM"),
    HTMT_ROW_SERVED(3, "IP_DS", "t * b_c * t * b_c", "words, DRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_D_TO_S, "a bundle, DRAM to SRAM"),
    HTMT_ROW(2, "s", "T_B", "t * (inject + block multiply) + OP_CS",
             "a subblock of C on each SPELL"),
    HTMT_ROW(3, "s", "inject", "2 * IP_SC", "a pair of subblocks, SRAM to CRAM"),
    HTMT_ROW_SERVED(4, "IP_SC", "b_c * b_c", "words, SRAM to CRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_C, "a subblock, SRAM to CRAM"),
    HTMT_ROW(3, "s", "block multiply", "s * max(M_S, D_S)", "s steps, exchanges hidden"),
    HTMT_ROW(3, "s", "block multiply, exchanges shown", "s * (M_S + D_S)",
             "s steps, exchanges after the products"),
    HTMT_ROW_SERVED(4, "M_S", "multiply.flop * b_c * b_c * b_c", "flop of a SPELL", htmt_serve_flop,
                    HTMT_SERVE_SPELL, "multiply one pair of subblocks"),
    HTMT_ROW_SERVED(4, "D_S", "min(s - 1, 1) * b_c * b_c", "words, SPELL to SPELL",
                    htmt_move_length, HTMT_SERVE_ACROSS, "exchange subblocks with the neighbours"),
    HTMT_ROW_SERVED(3, "OP_CS", "b_c * b_c", "words, CRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_C_TO_S, "a subblock of C, CRAM to SRAM"),
    HTMT_ROW(2, "s", "bundle down", "OP_SD", "C, SRAM to DRAM"),
    HTMT_ROW_SERVED(3, "OP_SD", "t * b_c * t * b_c", "words, SRAM to DRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_D, "a bundle, SRAM to DRAM"),
    HTMT_ROW(0, "s", "saved by overlap", "'T, paper' - 'T, overlapped'",
             "what the schedules differ by"),
    HTMT_ROW(0, "s", "transforms left out",
             "(q * q * q - 1) * max(0, transforms - 'product, overlapped')",
             "of later products, where a product is too short to hide them"),
    HTMT_ROW(0, "s", "busy multiply", "q * q * q * t * t * t * s * M_S", "a SPELL"),
    HTMT_ROW(0, "s", "busy inject", "q * q * q * t * t * t * inject", "SRAM to CRAM of a slice"),
    HTMT_ROW(0, "s", "busy eject", "q * q * q * t * t * OP_CS", "CRAM to SRAM of a slice"),
    HTMT_ROW(0, "s", "busy inject and eject", "busy inject + busy eject", "both ways"),
    HTMT_ROW(0, "s", "busy bundle up", "q * q * q * bundle up", "DRAM to SRAM of a slice"),
    HTMT_ROW(0, "s", "busy bundle down", "q * q * q * bundle down", "SRAM to DRAM of a slice"),
    /* With one step a block product the next pair is two products ahead. */
    HTMT_ROW_PART("s", "product step",
                  "max(block multiply, inject + max(s - 2, 0) * max(M_S, D_S))"),
    HTMT_ROW_PART("s", "block step",
                  "max(block multiply + OP_CS, inject + max(s - 2, 0) * max(M_S, D_S))"),
    HTMT_ROW_PART("s", "work", "busy multiply"),
    HTMT_ROW_PART("s", "fill", "D_t[A] + D_t[B] + bundle up + inject"),
    HTMT_ROW_PART("s", "drain", "OP_CS + OP_SD + D_t[C]"), HTMT_ROWS_END};

static const struct htmt_term_row rates[] = {
    HTMT_ROW(0, "flop", "flop", "2 * rows * inner * cols", "of the problem"),
    HTMT_ROW(0, "flop", "flop, padded", "2 * dimension * dimension * dimension",
             "of the multiplied squares"),
    HTMT_ROW_QUOTIENT("flop/s", "rate, overlapped", "flop / 'T, overlapped'", "of the problem"),
    HTMT_ROW_QUOTIENT("flop/s", "rate, paper", "flop / 'T, paper'", "of the problem"),
    HTMT_ROW_QUOTIENT("flop/s", "rate for large q",
                      "'flop, padded' / (q * q * q * 'product, paper')", "transforms hidden"),
    HTMT_ROW_QUOTIENT("flop/s", "rate of all SPELLs", "'flop, padded' / busy multiply",
                      "while they multiply"),
    HTMT_ROW_QUOTIENT("%", "share of peak, overlapped", "busy multiply / 'T, overlapped'",
                      "SPELLs that multiply"),
    HTMT_ROW_QUOTIENT("%", "share of peak, paper", "busy multiply / 'T, paper'",
                      "SPELLs that multiply"),
    HTMT_ROW_QUOTIENT("1", "M_S over D_S", "M_S / D_S", "above 1 exchanges hide"),
    HTMT_ROW_QUOTIENT("%", "inject over block multiply", "inject / block multiply",
                      "below 100 injects can hide"),
    HTMT_ROW_QUOTIENT("%", "eject over block multiply", "OP_CS / (t * block multiply)",
                      "of t of them"),
    HTMT_ROW_PART("1", "dimension", "q * t * s * b_c"),
    HTMT_ROWS_END};

static const struct htmt_term_row inner_memories[] = {
    HTMT_ROW(0, "words", "CRAM", "7 * b_c * b_c", "data of a slice"),
    HTMT_ROW(0, "words", "SRAM", "3 * t * b_c * t * b_c", "data of a slice"), HTMT_ROWS_END};

/* The outer memory holds the matrices, or two images of SRAM beside those of a memory behind it. */
static const struct htmt_term_row home_memory[] = {
    HTMT_ROW(0, "words", "DRAM", "3 * q * t * b_c * q * t * b_c + SRAM", "data of a slice"),
    HTMT_ROWS_END};
static const struct htmt_term_row passed_memory[] = {
    HTMT_ROW(0, "words", "DRAM", "2 * SRAM", "data of a slice"), HTMT_ROWS_END};

static const struct htmt_term_row memory_uses[] = {
    HTMT_ROW_QUOTIENT("%", "CRAM use", "CRAM / CRAM capacity", "data"),
    HTMT_ROW_QUOTIENT("%", "SRAM use", "SRAM / SRAM capacity", "data"),
    HTMT_ROW_QUOTIENT("%", "DRAM use", "DRAM / DRAM capacity", "data"),
    HTMT_ROW_COMPUTED(0, "1", "largest b_c", "htmt__cannon_plan", "that CRAM holds"),
    HTMT_ROW_COMPUTED(0, "1", "largest t", "htmt__cannon_plan", "that SRAM holds"),
    HTMT_ROWS_END};

/* ---- rows of rectangles ---------------------------------------------------------------------- */

/* The same sums where the dimensions differ: the transforms, moves and exchanges of A, B and C have
 * lengths of their own. A and B are exchanged at once, so the longer of both counts. */
static const struct htmt_term_row rectangle_times[] = {
    HTMT_ROW(0, "s", "T, overlapped", "transforms + q_m * q_k * q_n * 'product, overlapped'",
             "all, with what the buffers allow to overlap"),
    HTMT_ROW(0, "s", "T, paper", "transforms + q_m * q_k * q_n * 'product, paper'",
             "all, injects between the block products"),
    HTMT_ROW(1, "s", "transforms", "D_t[A] + D_t[B] + D_t[C]", "rearranging A, B and C in DRAM"),
    HTMT_ROW_SERVED(2, "D_t[A]", "transform.accesses * t_m * b_m * t_k * b_k * (s + 1)",
                    "accesses of all DPIMs", transform, HTMT_SERVE_DPIM, "rearranging A"),
    HTMT_ROW_SERVED(2, "D_t[B]", "transform.accesses * t_k * b_k * t_n * b_n * (s + 1)",
                    "accesses of all DPIMs", transform, HTMT_SERVE_DPIM, "rearranging B"),
    HTMT_ROW_SERVED(2, "D_t[C]", "transform.accesses-c * t_m * b_m * t_n * b_n",
                    "accesses of all DPIMs", restore, HTMT_SERVE_DPIM, "putting C back in rows"),
    HTMT_ROW(1, "s", "product, overlapped",
             "bundle up + inject + t_m * t_n * (t_k - 1) * product step + (t_m * t_n - 1) * block "
             "step + block multiply + OP_CS + bundle down",
             "one of the q_m q_k q_n products"),
    HTMT_ROW(1, "s", "product, paper", "bundle up + t_m * t_n * T_B + bundle down",
             "one of the q_m q_k q_n products"),
    HTMT_ROW(2, "s", "bundle up", "IP_DS[A] + IP_DS[B]", "A and B, DRAM to SRAM"),
    HTMT_ROW_SERVED(3, "IP_DS[A]", "t_m * b_m * t_k * b_k", "words, DRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_D_TO_S, "a bundle of A, DRAM to SRAM"),
    HTMT_ROW_SERVED(3, "IP_DS[B]", "t_k * b_k * t_n * b_n", "words, DRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_D_TO_S, "a bundle of B, DRAM to SRAM"),
    HTMT_ROW(2, "s", "T_B", "t_k * (inject + block multiply) + OP_CS",
             "a subblock of C on each SPELL"),
    HTMT_ROW(3, "s", "inject", "IP_SC[A] + IP_SC[B]", "a pair of subblocks, SRAM to CRAM"),
    HTMT_ROW_SERVED(4, "IP_SC[A]", "b_m * b_k", "words, SRAM to CRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_C, "a subblock of A, SRAM to CRAM"),
    HTMT_ROW_SERVED(4, "IP_SC[B]", "b_k * b_n", "words, SRAM to CRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_C, "a subblock of B, SRAM to CRAM"),
    HTMT_ROW(3, "s", "block multiply", "s * max(M_S, D_S)", "s steps, exchanges hidden"),
    HTMT_ROW(3, "s", "block multiply, exchanges shown", "s * (M_S + D_S)",
             "s steps, exchanges after the products"),
    HTMT_ROW_SERVED(4, "M_S", "multiply.flop * b_m * b_k * b_n", "flop of a SPELL", htmt_serve_flop,
                    HTMT_SERVE_SPELL, "multiply one pair of subblocks"),
    HTMT_ROW(4, "s", "D_S", "max(D_S[A], D_S[B])", "exchange subblocks with the neighbours"),
    HTMT_ROW_SERVED(5, "D_S[A]", "min(s - 1, 1) * b_m * b_k", "words, SPELL to SPELL",
                    htmt_move_length, HTMT_SERVE_ACROSS, "a subblock of A to the neighbour"),
    HTMT_ROW_SERVED(5, "D_S[B]", "min(s - 1, 1) * b_k * b_n", "words, SPELL to SPELL",
                    htmt_move_length, HTMT_SERVE_ACROSS, "a subblock of B to the neighbour"),
    HTMT_ROW_SERVED(3, "OP_CS", "b_m * b_n", "words, CRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_C_TO_S, "a subblock of C, CRAM to SRAM"),
    HTMT_ROW(2, "s", "bundle down", "OP_SD", "C, SRAM to DRAM"),
    HTMT_ROW_SERVED(3, "OP_SD", "t_m * b_m * t_n * b_n", "words, SRAM to DRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_D, "a bundle of C, SRAM to DRAM"),
    HTMT_ROW(0, "s", "saved by overlap", "'T, paper' - 'T, overlapped'",
             "what the schedules differ by"),
    HTMT_ROW(0, "s", "transforms left out",
             "(q_m * q_k * q_n - 1) * max(0, transforms - 'product, overlapped')",
             "of later products, where a product is too short to hide them"),
    HTMT_ROW(0, "s", "busy multiply", "q_m * q_k * q_n * t_m * t_k * t_n * s * M_S", "a SPELL"),
    HTMT_ROW(0, "s", "busy inject", "q_m * q_k * q_n * t_m * t_k * t_n * inject",
             "SRAM to CRAM of a slice"),
    HTMT_ROW(0, "s", "busy eject", "q_m * q_k * q_n * t_m * t_n * OP_CS",
             "CRAM to SRAM of a slice"),
    HTMT_ROW(0, "s", "busy inject and eject", "busy inject + busy eject", "both ways"),
    HTMT_ROW(0, "s", "busy bundle up", "q_m * q_k * q_n * bundle up", "DRAM to SRAM of a slice"),
    HTMT_ROW(0, "s", "busy bundle down", "q_m * q_n * bundle down", "SRAM to DRAM of a slice"),
    HTMT_ROW_PART("s", "product step",
                  "max(block multiply, inject + max(s - 2, 0) * max(M_S, D_S))"),
    HTMT_ROW_PART("s", "block step",
                  "max(block multiply + OP_CS, inject + max(s - 2, 0) * max(M_S, D_S))"),
    HTMT_ROW_PART("s", "work", "busy multiply"),
    HTMT_ROW_PART("s", "fill", "D_t[A] + D_t[B] + bundle up + inject"),
    HTMT_ROW_PART("s", "drain", "OP_CS + OP_SD + D_t[C]"),
    HTMT_ROWS_END};

static const struct htmt_term_row rectangle_rates[] = {
    HTMT_ROW_QUOTIENT("flop/s", "rate, paper", "flop / 'T, paper'", "of the problem"),
    HTMT_ROW_QUOTIENT("flop/s", "rate for large q",
                      "'flop, padded' / (q_m * q_k * q_n * 'product, paper')", "transforms hidden"),
    HTMT_ROW_QUOTIENT("%", "share of peak, paper", "busy multiply / 'T, paper'",
                      "SPELLs that multiply"),
    HTMT_ROW_QUOTIENT("%", "inject over block multiply", "inject / block multiply",
                      "below 100 injects can hide"),
    HTMT_ROW_QUOTIENT("%", "eject over block multiply", "OP_CS / (t_k * block multiply)",
                      "of t_k of them"),
    HTMT_ROWS_END};

/* ---- rows of panels -------------------------------------------------------------------------- */

/* On a grid that is not square (panels.c): of k's s subblocks, s_a lie in a slice's bundle of A and
 * s_b in that of B. A SPELL that sends both panels sends (g_n - 1) + (g_m - 1) subblocks one after
 * another over all its channels: D_S, until the last has arrived. It can do so from the moment on
 * that the step before the last has computed and the subblocks are there, so of two steps in turn
 *
 *     2 panel step = max(2 M_S, max(M_S, inject) + D_S).
 *
 * For M_S = 12 us, an inject of 7 us and D_S = 9 us, a step takes 12 us; on a longer grid with D_S
 * = 20 us it takes (12 + 20) / 2 = 16 us. */
static const struct htmt_term_row panel_times[] = {
    HTMT_ROW(0, "s", "T, overlapped",
             "transforms + 'product, overlapped' + (q_m * q_k * q_n - 1) * later product + q_m * "
             "q_n * bundle down",
             "all, with what the buffers allow to overlap"),
    HTMT_ROW(1, "s", "transforms", "max(D_t[A] + D_t[B], busiest DPIM) + D_t[C]",
             "rearranging A, B and C in DRAM"),
    HTMT_ROW_SERVED(2, "busiest DPIM",
                    "transform.accesses * max(rows_a * b_k, rows_b * b_n) * (g_n + 1)",
                    "accesses of a DPIM", alone, HTMT_SERVE_DPIM,
                    "parcels of A, or B, of the DPIM that has most"),
    HTMT_ROW_SERVED(2, "D_t[A]", "transform.accesses * t_m * b_m * t_k * s_a * b_k * (g_n + 1)",
                    "accesses of all DPIMs", transform, HTMT_SERVE_DPIM, "rearranging A"),
    HTMT_ROW_SERVED(2, "D_t[B]", "transform.accesses * t_k * s_b * b_k * t_n * b_n * (g_n + 1)",
                    "accesses of all DPIMs", transform, HTMT_SERVE_DPIM, "rearranging B"),
    HTMT_ROW_SERVED(2, "D_t[C]", "transform.accesses-c * t_m * b_m * t_n * b_n",
                    "accesses of all DPIMs", restore, HTMT_SERVE_DPIM, "putting C back in rows"),
    HTMT_ROW(
        1, "s", "product, overlapped",
        "bundle up + inject + D_S + t_m * t_n * (t_k * s - 1) * panel step + (t_m * t_n - 1) * "
        "max(M_S + OP_CS, panel step) + M_S + OP_CS",
        "the first of the q_m q_k q_n products"),
    HTMT_ROW(2, "s", "bundle up", "IP_DS[A] + IP_DS[B]", "A and B, DRAM to SRAM"),
    HTMT_ROW_SERVED(3, "IP_DS[A]", "t_m * b_m * t_k * s_a * b_k", "words, DRAM to SRAM",
                    htmt_move_length, HTMT_SERVE_D_TO_S, "a bundle of A, DRAM to SRAM"),
    HTMT_ROW_SERVED(3, "IP_DS[B]", "t_k * s_b * b_k * t_n * b_n", "words, DRAM to SRAM",
                    htmt_move_length, HTMT_SERVE_D_TO_S, "a bundle of B, DRAM to SRAM"),
    HTMT_ROW_ROUNDED(2, "s", "panel step", "max(2 * M_S, max(M_S, inject) + D_S) / 2",
                     HTMT_TERM_HALF_UP, "one of the t_k s steps of a subblock of C"),
    HTMT_ROW(3, "s", "inject", "sent[A] + IP_SC[B]", "own subblocks of a panel, SRAM to CRAM"),
    HTMT_ROW_SERVED(4, "sent[A]", "b_m * b_k", "words, SRAM to CRAM", htmt_move_busy,
                    HTMT_SERVE_S_TO_C, "a subblock of A, before one of B follows"),
    HTMT_ROW_SERVED(4, "IP_SC[A]", "b_m * b_k", "words, SRAM to CRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_C, "a subblock of A, SRAM to CRAM"),
    HTMT_ROW_SERVED(4, "IP_SC[B]", "b_k * b_n", "words, SRAM to CRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_C, "a subblock of B, SRAM to CRAM"),
    HTMT_ROW_SERVED(3, "M_S", "multiply.flop * b_m * b_k * b_n", "flop of a SPELL", htmt_serve_flop,
                    HTMT_SERVE_SPELL, "multiply one pair of subblocks"),
    HTMT_ROW(3, "s", "D_S",
             "(g_n - 1) * next[A] + (g_m - 1) * next[B] + max(D_S[A] - next[A], D_S[B] - next[B])",
             "broadcast subblocks along row and column"),
    HTMT_ROW_SERVED(4, "D_S[A]", "min(g_n - 1, 1) * b_m * b_k", "words, SPELL to SPELL",
                    htmt_move_length, HTMT_SERVE_ACROSS, "a subblock of A to another of the row"),
    HTMT_ROW_SERVED(4, "D_S[B]", "min(g_m - 1, 1) * b_k * b_n", "words, SPELL to SPELL",
                    htmt_move_length, HTMT_SERVE_ACROSS,
                    "a subblock of B to another of the column"),
    HTMT_ROW_SERVED(4, "next[A]", "min(g_n - 1, 1) * b_m * b_k", "words, SPELL to SPELL",
                    htmt_move_apart, HTMT_SERVE_ACROSS, "from one of them to the next"),
    HTMT_ROW_SERVED(4, "next[B]", "min(g_m - 1, 1) * b_k * b_n", "words, SPELL to SPELL",
                    htmt_move_apart, HTMT_SERVE_ACROSS, "from one of them to the next"),
    HTMT_ROW_SERVED(2, "OP_CS", "b_m * b_n", "words, CRAM to SRAM", htmt_move_length,
                    HTMT_SERVE_C_TO_S, "a subblock of C, CRAM to SRAM"),
    HTMT_ROW(1, "s", "later product",
             "max('product, overlapped' - min(bundle up, M_S), transforms - D_t[C])",
             "bundles come up in the last step before, rearranged by then"),
    HTMT_ROW(1, "s", "bundle down", "OP_SD", "C, SRAM to DRAM"),
    HTMT_ROW_SERVED(2, "OP_SD", "t_m * b_m * t_n * b_n", "words, SRAM to DRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_D, "a bundle of C, SRAM to DRAM"),
    HTMT_ROW(0, "s", "busy multiply", "q_m * q_k * q_n * t_m * t_k * t_n * s * M_S", "a SPELL"),
    HTMT_ROW_PART("s", "work", "busy multiply"),
    HTMT_ROW_PART("s", "fill", "transforms - D_t[C] + bundle up + inject + D_S"),
    HTMT_ROW_PART("s", "drain", "OP_CS + OP_SD + D_t[C]"),
    HTMT_ROWS_END};

/* ---- rows of both ---------------------------------------------------------------------------- */

static const struct htmt_term_row block_rates[] = {
    HTMT_ROW(0, "flop", "flop", "2 * rows * inner * cols", "of the problem"),
    HTMT_ROW(0, "flop", "flop, padded", "2 * padded m * padded k * padded n",
             "of the multiplied blocks"),
    HTMT_ROW_QUOTIENT("flop/s", "rate, overlapped", "flop / 'T, overlapped'", "of the problem"),
    HTMT_ROW_QUOTIENT("flop/s", "rate of all SPELLs", "'flop, padded' / busy multiply",
                      "while they multiply"),
    HTMT_ROW_QUOTIENT("%", "share of peak, overlapped", "busy multiply / 'T, overlapped'",
                      "SPELLs that multiply"),
    HTMT_ROW_QUOTIENT("1", "M_S over D_S", "M_S / D_S", "above 1 exchanges hide"),
    HTMT_ROW_PART("1", "padded m", "q_m * t_m * g_m * b_m"),
    HTMT_ROW_PART("1", "padded k", "q_k * t_k * s * b_k"),
    HTMT_ROW_PART("1", "padded n", "q_n * t_n * g_n * b_n"),
    HTMT_ROWS_END};

static const struct htmt_term_row block_inner_memories[] = {
    HTMT_ROW(0, "words", "CRAM", "3 * b_m * b_k + 3 * b_k * b_n + b_m * b_n", "data of a slice"),
    HTMT_ROW(0, "words", "SRAM",
             "t_m * b_m * t_k * s_a * b_k + t_k * s_b * b_k * t_n * b_n + t_m * b_m * t_n * b_n",
             "data of a slice"),
    HTMT_ROWS_END};

static const struct htmt_term_row block_home_memory[] = {
    HTMT_ROW(0, "words", "DRAM",
             "(padded m * padded k + padded k * padded n + padded m * padded n) / (g_m * g_n) + "
             "SRAM",
             "data of a slice"),
    HTMT_ROWS_END};

/* ---- tree ----------------------------------------------------------------------------------- */

/* Of squares, rectangles, and any on a grid that is not square. */
enum kind { SQUARE, RECTANGLE, PANELS };

static enum kind kind_of(const plan *p)
{
    return !htmt__cannon_grid_is_square(p) ? PANELS
           : htmt__cannon_is_square(p)     ? SQUARE
                                           : RECTANGLE;
}

static uint64_t busiest_rows(const struct machine *w, unsigned which)
{
    uint64_t parts, groups;
    return htmt__cannon_deal(w->p, which, htmt_machine_servers(w->servers.m, w->p->outer), &parts,
                             &groups);
}

static int evaluate(const struct machine *w, tree **out, struct htmt_fault *fault)
{
    const struct htmt_machine *m = w->servers.m;
    const plan *p = w->p;
    const struct htmt__cannon_extent *x = p->of;
    static const struct htmt_term_row *const tables[][4] = {
        [SQUARE] = {times, rates, inner_memories, home_memory},
        [RECTANGLE] = {rectangle_times, block_rates, block_inner_memories, block_home_memory},
        [PANELS] = {panel_times, block_rates, block_inner_memories, block_home_memory}};
    const enum kind kind = kind_of(p);
    const struct htmt_term_count grid[] = {
        {"g_m", x[HTMT__CANNON_M].s},      {"g_n", x[HTMT__CANNON_N].s},
        {"s_a", htmt__cannon_owned(p, 0)}, {"s_b", htmt__cannon_owned(p, 1)},
        {"rows_a", busiest_rows(w, 0)},    {"rows_b", busiest_rows(w, 1)}};
    const struct htmt_term_count extents[] = {
        {"q_m", x[HTMT__CANNON_M].q}, {"q_k", x[HTMT__CANNON_K].q}, {"q_n", x[HTMT__CANNON_N].q},
        {"t_m", x[HTMT__CANNON_M].t}, {"t_k", x[HTMT__CANNON_K].t}, {"t_n", x[HTMT__CANNON_N].t},
        {"b_m", x[HTMT__CANNON_M].b}, {"b_k", x[HTMT__CANNON_K].b}, {"b_n", x[HTMT__CANNON_N].b}};
    const struct htmt_term_count of[] = {{"q", p->q},
                                         {"t", p->t},
                                         {"s", p->s},
                                         {"b_c", p->b_c},
                                         {"rows", p->problem.rows},
                                         {"inner", p->problem.inner},
                                         {"cols", p->problem.cols},
                                         {"multiply.flop", p->charges.flop},
                                         {"transform.accesses", p->charges.accesses},
                                         {"transform.accesses-c", p->charges.accesses_c},
                                         {"largest b_c", p->b_c_most},
                                         {"largest t", p->t_most}};
    const struct htmt_term_count capacities[] = {
        {"CRAM capacity", m->layer[p->inner].memory.capacity},
        {"SRAM capacity", m->layer[p->middle].memory.capacity},
        {"DRAM capacity", m->layer[p->outer].memory.capacity}};
    int rc = htmt_term_tree_create(w, out, fault);
    if (rc)
        return rc;
    for (unsigned i = 0; i < 4; i++)
        htmt_term_tree_add(*out, NULL, 0,
                           i < 3 || p->home == p->outer ? tables[kind][i] : passed_memory);
    htmt_term_tree_add(*out, NULL, 0, memory_uses);
    if (kind == RECTANGLE)
        htmt_term_tree_add(*out, NULL, 0, rectangle_rates);
    htmt_term_tree_set_counts(*out, of, sizeof of / sizeof *of);
    if (kind != SQUARE) {
        htmt_term_tree_set_counts(*out, extents, sizeof extents / sizeof *extents);
        htmt_term_tree_set_counts(*out, grid, sizeof grid / sizeof *grid);
    }
    for (int i = 0; i < 3; i++)
        htmt_term_tree_set(*out, NULL, capacities[i].name, "words",
                           htmt_exact_whole(capacities[i].n));
    rc = htmt_term_tree_evaluate(*out, fault);
    if (rc)
        htmt_term_tree_destroy(out);
    return rc;
}
static struct htmt_servers servers(const struct htmt_machine *m, const plan *p)
{
    struct htmt_servers s = htmt_servers(m, p->outer, p->middle, p->inner, p->inner);
    htmt_servers_chain(&s, p->down, p->up);
    s.path[HTMT_SERVE_ACROSS].network = p->exchange;
    return s;
}

/* ---- what others ask for -------------------------------------------------------------------- */

static htmt_time time_of(const tree *t, const char *name)
{
    return (htmt_time)htmt_term_tree_whole(t, name);
}

static void read_values(const struct machine *w, const tree *t, prediction *out)
{
    const plan *of = w->p;
    const bool square = kind_of(of) == SQUARE, panels = kind_of(of) == PANELS;
    *out = (prediction){
        .plan = *of,
        .times = {.d_t = time_of(t, "D_t[A]"),
                  .d_t_c = time_of(t, "D_t[C]"),
                  .ip_ds = time_of(t, square ? "IP_DS" : "IP_DS[A]"),
                  .op_sd = time_of(t, "OP_SD"),
                  .ip_sc = time_of(t, square ? "IP_SC" : "IP_SC[A]"),
                  .op_cs = time_of(t, "OP_CS"),
                  .m_s = time_of(t, "M_S"),
                  .d_s = time_of(t, "D_S")},
        .flops = (htmt_uwide)htmt_term_tree_whole(t, "flop"),
        .machine_flops = (htmt_uwide)htmt_term_tree_whole(t, "flop, padded"),
        .transforms = htmt_term_tree_whole(t, "transforms"),
        .product = {[HTMT__CANNON_PAPER] =
                        htmt_term_tree_whole(t, panels ? "product, overlapped" : "product, paper"),
                    [HTMT__CANNON_OVERLAPPED] = htmt_term_tree_whole(t, "product, overlapped")},
        .total = {[HTMT__CANNON_PAPER] =
                      htmt_term_tree_whole(t, panels ? "T, overlapped" : "T, paper"),
                  [HTMT__CANNON_OVERLAPPED] = htmt_term_tree_whole(t, "T, overlapped")},
        .work = htmt_term_tree_whole(t, "work"),
        .fill = htmt_term_tree_whole(t, "fill"),
        .drain = htmt_term_tree_whole(t, "drain")};
    const uint64_t words = htmt_most(busiest_rows(w, 0) * of->of[HTMT__CANNON_K].b,
                                     busiest_rows(w, 1) * of->of[HTMT__CANNON_N].b),
                   copies = of->of[HTMT__CANNON_N].s + 1;
    const htmt_wide busiest = alone(w, HTMT_SERVE_DPIM, of->charges.accesses * words * copies) +
                              (htmt_wide)out->times.d_t_c;
    out->uneven = busiest > out->transforms ? busiest - out->transforms : 0;
}

int htmt__cannon_predict(const struct htmt_machine *m, const plan *of, prediction *out,
                         struct htmt_fault *fault)
{
    tree *t;
    const struct machine w = {servers(m, of), of};
    int rc = evaluate(&w, &t, fault);
    if (rc)
        return rc;
    read_values(&w, t, out);
    htmt_term_tree_destroy(&t);
    return 0;
}

void htmt__cannon_causes(const prediction *p, enum htmt__cannon_schedule schedule,
                         htmt_wide part[HTMT_PATH_CAUSES])
{
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++)
        if (p->plan.of[d].q != 1)
            return;
    part[HTMT_PATH_WORK] = p->work;
    part[HTMT_PATH_FILL] = p->fill;
    part[HTMT_PATH_DRAIN] = p->drain;
    part[HTMT_PATH_OVERHEAD] = p->total[schedule] - p->work - p->fill - p->drain;
}

int htmt__cannon_tell(const struct htmt_machine *m, prediction *p, struct htmt_prediction *out,
                      struct htmt_fault *fault)
{
    tree *t;
    unsigned first = htmt_prediction_count(out);
    const plan of = p->plan;
    const struct machine w = {servers(m, &of), &of};
    int rc = evaluate(&w, &t, fault);
    if (rc)
        return rc;
    read_values(&w, t, p);
    htmt_term_tree_tell(t, out);
    struct htmt_term *top = htmt_prediction_term_at(out, first);
    const struct htmt__cannon_charges *c = &p->plan.charges;
    const struct htmt__cannon_extent *x = p->plan.of;
    char grid[40] = "";
    if (kind_of(&p->plan) == PANELS)
        snprintf(grid, sizeof grid, "grid %" PRIu64 " x %" PRIu64 ", ", x[HTMT__CANNON_M].s,
                 x[HTMT__CANNON_N].s);
    int used = kind_of(&p->plan) == SQUARE
                   ? snprintf(top->inputs, sizeof top->inputs,
                              "q = %" PRIu64 ", t = %" PRIu64 ", s = %" PRIu64 ", b_c = %" PRIu64,
                              p->plan.q, p->plan.t, p->plan.s, p->plan.b_c)
                   : snprintf(top->inputs, sizeof top->inputs,
                              "%ss = %" PRIu64 ", of m, k, n: q = %" PRIu64 ", %" PRIu64
                              ", %" PRIu64 "; t = %" PRIu64 ", %" PRIu64 ", %" PRIu64
                              "; b = %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                              grid, p->plan.s, x[0].q, x[1].q, x[2].q, x[0].t, x[1].t, x[2].t,
                              x[0].b, x[1].b, x[2].b);
    if (c->from_file)
        snprintf(top->inputs + used, sizeof top->inputs - (size_t)used,
                 "; multiply.flop = %" PRIu64 ", transform.accesses = %" PRIu64
                 ", transform.accesses-c = %" PRIu64,
                 c->flop, c->accesses, c->accesses_c);
    htmt_term_tree_destroy(&t);
    return 0;
}

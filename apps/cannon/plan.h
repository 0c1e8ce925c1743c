/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How Cannon's multiply lies on a machine: the grid, the block sizes, and what they take.
 *
 * A, B and C are padded to squares of q M elements a side, M = t s b_c (Amaral et al., section 4):
 * s x s SPELLs, one slice each; t x t blocks of s x s subblocks; subblocks of b_c x b_c elements,
 * one word each; q^3 products of M x M when the SRAMs do not hold M for the whole problem.
 *
 * The algorithm uses the three innermost layers of the machine: here "inner" (CRAM, SPELL),
 * "middle" (SRAM, SPIM) and "outer" (DRAM, DPIM).
 */
#ifndef HTMT_APPS_CANNON_PLAN_H
#define HTMT_APPS_CANNON_PLAN_H

#include "layers/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* Subblocks a SPELL keeps: three of A and three of B (one computes, one is sent on, one is
 * received) and the sum of C. */
#define HTMT__CANNON_SUBBLOCKS (3 + 3 + 1)
/* Parts of the size (t b_c)^2 that SRAM keeps: one each of A, B and C. */
#define HTMT__CANNON_BUNDLES 3

/* What is charged, in units of Table 1 of Amaral et al. */
struct htmt__cannon_charges {
    uint64_t flop;       /* of a subblock product, times b_c^3 */
    uint64_t accesses;   /* words read and written to rearrange A, or B, times (t b_c)^2 (s + 1) */
    uint64_t accesses_c; /* the same of C, times (t b_c)^2 */
    bool from_file;      /* a cost file says so, not what the program itself does */
};

/* A multiply and an add; a word copied is read and written. */
#define HTMT__CANNON_OWN_CHARGES ((struct htmt__cannon_charges){2, 2, 2, false})

struct htmt__cannon_problem {
    uint64_t rows, inner, cols; /* A is rows x inner, B inner x cols */
    uint64_t b_c, t;            /* 0: chosen */
};

struct htmt__cannon_plan {
    struct htmt__cannon_problem problem;
    uint32_t inner, middle, outer; /* layers */
    uint32_t home;                 /* layer that holds all of A, B and C */
    uint32_t exchange, up, down;   /* networks: inner to inner across slices; middle to inner;
                                      outer to middle */
    uint64_t s, q, t, b_c;
    uint64_t b_c_most, t_most; /* largest b_c; largest t with this b_c */
    uint64_t dimension;        /* q t s b_c */
    uint64_t inner_words, middle_words, outer_words, home_words; /* a slice */
    struct htmt__cannon_charges charges;
};

/* The rule, for n = max(rows, inner, cols) and e = ceil(n / s) elements a side of one SPELL:
 *  - b_c is at most floor(sqrt((CRAM - reserve) / 7)), t b_c at most floor(sqrt((SRAM - reserve)
 *    / 3)), both in words;
 *  - g = ceil(e / largest b_c), the fewest subblocks a side, so that b_c is large;
 *  - q = ceil(g / largest t), then t = ceil(g / q), then b_c = ceil(e / (q t)): of all subblocks
 *    in that number, the smallest, so that fewer than q t rows of each SPELL are padding.
 * A b_c or t that is given stays; the rest follows by the same steps. The charges are the program's
 * own; who has others puts them in the plan.
 *
 * Errors: HTMT_ERANGE (n is 0 or above 2^31), HTMT_EINVAL (the slices are no square, or the machine
 * lacks a layer or network), HTMT_ECAPACITY with the arithmetic. *plan is untouched on failure. */
int htmt__cannon_plan(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                      struct htmt__cannon_plan *plan, struct htmt_fault *fault);

/* The longest side of its matrices. */
uint64_t htmt__cannon_longest(const struct htmt__cannon_problem *problem);

/* The largest grid of the machine, SPELLs a side, in which each has at least one subblock of the
 * given or the largest b_c (with a given t, t x t of them); at least 1. If the machine cannot
 * multiply at all, its whole grid. */
uint64_t htmt__cannon_fed(const struct htmt_machine *m, const struct htmt__cannon_problem *problem);

/* In operations and words of one slice (Amaral et al., Table 1; the transform of C as Hereld et
 * al., Table 2). The parcel program charges these and the closed form evaluates them. */

/* So many accesses to each of the words; of an odd number the odd one reads. */
static inline struct htmt_ops htmt__cannon_access_ops(uint64_t accesses, uint64_t words)
{
    uint64_t stores = accesses / 2;
    return (struct htmt_ops){
        .n = {[HTMT_LOAD] = (accesses - stores) * words, [HTMT_STORE] = stores * words}};
}

#endif

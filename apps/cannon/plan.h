/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a multiply lies on a machine: the grid, the block sizes, and what they take.
 *
 * A of m x k, B of k x n and C of m x n elements are padded in each dimension to q M elements, M =
 * t s b (Amaral et al., section 4): s x s SPELLs, one slice each; t blocks of s subblocks;
 * subblocks of b elements, one word each. If the SRAMs do not hold M of all dimensions, there are
 * q_m q_k q_n products. In the papers, and here of square matrices, t, b = b_c and q are the same
 * in all dimensions.
 *
 * On a grid that is not square, g_m x g_n SPELLs, Cannon's exchanges do not close, and panels are
 * broadcast instead (panels.c). Then m has s = g_m, n has s = g_n, and k, which is divided among
 * both the columns of SPELLs (A) and the rows of them (B), has s = their least common multiple: the
 * steps of a block product. Of k's s subblocks a SPELL has s / g_n of A and s / g_m of B.
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

/* The dimensions of a product: rows, inner, cols. */
enum htmt__cannon_dimension {
    HTMT__CANNON_M,
    HTMT__CANNON_K,
    HTMT__CANNON_N,
    HTMT__CANNON_DIMENSIONS
};

/* How one is divided: it is padded to q t s b elements, of which a slice has q t b, and of k on a
 * grid that is not square s / g_n or s / g_m times as many. */
struct htmt__cannon_extent {
    uint64_t q, t, s, b;
};

struct htmt__cannon_plan {
    struct htmt__cannon_problem problem;
    struct htmt__cannon_extent of[HTMT__CANNON_DIMENSIONS];
    uint32_t inner, middle, outer; /* layers */
    uint32_t home;                 /* layer that holds all of A, B and C */
    uint32_t exchange, up, down;   /* networks: inner to inner across slices; middle to inner;
                                      outer to middle */
    uint64_t s, q, t, b_c;         /* s: of k; q, t, b_c: of the longest dimension */
    uint64_t b_c_most, t_most;     /* largest b_c; largest t with this b_c */
    uint64_t dimension;            /* q t s b_c, of the longest */
    uint64_t inner_words, middle_words, outer_words, home_words; /* a slice */
    struct htmt__cannon_charges charges;
};

/* The rule, for each dimension of n elements and e = ceil(n / s) elements of it in one SPELL:
 *  - b_c is at most floor(sqrt((CRAM - reserve) / 7)), t b_c at most floor(sqrt((SRAM - reserve)
 *    / 3)), both in words;
 *  - g = ceil(e / largest b_c), the fewest subblocks a side, so that b_c is large;
 *  - q = ceil(g / largest t), then t = ceil(g / q), then b_c = ceil(e / (q t)): of all subblocks
 *    in that number, the smallest, so that fewer than q t rows of each SPELL are padding.
 * A b_c or t that is given stays in the longest dimensions; a shorter one has b = min(b_c, e), and
 * its t is at most the number of its subblocks. The rest follows by the same steps. So squares are
 * as if there were one dimension, and no dimension takes more room than the longest. By hand, on
 * one slice with the largest b_c 125 and the largest t 26: 5 x 1000 times 1000 x 3 has b = 5, 125,
 * 3 and t = 1, 8, 1, and nothing is padded. The charges are the program's own; who has others puts
 * them in the plan.
 *
 * Of k on a grid that is not square, the largest t b_c is less by the larger of s / g_n and s /
 * g_m, so that bundles take no more room; a b_c or t that is given may become less there.
 *
 * Errors: HTMT_ERANGE (n is 0 or above 2^31), HTMT_EINVAL (the slices are no square, or the machine
 * lacks a layer or network), HTMT_ECAPACITY with the arithmetic. *plan is untouched on failure. */
int htmt__cannon_plan(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                      struct htmt__cannon_plan *plan, struct htmt_fault *fault);
/* The same on a grid of g_m rows. Errors: HTMT_EINVAL also if the slices make no such grid. */
int htmt__cannon_plan_on(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                         uint64_t g_m, struct htmt__cannon_plan *plan, struct htmt_fault *fault);

/* The longest side of its matrices. */
uint64_t htmt__cannon_longest(const struct htmt__cannon_problem *problem);
/* Its elements in a dimension. */
uint64_t htmt__cannon_length(const struct htmt__cannon_problem *problem,
                             enum htmt__cannon_dimension d);
/* How rows, and columns, of A (0), B (1) and C (2) are divided. */
static inline const struct htmt__cannon_extent *htmt__cannon_down(const struct htmt__cannon_plan *p,
                                                                  unsigned which)
{
    return &p->of[which == 1 ? HTMT__CANNON_K : HTMT__CANNON_M];
}
static inline const struct htmt__cannon_extent *
htmt__cannon_across(const struct htmt__cannon_plan *p, unsigned which)
{
    return &p->of[which == 0 ? HTMT__CANNON_K : HTMT__CANNON_N];
}
/* SPELLs of the grid. */
static inline uint32_t htmt__cannon_spells(const struct htmt__cannon_plan *p)
{
    return (uint32_t)(p->of[HTMT__CANNON_M].s * p->of[HTMT__CANNON_N].s);
}
static inline bool htmt__cannon_grid_is_square(const struct htmt__cannon_plan *p)
{
    return p->of[HTMT__CANNON_M].s == p->of[HTMT__CANNON_N].s;
}
/* The grid is square and all dimensions are alike: the plan is that of the papers. */
static inline bool htmt__cannon_is_square(const struct htmt__cannon_plan *p)
{
    const struct htmt__cannon_problem *o = &p->problem;
    return htmt__cannon_grid_is_square(p) && o->rows == o->inner && o->inner == o->cols;
}
/* Of each s subblocks of k those that a slice has of A (0), of B (1); 1 on a square grid. */
static inline uint64_t htmt__cannon_owned(const struct htmt__cannon_plan *p, unsigned which)
{
    return p->s / p->of[which == 0 ? HTMT__CANNON_N : HTMT__CANNON_M].s;
}
/* Subblocks of a slice's bundle, from top to bottom and from left to right: t x t, times those. */
static inline uint64_t htmt__cannon_rows(const struct htmt__cannon_plan *p, unsigned which)
{
    return htmt__cannon_down(p, which)->t * (which == 1 ? htmt__cannon_owned(p, 1) : 1);
}
static inline uint64_t htmt__cannon_cols(const struct htmt__cannon_plan *p, unsigned which)
{
    return htmt__cannon_across(p, which)->t * (which == 0 ? htmt__cannon_owned(p, 0) : 1);
}
/* Elements of a subblock; of a slice's bundle; of its share, q x q bundles, rows and columns. */
static inline uint64_t htmt__cannon_subblock(const struct htmt__cannon_plan *p, unsigned which)
{
    return htmt__cannon_down(p, which)->b * htmt__cannon_across(p, which)->b;
}
static inline uint64_t htmt__cannon_bundle(const struct htmt__cannon_plan *p, unsigned which)
{
    return htmt__cannon_rows(p, which) * htmt__cannon_cols(p, which) *
           htmt__cannon_subblock(p, which);
}
static inline uint64_t htmt__cannon_share_rows(const struct htmt__cannon_plan *p, unsigned which)
{
    const struct htmt__cannon_extent *x = htmt__cannon_down(p, which);
    return x->q * x->b * htmt__cannon_rows(p, which);
}
static inline uint64_t htmt__cannon_share_cols(const struct htmt__cannon_plan *p, unsigned which)
{
    const struct htmt__cannon_extent *x = htmt__cannon_across(p, which);
    return x->q * x->b * htmt__cannon_cols(p, which);
}
static inline uint64_t htmt__cannon_padded(const struct htmt__cannon_extent *x)
{
    return x->q * x->t * x->s * x->b;
}

/* In how many strips a line of a bundle's subblocks is cut for the DPIMs, and each of these in
 * groups of subblocks: as many parcels as the DPIMs that the memory serves at once, as far as rows
 * allow; of rectangles, whose lines may have few rows, as far as subblocks do, too; on a grid that
 * is not square so many that the DPIMs are done soonest. Returns the rows of subblocks that the
 * busiest DPIM has. */
uint64_t htmt__cannon_deal(const struct htmt__cannon_plan *p, unsigned which, uint64_t dpims,
                           uint64_t *parts, uint64_t *groups);

/* The largest grid of the machine, SPELLs a side, in which each has at least one subblock of the
 * given or the largest b_c (with a given t, t x t of them) of the longest dimension, and an element
 * of the shortest; at least 1. If the machine cannot multiply at all, its whole grid. */
uint64_t htmt__cannon_fed(const struct htmt_machine *m, const struct htmt__cannon_problem *problem);

/* In operations and words of one slice (Amaral et al., Table 1; the transform of C as Hereld et
 * al., Table 2). The parcel program charges these and the closed form evaluates them. */

/* A product of subblocks. */
static inline struct htmt_ops htmt__cannon_block_ops(const struct htmt__cannon_plan *p)
{
    return (struct htmt_ops){
        .n = {[HTMT_FLOP] = p->charges.flop * p->of[HTMT__CANNON_M].b * p->of[HTMT__CANNON_K].b *
                            p->of[HTMT__CANNON_N].b}};
}

/* So many accesses to each of the words; of an odd number the odd one reads. */
static inline struct htmt_ops htmt__cannon_access_ops(uint64_t accesses, uint64_t words)
{
    uint64_t stores = accesses / 2;
    return (struct htmt_ops){
        .n = {[HTMT_LOAD] = (accesses - stores) * words, [HTMT_STORE] = stores * words}};
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply on a machine that passes messages: s x s equal nodes of one memory, node i s +
 * j with a block of A, B and C each. mpp.c has the algorithm and what it takes.
 *
 * The plan is one of program.h: q = t = 1 and subblocks that are as large as the blocks of the
 * nodes, so the matrices lie in spreads as they do there, and rows of C, checks and files are the
 * same.
 */
#ifndef HTMT_APPS_CANNON_MPP_H
#define HTMT_APPS_CANNON_MPP_H

#include "apps/cannon/program.h"

struct htmt__cannon_mpp {
    bool in_turn; /* a shift begins when the product has ended; else both begin together */
    bool skewed;  /* A and B are stored as Cannon's first step wants them */
};

/* Times of a step and of what comes before. */
struct htmt__cannon_mpp_times {
    htmt_time c;       /* product of two blocks */
    htmt_time x;       /* shift: a block of A and one of B, to the left and up */
    htmt_time skew;    /* A and B to their first places, with its barrier; 0: they are there */
    htmt_time barrier; /* behind each shift */
    htmt_wide total;
    htmt_uwide flops; /* of the product that was asked for */
};

/* b = ceil(length / s) in each dimension, of a machine that htmt_execution_read() accepts. Errors:
 * HTMT_EINVAL (nodes that are no square number), HTMT_ERANGE. */
int htmt__cannon_mpp_plan(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                          const struct htmt__cannon_mpp *mpp, struct htmt__cannon_plan *plan,
                          struct htmt_fault *fault);

/* Words of a node's memory. */
uint64_t htmt__cannon_mpp_words(const struct htmt__cannon_plan *plan);
/* Errors: HTMT_ECAPACITY (the blocks do not fit the memory of a node). */
int htmt__cannon_mpp_fits(const struct htmt_machine *m, const struct htmt__cannon_plan *plan,
                          struct htmt_fault *fault);

/* Errors: HTMT_EOVERFLOW. */
int htmt__cannon_mpp_predict(const struct htmt_machine *m, const struct htmt__cannon_plan *plan,
                             const struct htmt__cannon_mpp *mpp,
                             struct htmt__cannon_mpp_times *times, struct htmt_fault *fault);
/* Append the lines of `predict`, the total and its parts. Errors: HTMT_ENOMEM. */
int htmt__cannon_mpp_tell(const struct htmt_machine *m, const struct htmt__cannon_plan *plan,
                          const struct htmt__cannon_mpp *mpp,
                          const struct htmt__cannon_mpp_times *times, struct htmt_prediction *out,
                          struct htmt_fault *fault);

/* The spread of a matrix over the nodes, to be created. */
struct htmt__cannon_spread htmt__cannon_mpp_spread(const struct htmt__cannon_plan *plan,
                                                   const struct htmt__cannon_mpp *mpp,
                                                   enum htmt__cannon_operand which);

/* As htmt__cannon_program_create(), and destroyed alike. Errors: its. */
int htmt__cannon_mpp_create(struct htmt_emulator *e, const struct htmt__cannon_plan *plan,
                            const struct htmt__cannon_mpp *mpp,
                            const struct htmt__cannon_data *data,
                            struct htmt__cannon_program **program, struct htmt_fault *fault);

#endif

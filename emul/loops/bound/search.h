/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many bounds of one program: the best block, and how it changes with the capacity of the innermost
 * memory (Figures 16 and 17 of the paper).
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_SEARCH_H
#define HTMT_EMUL_LOOPS_BOUND_SEARCH_H

#include "emul/loops/bound/bound.h"

#define HTMT__BOUND_POINTS 256

/* The bound with the least time among blocks of powers of two and whole loops; of equal times the
 * one with less traffic, then the larger block. *request gets the block. Errors: as
 * htmt__bound_make(). */
int htmt__bound_best_block(struct htmt__nest_program *program,
                           const struct htmt__bound_rates *rates,
                           struct htmt__bound_request *request, struct htmt_fault *fault);

/* One capacity of a curve. */
struct htmt__bound_point {
    htmt_wide words; /* capacity */
    unsigned axes;   /* loops of the deepest nest */
    int64_t block[HTMT__NEST_DEPTH];
    htmt_wide bytes, most, fs; /* bytes: at least, at most */
    double ratio;
};

/* Capacities from the first to the last, four to each doubling. `search`: the best block at each,
 * each loop by itself; else the request's. */
int htmt__bound_curve(struct htmt__nest_program *program, const struct htmt__bound_rates *rates,
                      const struct htmt__bound_request *request, bool search, htmt_wide first,
                      htmt_wide last, struct htmt__bound_point point[HTMT__BOUND_POINTS],
                      unsigned *points, struct htmt_fault *fault);

#endif

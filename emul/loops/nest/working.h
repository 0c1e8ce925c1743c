/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Working sets by the rule of levels. At the level of a loop, p is what the loops inside it cover
 * (a cell, a row, a plane); a stream is an array and its offset in the loops outside. With its
 * offsets there, each shifted 0..g, a stream occupies the union, times p. G is the largest gap
 * between neighbouring offsets of any stream of the nest: with g = G every word is read once.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_WORKING_H
#define HTMT_EMUL_LOOPS_NEST_WORKING_H

#include "emul/loops/nest/reuse.h"

struct htmt__nest_working {
    unsigned loop;     /* the outermost at which words are used again */
    htmt_wide piece;   /* words of p */
    int64_t span, gap; /* the largest */
    htmt_wide words;   /* with g = G: all is read once */
    htmt_wide none;    /* with g = 0: below, nothing is used again at this level */
    htmt_wide store;   /* the span alone: what a local store needs */
};

/* Whether the arrays of a pattern go around the memory. */
bool htmt__nest_leaves(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                       const struct htmt__nest_keeping *keeping);

/* Different words that one stream of a pattern touches in a box: the union of the boxes of its
 * offsets. Errors: HTMT_ENOMEM. */
int htmt__nest_pattern_words(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                             const int64_t extent[HTMT__NEST_DEPTH], htmt_wide *words);

/* Of a box of those extents. */
void htmt__nest_working(const struct htmt__nest_plan *plan,
                        const struct htmt__nest_keeping *keeping,
                        const int64_t extent[HTMT__NEST_DEPTH], struct htmt__nest_working *working);

/* Levels of a box by the same rule; `left`: patterns that leave the memory out. The caller frees
 * the levels, also on failure. Errors: HTMT_ENOMEM. */
int htmt__nest_coarse(const struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                      const bool *left, const int64_t extent[HTMT__NEST_DEPTH],
                      struct htmt__nest_steps *steps);

#endif

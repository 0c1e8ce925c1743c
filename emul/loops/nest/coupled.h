/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays with subscripts of several loop variables, of which the file tells how many words are
 * touched: a memory finds them again only if it holds what is touched between.
 *
 * Along loop l a word is touched again after r iterations, as many as the factors of the loops
 * inside need to make up for the step. A memory that holds what the nest touches in r iterations of
 * loop l reads each word once in a run of that loop, else once in a run of the next loop inside.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_COUPLED_H
#define HTMT_EMUL_LOOPS_NEST_COUPLED_H

#include "emul/loops/nest/plan.h"

/* From so many units of memory on, an array has so many touches that miss; 0 for a memory in which
 * all stay: the file tells it. */
struct htmt__nest_touches {
    htmt_wide units, words;
};

/* Of an array with coupled subscripts, by loops from the outermost one, then of a memory that holds
 * less: depth + 1 of them. Errors: HTMT_ENOMEM. */
int htmt__nest_coupled(const struct htmt__nest_plan *plan, unsigned array,
                       struct htmt__nest_touches touches[HTMT__NEST_DEPTH + 1]);

/* Misses of a memory of that capacity. */
htmt_wide htmt__nest_coupled_words(const struct htmt__nest_plan *plan,
                                   const struct htmt__nest_touches *touches, htmt_wide capacity);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A predictor that remembers what branches did after the same `reach` branches before, or
 * fewer: as many as come again in a row of `outcomes` random
 * ones.
 */
#ifndef HTMT_LAYERS_NODE_HISTORY_H
#define HTMT_LAYERS_NODE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HTMT__HISTORY_MOST 1024 /* branches */
/* Outcomes: powers of two; without a number so many. */
#define HTMT__OUTCOMES       8192u
#define HTMT__OUTCOMES_LEAST 256u
#define HTMT__OUTCOMES_MOST  65536u

struct htmt__history;

/* Errors: HTMT_ENOMEM. */
int htmt__history_new(struct htmt__history **history, uint32_t reach, uint32_t outcomes);
void htmt__history_free(struct htmt__history *history); /* NULL is allowed */
void htmt__history_clear(struct htmt__history *history);
void htmt__history_copy(struct htmt__history *to, const struct htmt__history *from);
/* The branch at `place` goes to `target`, which may be any number; true: that was expected. One
 * that is not taken is forgotten at once: it tells nothing of those that come. */
bool htmt__history_guess(struct htmt__history *history, uint64_t place, uint32_t target,
                         bool taken);
/* A jump without a condition is on the path, too. */
void htmt__history_jump(struct htmt__history *history, uint64_t place, uint32_t target);

#endif

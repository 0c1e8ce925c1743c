/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation of a memory with least recently used replacement, of all capacities at once: it
 * walks the iterations of a plan one by one and knows nothing of the rules that it tests.
 */
#ifndef HTMT_TESTS_NEST_LRU_H
#define HTMT_TESTS_NEST_LRU_H

#include "emul/loops/nest/plan.h"

/* Traffic by capacity, from 0 to `most`, above which nothing changes. */
struct lru {
    size_t most;
    uint64_t *reads, *writes;
};

/* The plan's iterations over its box, in order; references in the order of the body. */
void lru_walk(const struct htmt__nest_plan *plan, struct lru *lru);
void lru_clear(struct lru *lru);

#endif

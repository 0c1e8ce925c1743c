/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#include "tests/ranks/threads.h"

#include "runtime/base/error.h"
#include "tests/ranks/exchanges.h"

#include <criterion/criterion.h>

enum { RANKS_MOST = 5 };

static int agree(const struct htmt_ranks *ranks, void *turns)
{
    return exchanges_agree(ranks, *(unsigned *)turns, 5000) ? 0 : HTMT_EWRONG;
}

Test(threads, what_each_rank_hands_over_comes_to_the_rank_that_it_is_for)
{
    unsigned turns = 200;
    int rc[RANKS_MOST];
    for (uint32_t count = 1; count <= RANKS_MOST; count++) {
        cr_assert_eq(ranks_threads_play(count, agree, &turns, rc), 0);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(rc[i], 0, "rank %u of %u", i, count);
    }
}

/* Rank 1 ends after ten exchanges, as after a fault of its own; the others would make 20. */
static int end_early(const struct htmt_ranks *ranks, void *unused)
{
    (void)unused;
    struct htmt_bytes to[RANKS_MOST] = {{NULL, 0}}, from[RANKS_MOST];
    int rc = 0;
    for (unsigned i = 0; i < (ranks->rank == 1 ? 10 : 20) && !rc; i++)
        rc = ranks->exchange(ranks->self, to, from);
    return rc;
}

Test(threads, others_fail_when_a_rank_ends_early, .timeout = 30)
{
    int rc[RANKS_MOST];
    cr_assert_eq(ranks_threads_play(RANKS_MOST, end_early, NULL, rc), 0);
    for (uint32_t i = 0; i < RANKS_MOST; i++)
        cr_assert_eq(rc[i], i == 1 ? 0 : HTMT_ESYSTEM, "rank %u", i);
}

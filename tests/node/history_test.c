/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a predictor that remembers histories foresees, by patterns whose answer is plain.
 */
#include "layers/node/history.h"

#include <criterion/criterion.h>

#define REACH    40
#define OUTCOMES 2048

/* Ends of `times` loops of so many turns, each in its own turn of an outer loop, that were not
 * foreseen; `grows`: each loop has a turn more than the one before, from `turns` up to twice that,
 * again and again. */
static unsigned missed_ends(struct htmt__history *h, unsigned turns, unsigned times, bool grows)
{
    unsigned missed = 0;
    for (unsigned i = 0; i < times; i++) {
        const unsigned n = turns + (grows ? i % turns : 0);
        for (unsigned k = 1; k <= n; k++)
            missed += !htmt__history_guess(h, 7, k < n ? 7 : 9, true);
        (void)htmt__history_guess(h, 9, 7, true);
    }
    return missed;
}

static struct htmt__history *open(void)
{
    struct htmt__history *h = NULL;
    cr_assert_eq(htmt__history_new(&h, REACH, OUTCOMES), 0);
    return h;
}

Test(history, ends_of_loops_within_reach_are_foreseen_and_others_never)
{
    struct htmt__history *h = open();
    (void)missed_ends(h, 30, 50, false);
    cr_expect_eq(missed_ends(h, 30, 100, false), 0);
    htmt__history_clear(h);
    (void)missed_ends(h, 60, 50, false);
    cr_expect_eq(missed_ends(h, 60, 100, false), 100);
    htmt__history_free(h);
}

Test(history, ends_of_a_triangle_are_foreseen_where_the_loop_before_tells_them)
{
    struct htmt__history *h = open();
    (void)missed_ends(h, 10, 200, true);
    cr_expect_leq(missed_ends(h, 10, 200, true), 20, "two loops of 19 turns fit into a history");
    htmt__history_clear(h);
    (void)missed_ends(h, 50, 200, true);
    cr_expect_geq(missed_ends(h, 50, 200, true), 190);
    htmt__history_free(h);
}

Test(history, random_ways_are_foreseen_half_of_the_time)
{
    struct htmt__history *h = open();
    uint64_t state = 1;
    unsigned missed = 0;
    for (unsigned i = 0; i < 20000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        missed += !htmt__history_guess(h, 3, (uint32_t)(state >> 63), true);
    }
    cr_expect(missed > 9000 && missed < 11000, "%u", missed);
    htmt__history_free(h);
}

Test(history, a_copy_guesses_as_the_first_one)
{
    struct htmt__history *a = open(), *b = open();
    (void)missed_ends(a, 12, 40, true);
    htmt__history_copy(b, a);
    cr_expect_eq(missed_ends(a, 12, 40, true), missed_ends(b, 12, 40, true));
    htmt__history_free(a);
    htmt__history_free(b);
}

/* Half of a loop's branches are never taken: they leave the history to the others, so ends are
 * foreseen as far as `reach` turns. */
Test(history, branches_that_are_not_taken_are_none_of_a_history)
{
    struct htmt__history *h = open();
    unsigned missed = 0;
    for (unsigned again = 0; again < 40; again++)
        for (unsigned k = 1; k <= 30; k++) {
            (void)htmt__history_guess(h, 3, 4, false);
            const bool right = htmt__history_guess(h, 7, k < 30 ? 7 : 9, true);
            missed += !right && again >= 20;
        }
    cr_expect_eq(missed, 0);
    htmt__history_free(h);
}

/* Wrong answers when a row of n random outcomes has come `times` times before. */
static unsigned missed_of_row(struct htmt__history *h, unsigned n, unsigned times)
{
    unsigned missed = 0;
    for (unsigned i = 0; i <= times; i++) {
        uint64_t state = 1;
        for (unsigned k = 0; k < n; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const bool right = htmt__history_guess(h, 3, (uint32_t)(state >> 63), true);
            missed += !right && i == times;
        }
    }
    return missed;
}

Test(history, rows_of_random_outcomes_are_learned_as_far_as_they_fit)
{
    struct htmt__history *h = open();
    cr_expect_leq(missed_of_row(h, OUTCOMES, 8), OUTCOMES / 50);
    htmt__history_clear(h);
    cr_expect_geq(missed_of_row(h, 8 * OUTCOMES, 16), 8 * OUTCOMES / 3);
    htmt__history_free(h);
}

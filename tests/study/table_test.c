/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a study asks of all its rows.
 * Class: unit.
 */
#include "emul/study/table.h"

#include <criterion/criterion.h>
#include <math.h>

/* By comparing each with each. */
static bool is_bettered(const double *a, const double *b, unsigned n, unsigned i)
{
    for (unsigned k = 0; k < n; k++)
        if (a[k] <= a[i] && b[k] <= b[i] && (a[k] < a[i] || b[k] < b[i]))
            return true;
    return false;
}

Test(study, the_front_has_the_points_that_none_betters_and_all_of_their_equals)
{
    const double a[] = {1, 2, 2, 2, 3, 4, 1.5, 5, 0.5, 3}, b[] = {5, 3, 3, 4, 3, 1, 4.5, 1, 9, 2.5};
    bool front[10];
    unsigned count = 0;
    cr_assert_eq(htmt__front(a, b, 10, front), 0);
    for (unsigned i = 0; i < 10; i++) {
        cr_expect_eq(front[i], !is_bettered(a, b, 10, i), "point %u", i);
        count += front[i];
    }
    cr_expect_eq(count, 7);
    for (unsigned seed = 1; seed < 200; seed++) {
        double x[40], y[40];
        bool on[40];
        for (unsigned i = 0; i < 40; i++) {
            x[i] = (double)((i * 7919 + seed * 104729) % 17);
            y[i] = (double)((i * 6101 + seed * 15485863) % 13);
        }
        cr_assert_eq(htmt__front(x, y, 40, on), 0);
        for (unsigned i = 0; i < 40; i++)
            cr_assert_eq(on[i], !is_bettered(x, y, 40, i));
    }
}

Test(study, what_has_no_value_is_not_on_the_front)
{
    const double a[] = {1, (double)NAN, 3}, b[] = {2, 0, (double)NAN};
    bool front[3];
    cr_assert_eq(htmt__front(a, b, 3, front), 0);
    cr_expect(front[0] && !front[1] && !front[2]);
}

/* The example of hours before a screen and IQ: rho = -29 / 165. With equal values: x 1 2 2 3, y 1 3
 * 2 4 have ranks 1 2.5 2.5 4 and 1 3 2 4, whose correlation is 4.5 / sqrt(4.5 * 5). */
Test(study, rank_correlation_is_that_of_the_ranks_with_equal_ones_at_their_mean)
{
    const double iq[] = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                 hours[] = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
    const double x[] = {1, 2, 2, 3}, y[] = {1, 3, 2, 4}, same[] = {2, 2, 2, 2};
    double r;
    cr_assert_eq(htmt__rank_correlation(iq, hours, 10, &r), 0);
    cr_expect_float_eq(r, -29.0 / 165, 1e-14);
    cr_assert_eq(htmt__rank_correlation(x, y, 4, &r), 0);
    cr_expect_float_eq(r, 4.5 / sqrt(4.5 * 5), 1e-14);
    cr_assert_eq(htmt__rank_correlation(x, same, 4, &r), 0);
    cr_expect(isnan(r));
}

Test(study, quantiles_lie_between_neighbours_by_their_share)
{
    const double x[] = {30, 10, (double)NAN, 20, 50, 40}, share[] = {0, 0.05, 0.5, 0.95, 1};
    const double expected[] = {10, 12, 30, 48, 50};
    double q[5];
    cr_assert_eq(htmt__quantiles(x, 6, share, 5, q), 0);
    for (unsigned i = 0; i < 5; i++)
        cr_expect_float_eq(q[i], expected[i], 1e-12);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/check.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

struct product {
    struct htmt__cannon_matrix a, b, c, r;
};

/* c by three plain loops, r by the reference. */
static void multiply(struct product *p)
{
    const uint64_t rows = p->a.rows, inner = p->a.cols, cols = p->b.cols;
    cr_assert_eq(htmt__cannon_matrix_create(&p->c, rows, cols, NULL), 0);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = 0; k < inner; k++)
            for (uint64_t j = 0; j < cols; j++)
                p->c.at[i * cols + j] += p->a.at[i * inner + k] * p->b.at[k * cols + j];
    cr_assert_eq(htmt__cannon_reference_product(&p->a, &p->b, &p->r, NULL), 0);
}

static struct product product(enum htmt__cannon_entries kind, uint64_t rows, uint64_t inner,
                              uint64_t cols)
{
    struct product p;
    cr_assert_eq(htmt__cannon_matrix_generate(&p.a, rows, inner, kind, 5, HTMT__MATRIX_A, NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_generate(&p.b, inner, cols, kind, 5, HTMT__MATRIX_B, NULL), 0);
    multiply(&p);
    return p;
}

static void destroy(struct product *p)
{
    htmt__cannon_matrix_destroy(&p->a);
    htmt__cannon_matrix_destroy(&p->b);
    htmt__cannon_matrix_destroy(&p->c);
    htmt__cannon_matrix_destroy(&p->r);
}

static int freivalds_of(struct htmt__cannon_matrix *a, struct htmt__cannon_matrix *b,
                        struct htmt__cannon_matrix *c, uint64_t seed, bool exact,
                        struct htmt__cannon_check *check, struct htmt_fault *fault)
{
    struct htmt__cannon_spread whole[] = {
        htmt__cannon_spread_whole(a), htmt__cannon_spread_whole(b), htmt__cannon_spread_whole(c)};
    return htmt__cannon_check_freivalds(NULL, &whole[0], &whole[1], &whole[2], seed, exact, check,
                                        fault);
}

static struct htmt__cannon_check freivalds(const struct product *p, uint64_t seed, bool exact)
{
    struct htmt__cannon_check check;
    struct product at = *p;
    cr_assert_eq(freivalds_of(&at.a, &at.b, &at.c, seed, exact, &check, NULL), 0);
    return check;
}

static bool full(struct product *p, struct htmt__cannon_check check[2])
{
    cr_assert_eq(htmt__cannon_check_full(&p->a, &p->b, &p->c, &p->r, check, NULL), 0);
    return check[0].pass && check[1].pass;
}

static const uint64_t shapes[][3] = {
    {1, 1, 1}, {64, 64, 64}, {130, 70, 33}, {1, 200, 3}, {90, 1, 90}};

Test(check, a_right_product_of_any_shape_passes_every_check)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int kind = HTMT__UNIFORM; kind <= HTMT__INTEGERS; kind++) {
            struct htmt__cannon_check check[2];
            struct product p =
                product((enum htmt__cannon_entries)kind, shapes[k][0], shapes[k][1], shapes[k][2]);
            cr_expect(freivalds(&p, 1, false).pass);
            cr_expect(full(&p, check), "%g %g", check[0].value, check[1].value);
            destroy(&p);
        }
}

Test(check, integers_agree_bit_for_bit_with_the_reference_and_leave_no_residual)
{
    struct htmt__cannon_check check;
    struct product p = product(HTMT__INTEGERS, 150, 150, 150);
    cr_assert_eq(htmt__cannon_check_exact(&p.c, &p.r, &check, NULL), 0);
    cr_expect(check.pass && check.value == 0);
    check = freivalds(&p, 9, true);
    cr_expect(check.pass && check.value == 0 && check.tolerance == 0);
    destroy(&p);
}

/* One trial alone would miss about half of these. */
Test(check, freivalds_catches_every_single_wrong_element)
{
    struct product p = product(HTMT__INTEGERS, 40, 40, 40);
    for (uint64_t k = 0; k < 1600; k += only_memory() ? 17 : 1)
        for (int exact = 0; exact < 2; exact++) {
            p.c.at[k] += 1;
            struct htmt__cannon_check check = freivalds(&p, k, exact);
            cr_expect(!check.pass && check.row == k / 40, "element %u was not caught", (unsigned)k);
            p.c.at[k] -= 1;
        }
    cr_expect(freivalds(&p, 1, true).pass);
    destroy(&p);
}

/* The trials of element 0 are the low bits of X. */
Test(check, a_column_that_no_trial_would_look_at_is_checked_all_the_same)
{
    uint64_t seed = 0;
    while (htmt__cannon_matrix_bits(seed, HTMT__MATRIX_X, 0, 0) &
           ((1 << HTMT__FREIVALDS_TRIALS) - 1))
        seed++;
    struct product p = product(HTMT__INTEGERS, 1, 1, 1);
    p.c.at[0] += 1;
    cr_expect(!freivalds(&p, seed, true).pass);
    destroy(&p);
}

Test(check, an_error_just_above_rounding_is_caught_and_one_below_is_not)
{
    struct htmt__cannon_check check[2];
    struct product p = product(HTMT__GAUSSIAN, 200, 200, 200);
    double right = p.c.at[777], unit = 200 * 0x1p-52;
    p.c.at[777] = right + 200 * 8 * unit;
    cr_expect(!full(&p, check) && !check[0].pass);
    cr_expect(check[0].row == 3 && check[0].col == 177);
    p.c.at[777] = right + 30 * unit;
    cr_expect(full(&p, check));
    /* |A| |B| X sums 100 elements of about 200 * 2/pi. */
    p.c.at[777] = right + 200 * 100 * 8 * unit;
    cr_expect(!freivalds(&p, 2, false).pass);
    p.c.at[777] = right + 200 * 20 * unit;
    cr_expect(freivalds(&p, 2, false).pass);
    destroy(&p);
}

Test(check, many_small_errors_fail_the_frobenius_norm)
{
    struct htmt__cannon_check check[2];
    struct product p = product(HTMT__GAUSSIAN, 300, 300, 300);
    for (uint64_t k = 0; k < 90000; k++)
        p.c.at[k] *= 1 + 2e-14;
    full(&p, check);
    cr_expect(!check[1].pass && fabs(check[1].value - 2e-14) < 1e-15, "%g", check[1].value);
    destroy(&p);
}

/* What a wrong skew does: whole subblocks change places. */
Test(check, a_block_in_the_wrong_place_is_caught)
{
    struct htmt__cannon_check check;
    struct product p = product(HTMT__UNIFORM, 64, 64, 64);
    for (uint64_t i = 0; i < 16; i++)
        for (uint64_t j = 0; j < 16; j++) {
            double t = p.c.at[i * 64 + j];
            p.c.at[i * 64 + j] = p.c.at[(i + 16) * 64 + j];
            p.c.at[(i + 16) * 64 + j] = t;
        }
    cr_expect(!freivalds(&p, 3, false).pass);
    cr_assert_eq(htmt__cannon_check_exact(&p.c, &p.r, &check, NULL), 0);
    cr_expect(!check.pass && check.value >= 512);
    destroy(&p);
}

Test(check, what_is_no_number_fails_wherever_it_stands)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    struct htmt__cannon_check check[2];
    struct product p = product(HTMT__UNIFORM, 20, 20, 20);
    for (size_t b = 0; b < 3; b++)
        for (uint64_t k = 0; k < 400; k += 57) {
            double right = p.c.at[k];
            p.c.at[k] = bad[b];
            cr_expect(!freivalds(&p, k, false).pass && !freivalds(&p, k, true).pass);
            full(&p, check);
            cr_expect(!check[0].pass && !check[1].pass);
            cr_assert_eq(htmt__cannon_check_exact(&p.c, &p.r, check, NULL), 0);
            cr_expect(check->value >= 1 && !check->pass);
            p.c.at[k] = right;
        }
    destroy(&p);
}

Test(check, a_wrong_element_where_the_bound_is_zero_is_caught)
{
    struct htmt__cannon_check check[2];
    struct product p = product(HTMT__UNIFORM, 8, 8, 8);
    memset(p.a.at, 0, 64 * sizeof(double));
    memset(p.c.at, 0, 64 * sizeof(double));
    memset(p.r.at, 0, 64 * sizeof(double));
    cr_expect(freivalds(&p, 1, false).pass && full(&p, check));
    p.c.at[5] = 1e-300;
    cr_expect(!freivalds(&p, 1, false).pass && !full(&p, check));
    destroy(&p);
}

/* ---- the ends of the range of doubles ---------------------------------------------------------
 */

enum { N = 24 };

/* Elements of A and B times these factors; without signs where `positive`. */
static struct product scaled(double factor_a, double factor_b, bool positive)
{
    struct product p = product(HTMT__UNIFORM, N, N, N);
    htmt__cannon_matrix_destroy(&p.c);
    htmt__cannon_matrix_destroy(&p.r);
    for (uint64_t k = 0; k < N * N; k++) {
        p.a.at[k] = factor_a * (positive ? fabs(p.a.at[k]) : p.a.at[k]);
        p.b.at[k] = factor_b * (positive ? fabs(p.b.at[k]) : p.b.at[k]);
    }
    multiply(&p);
    return p;
}

/* Products near 1e-320, and of 1e300 with 1e-300 and the like, have a bound of their own; one
 * element that is off by more than a few of the least double is found. */
Test(check, products_that_underflow_are_right_and_a_wrong_element_of_them_is_found)
{
    const double factors[][3] = {{1e-160, 1e-160, 1e-318},
                                 {1e-170, 1e-170, 1e-318},
                                 {1e-300, 1e-3, 1e-312},
                                 {1e300, 1e-310, 1e-18}};
    struct htmt__cannon_check check[2];
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct product p = scaled(factors[i][0], factors[i][1], false);
        cr_expect(freivalds(&p, 1, false).pass, "%zu: %g", i, freivalds(&p, 1, false).value);
        cr_expect(full(&p, check), "%zu: %g %g", i, check[0].value, check[1].value);
        for (uint64_t k = 0; k < N * N; k += 29) {
            double right = p.c.at[k];
            p.c.at[k] += factors[i][2];
            cr_expect(!freivalds(&p, k, false).pass, "%zu, %d", i, (int)k);
            cr_expect(!full(&p, check), "%zu, %d", i, (int)k);
            p.c.at[k] = right;
        }
        destroy(&p);
    }
}

/* The sums of magnitudes of 20 trials overflow, C does not. */
Test(check, products_whose_bounds_overflow_are_right_and_a_wrong_element_of_them_is_found)
{
    const double factors[][2] = {{1e153, 1e154}, {1e300, 1e7}, {1e7, 1e300}};
    struct htmt__cannon_check check[2];
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct product p = scaled(factors[i][0], factors[i][1], false);
        struct htmt__cannon_check found = freivalds(&p, 1, false);
        cr_expect(found.pass && !found.undecided, "%zu: %g", i, found.value);
        cr_expect(full(&p, check), "%zu: %g %g", i, check[0].value, check[1].value);
        for (uint64_t k = 0; k < N * N; k += 29) {
            double right = p.c.at[k];
            p.c.at[k] = right + 1e297;
            cr_expect(!freivalds(&p, k, false).pass, "%zu, %d", i, (int)k);
            p.c.at[k] = right;
        }
        destroy(&p);
    }
}

/* Of products of one sign every order of summation gives the same infinity. */
Test(check, products_that_overflow_are_compared_one_by_one)
{
    const double wrong[] = {1e308, -HUGE_VAL, NAN, 0};
    struct htmt__cannon_check check[2];
    struct product p = scaled(1e200, 1e200, true);
    cr_assert(p.c.at[5] == HUGE_VAL);
    cr_expect(!freivalds(&p, 1, false).pass && freivalds(&p, 1, false).undecided);
    cr_expect(full(&p, check), "%g %g", check[0].value, check[1].value);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        p.c.at[5] = wrong[i];
        cr_expect(!full(&p, check), "%g is called right", wrong[i]);
    }
    destroy(&p);
    /* Of both signs the order decides between the infinities and NaN; a number is wrong. */
    p = scaled(1e200, 1e200, false);
    cr_expect(full(&p, check), "%g %g", check[0].value, check[1].value);
    p.c.at[7] = p.c.at[8] = NAN;
    cr_expect(full(&p, check));
    p.c.at[7] = 1e300;
    cr_expect(!full(&p, check));
    destroy(&p);
    /* An infinity where magnitudes add up to a number is wrong. */
    p = scaled(1e100, 1e100, true);
    cr_expect(full(&p, check) && freivalds(&p, 1, false).pass);
    p.c.at[9] = HUGE_VAL;
    cr_expect(!full(&p, check) && !freivalds(&p, 1, false).pass);
    cr_expect(!freivalds(&p, 1, false).undecided);
    destroy(&p);
}

Test(check, shapes_that_do_not_belong_together_are_refused)
{
    struct htmt__cannon_check check[2];
    struct htmt_fault fault = {0};
    struct product p = product(HTMT__UNIFORM, 4, 5, 6);
    cr_expect_eq(freivalds_of(&p.b, &p.a, &p.c, 1, false, check, NULL), HTMT_EINVAL);
    cr_expect_eq(freivalds_of(&p.a, &p.b, &p.a, 1, false, check, &fault), HTMT_EINVAL);
    cr_expect_str_eq(fault.text, "C is 4 x 5, expected 4 x 6");
    cr_expect_eq(htmt__cannon_check_full(&p.a, &p.b, &p.c, &p.a, check, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt__cannon_check_exact(&p.c, &p.b, check, NULL), HTMT_EINVAL);
    destroy(&p);
}

Test(reference, sides_beyond_the_library_are_refused)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix a = {UINT64_C(1) << 31, 1, NULL}, b = {1, 1, NULL}, c;
    cr_expect_eq(htmt__cannon_reference_product(&a, &b, &c, &fault), HTMT_ERANGE);
    cr_expect(strstr(fault.text, "2147483648 x 1 x 1"), "%s", fault.text);
    b.rows = 2;
    cr_expect_eq(htmt__cannon_reference_product(&a, &b, &c, NULL), HTMT_EINVAL);
}

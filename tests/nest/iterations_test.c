/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterations of nests, counted by polynomials, against loops that run.
 */
#include "emul/loops/nest/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The iterations of a nest of three loops with these ranges, for n. */
static htmt_wide count(const char *k, const char *j, const char *i, long long n)
{
    char text[600];
    struct htmt_fault fault = {0};
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    const struct htmt__nest_given_value given = {"n", n};
    snprintf(text, sizeof text,
             "htmt-nests: 1\nparameters: {n: needed}\narrays: {}\nnests:\n  x:\n    loops:\n"
             "      k: %s\n      j: %s\n      i: %s\n",
             k, j, i);
    cr_assert(!htmt__nest_file_parse("text", text, strlen(text), &file, &fault), "%s", fault.text);
    cr_assert(!htmt__nest_program_make(file, &given, 1, 1, &program, &fault), "%s", fault.text);
    htmt_wide found = program->run[0].plan->count;
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    return found;
}

Test(iterations, a_tetrahedron_has_the_iterations_that_its_loops_run)
{
    for (int n = 1; n < 20; n++) {
        long long run = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j <= k; j++)
                for (int i = j; i <= k; i++)
                    run++;
        cr_assert_eq(count("0..n-1", "0..k", "j..k", n), run, "n %d", n);
    }
}

Test(iterations, pieces_and_steps_have_the_iterations_that_their_loops_run)
{
    for (int n = 1; n < 20; n++) {
        long long run = 0;
        for (int k = -2; k <= n; k += 3)
            for (int j = k > 1 ? k : 1; j <= n; j++)
                for (int i = 2 * j - n; i <= (j + 4 < n ? j + 4 : n); i += 2)
                    run++;
        cr_assert_eq(count("-2..n step 3", "max(k, 1)..n", "2*j-n..min(j+4, n) step 2", n), run,
                     "n %d", n);
    }
}

Test(iterations, a_large_tetrahedron_is_exact_in_128_bits)
{
    const htmt_wide n = INT64_C(1) << 31;
    cr_assert_eq(count("0..n-1", "0..k", "j..k", (long long)n), n * (n + 1) * (n + 2) / 6);
}

Test(iterations, a_nest_without_iterations_counts_none)
{
    cr_assert_eq(count("0..n-1", "1..0", "0..n", 7), 0);
    cr_assert_eq(count("0..n-1", "k..k-3", "0..n", 7), 0);
}

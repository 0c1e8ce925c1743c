/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first program of the README, as it stands there.
 */
#define main hello_main
#include "tests/sketches/hello.c"
#undef main

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

Test(hello, squares_and_predicts_in_under_forty_lines, .init = cr_redirect_stdout)
{
    char source[4096] = {0}, output[200] = {0};
    long long fs = 0;
    unsigned lines = 0;
    cr_assert_eq(hello_main(), 0);
    fflush(stdout);
    cr_assert(fgets(output, sizeof output, cr_get_redirected_stdout()));
    cr_assert_eq(sscanf(output, "no error: 8 squared is 64, after %lld fs of small-htmt", &fs), 1,
                 "%s", output);
    cr_assert_gt(fs, 0);
    FILE *f = fopen("tests/sketches/hello.c", "r");
    cr_assert(f);
    while (fgets(source, sizeof source, f))
        lines++;
    fclose(f);
    cr_assert_lt(lines, 40);
}

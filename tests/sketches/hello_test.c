/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first program of the README, as it stands there.
 */
#define main hello_main
#include "tests/sketches/hello.c"
#undef main

#include "tests/sketches/heard.h"

Test(hello, squares_and_predicts)
{
    char line[200] = "";
    long long fs = 0;
    hear_begin();
    cr_assert_eq(hello_main(), 0);
    hear_end(line, sizeof line);
    cr_assert_eq(sscanf(line, "8 squared is 64, after %lld fs", &fs), 1, "%s", line);
    cr_assert_gt(fs, 0);
}

Test(hello, is_shorter_than_forty_lines)
{
    char line[200];
    unsigned lines = 0;
    FILE *f = fopen("tests/sketches/hello.c", "r");
    cr_assert(f, "run from the source tree");
    while (fgets(line, sizeof line, f))
        lines++;
    fclose(f);
    cr_assert_lt(lines, 40);
}

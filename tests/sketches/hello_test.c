/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first program of the README, as it stands there.
 */
#define main hello_main
#include "tests/sketches/hello.c"
#undef main

#include <criterion/criterion.h>
#include <unistd.h>

/* What hello_main() prints, by a file in the place of standard output. */
static void hear(char *line, int size)
{
    int before = dup(STDOUT_FILENO);
    FILE *paper = tmpfile();
    cr_assert(before >= 0 && paper);
    cr_assert_eq(fflush(stdout), 0);
    cr_assert_geq(dup2(fileno(paper), STDOUT_FILENO), 0);
    int rc = hello_main();
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(paper);
    cr_assert_eq(rc, 0);
    cr_assert(fgets(line, size, paper));
    fclose(paper);
}

Test(hello, squares_and_predicts)
{
    char line[200] = "";
    long long fs = 0;
    hear(line, sizeof line);
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

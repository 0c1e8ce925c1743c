/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * The program of docs/api.md that prints its report, as it stands there.
 */
#define main report_main
#include "tests/sketches/report.c"
#undef main

#include <criterion/criterion.h>
#include <unistd.h>

/* What report_main() prints, by a file in the place of standard output. */
static void hear(char *text, size_t size)
{
    int before = dup(STDOUT_FILENO);
    FILE *paper = tmpfile();
    cr_assert(before >= 0 && paper);
    cr_assert_eq(fflush(stdout), 0);
    cr_assert_geq(dup2(fileno(paper), STDOUT_FILENO), 0);
    int rc = report_main();
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(paper);
    text[fread(text, 1, size - 1, paper)] = '\0';
    fclose(paper);
    cr_assert_eq(rc, 0);
}

/* The line `line` of docs/api.md is printed. */
Test(report, prints_what_the_guide_shows)
{
    static const char *const lines[] = {
        "htmt: a program on small-htmt, 4 slices\n", "\nPREDICTED (virtual clock)\n",
        "\nBOTTLENECKS (virtual clock; ", "\nEXPLANATION (virtual clock; ",
        "  equal         4 more runs, each with the same 40 events\n"};
    char text[16384];
    hear(text, sizeof text);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(text, lines[i]), "no '%s' in:\n%s", lines[i], text);
}

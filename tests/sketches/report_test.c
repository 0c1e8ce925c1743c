/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * The program of docs/api.md that prints its report, as it stands there.
 */
#define main report_main
#include "tests/sketches/report.c"
#undef main

#include "tests/sketches/heard.h"

/* The line `line` of docs/api.md is printed. */
Test(report, prints_what_the_guide_shows)
{
    static const char *const lines[] = {
        "htmt: a program on small-htmt, 4 slices\n", "\nPREDICTED (virtual clock)\n",
        "\nBOTTLENECKS (virtual clock; ", "\nEXPLANATION (virtual clock; ",
        "  equal         4 more runs, each with the same 40 events\n"};
    char text[16384];
    hear_begin();
    cr_assert_eq(report_main(), 0);
    hear_end(text, sizeof text);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(text, lines[i]), "no '%s' in:\n%s", lines[i], text);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a program of the pages prints: standard output goes to a file while its main() runs.
 */
#ifndef HTMT_TESTS_SKETCHES_HEARD_H
#define HTMT_TESTS_SKETCHES_HEARD_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

static FILE *heard;
static int heard_before;

static void hear_begin(void)
{
    heard_before = dup(STDOUT_FILENO);
    heard = tmpfile();
    cr_assert(heard_before >= 0 && heard);
    cr_assert_eq(fflush(stdout), 0);
    cr_assert_geq(dup2(fileno(heard), STDOUT_FILENO), 0);
}

/* text: what was printed, at most size - 1 bytes. */
static void hear_end(char *text, size_t size)
{
    fflush(stdout);
    dup2(heard_before, STDOUT_FILENO);
    close(heard_before);
    rewind(heard);
    text[fread(text, 1, size - 1, heard)] = '\0';
    fclose(heard);
}

#endif

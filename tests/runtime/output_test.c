/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/input.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/whole_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh folder, which is then the current one. */
static void enter(char folder[32])
{
    strcpy(folder, "/tmp/htmt-output-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void clear(const char *folder)
{
    htmt__outputs_forget();
    unlink("out");
    unlink("link");
    unlink("hard");
    cr_expect_eq(rmdir(folder), 0, "something was left in %s", folder);
}

static void expect_refused(const char *option, const char *path)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_output_claim(option, path, &fault), HTMT_EUSAGE, "%s", path);
    cr_expect(strstr(fault.text, "expected another file than that of --first"), "%s", fault.text);
}

Test(output, one_file_under_two_names_is_refused_before_it_exists)
{
    char folder[32], long_way[64];
    enter(folder);
    snprintf(long_way, sizeof long_way, "%s/./out", folder);
    cr_assert_eq(symlink("out", "link"), 0);
    cr_assert_eq(htmt_output_claim("--first", "out", NULL), 0);
    expect_refused("--second", "out");
    expect_refused("--second", long_way);
    expect_refused("--second", "link");
    cr_expect_eq(htmt_output_claim("--second", "other", NULL), 0);
    clear(folder);
}

Test(output, one_file_under_two_names_is_refused_when_it_exists)
{
    char folder[32];
    enter(folder);
    cr_assert_eq(htmt_whole_file_write("out", "x", 1, NULL), 0);
    cr_assert_eq(symlink("out", "link") | link("out", "hard"), 0);
    cr_assert_eq(htmt_output_claim("--first", "link", NULL), 0);
    expect_refused("--second", "out");
    expect_refused("--second", "hard");
    clear(folder);
}

/* Settings are read again for every run of one command line. */
Test(output, an_option_may_claim_a_file_again)
{
    char folder[32];
    enter(folder);
    cr_expect_eq(htmt_output_claim("--first", "out", NULL), 0);
    cr_expect_eq(htmt_output_claim("--first", "out", NULL), 0);
    htmt__outputs_forget();
    cr_expect_eq(htmt_output_claim("--second", "out", NULL), 0);
    clear(folder);
}

Test(output, many_may_write_to_one_device)
{
    cr_expect_eq(htmt_output_claim("--first", "/dev/null", NULL), 0);
    cr_expect_eq(htmt_output_claim("--second", "/dev/null", NULL), 0);
}

Test(output, an_input_that_would_be_written_over_is_refused)
{
    char folder[32], *text = NULL;
    size_t length;
    struct htmt_fault fault = {0};
    enter(folder);
    cr_assert_eq(htmt_whole_file_write("out", "x", 1, NULL), 0);
    cr_assert_eq(symlink("out", "link"), 0);
    cr_assert_eq(htmt_output_claim("--first", "out", NULL), 0);
    cr_expect_eq(htmt_input_read("link", HTMT_INPUT_TEXT, &text, &length, &fault), HTMT_EUSAGE);
    cr_expect_str_eq(fault.text,
                     "link is read and would be written over by --first, expected another file");
    htmt__outputs_forget();
    cr_expect_eq(htmt_input_read("link", HTMT_INPUT_TEXT, &text, &length, NULL), 0);
    free(text);
    clear(folder);
}

Test(output, an_input_that_was_read_before_may_not_be_claimed)
{
    char folder[32], *text = NULL;
    size_t length;
    struct htmt_fault fault = {0};
    enter(folder);
    cr_assert_eq(htmt_whole_file_write("out", "x", 1, NULL), 0);
    cr_assert_eq(symlink("out", "link"), 0);
    cr_assert_eq(htmt_output_claim("--first", "other", NULL), 0);
    for (int i = 0; i < 2; i++, free(text))
        cr_expect_eq(htmt_input_read("out", HTMT_INPUT_TEXT, &text, &length, NULL), 0);
    cr_expect_eq(htmt_output_claim("--second", "link", &fault), HTMT_EUSAGE);
    cr_expect_str_eq(fault.text,
                     "out is read and would be written over by --second, expected another file");
    clear(folder);
}

Test(output, standard_output_in_a_file_is_claimed)
{
    char folder[32];
    enter(folder);
    cr_assert_not_null(freopen("out", "w", stdout));
    cr_assert_eq(htmt__output_claim_streams(NULL), 0);
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_output_claim("--first", "out", &fault), HTMT_EUSAGE);
    cr_expect(strstr(fault.text, "that of standard output"), "%s", fault.text);
    clear(folder);
}

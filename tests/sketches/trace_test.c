/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of docs/api.md that reads a trace, as it stands there.
 */
#define main trace_main
#include "tests/sketches/trace.c"
#undef main

#include "tests/sketches/heard.h"
#include "tests/trace/model.h"

/* What it prints about a file, and its status. */
static int hear(char *path, char *text, size_t size)
{
    hear_begin();
    int status = trace_main(2, (char *[]){"trace", path, NULL});
    hear_end(text, size);
    return status;
}

Test(trace, finds_the_longest_wait_and_what_ended_it)
{
    struct bytes file = model_file(&model_small, true);
    char *path = model_save(&file), text[1000];
    htmt_time longest = 0;
    for (uint32_t s = 0; s < model_small.slices; s++)
        for (uint64_t n = 0; n < model_small.each; n++) {
            struct htmt_trace_interval i = model_interval(&model_small, s, n);
            longest = i.wait > longest ? i.wait : longest;
        }
    char expected[100];
    snprintf(expected, sizeof expected, ", %lld fs + ", (long long)longest);
    cr_expect_eq(hear(path, text, sizeof text), 0);
    cr_expect_eq(strncmp(text, "longest wait: interval ", 23), 0, "%s", text);
    cr_expect_not_null(strstr(text, expected), "no %s in %s", expected, text);
    cr_expect_not_null(strstr(text, "\nit ended with: interval "), "%s", text);
    unlink(path);
    cr_expect_eq(hear(path, text, sizeof text), 2);
    free(path);
    free(file.at);
}

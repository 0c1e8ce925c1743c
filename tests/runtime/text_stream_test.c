/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/text_stream.h"

#include "runtime/base/error.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

Test(text_stream, an_empty_stream_is_an_empty_text)
{
    struct htmt__text t;
    FILE *out = htmt__text_open(&t);
    cr_assert_not_null(out);
    cr_assert_eq(htmt__text_close(out, &t), 0);
    cr_expect_str_eq(t.at, "");
    cr_expect_eq(t.length, 0);
    free(t.at);
}

Test(text_stream, a_long_text_is_kept_whole)
{
    enum { LINES = 10000 };
    struct htmt__text t;
    FILE *out = htmt__text_open(&t);
    cr_assert_not_null(out);
    for (int i = 0; i < LINES; i++)
        fprintf(out, "line %05d\n", i);
    cr_assert_eq(htmt__text_close(out, &t), 0);
    cr_assert_eq(t.length, 11 * LINES);
    cr_expect_eq(strlen(t.at), t.length);
    for (int i = 0; i < LINES; i++)
        cr_assert_eq(atoi(t.at + 11 * i + 5), i);
    free(t.at);
}

Test(text_stream, no_stream_is_a_lack_of_memory)
{
    struct htmt__text t = {.at = NULL};
    cr_expect_eq(htmt__text_close(NULL, &t), HTMT_ENOMEM);
}

/* The text would need more than the process may have. */
static int fill(struct htmt__text *t, size_t limit)
{
    static char piece[1 << 16];
    FILE *out = htmt__text_open(t);
    cr_assert_not_null(out);
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
    memset(piece, 'x', sizeof piece);
    for (size_t n = 0; n < 2 * limit && !ferror(out); n += sizeof piece)
        fwrite(piece, 1, sizeof piece, out);
    return htmt__text_close(out, t);
}

Test(text_stream, a_text_that_was_cut_off_is_an_error)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    cr_skip_test("the shadow of a sanitizer needs more than the limit");
#endif
    struct htmt__text t;
    cr_expect_eq(fill(&t, (size_t)1 << 29), HTMT_ENOMEM);
    cr_expect_null(t.at);
}

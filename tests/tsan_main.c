/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs Criterion tests without Criterion's runner, for builds with -fsanitize=thread: the runner
 * maps its arena where the thread sanitizer allows no mapping and gives up. Linked in the place of
 * -lcriterion; each test runs in a child of its own, without time limits or parameters.
 */
#define _GNU_SOURCE /* vasprintf */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];

struct criterion_options criterion_options;

void criterion_internal_test_setup(void)
{
}

void criterion_internal_test_main(void (*test)(void))
{
    test();
}

void criterion_internal_test_teardown(void)
{
}

void criterion_abort_test(void)
{
    _exit(1);
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!stats->passed)
        fprintf(stderr, "%s:%u: %s\n", stats->file, stats->line,
                stats->message ? stats->message : "assertion failed");
}

void cri_asserts_passed_incr(void)
{
}

char *cr_translate_assert_msg(int index, ...)
{
    (void)index;
    return strdup("assertion failed");
}

int cr_asprintf(char **out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vasprintf(out, format, args);
    va_end(args);
    return length;
}

void cr_asprintf_free(char *text)
{
    free(text);
}

static int run(const struct criterion_test *test)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        test->test();
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        fprintf(stderr, "%s::%s failed, status %#x\n", test->category, test->name,
                (unsigned)status);
    return status != 0;
}

int main(void)
{
    int failed = 0, tests = 0;
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++, tests++)
        failed += *t ? run(*t) : 0;
    printf("%d tests, %d failed\n", tests, failed);
    return failed != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the tests that Criterion's headers declare: PROGRAM [NAME...], those whose SUITE::NAME has
 * one of the names in it. It is linked in the place of -lcriterion, whose runner starts the program
 * again for each test, with all its libraries, and cannot start under the thread sanitizer.
 *
 * A program may have the tests of many files. It runs those of the file whose name it is called by,
 * through a link.
 *
 * Each test, and each parameter of one, runs in a child of its own. Fixtures of a test and of its
 * suite, a test's expected signal and exit status are heeded; other settings of suites and time
 * limits are not: tests/run.sh has one for a program.
 */
#define _GNU_SOURCE /* vasprintf, memfd_create, program_invocation_short_name */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 1, SKIPPED = 77 }; /* exit statuses of tests that say so themselves */

extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
/* There is no such section where no suite is declared. */
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

struct criterion_options criterion_options;

/* Criterion's calls name neither: set once, in the child that runs the test. */
static const struct criterion_test *this_test;
static void *this_parameter;
static _Atomic bool expectation_failed; /* in this child */

/* What the suite of this test declares; NULL: nothing. */
static const struct criterion_test_extra_data *suite_data(void)
{
    for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++)
        if (*s && !strcmp((*s)->name, this_test->category))
            return (*s)->data;
    return NULL;
}

void criterion_internal_test_setup(void)
{
    const struct criterion_test_extra_data *suite = suite_data();
    if (suite && suite->init)
        suite->init();
    if (this_test->data->init)
        this_test->data->init();
}

void criterion_internal_test_main(void (*test)(void))
{
    if (this_test->data->kind_ == CR_TEST_PARAMETERIZED)
        ((void (*)(void *))test)(this_parameter);
    else
        test();
}

void criterion_internal_test_teardown(void)
{
    const struct criterion_test_extra_data *suite = suite_data();
    if (this_test->data->fini)
        this_test->data->fini();
    if (suite && suite->fini)
        suite->fini();
}

void criterion_abort_test(void)
{
    _exit(FAILED);
}

/* Of a test in C++: an exception left it. */
void criterion_test_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    _exit(FAILED);
}

void cr_log(enum criterion_severity severity, const char *format, ...)
{
    (void)severity;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

void criterion_continue_test(void)
{
    expectation_failed = true;
}

void criterion_skip_test(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("skipped: %s::%s: ", this_test->category, this_test->name);
    vprintf(format, args);
    puts("");
    va_end(args);
    fflush(stdout);
    _exit(SKIPPED);
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!stats->passed)
        fprintf(stderr, "%s:%u: %s\n", stats->file, stats->line, stats->message);
}

void cri_asserts_passed_incr(void)
{
}

/* `index` stands for one of Criterion's texts; what follows first is the condition or empty. */
char *cr_translate_assert_msg(int index, ...)
{
    char *text = NULL;
    va_list args;
    (void)index;
    va_start(args, index);
    cr_asprintf(&text, "failed: %s", va_arg(args, const char *));
    va_end(args);
    return text;
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

/* The redirected stream is a file in memory, which the getter opens anew at its beginning. */
static void redirect(int stream)
{
    int file = memfd_create("redirected", 0);
    if (file < 0 || dup2(file, stream) < 0)
        _exit(FAILED);
    close(file);
}

static FILE *redirected(int stream)
{
    char path[32];
    fflush(NULL);
    snprintf(path, sizeof path, "/proc/self/fd/%d", stream);
    FILE *file = fopen(path, "r");
    if (!file)
        _exit(FAILED);
    return file;
}

void cr_redirect_stdout(void)
{
    redirect(STDOUT_FILENO);
}

void cr_redirect_stderr(void)
{
    redirect(STDERR_FILENO);
}

FILE *cr_get_redirected_stdout(void)
{
    return redirected(STDOUT_FILENO);
}

FILE *cr_get_redirected_stderr(void)
{
    return redirected(STDERR_FILENO);
}

static bool as_expected(const struct criterion_test *test, int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == test->data->signal;
    return WIFEXITED(status) && test->data->signal == 0 &&
           WEXITSTATUS(status) == test->data->exit_code;
}

struct counts {
    unsigned tests, failed, skipped;
};

static void run(const struct criterion_test *test, void *parameter, struct counts *counts)
{
    int status = 0;
    counts->tests++;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        this_test = test;
        this_parameter = parameter;
        test->test();
        exit(expectation_failed ? FAILED : 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        counts->skipped++;
    } else if (!as_expected(test, status)) {
        counts->failed++;
        fprintf(stderr, "%s::%s failed, status %#x\n", test->category, test->name,
                (unsigned)status);
    }
}

static void run_each(const struct criterion_test *test, struct counts *counts)
{
    struct criterion_test_params params = {.length = 1};
    if (test->data->kind_ == CR_TEST_PARAMETERIZED)
        params = test->data->param_();
    for (size_t i = 0; i < params.length; i++)
        run(test, (char *)params.params + i * params.size, counts);
    if (params.cleanup)
        params.cleanup(&params);
}

/* Of the command line; none: all are chosen. */
static char **names;

/* Whether the program is called by the name of the test's file: FOLDER/clock_test by clock_test.c.
 */
static bool of_this_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const size_t length = strlen(program_invocation_short_name);
    return strncmp(file, program_invocation_short_name, length) == 0 && file[length] == '.';
}

static bool chosen(const struct criterion_test *test)
{
    char name[400];
    snprintf(name, sizeof name, "%s::%s", test->category, test->name);
    bool is = !*names;
    for (char **n = names; *n; n++)
        is |= strstr(name, *n) != NULL;
    return is && !test->data->disabled && of_this_name(test->data->file_);
}

int criterion_run_all_tests(struct criterion_test_set *set)
{
    struct counts counts = {0};
    (void)set;
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++)
        if (*t && chosen(*t))
            run_each(*t, &counts);
    /* Whatever tests print, in a line of its own. */
    printf("\n%u tests, %u failed, %u skipped\n", counts.tests, counts.failed, counts.skipped);
    return counts.failed == 0 && counts.tests > 0;
}

struct criterion_test_set *criterion_initialize(void)
{
    return NULL;
}

int criterion_handle_args(int argc, char **argv, bool handle_unknown)
{
    (void)argc, (void)handle_unknown;
    names = argv + 1;
    return 1;
}

void criterion_finalize(struct criterion_test_set *set)
{
    (void)set;
}

/* A test that must do something before its tests has its own. */
__attribute__((weak)) int main(int argc, char **argv)
{
    return !criterion_handle_args(argc, argv, true) ||
           !criterion_run_all_tests(criterion_initialize());
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work in a child: its code and line come back, a signal or a limit becomes one line, and no
 * temporary file stays.
 */
#include "runtime/base/supervised.h"
#include "runtime/base/temporary.h"
#include "runtime/base/whole_file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct htmt_limits limits = {.seconds = 1, .bytes = UINT64_C(64) << 20};
static char folder[] = "/tmp/htmt-supervised-XXXXXX";
static char path[sizeof folder + 10];
static int calls;

static void enter(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
}

static unsigned entries(void)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    cr_assert_not_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return n;
}

static void leave(void)
{
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "a file is left");
}

/* ---- works ----------------------------------------------------------------------------------- */

static int writes(void *context, struct htmt_fault *fault)
{
    calls++;
    return htmt_whole_file_write(path, context, strlen(context), fault);
}

static int fails(void *context, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT, "the work says %s", (const char *)context);
}

static int fails_without_a_line(void *context, struct htmt_fault *fault)
{
    (void)context, (void)fault;
    return HTMT_ENOMEM;
}

/* As the kernel does that has no more memory. */
static int is_killed(void *context, struct htmt_fault *fault)
{
    (void)context, (void)fault;
    return raise(SIGKILL);
}

/* A file is open, and there is something in it. */
static int raises(void *context, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    cr_assert_eq(htmt_whole_file_open(path, &file, fault), 0);
    fputs("half", htmt_whole_file_stream(file));
    fflush(htmt_whole_file_stream(file));
    raise(*(const int *)context);
    return 0;
}

static int never_ends(void *context, struct htmt_fault *fault)
{
    (void)fault;
    for (volatile int *spin = context; !*spin;)
        continue;
    return 0;
}

static int ends_the_process(void *context, struct htmt_fault *fault)
{
    (void)context, (void)fault;
    _exit(0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void expect(int (*work)(void *, struct htmt_fault *), void *context, int code,
                   const char *line)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_supervise("a.svg: drawing", &limits, work, context, &fault), code);
    cr_expect_eq(fault.code, code);
    cr_expect(strstr(fault.text, line) == fault.text, "'%s', expected '%s'", fault.text, line);
}

Test(supervised, work_is_done_in_another_process, .init = enter, .fini = leave)
{
    char text[9] = "";
    expect(writes, "12345678", 0, "");
    cr_expect_eq(calls, 0);
    int fd = open(path, O_RDONLY);
    cr_assert_eq(read(fd, text, 8), 8);
    close(fd);
    cr_expect_str_eq(text, "12345678");
}

Test(supervised, faults_come_back_with_code_and_line)
{
    expect(fails, "no", HTMT_EFORMAT, "the work says no");
    expect(fails_without_a_line, NULL, HTMT_ENOMEM, htmt_strerror(HTMT_ENOMEM));
    expect(ends_the_process, NULL, HTMT_ESYSTEM, "a.svg: drawing left its process without a word");
    expect(is_killed, NULL, HTMT_ESYSTEM, "a.svg: drawing was ended by SIGKILL");
}

Test(supervised, signals_become_a_line_and_leave_no_file, .init = enter, .fini = leave)
{
    static const struct {
        int number;
        const char *line;
    } rows[] = {{SIGSEGV, "a.svg: drawing was ended by SIGSEGV; it may use 64 MiB of memory"},
                {SIGABRT, "a.svg: drawing was ended by SIGABRT"},
                {SIGTERM, "a.svg: drawing was ended by SIGTERM"},
                {SIGXCPU, "a.svg: drawing took more than 1 s of a processor"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int number = rows[i].number;
        expect(raises, &number, HTMT_ESYSTEM, rows[i].line);
        cr_expect_eq(entries(), 0);
    }
}

static int is_ended(void *context, struct htmt_fault *fault)
{
    (void)fault;
    raise(*(const int *)context);
    return 0;
}

Test(supervised, a_child_that_is_ended_leaves_the_files_of_this_process_alone, .init = enter,
     .fini = leave)
{
    struct htmt_whole_file *file = NULL;
    struct htmt_fault fault = {0};
    int number = SIGSEGV;
    cr_assert_eq(htmt_whole_file_open(path, &file, &fault), 0);
    expect(is_ended, &number, HTMT_ESYSTEM, "a.svg: drawing was ended by SIGSEGV");
    cr_expect_eq(entries(), 1);
    cr_expect_eq(htmt_whole_file_commit(&file, &fault), 0, "%s", fault.text);
    cr_expect_eq(access(path, F_OK), 0);
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
static int deep(int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return n < 0 ? room[0] : deep(n + 1) + room[0];
}

static int overflows_the_stack(void *context, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    (void)context;
    return htmt_whole_file_open(path, &file, fault) || deep(1);
}

static int takes_memory(void *context, struct htmt_fault *fault)
{
    void *at = mmap(NULL, *(const size_t *)context, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? htmt_fault_set(fault, HTMT_ENOMEM, "refused") : 0;
}

Test(supervised, a_stack_that_is_used_up_leaves_no_file, .init = enter, .fini = leave)
{
    expect(overflows_the_stack, NULL, HTMT_ESYSTEM, "a.svg: drawing was ended by SIGSEGV");
    cr_expect_eq(entries(), 0);
}

Test(supervised, memory_has_a_limit)
{
    size_t less = (size_t)32 << 20, more = (size_t)65 << 20;
    expect(takes_memory, &less, 0, "");
    expect(takes_memory, &more, HTMT_ENOMEM, "refused");
}
#endif

Test(supervised, time_has_a_limit)
{
    int spin = 0;
    expect(never_ends, &spin, HTMT_ESYSTEM,
           "a.svg: drawing took more than 1 s of a processor or 10 s in all, and was ended");
}

Test(supervised, a_program_has_its_status_and_lines)
{
    struct htmt_fault fault = {0};
    int status = 0;
    FILE *errors = tmpfile();
    char line[20] = "";
    cr_assert_not_null(errors);
    char *const good[] = {"sh", "-c", "echo said >&2; exit 3", NULL};
    cr_expect_eq(
        htmt_supervise_program("sh", &limits, "/bin/sh", good, fileno(errors), &status, &fault), 0);
    cr_expect_eq(status, 3);
    status = 0;
    signal(SIGCHLD, SIG_IGN); /* as a parent may leave it */
    cr_expect_eq(
        htmt_supervise_program("sh", &limits, "/bin/sh", good, fileno(errors), &status, &fault), 0);
    cr_expect_eq(status, 3);
    cr_expect(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
    rewind(errors);
    cr_expect_not_null(fgets(line, sizeof line, errors));
    cr_expect_str_eq(line, "said\n");
    char *const killed[] = {"sh", "-c", "kill -SEGV $$", NULL};
    cr_expect_eq(
        htmt_supervise_program("sh", &limits, "/bin/sh", killed, fileno(errors), &status, &fault),
        HTMT_ESYSTEM);
    cr_expect_not_null(strstr(fault.text, "sh was ended by SIGSEGV"));
    fault = (struct htmt_fault){0};
    cr_expect_eq(
        htmt_supervise_program("sh", &limits, "/no/such", good, fileno(errors), &status, &fault),
        HTMT_ESYSTEM);
    cr_expect_not_null(strstr(fault.text, "/no/such cannot be started: No such file"));
    fclose(errors);
}

/* It has a file, and hears of no signal for a while. */
static int is_slow_to_end(void *context, struct htmt_fault *fault)
{
    const struct timespec while_deaf = {.tv_nsec = 300000000};
    struct htmt_whole_file *f = NULL;
    sigset_t deaf;
    (void)context;
    sigfillset(&deaf);
    sigprocmask(SIG_BLOCK, &deaf, NULL);
    if (htmt_whole_file_open(path, &f, fault))
        return fault->code;
    nanosleep(&while_deaf, NULL);
    sigprocmask(SIG_UNBLOCK, &deaf, NULL);
    pause();
    return 0;
}

static void removes_and_ends(int number)
{
    htmt__temporaries_remove();
    _exit(number);
}

/* The command's handlers do so. */
Test(supervised, a_process_that_a_signal_ends_leaves_no_file_of_its_child, .init = enter,
     .fini = leave)
{
    int status = 0;
    const pid_t p = fork();
    if (!p) {
        struct htmt_fault fault = {0};
        signal(SIGTERM, removes_and_ends);
        _exit(htmt_supervise("x.svg: drawing", &limits, is_slow_to_end, NULL, &fault));
    }
    while (!entries())
        ;
    kill(p, SIGTERM);
    cr_assert_eq(waitpid(p, &status, 0), p);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == SIGTERM);
    cr_expect_eq(entries(), 0);
}

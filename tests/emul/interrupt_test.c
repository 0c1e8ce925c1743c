/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/interrupt.h"
#include "runtime/base/whole_file.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = {"first", "second"};

/* In a child: two files are half written when the signals come. */
static void write_and_raise(const char *folder, bool listens, const int *number, unsigned count)
{
    struct htmt_whole_file *file[2];
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) < 0 || chdir(folder))
        _exit(100);
    htmt__interrupt_handle();
    htmt__interrupt_listen(listens);
    for (int i = 0; i < 2; i++) {
        if (htmt_whole_file_open(names[i], &file[i], NULL))
            _exit(101);
        fputs("half", htmt_whole_file_stream(file[i]));
    }
    for (unsigned i = 0; i < count; i++) {
        if (htmt__interrupt_asked() != (i > 0))
            _exit(102);
        raise(number[i]);
    }
    _exit(103);
}

/* How the child ended; nothing may be left in its folder. */
static int end_of(bool listens, const int *number, unsigned count)
{
    struct place p = place("");
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        write_and_raise(p.folder, listens, number, count);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(rmdir(p.folder), 0, "signal %d leaves something in %s", number[0], p.folder);
    return status;
}

Test(interrupt, every_signal_that_ends_the_process_removes_the_temporary_files)
{
    static const int numbers[] = {
        SIGHUP,
        SIGQUIT,
        SIGPIPE,
        SIGALRM,
        SIGUSR1,
        SIGUSR2,
        SIGXCPU,
        SIGPROF,
        SIGPOLL,
        SIGVTALRM,
        SIGTRAP,
        SIGSYS,
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
        SIGABRT,
        SIGSEGV,
        SIGBUS,
        SIGFPE,
        SIGILL,
#endif
        SIGSTKFLT,
        SIGPWR
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int status = end_of(true, &numbers[i], 1);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i], "signal %d: status %x",
                  numbers[i], (unsigned)status);
    }
}

Test(interrupt, an_interrupt_before_the_clock_runs_ends_the_command_with_status_4)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int status = end_of(false, &numbers[i], 1);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "signal %d: status %x", numbers[i],
                  (unsigned)status);
    }
}

Test(interrupt, the_first_interrupt_asks_and_the_second_ends_the_process)
{
    static const int twice[] = {SIGINT, SIGINT}, both[] = {SIGTERM, SIGINT};
    int status = end_of(true, twice, 2);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "status %x", (unsigned)status);
    status = end_of(true, both, 2);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "status %x", (unsigned)status);
}

/* As nohup leaves it. */
Test(interrupt, an_ignored_signal_stays_ignored)
{
    signal(SIGHUP, SIG_IGN);
    htmt__interrupt_handle();
    raise(SIGHUP);
    raise(SIGXFSZ);
}

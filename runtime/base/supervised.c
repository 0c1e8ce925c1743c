/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The child ends with this process (PR_SET_PDEATHSIG), before it where a signal is what ends this
 * process, and a signal that ends it removes its
 * temporary files first, on a stack of its own: the fault may be that the stack is used up. Ctrl-C
 * goes to both; this process alone says what comes of it. What libraries print on standard error is
 * not read: the fault has the line.
 */
#define _GNU_SOURCE /* sigabbrev_np, pipe2 */
#include "runtime/base/supervised.h"

#include "runtime/base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLOCK_FACTOR 10u /* seconds of the clock for one of a processor */
#define STACK_BYTES  (24u << 10)

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define LIMITS_MEMORY 0 /* a sanitizer maps terabytes */
#else
#define LIMITS_MEMORY 1
#endif

static const int fatal[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGABRT,
                            SIGTERM, SIGXCPU, SIGALRM, SIGSYS};
enum { FATAL = sizeof fatal / sizeof *fatal };

/* ---- the child ------------------------------------------------------------------------------- */

static void end(int number)
{
    sigset_t set;
    htmt__temporaries_remove();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

/* Bytes of the address space that the process has. */
static uint64_t held(void)
{
    unsigned long long pages = 0;
    char text[64] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n > 0)
        (void)sscanf(text, "%llu", &pages);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Where a limit is lower already, it stays. */
static void set_limit(__rlimit_resource_t kind, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    if (getrlimit(kind, &now))
        return;
    now.rlim_cur = soft < now.rlim_cur ? soft : now.rlim_cur;
    now.rlim_max = hard < now.rlim_max ? hard : now.rlim_max;
    (void)setrlimit(kind, &now);
}

/* handles: the program stays and ends by our handlers; else signals are as a program wants them. */
static void prepare(const struct htmt_limits *limits, pid_t parent, bool handles)
{
    struct sigaction action = {.sa_handler = handles ? end : SIG_DFL, .sa_flags = SA_ONSTACK};
    sigset_t all;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    for (int i = 0; i < FATAL; i++)
        sigaction(fatal[i], &action, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* write() says that the file is too large */
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    set_limit(RLIMIT_CORE, 0, 0);
    set_limit(RLIMIT_CPU, limits->seconds, limits->seconds + 5);
    if (LIMITS_MEMORY)
        set_limit(RLIMIT_AS, (handles ? held() : 0) + limits->bytes,
                  (handles ? held() : 0) + limits->bytes);
    alarm(CLOCK_FACTOR * limits->seconds);
}

static _Noreturn void tell(int fd, const struct htmt_fault *told)
{
    const char *at = (const char *)told;
    for (size_t left = sizeof *told; left;) {
        const ssize_t n = write(fd, at, left);
        if (n < 0 && errno != EINTR)
            break;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    _exit(0);
}

static _Noreturn void work_in_child(int fd, const struct htmt_limits *limits, pid_t parent,
                                    int (*work)(void *, struct htmt_fault *), void *context)
{
    char room[STACK_BYTES];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    const int unread = memfd_create("unread", MFD_CLOEXEC);
    struct htmt_fault told = {0};
    htmt__temporaries_forget();
    if (unread >= 0)
        dup2(unread, STDERR_FILENO);
    sigaltstack(&stack, NULL);
    prepare(limits, parent, true);
    const int rc = work(context, &told);
    if (rc && !told.code)
        htmt_fault_set(&told, rc, "%s", htmt_strerror(rc));
    tell(fd, &told);
}

static _Noreturn void become(int fd, const struct htmt_limits *limits, pid_t parent,
                             const char *path, char *const *argv, int errors)
{
    struct htmt_fault told = {0};
    prepare(limits, parent, false);
    if (dup2(errors, STDERR_FILENO) >= 0)
        execv(path, argv);
    htmt_fault_set(&told, HTMT_ESYSTEM, "%s cannot be started: %s", path, strerror(errno));
    tell(fd, &told);
}

/* ---- this process ---------------------------------------------------------------------------- */

/* What the child told, if it did, and how it ended. */
static bool hear(int fd, pid_t child, const struct sigaction *before, struct htmt_fault *told,
                 int *status)
{
    char *at = (char *)told;
    size_t left = sizeof *told;
    while (left) {
        const ssize_t n = read(fd, at, left);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    close(fd);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
    htmt__temporaries_child(child, false);
    sigaction(SIGCHLD, before, NULL);
    return !left;
}

/* The child was ended by the signal; 0: the work called exit(). */
static int refuse(const char *what, const struct htmt_limits *limits, int number,
                  struct htmt_fault *fault)
{
    if (number == SIGXCPU || number == SIGALRM)
        return htmt_fault_set(fault, HTMT_ESYSTEM,
                              "%s took more than %u s of a processor or %u s in all, and was ended",
                              what, limits->seconds, CLOCK_FACTOR * limits->seconds);
    if (!number)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s left its process without a word", what);
    const char *name = sigabbrev_np(number);
    return htmt_fault_set(fault, HTMT_ESYSTEM,
                          "%s was ended by SIG%s; it may use %.0f MiB of memory", what,
                          name ? name : "?", (double)limits->bytes / (1 << 20));
}

/* A process that ignores SIGCHLD, as its parent may have made it, never learns how a child ended.
 */
static void heed_children(struct sigaction *before)
{
    const struct sigaction heeds = {.sa_handler = SIG_DFL};
    if (sigaction(SIGCHLD, NULL, before) == 0 &&
        (before->sa_handler == SIG_IGN || (before->sa_flags & SA_NOCLDWAIT)))
        sigaction(SIGCHLD, &heeds, NULL);
}

/* Forks; the parent gets the end of the pipe, the child the other one. -1: no process. */
static pid_t divide(const char *what, int ends[2], struct sigaction *before,
                    struct htmt_fault *fault)
{
    sigset_t all, mask;
    heed_children(before);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask); /* until the child is known; it unblocks its own */
    pid_t child = pipe2(ends, O_CLOEXEC) ? -1 : fork();
    if (child > 0)
        htmt__temporaries_child(child, true);
    if (child)
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (child < 0)
        htmt_fault_set(fault, HTMT_ESYSTEM, "%s: the host has no process for it: %s", what,
                       strerror(errno));
    if (child < 0 && ends[0] >= 0)
        close(ends[0]);
    if (child != 0 && ends[1] >= 0)
        close(ends[1]);
    if (child < 0)
        sigaction(SIGCHLD, before, NULL);
    return child;
}

int htmt_supervise(const char *what, const struct htmt_limits *limits,
                   int (*work)(void *context, struct htmt_fault *fault), void *context,
                   struct htmt_fault *fault)
{
    const pid_t parent = getpid();
    struct htmt_fault told = {0};
    int ends[2] = {-1, -1}, status = 0;
    struct sigaction before;
    const pid_t child = divide(what, ends, &before, fault);
    if (child < 0)
        return HTMT_ESYSTEM;
    if (!child)
        work_in_child(ends[1], limits, parent, work, context);
    if (!hear(ends[0], child, &before, &told, &status))
        return refuse(what, limits, WIFSIGNALED(status) ? WTERMSIG(status) : 0, fault);
    return told.code ? htmt_fault_set(fault, told.code, "%s", told.text) : 0;
}

int htmt_supervise_program(const char *what, const struct htmt_limits *limits, const char *path,
                           char *const *argv, int errors, int *status, struct htmt_fault *fault)
{
    const pid_t parent = getpid();
    struct htmt_fault told = {0};
    int ends[2] = {-1, -1}, ended = 0;
    struct sigaction before;
    const pid_t child = divide(what, ends, &before, fault);
    if (child < 0)
        return HTMT_ESYSTEM;
    if (!child)
        become(ends[1], limits, parent, path, argv, errors);
    if (hear(ends[0], child, &before, &told, &ended))
        return htmt_fault_set(fault, told.code, "%s", told.text);
    if (WIFSIGNALED(ended))
        return refuse(what, limits, WTERMSIG(ended), fault);
    *status = WEXITSTATUS(ended);
    return 0;
}

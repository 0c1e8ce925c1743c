/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two rules govern this file. A signal handler may do next to nothing: the line is put together in
 * an array on its stack and written by write(2), and the record that says what the thread does is
 * read by atomics (callback_scope.h). And handlers are the process's: whoever was there before must
 * get the signal afterwards, whoever came later must not lose it, and several emulators may watch
 * at once.
 */
#include "runtime/host/crash.h"

#include "runtime/base/error.h"
#include "runtime/base/temporary.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_BYTES 65536 /* room for a handler that was there before */

/* ---- the line -------------------------------------------------------------------------------- */

/* Nothing here allocates, locks, or reads the locale. */
struct line {
    size_t length;
    char text[640];
};

static void add(struct line *l, const char *text)
{
    for (; *text && l->length < sizeof l->text - 1; text++)
        l->text[l->length++] = *text;
}

static void add_number(struct line *l, uint64_t n, unsigned base)
{
    char digits[24], *p = digits + sizeof digits;
    *--p = '\0';
    do
        *--p = "0123456789abcdef"[n % base];
    while (n /= base);
    add(l, p);
}

static void add_scope(struct line *l, const struct htmt__callback_scope *d)
{
    add(l, "htmt: ");
    if (d->type) {
        add(l, "type ");
        add(l, d->type);
        add(l, ", slice ");
        add_number(l, d->slice, 10);
        add(l, ", ");
    }
    add(l, d->stage);
    if (d->fiber) {
        add(l, " ");
        if (d->fiber_name)
            add(l, d->fiber_name);
        else
            add_number(l, d->fiber, 10);
    }
    if (d->now >= 0) {
        add(l, ", at ");
        add_number(l, (uint64_t)d->now, 10);
        add(l, " fs");
    }
    add(l, ": the ");
    add(l, d->what);
    add(l, " ");
}

static void send(struct line *l)
{
    const char *at = l->text;
    l->text[l->length++] = '\n';
    while (l->length) {
        ssize_t n = write(STDERR_FILENO, at, l->length);
        if (n < 0 && errno != EINTR)
            return;
        at += n > 0 ? n : 0;
        l->length -= n > 0 ? (size_t)n : 0;
    }
}

void htmt__crash_tell(const struct htmt__callback_scope *scope, const char *text)
{
    struct line l = {.length = 0};
    add_scope(&l, scope);
    add(&l, text);
    send(&l);
}

/* ---- signals --------------------------------------------------------------------------------- */

enum { SIGNALS = 5 };

static const struct signal {
    int number;
    bool address;
    const char *name, *text;
} signals[SIGNALS] = {
    {SIGSEGV, true, "SIGSEGV", "it touches memory that is not its own"},
    {SIGBUS, true, "SIGBUS", "it touches memory that is not there"},
    {SIGFPE, false, "SIGFPE", "it divides an integer by zero, or traps floating-point errors"},
    {SIGILL, false, "SIGILL", "it has an instruction that this processor lacks"},
    {SIGABRT, false, "SIGABRT", "it, or a library that it calls, gives up"},
};

/* Signal handlers belong to the process. The lock guards all of it but `before`, which changes only
 * while no handler of ours is installed. */
static struct {
    pthread_mutex_t lock;
    unsigned watchers;
    bool installed[SIGNALS];
    struct sigaction before[SIGNALS];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Of this thread, the last that was told: a handler that returns comes back to the same place. */
static _Thread_local unsigned long told;

/* Names what raised the signal, then goes on as if ours were not there. What nobody handles comes
 * again, when this one returns. */
static void handle(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const bool raised = info->si_code > 0;
    struct htmt__callback_scope scope;
    struct line l = {.length = 0};
    unsigned long turn;
    size_t i = 0;
    while (signals[i].number != number)
        i++;
    if (htmt__callback_scope_of(&htmt__doing, &scope, &turn) && turn != told) {
        told = turn;
        add_scope(&l, &scope);
        add(&l, "raised ");
        add(&l, signals[i].name);
        if (signals[i].address && raised) {
            add(&l, " at address 0x");
            add_number(&l, (uintptr_t)info->si_addr, 16);
        }
        add(&l, ": ");
        add(&l, signals[i].text);
        add(&l,
            scope.type ? "; a checked run or a debugger shows where" : "; a debugger shows where");
        send(&l);
    }
    errno = error;
    const struct sigaction *before = &process.before[i];
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, info, context);
    } else if (before->sa_handler == SIG_DFL || (before->sa_handler == SIG_IGN && raised)) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    }
}

/* Ours may have been left below another's handler, which calls it: over that it would call itself.
 */
static int install(size_t i)
{
    struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK}, now;
    sigemptyset(&ours.sa_mask);
    if (sigaction(signals[i].number, NULL, &now))
        return HTMT_ESYSTEM;
    const bool handled =
        now.sa_flags & SA_SIGINFO || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
    if (process.installed[i] && handled)
        return 0;
    process.before[i] = now;
    if (sigaction(signals[i].number, &ours, NULL))
        return HTMT_ESYSTEM;
    process.installed[i] = true;
    return 0;
}

/* Handlers that somebody has put over ours stay, and ours below them. */
static void uninstall_all(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (!process.installed[i] || sigaction(signals[i].number, NULL, &now) ||
            !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle)
            continue;
        if (!sigaction(signals[i].number, &process.before[i], NULL))
            process.installed[i] = false;
    }
}

int htmt__crash_watch(void)
{
    int rc = 0;
    pthread_mutex_lock(&process.lock);
    for (size_t i = 0; !process.watchers && !rc && i < SIGNALS; i++)
        rc = install(i);
    if (rc)
        uninstall_all();
    process.watchers += !rc;
    pthread_mutex_unlock(&process.lock);
    return rc;
}

void htmt__crash_unwatch(void)
{
    pthread_mutex_lock(&process.lock);
    if (!--process.watchers)
        uninstall_all();
    pthread_mutex_unlock(&process.lock);
}

/* ---- exits ----------------------------------------------------------------------------------- */

/* Nothing that waits for the kernel could go on, so the process ends here. */
static void end(const char *call)
{
    struct htmt__callback_scope scope;
    char text[120];
    if (!htmt__callback_scope_of(&htmt__doing, &scope, NULL))
        return;
    fflush(NULL);
    snprintf(text, sizeof text, "called %s: it must return%s", call,
             scope.type ? "; a control ends a run by htmt_fail()" : "");
    htmt__crash_tell(&scope, text);
    htmt__temporaries_remove();
    _exit(htmt_exit_status(HTMT_ESYSTEM));
}

static void process_exits(void)
{
    end("exit()");
}

static void thread_exits(void *unused)
{
    (void)unused;
    end("pthread_exit()");
}

/* A hook that is refused only leaves the exit without a name. */
static void hook(void)
{
    (void)atexit(process_exits);
    (void)at_quick_exit(process_exits);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct alternate {
    void *memory;
    stack_t before;
};

/* A stack that is there already, a sanitizer's for example, serves as well. */
static void stack_begin(struct alternate *a)
{
    a->memory = NULL;
    if (sigaltstack(NULL, &a->before) || !(a->before.ss_flags & SS_DISABLE))
        return;
    a->memory = malloc(STACK_BYTES);
    stack_t ours = {.ss_sp = a->memory, .ss_size = STACK_BYTES};
    if (!a->memory || !sigaltstack(&ours, NULL))
        return;
    free(a->memory);
    a->memory = NULL;
}

void htmt__crash_guard(void (*work)(void *argument), void *argument, bool stack)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct alternate alternate = {.memory = NULL};
    pthread_once(&once, hook);
    if (stack)
        stack_begin(&alternate);
    pthread_cleanup_push(thread_exits, NULL);
    work(argument);
    pthread_cleanup_pop(0);
    if (alternate.memory)
        sigaltstack(&alternate.before, NULL);
    free(alternate.memory);
}

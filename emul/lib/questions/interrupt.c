/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first SIGINT or SIGTERM only sets a flag while the command listens: the clock asks for it
 * between events, ends the run, and the report of what was computed is printed. While nothing
 * listens, one line is written and the process ends with the status of an interrupted run. The
 * second signal means that the person does not want to wait: the default action follows at once. A
 * handler may only call what is safe in signals, so all state is atomic, and lines are written by
 * write().
 *
 * Of ranks that a launcher has started, one line for all is enough: whoever sets the shared flag
 * first tells it. A launcher sends SIGTERM to all and kills soon after, so a timer ends the process
 * in order before that.
 */
#include "emul/lib/questions/interrupt.h"

#include "runtime/base/error.h"
#include "runtime/base/process.h"
#include "runtime/base/temporary.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* These end the command in order. */
static const int orderly[] = {SIGINT, SIGTERM};

/* These do not end a process. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};

static atomic_bool listening, asked, started;

/* Whether a rank has told why all end; NULL: this process does not. */
static _Atomic(atomic_bool *) told;

/* Of a rank that has been asked to end. */
static timer_t deadline;
static atomic_bool timed, running; /* the timer: made, set */
static atomic_uint patience_ms;

/* Ends the process as if there were no handler. */
static void end_by(int number)
{
    sigset_t set;
    htmt__temporaries_remove();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

/* A launcher ends all ranks by SIGTERM when one of them has died, or when it is interrupted. */
static const char *last_line(int number)
{
    atomic_bool *const by_another = atomic_load(&told);
    const bool rank = atomic_load(&started);
    if (rank && (!by_another || atomic_exchange(by_another, true)))
        return "";
    if (rank && number == SIGTERM)
        return "htmt: the launcher has ended all ranks of this run\n";
    return isatty(STDERR_FILENO) ? "\nhtmt: interrupted\n" : "htmt: interrupted\n";
}

/* The other ranks do not come to the end of the run, or it takes too long. */
static void end_late(int number)
{
    (void)number;
    htmt_process_end(HTMT_ECANCELLED, last_line(SIGTERM));
}

/* ms 0: there is none. */
static void set_deadline(unsigned ms)
{
    const struct itimerspec after = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}};
    timer_settime(deadline, 0, &after, NULL);
}

/* A launcher may say it twice, and kills those that do not heed it. */
static bool has_deadline(int number)
{
    if (number != SIGTERM || !atomic_load(&timed))
        return false;
    if (!atomic_exchange(&running, true))
        set_deadline(atomic_load(&patience_ms));
    return true;
}

static void end_in_order(int number)
{
    const bool listens = atomic_load(&listening), again = atomic_exchange(&asked, true);
    if (listens && has_deadline(number))
        return;
    if (again)
        end_by(number);
    if (listens) {
        static const char line[] =
            "\nhtmt: interrupted, ending with a report; once more ends at once\n";
        const int before = errno; /* of what the signal came between */
        ssize_t written = isatty(STDERR_FILENO) ? write(STDERR_FILENO, line, sizeof line - 1) : 0;
        (void)written; /* nobody is left to be told */
        errno = before;
        return;
    }
    htmt_process_end(HTMT_ECANCELLED, last_line(number));
}

void htmt__interrupt_block(bool block)
{
    sigset_t set;
    sigemptyset(&set);
    for (unsigned i = 0; i < sizeof orderly / sizeof *orderly; i++)
        sigaddset(&set, orderly[i]);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static bool is_among(const int *numbers, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Handlers that a library has installed stay. */
static void handle(int number, void (*handler)(int number))
{
    struct sigaction before, action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    if (sigaction(number, NULL, &before) || before.sa_handler != SIG_DFL)
        return;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* Signals that nobody can handle refuse their handler. */
void htmt__interrupt_handle(void)
{
    handle(SIGXFSZ, SIG_IGN);
    for (int i = 1; i <= SIGRTMAX; i++)
        if (!is_among(harmless, sizeof harmless / sizeof *harmless, i))
            handle(i,
                   is_among(orderly, sizeof orderly / sizeof *orderly, i) ? end_in_order : end_by);
}

void htmt__interrupt_listen(bool listens)
{
    atomic_store(&listening, listens);
}

void htmt__interrupt_rank(atomic_bool *once, unsigned patience)
{
    struct sigevent tells = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    atomic_store(&told, once);
    atomic_store(&started, true);
    atomic_store(&patience_ms, patience);
    if (atomic_load(&timed) || timer_create(CLOCK_MONOTONIC, &tells, &deadline))
        return;
    signal(SIGALRM, end_late);
    atomic_store(&timed, true);
}

void htmt__interrupt_rank_over(void)
{
    atomic_store(&told, NULL);
    if (atomic_load(&timed))
        set_deadline(0);
}

bool htmt__interrupt_asked(void)
{
    return atomic_load_explicit(&asked, memory_order_relaxed);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/questions/interrupt.h"

#include "runtime/base/error.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

/* Ends the process as the unblocked signal would. */
static void end_by(int number)
{
    sigset_t set = watched();
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), number);
}

static void take(struct htmt__interrupt *in)
{
    struct signalfd_siginfo info;
    if (read(in->signals, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (atomic_exchange(&in->asked, true))
        end_by((int)info.ssi_signo);
    else
        fprintf(stderr, "\nhtmt: interrupted, ending with a report; once more ends at once\n");
}

static void *watch(void *argument)
{
    struct htmt__interrupt *in = argument;
    struct pollfd on[2] = {{.fd = in->signals, .events = POLLIN},
                           {.fd = in->quit, .events = POLLIN}};
    while (!(on[1].revents & POLLIN)) {
        if (poll(on, 2, -1) > 0 && on[0].revents & POLLIN)
            take(in);
    }
    return NULL;
}

int htmt__interrupt_start(struct htmt__interrupt *interrupt)
{
    sigset_t set = watched();
    atomic_init(&interrupt->asked, false);
    interrupt->signals = signalfd(-1, &set, SFD_CLOEXEC);
    interrupt->quit = eventfd(0, EFD_CLOEXEC);
    if (interrupt->signals < 0 || interrupt->quit < 0 ||
        pthread_sigmask(SIG_BLOCK, &set, &interrupt->before))
        goto close_files;
    if (pthread_create(&interrupt->watcher, NULL, watch, interrupt))
        goto restore_mask;
    return 0;

restore_mask:
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
close_files:
    if (interrupt->signals >= 0)
        close(interrupt->signals);
    if (interrupt->quit >= 0)
        close(interrupt->quit);
    return HTMT_ESYSTEM;
}

void htmt__interrupt_stop(struct htmt__interrupt *interrupt)
{
    const uint64_t one = 1;
    if (write(interrupt->quit, &one, sizeof one) == (ssize_t)sizeof one)
        pthread_join(interrupt->watcher, NULL);
    close(interrupt->signals);
    close(interrupt->quit);
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}

bool htmt__interrupt_asked(const struct htmt__interrupt *interrupt)
{
    return atomic_load_explicit(&interrupt->asked, memory_order_relaxed);
}

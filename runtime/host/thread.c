/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/host/thread.h"

#include "runtime/base/error.h"
#include "runtime/base/pages.h"

#include <signal.h>
#include <stddef.h>

#define STACK_BYTES ((size_t)8 << 20)

/* A thread begins with the signal mask of the one that starts it, which is set for that moment.
 * Signals are the main thread's business, but for those that a thread brings upon itself. */
int htmt__thread_start(pthread_t *thread, void *(*work)(void *whose), void *whose)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    pthread_attr_t attributes;
    sigset_t set, old;
    if (htmt__fault_injected() || pthread_attr_init(&attributes))
        return HTMT_ESYSTEM;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&set, own[i]);
    pthread_sigmask(SIG_SETMASK, &set, &old);
    int rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!rc)
        rc = pthread_create(thread, &attributes, work, whose);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return rc ? HTMT_ESYSTEM : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ctrl-C: the first asks the run to end with its report, the second ends the process at once.
 *
 * SIGINT and SIGTERM are blocked, and a separate thread reads them. So the command needs no handler
 * and no global variable, and a second signal works at every stage of the work.
 */
#ifndef HTMT_EMUL_QUESTIONS_INTERRUPT_H
#define HTMT_EMUL_QUESTIONS_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct htmt__interrupt {
    atomic_bool asked;
    int signals, quit; /* signalfd, eventfd */
    sigset_t before;
    pthread_t watcher;
};

/* To be called before any other thread starts, because threads inherit the blocked signals. The
 * struct must not move. Errors: HTMT_ESYSTEM. */
int htmt__interrupt_start(struct htmt__interrupt *interrupt);
void htmt__interrupt_stop(struct htmt__interrupt *interrupt);
bool htmt__interrupt_asked(const struct htmt__interrupt *interrupt);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A watchdog: a thread that ends the process, with a line and status 4, when a callback
 * (runtime/host/callback_scope.h) of a thread that it watches lasts too long.
 *
 * It looks four times a second and counts how often it finds the same callback, so time in which
 * the whole process stands still does not count.
 */
#ifndef HTMT_RUNTIME_HOST_WATCHDOG_H
#define HTMT_RUNTIME_HOST_WATCHDOG_H

#include "runtime/host/callback_scope.h"

struct htmt__watchdog;

/* A thread that is watched; belongs to it. */
struct htmt__watched {
    struct htmt__watched *next, **at;
    struct htmt__doing *doing;
    unsigned long turn; /* of the callback that was found last, */
    unsigned times;     /* so often; 0: none */
};

/* `seconds`: 1 to HTMT__WATCHDOG_MOST. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
#define HTMT__WATCHDOG_MOST 1000000u
int htmt__watchdog_create(struct htmt__watchdog **watchdog, uint32_t seconds);
/* When nobody is watched any more. Clears it; NULL accepted. */
void htmt__watchdog_destroy(struct htmt__watchdog **watchdog);

/* The calling thread is watched from here until it leaves; without a watchdog (NULL) it is not. */
void htmt__watchdog_enter(struct htmt__watchdog *watchdog, struct htmt__watched *me);
void htmt__watchdog_leave(struct htmt__watchdog *watchdog, struct htmt__watched *me);

#endif

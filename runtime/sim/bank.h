/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A server bank: k equal servers, first come first served. It counts the busy ones; how long a
 * service takes may be learnt after it began.
 */
#ifndef HTMT_RUNTIME_SIM_BANK_H
#define HTMT_RUNTIME_SIM_BANK_H

#include "runtime/sim/waiter.h"

#include <stdbool.h>

struct htmt__bank {
    uint32_t servers, busy;
    struct htmt__line line;
};

/* true: w has a server from now on; false: it waits in line. */
static inline bool htmt__bank_enter(struct htmt__bank *b, struct htmt__tally *t,
                                    struct htmt__waiter *w, htmt_time now)
{
    if (b->busy < b->servers) {
        b->busy++;
        return true;
    }
    htmt__line_join(&b->line, t, w, now);
    return false;
}

/* A service of that length ends. Returns who has the server from now on, or NULL. */
static inline struct htmt__waiter *htmt__bank_leave(struct htmt__bank *b, struct htmt__tally *t,
                                                    htmt_time service, htmt_time now)
{
    t->served++;
    t->busy += service;
    if (b->line.head)
        return htmt__line_leave(&b->line, t, now);
    b->busy--;
    return NULL;
}

#endif

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
    uint64_t in_use; /* fs of all servers, modulo 2^64 */
    struct htmt__line line;
};

/* true: there is a server, taken from now on; false: join the line. */
static inline bool htmt__bank_enter(struct htmt__bank *b)
{
    if (b->busy == b->servers)
        return false;
    b->busy++;
    return true;
}

/* A service of that length ends, and nobody is in line. */
static inline void htmt__bank_free(struct htmt__bank *b, struct htmt__tally *t, htmt_time service)
{
    t->served++;
    htmt__wide_add((htmt_uwide *)&t->busy, (uint64_t)service);
    b->in_use += (uint64_t)service;
    b->busy--;
}

/* A service of that length ends. Returns who has the server from now on, or NULL. */
static inline struct htmt__waiter *htmt__bank_leave(struct htmt__bank *b, struct htmt__tally *t,
                                                    htmt_time service, htmt_time now)
{
    htmt__bank_free(b, t, service);
    if (!b->line.head)
        return NULL;
    b->busy++;
    return htmt__line_leave(&b->line, t, now);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Those who wait in virtual time: an intrusive FIFO that keeps its own accounts.
 *
 * The integral of the length over virtual time is kept apart from the waits of those who leave, so
 * that comparing the two (htmt_audit()) tests the queue.
 */
#ifndef HTMT_RUNTIME_WAITER_H
#define HTMT_RUNTIME_WAITER_H

#include "runtime/ratio.h"

#include <stddef.h>

struct htmt__waiter {
    struct htmt__waiter *next;
    htmt_time since; /* when it began to wait */
    uint64_t amount; /* words wanted; unused by banks */
};

struct htmt__line {
    struct htmt__waiter *head, *tail;
    uint64_t length, longest;
    htmt_time changed; /* when length last changed */
    htmt_wide integral, waited;
};

static inline void htmt__line_join(struct htmt__line *l, struct htmt__waiter *w, htmt_time now)
{
    l->integral += (htmt_wide)l->length * (now - l->changed);
    l->changed = now;
    w->next = NULL;
    w->since = now;
    if (l->tail)
        l->tail->next = w;
    else
        l->head = w;
    l->tail = w;
    if (++l->length > l->longest)
        l->longest = l->length;
}

/* The line must not be empty. */
static inline struct htmt__waiter *htmt__line_leave(struct htmt__line *l, htmt_time now)
{
    struct htmt__waiter *w = l->head;
    l->integral += (htmt_wide)l->length * (now - l->changed);
    l->changed = now;
    l->waited += now - w->since;
    l->head = w->next;
    if (!l->head)
        l->tail = NULL;
    l->length--;
    return w;
}

#endif

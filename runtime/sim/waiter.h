/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Those who wait in virtual time: an intrusive FIFO; and the accounts of a kind of resource.
 *
 * A machine has thousands of equal slices, so what each slice keeps of a resource is small, and
 * what is only summed up is kept once for all of them. The integral of the lengths over virtual
 * time is kept apart from the waits of those who leave, so that comparing the two (htmt_audit())
 * tests the queues.
 */
#ifndef HTMT_RUNTIME_SIM_WAITER_H
#define HTMT_RUNTIME_SIM_WAITER_H

#include "runtime/base/ratio.h"

#include <stddef.h>

struct htmt__waiter {
    struct htmt__waiter *next;
    htmt_time since; /* when it began to wait */
    uint64_t amount; /* words wanted; unused by banks */
};

/* Of one kind of resource, over all slices. */
struct htmt__tally {
    uint64_t served, words;
    htmt_wide busy;
    htmt_wide waited;   /* by those who left the line */
    htmt_wide integral; /* of the lengths, up to each line's last change */
    uint64_t longest;   /* line of one slice */
};

struct htmt__line {
    struct htmt__waiter *head, *tail;
    uint64_t length;
    htmt_time changed; /* when length last changed */
};

static inline void htmt__line_account(struct htmt__line *l, struct htmt__tally *t, htmt_time now)
{
    t->integral += (htmt_wide)l->length * (now - l->changed);
    l->changed = now;
}

static inline void htmt__line_join(struct htmt__line *l, struct htmt__tally *t,
                                   struct htmt__waiter *w, htmt_time now)
{
    htmt__line_account(l, t, now);
    w->next = NULL;
    w->since = now;
    if (l->head)
        l->tail->next = w;
    else
        l->head = w;
    l->tail = w;
    if (++l->length > t->longest)
        t->longest = l->length;
}

/* The line must not be empty. */
static inline struct htmt__waiter *htmt__line_leave(struct htmt__line *l, struct htmt__tally *t,
                                                    htmt_time now)
{
    struct htmt__waiter *w = l->head;
    htmt__line_account(l, t, now);
    t->waited += now - w->since;
    l->head = w->next;
    l->length--;
    __builtin_prefetch(l->head, 1); /* it will be the next to leave */
    return w;
}

#endif

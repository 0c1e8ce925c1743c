/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/waiter.h"

static void account(struct htmt__line *l, struct htmt__tally *t, htmt_time now)
{
    t->integral += (htmt_wide)l->length * (now - l->changed);
    l->changed = now;
}

void htmt__line_join(struct htmt__line *l, struct htmt__tally *t, struct htmt__waiter *w,
                     htmt_time now)
{
    account(l, t, now);
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

struct htmt__waiter *htmt__line_leave(struct htmt__line *l, struct htmt__tally *t, htmt_time now)
{
    struct htmt__waiter *w = l->head;
    account(l, t, now);
    t->waited += now - w->since;
    l->head = w->next;
    l->length--;
    __builtin_prefetch(l->head, 1); /* it will be the next to leave */
    return w;
}

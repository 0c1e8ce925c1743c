/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waits, and for how long: the rule of all queues of the timing plane (store.h, bank.h).
 *
 * Why waiters. Nothing here blocks a thread. Whoever does not get what it asks for hangs a record
 * of its own into the line and returns; whoever gives something back takes the first of the line
 * and lets it go on, at that very instant. So a queue needs no memory of its own and no events, and
 * its order is that in which the clock served the requests, which is the order of virtual time.
 *
 * Why integers. Words and femtoseconds are whole numbers, and their sums have 128 bits. Sums of
 * integers do not depend on the order of their terms, so the accounts of a run are the same whoever
 * computes which slice, and two ways of counting the same thing must agree exactly:
 *
 *     sum of the waits of all who left  =  integral of the line's length over time.
 *
 * The left side grows when somebody leaves (now - since), the right side whenever the length
 * changes (length times the time since the last change).
 *
 * By hand: A joins at 2 and B at 5; A leaves at 9, and B leaves at 10. The waits are 7 + 5 = 12.
 * The integral is 1 * 3 + 2 * 4 + 1 * 1 = 12. An audit compares the two, and so finds a waiter that
 * was lost, or one that was woken twice.
 */
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
    t->waited += (uint64_t)(now - w->since);
    l->waited += (uint64_t)(now - w->since);
    l->head = w->next;
    l->length--;
    __builtin_prefetch(l->head, 1); /* it will be the next to leave */
    return w;
}

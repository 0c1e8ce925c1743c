/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/link.h"

#include <stdlib.h>

void htmt__link_fini(struct htmt__link *l)
{
    free(l->start);
    l->start = NULL;
}

/* Who is in the queue was in it since the last change: until his start, or until now. */
void htmt__link_settle(struct htmt__link *l, struct htmt__tally *t, htmt_time now)
{
    for (; l->length && l->start[l->head] <= now; l->length--) {
        t->integral += l->start[l->head] - l->changed;
        l->head = (l->head + 1) & (l->room - 1);
    }
    if (l->length)
        t->integral += (htmt_wide)l->length * (now - l->changed);
    l->changed = now;
}

static int grow(struct htmt__link *l)
{
    uint32_t room = l->room ? 2 * l->room : 8;
    htmt_time *start = malloc(room * sizeof *start);
    if (!start)
        return -1;
    for (uint32_t i = 0; i < l->length; i++)
        start[i] = l->start[(l->head + i) & (l->room - 1)];
    free(l->start);
    l->start = start;
    l->head = 0;
    l->room = room;
    return 0;
}

int htmt__link_wait(struct htmt__link *l, struct htmt__tally *t, htmt_time now, htmt_time start)
{
    htmt__link_settle(l, t, now);
    if (l->length == l->room && grow(l))
        return -1;
    l->start[(l->head + l->length) & (l->room - 1)] = start;
    t->waited += start - now;
    if (++l->length > t->longest)
        t->longest = l->length;
    return 0;
}

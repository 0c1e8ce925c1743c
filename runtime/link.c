/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/link.h"

#include <stdlib.h>

void htmt__link_fini(struct htmt__link *l)
{
    free(l->start);
    l->start = NULL;
}

void htmt__link_settle(struct htmt__link *l, htmt_time now)
{
    while (l->length && l->start[l->head] <= now) {
        htmt_time at = l->start[l->head];
        l->integral += (htmt_wide)l->length * (at - l->changed);
        l->changed = at;
        l->head = (l->head + 1) & (l->room - 1);
        l->length--;
    }
    l->integral += (htmt_wide)l->length * (now - l->changed);
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

static int wait_until(struct htmt__link *l, htmt_time now, htmt_time start)
{
    htmt__link_settle(l, now);
    if (l->length == l->room && grow(l))
        return -1;
    l->start[(l->head + l->length) & (l->room - 1)] = start;
    l->waited += start - now;
    if (++l->length > l->longest)
        l->longest = l->length;
    return 0;
}

htmt_time htmt__link_enter(struct htmt__link *l, htmt_time now, htmt_time service)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < l->channels; i++)
        if (l->free[i] < l->free[first])
            first = i;
    htmt_time start = l->free[first] > now ? l->free[first] : now;
    if (start > now && wait_until(l, now, start))
        return -1;
    if (__builtin_add_overflow(start, service, &l->free[first]))
        l->free[first] = HTMT_TIME_MAX;
    l->served++;
    l->busy_time += service;
    return start;
}

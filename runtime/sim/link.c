/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/link.h"

#include <stdlib.h>

void htmt__link_fini(struct htmt__link *l)
{
    free(l->start);
    l->start = NULL;
}

void htmt__link_settle(struct htmt__link *l, struct htmt__tally *t, htmt_time now)
{
    htmt__link_pass(l, t, now);
    t->integral += (htmt_wide)l->length * now;
    l->length = 0;
}

int htmt__link_wait_more(struct htmt__link *l, struct htmt__tally *t, htmt_time now,
                         htmt_time start)
{
    uint32_t room = l->room ? 2 * l->room : 8;
    htmt_time *more = malloc(room * sizeof *more);
    if (!more)
        return -1;
    for (uint32_t i = 0; i < l->length; i++)
        more[i] = l->start[(l->head + i) & (l->room - 1)];
    free(l->start);
    l->start = more;
    l->head = 0;
    l->room = room;
    htmt__link_join(l, t, now, start);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/pending.h"

#include <stdlib.h>
#include <string.h>

void htmt__pending_init(struct htmt__pending *p)
{
    memset(p, 0, sizeof *p);
}

void htmt__pending_fini(struct htmt__pending *p)
{
    free(p->at);
    memset(p, 0, sizeof *p);
}

static int grow(struct htmt__pending *p)
{
    size_t room = p->room ? 2 * p->room : 64;
    struct htmt__event *at = reallocarray(p->at, room, sizeof *at);
    if (!at)
        return HTMT_ENOMEM;
    p->at = at;
    p->room = room;
    return 0;
}

int htmt__pending_push(struct htmt__pending *p, struct htmt__event e)
{
    if (p->count == p->room && grow(p))
        return HTMT_ENOMEM;
    size_t i = p->count++;
    for (; i > 0 && htmt__event_before(e, p->at[(i - 1) / 2]); i = (i - 1) / 2)
        p->at[i] = p->at[(i - 1) / 2];
    p->at[i] = e;
    return 0;
}

static void sift_down(struct htmt__pending *p, struct htmt__event e)
{
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < p->count; i = child) {
        if (child + 1 < p->count && htmt__event_before(p->at[child + 1], p->at[child]))
            child++;
        if (!htmt__event_before(p->at[child], e))
            break;
        p->at[i] = p->at[child];
    }
    p->at[i] = e;
}

bool htmt__pending_pop(struct htmt__pending *p, struct htmt__event *e)
{
    if (!p->count)
        return false;
    *e = p->at[0];
    if (--p->count)
        sift_down(p, p->at[p->count]);
    return true;
}

htmt_time htmt__pending_next(const struct htmt__pending *p)
{
    return p->count ? p->at[0].time : HTMT_TIME_MAX;
}

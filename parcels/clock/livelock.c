/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/livelock.h"

#include <string.h>

#define EVENTS_MOST 1000000u /* of a slice at one instant, */
#define EVENTS_EACH 64u      /* and so many more for each of its entities */
#define WATCHED     4096u    /* events beyond them, whose types are named */

static struct htmt__instant *instant_of(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__instant *i = &e->instants[slice];
    const struct htmt__slice *s = htmt__slice_at(e, slice);
    uint64_t live = s->live - s->messages; /* those come back when the others have been played */
    if (i->time != e->now)
        *i = (struct htmt__instant){.time = e->now};
    if (live > i->live)
        i->live = live;
    return i;
}

/* One slice is watched at a time. */
static void watch(struct htmt_emulator *e, const struct htmt__entity *p, bool first)
{
    struct htmt__turning *t = &e->turning;
    const struct htmt_type *type = p->type;
    if (first)
        *t = (struct htmt__turning){.slice = p->slice};
    for (uint32_t i = 0; i < t->count; i++)
        if (t->type[i] == type)
            return;
    if (type && t->slice == p->slice && t->count < HTMT__TURNING_MOST)
        t->type[t->count++] = type;
}

static void name_types(const struct htmt__turning *t, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", i ? ", " : "", t->type[i]->code.name);
    }
}

static int fail(struct htmt_emulator *e, const struct htmt__entity *p,
                const struct htmt__instant *i)
{
    char types[80 * HTMT__TURNING_MOST];
    name_types(&e->turning, types, sizeof types);
    return htmt__fail(e, HTMT_ELIVELOCK,
                      "livelock: slice %u had %llu events at %.9g s and time does not go on; in "
                      "turn come parcels of type %s; charge what their controls do, or let them "
                      "wait for a signal that takes time",
                      p->slice, (unsigned long long)i->events, (double)e->now * 1e-15, types);
}

/* A message, which lies between slices, is not counted: a service of some slice comes before it
 * leaves again. */
int htmt__livelock_check(struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (p->kind == HTMT__MESSAGE)
        return 0;
    struct htmt__instant *i = instant_of(e, p->slice);
    uint64_t most = EVENTS_MOST + EVENTS_EACH * i->live;
    if (++i->events <= most)
        return 0;
    watch(e, p, i->events == most + 1);
    return i->events < most + WATCHED ? 0 : fail(e, p, i);
}

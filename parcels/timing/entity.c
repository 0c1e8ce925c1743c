/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entities come in chunks that belong to a slice and are used again last freed, first taken: the
 * index of an entity depends on its own slice's history only.
 */
#include "parcels/timing/entity.h"
#include "parcels/timing/probe.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

static int add_chunk(struct htmt__slice *s)
{
    if (s->fresh > HTMT__INDICES - HTMT__CHUNK)
        return HTMT_ENOMEM;
    if (s->chunks == s->room) {
        uint32_t room = s->room ? 2 * s->room : 4;
        struct htmt__entity **chunk = realloc(s->chunk, room * sizeof *chunk);
        if (!chunk)
            return HTMT_ENOMEM;
        s->chunk = chunk;
        s->room = room;
    }
    struct htmt__entity *fresh = htmt__record_alloc(HTMT__CHUNK * sizeof *fresh);
    if (!fresh)
        return HTMT_ENOMEM;
    s->chunk[s->chunks++] = fresh;
    return 0;
}

static struct htmt__entity *take(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__slice *s = &e->slice[slice];
    struct htmt__entity *p = s->free;
    if (p) {
        s->free = p->queue;
        __builtin_prefetch(s->free, 1); /* the next to be made */
        return p;
    }
    if (s->fresh >= e->first_each + s->chunks * HTMT__CHUNK && add_chunk(s))
        return NULL;
    p = htmt__entity_at(e, htmt__entity_key(slice, s->fresh));
    p->index = s->fresh++;
    return p;
}

/* Line by line: GCC clears both at once by a string instruction, which takes longer to start. */
static void clear(struct htmt__entity *p)
{
    memset(p, 0, 64);
    memset((char *)p + 64, 0, sizeof *p - 64);
}

struct htmt__entity *htmt__entity_create(struct htmt_emulator *e, uint32_t slice,
                                         enum htmt__kind kind)
{
    slice = htmt__played(e, slice);
    struct htmt__slice *s = &e->slice[slice];
    struct htmt__entity *p = take(e, slice);
    if (!p) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another parcel");
        return NULL;
    }
    s->live++;
    s->counter++;
    uint32_t index = p->index;
    clear(p);
    p->slice = slice;
    p->index = index;
    p->serial = (uint64_t)slice << HTMT__SERIAL_BITS | s->counter;
    p->key = htmt__event_key(slice, index, s->counter);
    p->kind = (uint8_t)kind;
    p->state = HTMT__MADE;
    return p;
}

void htmt__entity_free(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__slice *s = &e->slice[p->slice];
    if (htmt__explained(e))
        e->explain->over(e, p);
    s->live--;
    p->serial = 0;
    p->state = HTMT__FREE;
    p->queue = s->free;
    s->free = p;
}

/* A block of a type serves one parcel after another. */
struct htmt__body *htmt__body_create(struct htmt_type *t)
{
    struct htmt__body *body = t->spare;
    if (body)
        t->spare = body->spare;
    else if (!(body = malloc(t->args_at + t->code.args_bytes)))
        return NULL;
    body->early = NULL;
    body->live = 0;
    body->begun = false;
    for (uint32_t i = 0; i < t->fiber_count; i++)
        body->slot[i] = (struct htmt__fiber_slot){t->code.fiber[i].count, t->code.fiber[i].reset};
    return body;
}

void htmt__body_free(struct htmt_type *t, struct htmt__body *body)
{
    body->spare = t->spare;
    t->spare = body;
}

void htmt__slice_rest(struct htmt__slice *s)
{
    if (s->live || !s->chunks)
        return;
    while (s->chunks)
        free(s->chunk[--s->chunks]);
    s->free = NULL;
    s->fresh = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/lane.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

/* Those behind the head stand at its begin. */
static void set_ring(struct htmt__delay *line, struct htmt__head *ring, uint32_t room,
                     uint32_t behind)
{
    line->ring = line->next = ring;
    line->ring_end = ring + room;
    line->free = ring + behind;
    line->room = room;
}

/* It is full. */
int htmt__delay_grow(struct htmt__delay *line)
{
    uint32_t room = line->room;
    struct htmt__head *ring =
        htmt__fault_injected() ? NULL : malloc(2 * (size_t)room * sizeof *ring);
    if (!ring)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < room; i++)
        ring[i] = *htmt__delay_at(line, i);
    if (line->ring != line->least)
        free(line->ring);
    set_ring(line, ring, 2 * room, room);
    return 0;
}

void htmt__front_move(struct htmt__lane *l)
{
    size_t heads = (size_t)(l->end - l->front) + 1; /* and what is behind the last one */
    memmove(l->room, l->front, heads * sizeof *l->front);
    l->end = l->room + (l->end - l->front);
    l->front = l->room;
}

bool htmt__lane_join(struct htmt__lane *l, struct htmt__entity *p, uint32_t number, htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    if (!line->count && htmt__front_at_end(l))
        htmt__front_move(l);
    if (line->count > line->room && htmt__delay_follows(line, p, at) && htmt__delay_grow(line))
        return false;
    return htmt__lane_enter(l, p, number, at);
}

void htmt__lane_each(const struct htmt__lane *l, void (*tell)(void *whom, struct htmt__head event),
                     void *whom)
{
    for (const struct htmt__first *head = l->front; head != l->end; head++) {
        tell(whom, (struct htmt__head){head->at, head->p});
        for (uint32_t i = 0; i + 1 < head->line->count; i++)
            tell(whom, *htmt__delay_at(head->line, i));
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void clear_front(struct htmt__lane *l)
{
    l->front = l->end = l->room;
    *l->end = (struct htmt__first){.at = HTMT_TIME_MAX};
}

/* Nobody is in the lane. */
static void init(struct htmt__lane *l, struct htmt__delay *lines, size_t count)
{
    l->line = lines;
    clear_front(l);
    for (size_t i = 0; i < count; i++)
        set_ring(&lines[i], lines[i].least, HTMT__RING_LEAST, 0);
}

static void fini(struct htmt__lane *l, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (l->line[i].ring != l->line[i].least)
            free(l->line[i].ring);
}

int htmt__lane_create(struct htmt_emulator *e)
{
    size_t count = htmt__line_count(e);
    if (count > HTMT__LINES_MAX)
        return 0;
    e->lane = htmt__record_alloc(sizeof *e->lane + count * sizeof(struct htmt__delay));
    if (!e->lane)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lines of %zu steps", count);
    init(e->lane, (struct htmt__delay *)(e->lane + 1), count);
    return 0;
}

void htmt__lane_clear(struct htmt_emulator *e)
{
    clear_front(e->lane);
    for (size_t i = 0; i < htmt__line_count(e); i++) {
        struct htmt__delay *line = &e->lane->line[i];
        set_ring(line, line->ring, line->room, 0);
        line->count = 0;
    }
}

void htmt__lane_destroy(struct htmt_emulator *e)
{
    if (e->lane)
        fini(e->lane, htmt__line_count(e));
    free(e->lane);
    e->lane = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes: how to find the next event without sorting.
 *
 * The idea. Slices do the same in turn. So the events of one step of a type, over all slices,
 * mostly come in the order in which they were scheduled: each is a service or move later than the
 * present instant, which grows, and the length is nearly the same. So each step has a *line*, in
 * which events stand in the order (time, key), and to schedule an event is to append it. The
 * messages of each network have two lines (heads, ends), moments have one.
 *
 * Only the first events of lines, their *heads*, can be the next event. They stand sorted in the
 * *front*, a short array, whose first is the next of all. When it is taken, the event behind it in
 * its line becomes the head and moves back in the front to where it belongs, which is mostly one or
 * two places. Those behind the head of a line are a ring.
 *
 * What does not fit goes to the calendar: an event that comes before the last one of its line, or a
 * head when the front is full (24 heads). The clock plays the first of the front or of the
 * calendar, whichever is less. So the lane may refuse any event, and nothing but speed depends on
 * it.
 *
 * Why it is right. In each line events are sorted, for append refuses others. The front is sorted,
 * and has the least of every line. So its first is the least of the lane.
 *
 * Cost. Appending: a comparison and a store. Taking: a few comparisons. A calendar or heap takes
 * several times that, and touches more of the cache. The front is an array with room behind: when
 * its first head is gone for good, it begins one place further, and moves back to the begin of its
 * room now and then.
 *
 * By hand. Two steps, services of 10 and 25; parcels a, b, c come at 0, 1, 2.
 *
 *     line 1 (10)   a@10 | b@11 c@12        front: a@10
 *   a's event at 10: taken; b is the head; a is scheduled on line 2 (25) at 35
 *     line 1        b@11 | c@12             front: b@11 a@35
 *     line 2        a@35
 *   b's at 11: c is the head; b is appended to line 2 at 36; and so on.
 */
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

/* The ring is full. Errors: HTMT_ENOMEM. */
static int grow(struct htmt__delay *line)
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

bool htmt__lane_join(struct htmt__lane *l, struct htmt__entity *p, uint32_t number, htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    if (!line->count && htmt__front_at_end(l)) {
        size_t heads = (size_t)(l->end - l->front);
        memmove(l->room, l->front, (heads + 1) * sizeof *l->front); /* and who is behind them */
        l->front = l->room;
        l->end = l->room + heads;
    }
    if (line->count > line->room && htmt__delay_follows(line, p, at) && grow(line))
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

int htmt__lane_create(struct htmt_emulator *e)
{
    size_t count = htmt__line_count(e);
    if (count > HTMT__LINES_MAX)
        return 0;
    e->lane = htmt__record_alloc(sizeof *e->lane + count * sizeof(struct htmt__delay));
    if (!e->lane)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lines of %zu steps", count);
    e->lane->line = (struct htmt__delay *)(e->lane + 1);
    clear_front(e->lane);
    for (size_t i = 0; i < count; i++)
        set_ring(&e->lane->line[i], e->lane->line[i].least, HTMT__RING_LEAST, 0);
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
    for (size_t i = 0; e->lane && i < htmt__line_count(e); i++)
        if (e->lane->line[i].ring != e->lane->line[i].least)
            free(e->lane->line[i].ring);
    free(e->lane);
    e->lane = NULL;
}

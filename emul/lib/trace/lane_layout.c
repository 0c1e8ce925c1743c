/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes and states of the intervals of a slice.
 *
 * Lanes are given out in the order in which intervals begin: each takes the lowest lane that is
 * free. But intervals are recorded as they end, and one that began first may come last. Sorting all
 * of them would need memory for all. So the slice is read twice. The first pass, the prescan, notes
 * of each block and row the earliest begin in this block or a later one. The second pass keeps
 * intervals as candidates until nothing to come can begin before them: an interval of block b gets
 * its lane as soon as it began before that horizon of block b + 1. What waits is what began before
 * an interval that ended much later.
 *
 * Example. One row, two blocks: A 0 to 4, B 5 to 6 | C 1 to 9. The horizon of the second block
 * is 1. After the first block A gets lane 0; B must wait, since C begins before it. Then C gets
 * lane 1, for A is busy until 4, and B gets lane 0 again.
 *
 * The state of an interval needs the same look at the future: a service blocks others if somebody
 * was in the line of its row meanwhile. The prescan keeps the times in which a row has a line as a
 * set of segments.
 *
 * Memory: 3 bytes an interval, one time for each block and row, the segments, the candidates.
 */
#include "emul/lib/trace/lane_layout.h"

#include "emul/lib/trace/lanes.h"
#include "emul/lib/trace/segments.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

/* Serials are counted without gaps. Far more of them than intervals are those of a trace that has
 * lost most of its intervals: the first one of an entity is not known. */
#define SERIALS_AN_INTERVAL 64

/* An interval that has no lane yet. */
struct candidate {
    htmt_time begin, end;
    uint64_t number;
    uint32_t row;
};

struct layout {
    struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    const struct htmt__rows *rows;
    const struct htmt__trace_slice *slice;
    struct htmt__segments *waits; /* of each row: when anybody is in its line */
    htmt_time *horizon; /* of each block and row: the earliest begin from this block on; INT64_MAX:
                           none. One block more than there are */
    uint64_t serials;   /* more than the counter of any entity of this slice */
    struct htmt__lane_layout made;
    struct htmt__lanes *lanes; /* of each row */
    struct candidate *waiting;
    size_t waiting_count, room;
    uint8_t *seen; /* a bit for each serial; NULL: unknown */
};

/* ---- the prescan ---------------------------------------------------------------------------- */

static int prescan(struct layout *l, struct htmt_fault *fault)
{
    const uint32_t rows = l->rows->count;
    const uint64_t blocks = l->slice->blocks;
    struct htmt_trace_block b = {0};
    l->waits = calloc(rows, sizeof *l->waits);
    l->horizon = malloc((blocks + 1) * rows * sizeof *l->horizon);
    if (!l->waits || !l->horizon)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < (blocks + 1) * rows; i++)
        l->horizon[i] = INT64_MAX;
    int rc = 0;
    for (uint64_t i = 0; i < blocks && !rc; i++) {
        rc = htmt__trace_read_sorted(l->trace, l->slice->place + i, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *at = &b.interval[n];
            const enum htmt_trace_place place = l->info->step[at->step].place;
            const uint32_t row = l->rows->of_step[at->step];
            const uint64_t counter = htmt_trace_ref_number(at->serial);
            const htmt_time from = htmt__lane_begin(at, place), start = at->end - at->service;
            htmt_time *begin = &l->horizon[i * rows + row];
            *begin = from < *begin ? from : *begin;
            if (place <= HTMT_TRACE_RECEIVED && at->wait)
                rc = htmt__segments_add(&l->waits[row], start - at->wait, start);
            if (place != HTMT_TRACE_SECTION && htmt_trace_ref_slice(at->serial) == b.slice &&
                counter >= l->serials)
                l->serials = counter + 1;
        }
    }
    htmt_trace_block_clear(&b);
    for (uint64_t i = blocks * rows; i-- > 0 && !rc;)
        if (l->horizon[i + rows] < l->horizon[i])
            l->horizon[i] = l->horizon[i + rows];
    return rc;
}

/* ---- states --------------------------------------------------------------------------------- */

/* An interval holds if its entity had one before, in this slice or in another one. */
static uint8_t state_of(struct layout *l, uint32_t slice, const struct htmt_trace_interval *i)
{
    const enum htmt_trace_place place = l->info->step[i->step].place;
    const struct htmt__segments *waits = &l->waits[l->rows->of_step[i->step]];
    const uint64_t counter = htmt_trace_ref_number(i->serial);
    bool holds = place != HTMT_TRACE_SECTION;
    if (holds && l->seen && htmt_trace_ref_slice(i->serial) == slice) {
        uint8_t bit = (uint8_t)(1u << counter % 8), *byte = &l->seen[counter / 8];
        holds = *byte & bit;
        *byte |= bit;
    }
    bool blocks = (place <= HTMT_TRACE_RECEIVED || place == HTMT_TRACE_PAUSED) &&
                  htmt__segments_meet(waits, i->end - i->service, i->end);
    holds = holds || place == HTMT_TRACE_STALLED || place == HTMT_TRACE_ROOM ||
            place == HTMT_TRACE_GATE;
    return (uint8_t)((blocks ? HTMT__LANE_BLOCKS : 0) | (holds ? HTMT__LANE_HOLDS : 0));
}

/* ---- lanes ---------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Gives lanes to all candidates that began before each interval to come. */
static int release(struct layout *l, const htmt_time *horizon)
{
    size_t ready = 0;
    for (size_t i = 0; i < l->waiting_count; i++) {
        struct candidate c = l->waiting[i];
        if (c.begin >= horizon[c.row])
            continue;
        l->waiting[i] = l->waiting[ready];
        l->waiting[ready++] = c;
    }
    if (!ready)
        return 0;
    qsort(l->waiting, ready, sizeof *l->waiting, by_begin);
    for (size_t i = 0; i < ready; i++) {
        const struct candidate *c = &l->waiting[i];
        int lane = htmt__lanes_take(&l->lanes[c->row], c->begin, c->end);
        if (lane < 0)
            return lane;
        l->made.lane[c->number] = lane < UINT16_MAX ? (uint16_t)lane : UINT16_MAX;
    }
    l->waiting_count -= ready;
    memmove(l->waiting, l->waiting + ready, l->waiting_count * sizeof *l->waiting);
    return 0;
}

static int lay_out(struct layout *l, struct htmt_fault *fault)
{
    const uint32_t rows = l->rows->count;
    const uint64_t intervals = l->slice->intervals;
    bool counted = l->serials / SERIALS_AN_INTERVAL <= intervals;
    struct htmt_trace_block b = {0};
    l->made.lane = calloc(intervals + 1, sizeof *l->made.lane);
    l->made.state = calloc(intervals + 1, sizeof *l->made.state);
    l->made.depth = calloc(rows, sizeof *l->made.depth);
    l->lanes = calloc(rows, sizeof *l->lanes);
    l->seen = counted ? calloc(l->serials / 8 + 1, 1) : NULL;
    if (!l->made.lane || !l->made.state || !l->made.depth || !l->lanes || (counted && !l->seen))
        return HTMT_ENOMEM;
    int rc = 0;
    for (uint64_t i = 0; i < l->slice->blocks && !rc; i++) {
        rc = htmt__trace_read_sorted(l->trace, l->slice->place + i, &b, fault);
        if (!rc && !htmt__array_fits(&l->waiting, &l->room, l->waiting_count + b.count,
                                     sizeof *l->waiting))
            rc = HTMT_ENOMEM;
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *at = &b.interval[n];
            const uint64_t number = l->made.count++;
            l->made.state[number] = state_of(l, b.slice, at);
            l->waiting[l->waiting_count++] =
                (struct candidate){htmt__lane_begin(at, l->info->step[at->step].place), at->end,
                                   number, l->rows->of_step[at->step]};
        }
        if (!rc)
            rc = release(l, &l->horizon[(i + 1) * rows]);
    }
    for (uint32_t i = 0; i < rows && !rc; i++)
        l->made.depth[i] = htmt__lanes_count(&l->lanes[i]);
    htmt_trace_block_clear(&b);
    return rc;
}

int htmt__lane_layout_make(struct htmt_trace *t, const struct htmt__rows *rows,
                           const struct htmt__trace_slice *slice, struct htmt__lane_layout *made,
                           struct htmt_fault *fault)
{
    struct layout l = {.trace = t, .info = htmt_trace_info(t), .rows = rows, .slice = slice};
    int rc = prescan(&l, fault);
    if (!rc)
        rc = lay_out(&l, fault);
    for (uint32_t i = 0; i < rows->count; i++) {
        if (l.lanes)
            htmt__lanes_clear(&l.lanes[i]);
        if (l.waits)
            htmt__segments_clear(&l.waits[i]);
    }
    free(l.lanes);
    free(l.waits);
    free(l.horizon);
    free(l.waiting);
    free(l.seen);
    if (!rc) {
        *made = l.made;
        return 0;
    }
    htmt__lane_layout_clear(&l.made);
    return htmt_fault_set(fault, rc, "%s", htmt_strerror(rc));
}

void htmt__lane_layout_clear(struct htmt__lane_layout *l)
{
    free(l->lane);
    free(l->state);
    free(l->depth);
    memset(l, 0, sizeof *l);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/lane_layout.h"

#include "emul/lib/trace/lanes.h"
#include "emul/lib/trace/prescan.h"

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

struct marking {
    struct htmt__survey survey;
    struct htmt__marks made;
    struct htmt__lanes *lanes; /* of each row */
    struct candidate *waiting;
    size_t waiting_count, room;
    uint8_t *seen; /* a bit for each serial; NULL: unknown */
};

static int by_begin(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* ---- states --------------------------------------------------------------------------------- */

/* Whether the entity had an interval before this one. */
static bool came_before(struct marking *m, uint32_t slice, uint64_t serial)
{
    uint64_t counter = htmt_trace_ref_number(serial);
    if (!m->seen || htmt_trace_ref_slice(serial) != slice)
        return true;
    uint8_t bit = (uint8_t)(1u << counter % 8), *byte = &m->seen[counter / 8];
    bool before = *byte & bit;
    *byte |= bit;
    return before;
}

static uint8_t state_of(struct marking *m, uint32_t slice, const struct htmt_trace_interval *i)
{
    enum htmt_trace_place place = m->survey.info->step[i->step].place;
    const struct htmt__segments *waits = &m->survey.waits[m->survey.rows->of_step[i->step]];
    bool holds = place != HTMT_TRACE_SECTION && came_before(m, slice, i->serial);
    bool blocks =
        place < HTMT_TRACE_STALLED && htmt__segments_meet(waits, i->end - i->service, i->end);
    holds = holds || place == HTMT_TRACE_STALLED || place == HTMT_TRACE_ROOM ||
            place == HTMT_TRACE_GATE;
    return (uint8_t)((blocks ? HTMT__MARK_BLOCKS : 0) | (holds ? HTMT__MARK_HOLDS : 0));
}

/* ---- lanes ---------------------------------------------------------------------------------- */

static int reserve(struct marking *m, size_t more)
{
    size_t room = m->waiting_count + more;
    if (room <= m->room)
        return 0;
    room += room / 2;
    struct candidate *larger = realloc(m->waiting, room * sizeof *larger);
    if (!larger)
        return HTMT_ENOMEM;
    m->waiting = larger;
    m->room = room;
    return 0;
}

static int take(struct marking *m, const struct candidate *c)
{
    int lane = htmt__lanes_take(&m->lanes[c->row], c->begin, c->end);
    if (lane < 0)
        return lane;
    m->made.lane[c->number] = lane < UINT16_MAX ? (uint16_t)lane : UINT16_MAX;
    return 0;
}

/* Gives lanes to all that began before each interval to come. */
static int release(struct marking *m, const htmt_time *horizon)
{
    int rc = 0;
    size_t ready = 0;
    for (size_t i = 0; i < m->waiting_count; i++) {
        struct candidate c = m->waiting[i];
        if (c.begin >= horizon[c.row])
            continue;
        m->waiting[i] = m->waiting[ready];
        m->waiting[ready++] = c;
    }
    if (!ready)
        return 0;
    qsort(m->waiting, ready, sizeof *m->waiting, by_begin);
    for (size_t i = 0; i < ready && !rc; i++)
        rc = take(m, &m->waiting[i]);
    m->waiting_count -= ready;
    memmove(m->waiting, m->waiting + ready, m->waiting_count * sizeof *m->waiting);
    return rc;
}

static int mark_block(struct marking *m, const struct htmt_trace_block *b, const htmt_time *horizon)
{
    if (reserve(m, b->count))
        return HTMT_ENOMEM;
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        uint64_t number = m->made.count++;
        m->made.state[number] = state_of(m, b->slice, i);
        m->waiting[m->waiting_count++] =
            (struct candidate){htmt__lane_begin(i, m->survey.info->step[i->step].place), i->end,
                               number, m->survey.rows->of_step[i->step]};
    }
    return release(m, horizon);
}

/* ---- the slice ------------------------------------------------------------------------------ */

static int allocate(struct marking *m, uint64_t intervals)
{
    uint32_t rows = m->survey.rows->count;
    bool counted = m->survey.serials / SERIALS_AN_INTERVAL <= intervals;
    m->made.lane = calloc(intervals + 1, sizeof *m->made.lane);
    m->made.state = calloc(intervals + 1, sizeof *m->made.state);
    m->made.depth = calloc(rows, sizeof *m->made.depth);
    m->lanes = calloc(rows, sizeof *m->lanes);
    m->seen = counted ? calloc(m->survey.serials / 8 + 1, 1) : NULL;
    return m->made.lane && m->made.state && m->made.depth && m->lanes && (m->seen || !counted)
               ? 0
               : HTMT_ENOMEM;
}

static int mark(struct htmt_trace *t, const struct htmt__trace_slice *slice, struct marking *m,
                struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    uint32_t rows = m->survey.rows->count;
    int rc = allocate(m, slice->intervals);
    for (uint64_t i = 0; i < slice->blocks && !rc; i++) {
        rc = htmt__trace_read_sorted(t, slice->place + i, &b, fault);
        rc = rc ? rc : mark_block(m, &b, &m->survey.begin[(i + 1) * rows]);
    }
    for (uint32_t i = 0; i < rows && !rc; i++)
        m->made.depth[i] = htmt__lanes_count(&m->lanes[i]);
    htmt_trace_block_clear(&b);
    return rc;
}

static void clear(struct marking *m)
{
    for (uint32_t i = 0; m->lanes && i < m->survey.rows->count; i++)
        htmt__lanes_clear(&m->lanes[i]);
    free(m->lanes);
    free(m->waiting);
    free(m->seen);
    htmt__survey_clear(&m->survey);
}

int htmt__marks_make(struct htmt_trace *t, const struct htmt__rows *rows,
                     const struct htmt__trace_slice *slice, struct htmt__marks *made,
                     struct htmt_fault *fault)
{
    struct marking m = {.made = {0}};
    int rc = htmt__survey_make(t, rows, slice, &m.survey, fault);
    rc = rc ? rc : mark(t, slice, &m, fault);
    clear(&m);
    if (rc)
        htmt__marks_clear(&m.made);
    else
        *made = m.made;
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_strerror(rc)) : 0;
}

void htmt__marks_clear(struct htmt__marks *m)
{
    free(m->lane);
    free(m->state);
    free(m->depth);
    memset(m, 0, sizeof *m);
}

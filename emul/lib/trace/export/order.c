/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/export/order.h"

#include "emul/lib/trace/lanes.h"
#include "emul/lib/trace/slices.h"

#include <stdlib.h>

#define NO_AT UINT32_MAX

/* A span that has begun. */
struct under_way {
    htmt_time end;
    uint64_t birth; /* of equal ends the first to begin ends first */
    uint32_t slice, row, lane;
    uint8_t kind;
};

/* Of a block: from the first instant to the last. */
struct range {
    htmt_time from, to;
};

struct htmt__order {
    struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    struct htmt__rows rows;
    uint32_t slices;
    struct htmt__lanes *lanes; /* of each slice, row, kind (service, wait) */
    uint32_t *busy;            /* of each slice and row */
    bool *section;             /* the slice is in one */
    uint32_t closing;          /* at the end: slices whose section has ended */
    htmt_time now;             /* of the last event */
    struct htmt_trace_block block;
    struct range *range;            /* of each block that was read */
    struct htmt__order_span *span;  /* those of this pass, in order, then room */
    uint64_t spans, at, room, kept; /* kept: a pass gives no more */
    struct htmt__order_span last;   /* of the pass before */
    bool again, begun;
    struct under_way *heap;
    uint32_t under_way, heap_room;
    uint64_t births;
};

/* ---- sorting --------------------------------------------------------------------------------- */

static bool before(const struct htmt__order_span *a, const struct htmt__order_span *b)
{
    return a->begin != b->begin ? a->begin < b->begin
           : a->end != b->end   ? a->end < b->end
           : a->ref != b->ref   ? a->ref < b->ref
           : a->kind != b->kind ? a->kind < b->kind
                                : a->cause < b->cause;
}

static void swap(struct htmt__order_span *a, struct htmt__order_span *b)
{
    struct htmt__order_span c = *a;
    *a = *b;
    *b = c;
}

/* Down from `at` in a heap of `count`, the last in order on top. */
static void sink(struct htmt__order_span *heap, uint64_t at, uint64_t count)
{
    for (uint64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(&heap[child], &heap[child + 1]);
        if (!before(&heap[at], &heap[child]))
            return;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static void sort_heap(struct htmt__order_span *span, uint64_t count)
{
    for (uint64_t i = count / 2; i--;)
        sink(span, i, count);
    for (uint64_t i = count; i-- > 1;) {
        swap(&span[0], &span[i]);
        sink(span, 0, i);
    }
}

static void sort_few(struct htmt__order_span *span, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        struct htmt__order_span one = span[i];
        uint64_t to = i;
        for (; to && before(&one, &span[to - 1]); to--)
            span[to] = span[to - 1];
        span[to] = one;
    }
}

/* Those before the pivot, then the others: returns where they begin, never 0 or `count`. */
static uint64_t split(struct htmt__order_span *span, uint64_t count)
{
    struct htmt__order_span pivot = span[(count - 1) / 2];
    uint64_t low = 0, high = count - 1;
    for (;; low++, high--) {
        while (before(&span[low], &pivot))
            low++;
        while (before(&pivot, &span[high]))
            high--;
        if (low >= high)
            return high + 1;
        swap(&span[low], &span[high]);
    }
}

/* In place; a bad choice of pivots ends in a heap sort. */
static void sort_spans(struct htmt__order_span *span, uint64_t count, unsigned depth)
{
    while (count > 16 && depth--) {
        uint64_t half = split(span, count);
        sort_spans(span + half, count - half, depth);
        count = half;
    }
    if (count > 16)
        sort_heap(span, count);
    else
        sort_few(span, count);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Too many: only the first of them stay, and another pass will come. */
static void keep_first(struct htmt__order *o)
{
    sort_spans(o->span, o->spans, 64);
    o->spans = o->kept;
    o->again = true;
}

static int grow(struct htmt__order *o)
{
    uint64_t room = o->room ? 2 * o->room : 4096;
    struct htmt__order_span *more = realloc(o->span, (size_t)room * sizeof *more);
    if (!more)
        return HTMT_ENOMEM;
    o->span = more;
    o->room = room;
    return 0;
}

static int take(struct htmt__order *o, struct htmt__order_span s)
{
    bool late = o->again && o->spans >= o->kept && before(&o->span[o->kept - 1], &s);
    if (late || (o->begun && !before(&o->last, &s)))
        return 0;
    if (o->spans == 2 * o->kept)
        keep_first(o);
    if (o->spans == o->room && grow(o))
        return HTMT_ENOMEM;
    o->span[o->spans++] = s;
    return 0;
}

static int take_interval(struct htmt__order *o, const struct htmt_trace_interval *i,
                         htmt_trace_ref ref)
{
    enum htmt_trace_place place = o->info->step[i->step].place;
    htmt_time start = i->end - i->service;
    struct htmt__order_span s = {
        .ref = ref, .cause = i->cause, .serial = i->serial, .step = i->step, .first = true};
    int rc = 0;
    if (i->wait > 0) {
        s.begin = start - i->wait;
        s.end = start;
        s.kind = HTMT__SPAN_WAIT;
        rc = take(o, s);
        s.first = false;
    }
    if (rc || (place > HTMT_TRACE_RECEIVED && place != HTMT_TRACE_SECTION))
        return rc;
    s.begin = start;
    s.end = i->end;
    s.kind = place == HTMT_TRACE_SECTION ? HTMT__SPAN_SECTION : HTMT__SPAN_SERVICE;
    return take(o, s);
}

/* Those of one instant stay in their order: by block, then by number. */
static int take_fill(struct htmt__order *o, uint64_t block, uint32_t n)
{
    const struct htmt_trace_sample *f = &o->block.sample[n];
    return take(o, (struct htmt__order_span){.begin = f->at,
                                             .end = f->at,
                                             .ref = htmt_trace_ref_of(o->block.slice, 0),
                                             .cause = block * HTMT_TRACE_SAMPLES_MAX + n,
                                             .serial = f->words,
                                             .step = f->layer,
                                             .kind = HTMT__SPAN_FILL});
}

/* Memories that are not empty at the begin. */
static int take_levels(struct htmt__order *o)
{
    int rc = 0;
    for (uint32_t l = 0; l < o->info->layers && !rc && !o->block.first; l++)
        if (o->block.level[l])
            rc = take(o, (struct htmt__order_span){.end = -1,
                                                   .ref = htmt_trace_ref_of(o->block.slice, 0),
                                                   .cause = l,
                                                   .serial = o->block.level[l],
                                                   .step = l,
                                                   .kind = HTMT__SPAN_FILL});
    return rc;
}

static int take_block(struct htmt__order *o, uint64_t index)
{
    const struct htmt_trace_block *b = &o->block;
    int rc = take_levels(o);
    for (uint32_t n = 0; n < b->count && !rc; n++)
        rc = take_interval(o, &b->interval[n], htmt_trace_ref_of(b->slice, b->first + n));
    for (uint32_t n = 0; n < b->samples && !rc; n++)
        rc = take_fill(o, index, n);
    return rc;
}

/* Also of the samples, of which the index says nothing. */
static struct range range_of(const struct htmt_trace_block *b, uint32_t layers)
{
    struct range r = {b->from, b->to};
    for (uint32_t l = 0; l < layers; l++)
        if (b->level[l] && !b->first)
            r.from = 0;
    if (b->samples && b->sample[0].at < r.from)
        r.from = b->sample[0].at;
    if (b->samples && b->sample[b->samples - 1].at > r.to)
        r.to = b->sample[b->samples - 1].at;
    return r;
}

/* All of the block came before, or comes after what this pass can keep. The first pass reads all.
 */
static bool is_elsewhere(const struct htmt__order *o, uint64_t index)
{
    const struct range *r = &o->range[index];
    return o->begun && (r->to < o->last.begin ||
                        (o->again && o->spans >= o->kept && r->from > o->span[o->kept - 1].begin));
}

static int read_block(struct htmt__order *o, uint64_t index, struct htmt_fault *fault)
{
    if (is_elsewhere(o, index))
        return 0;
    int rc = htmt_trace_block_read(o->trace, index, &o->block, fault);
    if (rc)
        return rc;
    o->range[index] = range_of(&o->block, o->info->layers);
    rc = take_block(o, index);
    return rc ? htmt_fault_set(fault, rc, "no host memory to sort the trace") : 0;
}

/* The next spans, sorted. */
static int pass(struct htmt__order *o, struct htmt_fault *fault)
{
    int rc = 0;
    o->spans = o->at = 0;
    o->again = false;
    for (uint64_t i = 0; i < o->info->blocks && !rc; i++)
        rc = read_block(o, i, fault);
    if (rc)
        return rc;
    sort_spans(o->span, o->spans, 64);
    if (o->again && o->spans > o->kept)
        o->spans = o->kept;
    if (o->spans) {
        o->last = o->span[o->spans - 1];
        o->begun = true;
    }
    return 0;
}

/* ---- under way ------------------------------------------------------------------------------- */

static bool ends_before(const struct under_way *a, const struct under_way *b)
{
    return a->end != b->end ? a->end < b->end : a->birth < b->birth;
}

static int push(struct htmt__order *o, struct under_way item)
{
    if (o->under_way == o->heap_room) {
        uint32_t room = o->heap_room ? 2 * o->heap_room : 1024;
        struct under_way *more = realloc(o->heap, (size_t)room * sizeof *more);
        if (!more)
            return HTMT_ENOMEM;
        o->heap = more;
        o->heap_room = room;
    }
    uint32_t at = o->under_way++;
    for (; at && ends_before(&item, &o->heap[(at - 1) / 2]); at = (at - 1) / 2)
        o->heap[at] = o->heap[(at - 1) / 2];
    o->heap[at] = item;
    return 0;
}

static struct under_way pop(struct htmt__order *o)
{
    struct under_way first = o->heap[0], last = o->heap[--o->under_way];
    uint32_t at = 0;
    for (uint32_t child = 1; child < o->under_way; child = 2 * at + 1) {
        child += child + 1 < o->under_way && ends_before(&o->heap[child + 1], &o->heap[child]);
        if (!ends_before(&o->heap[child], &last))
            break;
        o->heap[at] = o->heap[child];
        at = child;
    }
    if (o->under_way)
        o->heap[at] = last;
    return first;
}

/* ---- events ---------------------------------------------------------------------------------- */

static uint32_t *busy_of(struct htmt__order *o, uint32_t slice, uint32_t row)
{
    return &o->busy[(size_t)slice * o->rows.count + row];
}

static void end_one(struct htmt__order *o, struct htmt__order_event *e)
{
    struct under_way u = pop(o);
    uint32_t *busy = busy_of(o, u.slice, u.row);
    *busy -= u.kind == HTMT__SPAN_SERVICE;
    *e = (struct htmt__order_event){.what = HTMT__ORDER_END,
                                    .at = u.end,
                                    .slice = u.slice,
                                    .row = u.row,
                                    .lane = u.lane,
                                    .busy = *busy,
                                    .kind = u.kind};
}

static uint32_t row_of_kind(const struct htmt__rows *rows, enum htmt__row_kind kind, uint32_t layer)
{
    for (uint32_t r = 0; r < rows->count; r++)
        if (rows->row[r].kind == kind && (layer == NO_AT || rows->row[r].layer == layer))
            return r;
    return 0;
}

static void end_section(struct htmt__order *o, uint32_t slice, htmt_time at,
                        struct htmt__order_event *e)
{
    o->section[slice] = false;
    *e = (struct htmt__order_event){.what = HTMT__ORDER_END,
                                    .at = at,
                                    .slice = slice,
                                    .row = row_of_kind(&o->rows, HTMT__ROW_SECTIONS, NO_AT),
                                    .kind = HTMT__SPAN_SECTION};
}

/* Takes a lane of the row, and is under way if it takes time. */
static int occupy(struct htmt__order *o, const struct htmt__order_span *s,
                  struct htmt__order_event *e)
{
    bool wait = s->kind == HTMT__SPAN_WAIT;
    size_t row = (size_t)e->slice * o->rows.count + e->row;
    uint32_t *busy = busy_of(o, e->slice, e->row);
    int lane = htmt__lanes_take(&o->lanes[2 * row + wait], s->begin, s->end);
    if (lane < 0)
        return HTMT_ENOMEM;
    e->lane = (uint32_t)lane;
    e->busy = *busy;
    if (s->end <= s->begin)
        return 0;
    e->busy = *busy += !wait;
    return push(o, (struct under_way){s->end, o->births++, e->slice, e->row, e->lane, s->kind});
}

static int begin_one(struct htmt__order *o, struct htmt__order_event *e)
{
    const struct htmt__order_span *s = &o->span[o->at];
    uint32_t slice = htmt_trace_ref_slice(s->ref);
    if (s->kind == HTMT__SPAN_SECTION && o->section[slice]) {
        end_section(o, slice, s->begin, e);
        return 0;
    }
    o->at++;
    *e = (struct htmt__order_event){.what = HTMT__ORDER_BEGIN,
                                    .at = s->begin,
                                    .slice = slice,
                                    .kind = (enum htmt__span_kind)s->kind,
                                    .span = *s};
    if (s->kind == HTMT__SPAN_FILL) {
        e->what = HTMT__ORDER_FILL;
        e->row = row_of_kind(&o->rows, HTMT__ROW_MEMORY, s->step);
        return 0;
    }
    e->row = o->rows.of_step[s->step];
    if (s->kind != HTMT__SPAN_SECTION)
        return occupy(o, s, e);
    o->section[slice] = true;
    return 0;
}

/* Sections last until the end of all. */
static bool close_sections(struct htmt__order *o, struct htmt__order_event *e)
{
    while (o->closing < o->slices && !o->section[o->closing])
        o->closing++;
    if (o->closing == o->slices)
        return false;
    end_section(o, o->closing, o->now > o->info->end ? o->now : o->info->end, e);
    return true;
}

int htmt__order_next(struct htmt__order *o, struct htmt__order_event *e, bool *more,
                     struct htmt_fault *fault)
{
    int rc = 0;
    *more = true;
    if (o->at == o->spans && (o->again || !o->begun))
        rc = pass(o, fault);
    if (rc)
        return rc;
    bool left = o->at < o->spans;
    if (o->under_way && (!left || o->heap[0].end <= o->span[o->at].begin))
        end_one(o, e);
    else if (left)
        rc = begin_one(o, e);
    else
        *more = close_sections(o, e);
    o->now = !rc && *more ? e->at : o->now;
    return rc ? htmt_fault_set(fault, rc, "no host memory for what is under way") : 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static int make_arrays(struct htmt__order *o)
{
    int rc = htmt__rows_make(o->info, &o->rows);
    if (rc)
        return rc;
    size_t rows = (size_t)o->slices * o->rows.count;
    o->lanes = calloc(2 * rows + 1, sizeof *o->lanes);
    o->busy = calloc(rows + 1, sizeof *o->busy);
    o->section = calloc((size_t)o->slices + 1, sizeof *o->section);
    o->range = calloc((size_t)o->info->blocks + 1, sizeof *o->range);
    return o->lanes && o->busy && o->section && o->range ? 0 : HTMT_ENOMEM;
}

int htmt__order_create(struct htmt__order **o, struct htmt_trace *t, uint64_t kept,
                       struct htmt_fault *fault)
{
    struct htmt__order *made = calloc(1, sizeof *made);
    if (!made)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort the trace");
    made->trace = t;
    made->kept = kept;
    made->slices = htmt__trace_slices_end(t);
    made->info = htmt_trace_info(t);
    int rc = make_arrays(made);
    if (rc) {
        htmt__order_destroy(&made);
        return htmt_fault_set(fault, rc, "no host memory to sort the trace");
    }
    *o = made;
    return 0;
}

void htmt__order_destroy(struct htmt__order **o)
{
    if (!*o)
        return;
    size_t lanes = 2 * (size_t)(*o)->slices * (*o)->rows.count;
    for (size_t i = 0; (*o)->lanes && i < lanes; i++)
        htmt__lanes_clear(&(*o)->lanes[i]);
    free((*o)->lanes);
    free((*o)->busy);
    free((*o)->section);
    free((*o)->range);
    free((*o)->span);
    free((*o)->heap);
    htmt_trace_block_clear(&(*o)->block);
    htmt__rows_clear(&(*o)->rows);
    free(*o);
    *o = NULL;
}

const struct htmt__rows *htmt__order_rows(const struct htmt__order *o)
{
    return &o->rows;
}

uint32_t htmt__order_slices(const struct htmt__order *o)
{
    return o->slices;
}

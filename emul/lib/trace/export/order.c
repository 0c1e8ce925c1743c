/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events of a trace in the order of time, in bounded memory.
 *
 * A trace is in the order of ends, slice by slice; its 10^7 intervals do not fit into memory twice.
 * So it is read in passes. A pass takes all spans that come after the last one of the pass before,
 * in the order of begins, and keeps the first `kept` of them: there is room for twice as many, and
 * whenever that is full, it is sorted and the later half thrown away; from then on a span later
 * than the last one kept is not even taken. So a pass sorts each batch of `kept` once, and n spans
 * need n / kept passes. Blocks that lie outside of what a pass can use are not read again: the
 * first pass remembers the first and the last instant of each.
 *
 * What has begun is under way in a heap by its end. The next event is the earlier one of the heap's
 * first end and the next begin; at one instant ends come first.
 *
 * Example with kept = 2, so room for 4: spans B 1 to 2, C 3 to 4, D 5 to 6, E 7 to 8, A 0 to 9 come
 * in the order of their ends. When A comes the room is full of B C D E; D and E are thrown away,
 * and A is taken. The pass gives A and B. The next one takes what is after B: C D E. The ends come
 * out of the heap between the begins, that of A last.
 */
#include "emul/lib/trace/export/order.h"

#include "emul/lib/trace/lanes.h"
#include "emul/lib/trace/slices.h"
#include "runtime/base/array.h"

#include <stdlib.h>

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
    struct range *range;           /* of each block that was read */
    struct htmt__order_span *span; /* those of this pass, in order, then room */
    uint64_t spans, at, kept;      /* kept: a pass gives no more */
    size_t room;
    struct htmt__order_span last; /* of the pass before */
    bool again;                   /* this pass has thrown spans away */
    bool begun;                   /* there was a pass */
    struct under_way *heap;
    uint32_t under_way;
    size_t heap_room;
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

/* In place: quicksort, down to batches that are sorted by insertion. A series of bad pivots ends in
 * a heap sort, so that no order of the file costs more than n log(n). */
static void sort_spans(struct htmt__order_span *span, uint64_t count, unsigned depth)
{
    while (count > 16 && depth--) {
        const struct htmt__order_span pivot = span[(count - 1) / 2];
        uint64_t low = 0, high = count - 1;
        for (;; low++, high--) {
            while (before(&span[low], &pivot))
                low++;
            while (before(&pivot, &span[high]))
                high--;
            if (low >= high)
                break;
            swap(&span[low], &span[high]);
        }
        /* Those before the pivot, then the others: neither part is empty. */
        sort_spans(span + high + 1, count - (high + 1), depth);
        count = high + 1;
    }
    if (count > 16) {
        for (uint64_t i = count / 2; i--;)
            sink(span, i, count);
        for (uint64_t i = count; i-- > 1;) {
            swap(&span[0], &span[i]);
            sink(span, 0, i);
        }
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        const struct htmt__order_span one = span[i];
        uint64_t to = i;
        for (; to && before(&one, &span[to - 1]); to--)
            span[to] = span[to - 1];
        span[to] = one;
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

static int take(struct htmt__order *o, struct htmt__order_span s)
{
    bool late = o->again && o->spans >= o->kept && before(&o->span[o->kept - 1], &s);
    if (late || (o->begun && !before(&o->last, &s)))
        return 0;
    if (o->spans == 2 * o->kept) {
        sort_spans(o->span, o->spans, 64);
        o->spans = o->kept;
        o->again = true;
    }
    if (!htmt__array_fits(&o->span, &o->room, (size_t)o->spans + 1, sizeof *o->span))
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
    if (rc ||
        (place > HTMT_TRACE_RECEIVED && place != HTMT_TRACE_SECTION && place != HTMT_TRACE_PAUSED))
        return rc;
    s.begin = start;
    s.end = i->end;
    s.kind = place == HTMT_TRACE_SECTION ? HTMT__SPAN_SECTION : HTMT__SPAN_SERVICE;
    return take(o, s);
}

/* Memories that are not empty at the begin, then their changes: those of one instant stay in their
 * order, by block, then by number. */
static int take_fills(struct htmt__order *o, uint64_t block)
{
    const struct htmt_trace_block *b = &o->block;
    struct htmt__order_span s = {.ref = htmt_trace_ref_of(b->slice, 0), .kind = HTMT__SPAN_FILL};
    int rc = 0;
    s.end = -1;
    for (uint32_t l = 0; l < o->info->layers && !rc && !b->first; l++)
        if (b->level[l]) {
            s.cause = s.step = l;
            s.serial = b->level[l];
            rc = take(o, s);
        }
    for (uint32_t n = 0; n < b->samples && !rc; n++) {
        s.begin = s.end = b->sample[n].at;
        s.cause = block * HTMT_TRACE_SAMPLES_MAX + n;
        s.serial = b->sample[n].words;
        s.step = b->sample[n].layer;
        rc = take(o, s);
    }
    return rc;
}

/* Takes what the block has for this pass. Not of a block that lies before it, or behind all that it
 * can keep; the first pass reads all. */
static int read_block(struct htmt__order *o, uint64_t index, struct htmt_fault *fault)
{
    const struct htmt_trace_block *b = &o->block;
    struct range *r = &o->range[index];
    if (o->begun && (r->to < o->last.begin ||
                     (o->again && o->spans >= o->kept && r->from > o->span[o->kept - 1].begin)))
        return 0;
    int rc = htmt_trace_block_read(o->trace, index, &o->block, fault);
    if (rc)
        return rc;
    /* Samples may lie outside of what the index says of the block. */
    *r = (struct range){b->from, b->to};
    for (uint32_t l = 0; l < o->info->layers; l++)
        if (b->level[l] && !b->first)
            r->from = 0;
    if (b->samples && b->sample[0].at < r->from)
        r->from = b->sample[0].at;
    if (b->samples && b->sample[b->samples - 1].at > r->to)
        r->to = b->sample[b->samples - 1].at;
    for (uint32_t n = 0; n < b->count && !rc; n++)
        rc = take_interval(o, &b->interval[n], htmt_trace_ref_of(b->slice, b->first + n));
    if (!rc)
        rc = take_fills(o, index);
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

/* ---- events ---------------------------------------------------------------------------------- */

static uint32_t *busy_of(struct htmt__order *o, uint32_t slice, uint32_t row)
{
    return &o->busy[(size_t)slice * o->rows.count + row];
}

/* The span that ends first leaves the heap: what was last in it sinks from the top. */
static void end_one(struct htmt__order *o, struct htmt__order_event *e)
{
    const struct under_way u = o->heap[0], last = o->heap[--o->under_way];
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

/* The first row of that kind; of a layer's memory, if that is asked for. */
static uint32_t row_of_kind(const struct htmt__rows *rows, enum htmt__row_kind kind, uint32_t layer)
{
    for (uint32_t r = 0; r < rows->count; r++)
        if (rows->row[r].kind == kind && (layer == UINT32_MAX || rows->row[r].layer == layer))
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
                                    .row = row_of_kind(&o->rows, HTMT__ROW_SECTIONS, UINT32_MAX),
                                    .kind = HTMT__SPAN_SECTION};
}

/* A span that takes time takes a lane of its row and is under way; a section goes on until the next
 * one of its slice begins. */
static int begin_one(struct htmt__order *o, struct htmt__order_event *e)
{
    const struct htmt__order_span *s = &o->span[o->at];
    const uint32_t slice = htmt_trace_ref_slice(s->ref);
    const bool wait = s->kind == HTMT__SPAN_WAIT;
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
    if (s->kind == HTMT__SPAN_SECTION) {
        o->section[slice] = true;
        return 0;
    }
    uint32_t *busy = busy_of(o, slice, e->row);
    int lane = htmt__lanes_take(&o->lanes[2 * ((size_t)slice * o->rows.count + e->row) + wait],
                                s->begin, s->end);
    if (lane < 0)
        return HTMT_ENOMEM;
    e->lane = (uint32_t)lane;
    e->busy = *busy;
    if (s->end <= s->begin)
        return 0;
    e->busy = *busy += !wait;
    const struct under_way item = {s->end, o->births++, slice, e->row, e->lane, s->kind};
    if (!htmt__array_fits(&o->heap, &o->heap_room, (size_t)o->under_way + 1, sizeof *o->heap))
        return HTMT_ENOMEM;
    uint32_t at = o->under_way++;
    for (; at && ends_before(&item, &o->heap[(at - 1) / 2]); at = (at - 1) / 2)
        o->heap[at] = o->heap[(at - 1) / 2];
    o->heap[at] = item;
    return 0;
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
    else {
        /* Sections last until the end of all. */
        while (o->closing < o->slices && !o->section[o->closing])
            o->closing++;
        *more = o->closing < o->slices;
        if (*more)
            end_section(o, o->closing, o->now > o->info->end ? o->now : o->info->end, e);
    }
    o->now = !rc && *more ? e->at : o->now;
    return rc ? htmt_fault_set(fault, rc, "no host memory for what is under way") : 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

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
    int rc = htmt__rows_make(made->info, &made->rows);
    size_t rows = (size_t)made->slices * made->rows.count;
    made->lanes = calloc(2 * rows + 1, sizeof *made->lanes);
    made->busy = calloc(rows + 1, sizeof *made->busy);
    made->section = calloc((size_t)made->slices + 1, sizeof *made->section);
    made->range = calloc((size_t)made->info->blocks + 1, sizeof *made->range);
    if (rc || !made->lanes || !made->busy || !made->section || !made->range) {
        htmt__order_destroy(&made);
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort the trace");
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One slice of a timeline: its rows from top to bottom, then its intervals in them.
 *
 * The blocks of the slice are read twice. How high a row is follows from the number of lanes that
 * it needs in the window, and where it stands from the heights of the rows above it; so the first
 * reading, the survey, finds the lanes of each row and the words of the memories, the rows are
 * placed, and the second reading draws the intervals. Neither keeps them: memory is 3 bytes an
 * interval for the lanes (emul/lib/trace/lane_layout.h) and the sums of each row and pixel.
 */
#include "emul/view/picture/timeline_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEAD      24.0
#define SECTION   15.0 /* height of the row of sections */
#define HALF_LINE 4.5  /* from the middle of a text to its baseline */

struct slice_picture {
    struct htmt__timeline_picture *p;
    const struct htmt__trace_slice *slice;
    struct htmt__lane_layout marks;
    struct htmt__timeline_fill fill;
    struct htmt__timeline_depth deep;
    uint32_t *depth;                    /* of each row, lanes in the window */
    struct htmt__timeline_band *band;   /* of each row */
    struct htmt__timeline_pixel *pixel; /* of each row and lane */
    htmt_time section_from;             /* the section that has begun */
    uint64_t section;
    bool in_section;
};

/* ---- rows ----------------------------------------------------------------------------------- */

/* Gives the rows that have something to show their places below *y, and moves it there. */
static void place_rows(struct slice_picture *s, double *y)
{
    for (uint32_t row = 0; row < s->p->rows->count; row++) {
        const struct htmt__trace_row *r = &s->p->rows->row[row];
        struct htmt__timeline_band *b = &s->band[row];
        const uint32_t depth = s->depth[row];
        const bool memory = r->kind == HTMT__ROW_MEMORY;
        if (!depth && !(memory && s->fill.used[r->layer]))
            continue;
        b->top = *y;
        b->lanes = depth < HTMT__LANES_SHOWN ? depth : HTMT__LANES_SHOWN;
        b->deeper = depth > HTMT__LANES_SHOWN;
        b->lane_height = r->kind == HTMT__ROW_SECTIONS ? SECTION
                         : b->lanes <= 2               ? 18
                         : b->lanes <= 6               ? 12
                                                       : 8;
        b->height = (b->lanes + b->deeper) * b->lane_height + HTMT__TIMELINE_GAP +
                    (memory ? HTMT__TIMELINE_FILL : 0);
        *y += b->height;
    }
}

static void name_row(struct slice_picture *s, uint32_t row)
{
    const struct htmt__timeline_band *b = &s->band[row];
    struct htmt__sheet *sheet = s->p->sheet;
    double middle = b->top + (b->height - HTMT__TIMELINE_GAP) / 2;
    struct htmt__shape *m = htmt__sheet_text(sheet, HTMT__TIMELINE_LEFT - 10, middle + HALF_LINE,
                                             "%s", s->p->rows->row[row].name);
    m->anchor = HTMT__ANCHOR_RIGHT;
    m->size = 12;
    m->room = HTMT__TIMELINE_LEFT - 24;
    if (b->deeper) {
        m = htmt__sheet_text(sheet, HTMT__TIMELINE_LEFT - 10, middle + HALF_LINE + 15,
                             "%" PRIu32 " at once", s->depth[row]);
        m->anchor = HTMT__ANCHOR_RIGHT;
        m->size = 11;
        m->ink = HTMT__FADED;
    }
    double foot = b->top + b->height - HTMT__TIMELINE_GAP / 2;
    htmt__sheet_line(sheet, 14, foot, HTMT__TIMELINE_LEFT + HTMT__TIMELINE_PLOT, foot)->ink =
        HTMT__GRID;
}

/* ---- intervals ------------------------------------------------------------------------------ */

/* The section that has begun ends at that instant. */
static void end_section(struct slice_picture *s, htmt_time at)
{
    const struct htmt__time_axis *a = &s->p->axis;
    htmt_time from = s->section_from > a->from ? s->section_from : a->from;
    htmt_time to = at < a->to ? at : a->to;
    if (!s->in_section || from >= to || s->section >= s->p->info->sections)
        return;
    double x = htmt__time_place(a, from), right = htmt__time_place(a, to);
    htmt__sheet_box(s->p->sheet, x, s->band->top, right - x, SECTION, HTMT__SHADED)->thick = 0.6;
    struct htmt__shape *m = htmt__sheet_text(s->p->sheet, x + 4, s->band->top + 11, "%s",
                                             s->p->info->section[s->section]);
    m->size = 11;
    m->room = right - x - 6;
}

/* Its bar, not its wait alone, lies in the window. */
static bool is_drawn(const struct slice_picture *s, const struct htmt_trace_interval *i)
{
    const struct htmt__time_axis *a = &s->p->axis;
    return i->end >= a->from && htmt__lane_begin(i, s->p->info->step[i->step].place) <= a->to;
}

/* An interval is a change of section, a bar in its lane, or a part of what lies deeper. */
static void draw_block(struct slice_picture *s, const struct htmt_trace_block *b, uint64_t first)
{
    const double left = s->p->axis.left;
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        const enum htmt_trace_place place = s->p->info->step[i->step].place;
        const uint32_t row = s->p->rows->of_step[i->step], lane = s->marks.lane[first + n];
        if (place == HTMT_TRACE_SECTION) {
            end_section(s, i->end);
            s->section_from = i->end;
            s->section = i->serial;
            s->in_section = true;
        } else if (is_drawn(s, i) && lane < HTMT__LANES_SHOWN) {
            struct htmt__timeline_bar bar = {i, &s->band[row], lane, s->marks.state[first + n],
                                             &s->pixel[(size_t)row * HTMT__LANES_SHOWN + lane]};
            htmt__timeline_bar_draw(s->p, &bar);
        } else if (is_drawn(s, i)) {
            htmt__timeline_depth_add(&s->deep, row,
                                     htmt__timeline_edge(s->p, htmt__lane_begin(i, place)) - left,
                                     htmt__timeline_edge(s->p, i->end) - left);
        }
    }
}

/* Lanes in the window, and the words of memories. A section has its row for as long as it lasts. */
static void survey_block(struct slice_picture *s, const struct htmt_trace_block *b, uint64_t first)
{
    htmt__timeline_fill_add(s->p, &s->fill, b);
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        uint32_t *depth = &s->depth[s->p->rows->of_step[i->step]], lane = s->marks.lane[first + n];
        bool section = s->p->info->step[i->step].place == HTMT_TRACE_SECTION;
        if ((section ? i->end <= s->p->axis.to : is_drawn(s, i)) && lane >= *depth)
            *depth = lane + 1;
    }
}

/* All blocks of the slice, in their order. */
static int read_slice(struct slice_picture *s,
                      void (*visit)(struct slice_picture *s, const struct htmt_trace_block *b,
                                    uint64_t first),
                      struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    uint64_t number = 0;
    int rc = 0;
    for (uint64_t i = 0; i < s->slice->blocks && !rc; i++) {
        rc = htmt__trace_read_sorted(s->p->trace, s->slice->place + i, &b, fault);
        if (!rc)
            visit(s, &b, number);
        number += b.count;
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* ---- the slice ------------------------------------------------------------------------------ */

static int draw_rows(struct slice_picture *s, double *y, struct htmt_fault *fault)
{
    const struct htmt__rows *rows = s->p->rows;
    place_rows(s, y);
    for (uint32_t row = 0; row < rows->count; row++) {
        const struct htmt__timeline_band *b = &s->band[row];
        if (b->height == 0)
            continue;
        name_row(s, row);
        if (rows->row[row].kind == HTMT__ROW_MEMORY)
            htmt__timeline_fill_draw(s->p, &s->fill, rows->row[row].layer,
                                     b->top + (b->lanes + b->deeper) * b->lane_height);
    }
    int rc = read_slice(s, draw_block, fault);
    /* What is still gathered: pixels of narrow bars, depths, the last section. */
    for (uint32_t row = 0; row < rows->count; row++) {
        const enum htmt__row_kind kind = rows->row[row].kind;
        const enum htmt_trace_place place = kind == HTMT__ROW_BANK     ? HTMT_TRACE_SERVED
                                            : kind == HTMT__ROW_MEMORY ? HTMT_TRACE_STALLED
                                                                       : HTMT_TRACE_SENT;
        for (uint32_t lane = 0; lane < HTMT__LANES_SHOWN; lane++)
            htmt__timeline_pixel_draw(s->p, &s->band[row], lane,
                                      &s->pixel[(size_t)row * HTMT__LANES_SHOWN + lane]);
        if (s->band[row].deeper)
            htmt__timeline_depth_draw(s->p, &s->deep, row, &s->band[row],
                                      htmt__timeline_colour(s->p, place));
    }
    end_section(s, s->p->info->end);
    return rc;
}

int htmt__timeline_slice(struct htmt__timeline_picture *p, const struct htmt__trace_slice *slice,
                         const char *rank, double *y, struct htmt_fault *fault)
{
    const uint32_t rows = p->rows->count;
    struct slice_picture s = {.p = p, .slice = slice};
    int rc = htmt__lane_layout_make(p->trace, p->rows, slice, &s.marks, fault);
    if (rc)
        return rc;
    s.depth = calloc(rows, sizeof *s.depth);
    s.band = calloc(rows, sizeof *s.band);
    s.pixel = calloc((size_t)rows * HTMT__LANES_SHOWN, sizeof *s.pixel);
    rc = s.depth && s.band && s.pixel ? 0 : HTMT_ENOMEM;
    rc = rc ? rc : htmt__timeline_fill_create(p, &s.fill);
    rc = rc ? rc : htmt__timeline_depth_create(rows, &s.deep);
    rc = rc ? rc : read_slice(&s, survey_block, fault);
    if (!rc) {
        struct htmt__shape *m =
            htmt__sheet_text(p->sheet, 14, *y + 17, "Slice %" PRIu32 "%s", slice->slice, rank);
        m->bold = true;
        *y += HEAD;
        rc = draw_rows(&s, y, fault);
    }
    htmt__lane_layout_clear(&s.marks);
    htmt__timeline_fill_clear(&s.fill);
    htmt__timeline_depth_clear(&s.deep);
    free(s.depth);
    free(s.band);
    free(s.pixel);
    return rc;
}

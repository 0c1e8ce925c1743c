/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws a pipeline. Bars of a row that overlap stand in lanes below each other, in the order in
 * which they asked; the more lanes a row needs, the thinner they are. The rows are gone through
 * twice: lines of time lie behind all bars and end below the last row, so the heights of the rows
 * must be known before the first bar is drawn.
 */
#include "emul/lib/picture/palette.h"
#include "emul/lib/trace/lanes.h"
#include "emul/view/picture/pipeline.h"
#include "emul/view/picture/time_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH    1240.0
#define LEFT     214.0
#define RIGHT    26.0
#define TOP      84.0
#define LEGEND   50.0
#define MARGIN   22.0
#define LANES    232.0 /* height of a row's lanes, where they need so much */
#define LANE     18.0  /* of one, at most */
#define THIN     3.0   /* and at least */
#define PADDING  7.0   /* above and below the lanes of a row */
#define NUMBERED 9.0   /* a lane that is so high has room for a number */
#define DIGIT    0.66  /* its width, in the size of the text */

struct layout {
    const struct htmt__pipeline *p;
    struct htmt__sheet *sheet;
    struct htmt__time_axis axis;
    const struct htmt__pipeline_bar **order; /* bars of a row, as they ask */
    uint32_t *lane;                          /* of these */
    double *room;                            /* where the next bar of the lane begins */
    double *next;                            /* of each lane, while `room` is filled */
    size_t count;
};

/* ---- lanes of a row ------------------------------------------------------------------------- */

static int by_asked(const void *left, const void *right)
{
    const struct htmt__pipeline_bar *a = *(const struct htmt__pipeline_bar *const *)left;
    const struct htmt__pipeline_bar *b = *(const struct htmt__pipeline_bar *const *)right;
    if (a->asked != b->asked)
        return a->asked < b->asked ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->parcel < b->parcel ? -1 : a->parcel > b->parcel;
}

/* Sorts the bars of the row and gives them lanes. Returns the number of lanes, or HTMT_ENOMEM. */
static int lay_out_row(struct layout *l, uint32_t row)
{
    struct htmt__lanes lanes = {0};
    int lane = 0;
    l->count = 0;
    for (size_t i = 0; i < l->p->bars; i++)
        if (l->p->bar[i].row == row)
            l->order[l->count++] = &l->p->bar[i];
    qsort(l->order, l->count, sizeof *l->order, by_asked);
    for (size_t i = 0; i < l->count && lane >= 0; i++) {
        lane = htmt__lanes_take(&lanes, l->order[i]->asked, l->order[i]->end);
        l->lane[i] = (uint32_t)lane;
    }
    int count = lane < 0 ? lane : (int)htmt__lanes_count(&lanes);
    htmt__lanes_clear(&lanes);
    return count;
}

/* ---- bars ----------------------------------------------------------------------------------- */

struct slot {
    double top, height;
};

/* Nothing short vanishes: a wait has half a pixel at least, a bar a pixel. */
static struct htmt__shape *draw_span(struct layout *l, struct slot s, htmt_time from, htmt_time to,
                                     uint32_t fill)
{
    double x = htmt__time_place(&l->axis, from), right = htmt__time_place(&l->axis, to);
    return htmt__sheet_box(l->sheet, x, s.top, fmax(right - x, 0.5), s.height, fill);
}

static void draw_wait(struct layout *l, struct slot s, htmt_time from, htmt_time to, uint32_t fill,
                      uint32_t ink)
{
    if (from >= to)
        return;
    struct htmt__shape *m = draw_span(l, s, from, to, fill);
    m->hatched = true;
    m->ink = ink;
    m->thick = 0.6;
}

static uint32_t colour_of(enum htmt__activity activity)
{
    return htmt__state_colour(HTMT__PALETTE_DEFAULT, activity);
}

/* A number belongs to one bar, whatever the zoom, so it never lies upon a neighbour: it stands in
 * the bar if it fits there, else behind it if the next bar of the lane leaves room, else in the
 * hatching of its wait, on paper of its own. A bar that is too narrow for all three has none. */
static void draw_number(struct layout *l, struct slot s, const struct htmt__pipeline_bar *b,
                        uint32_t fill, double room)
{
    const double from = htmt__time_place(&l->axis, b->start);
    const double to = htmt__time_place(&l->axis, b->end);
    const double asked = htmt__time_place(&l->axis, b->asked);
    const double size = fmin(s.height - 3, 11.5);
    unsigned digits = 1;
    for (uint32_t n = b->parcel + 1; n >= 10; n /= 10)
        digits++;
    const double width = size * DIGIT * digits;
    double x = (from + to) / 2;
    uint32_t ink = HTMT__INK;
    if (s.height < NUMBERED)
        return;
    if (to - from >= width) {
        ink = htmt__text_colour(fill);
    } else if (room - to >= width + 6) {
        x = to + 3 + width / 2;
    } else if (from - asked >= width + 6) {
        x = (asked + from) / 2;
        htmt__sheet_box(l->sheet, x - width / 2 - 1, s.top + 1, width + 2, s.height - 2,
                        HTMT__PAPER);
    } else {
        return;
    }
    struct htmt__shape *m =
        htmt__sheet_text(l->sheet, x, s.top + s.height / 2 + 0.36 * size, "%u", b->parcel + 1);
    m->size = size;
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->ink = ink;
}

/* What a bar stalled lies before what it waited in line. */
static void draw_bar(struct layout *l, struct slot s, const struct htmt__pipeline_bar *b,
                     double room)
{
    uint32_t fill = colour_of(l->p->row[b->row].moves ? HTMT__TRANSFER : HTMT__COMPUTE);
    draw_wait(l, s, b->asked, b->asked + b->stall, HTMT__HELD, colour_of(HTMT__BLOCKED));
    draw_wait(l, s, b->start - b->line, b->start, HTMT__WAITING, HTMT__FADED);
    if (b->end <= b->start && b->open)
        return;
    struct htmt__shape *m = draw_span(l, s, b->start, b->end, fill);
    m->thick = s.height > 5 && m->width > 3 ? 0.6 : 0;
    m->width = fmax(m->width, 1);
    draw_number(l, s, b, fill, room);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static double lane_height(int lanes)
{
    return fmax(fmin(LANES / fmax(lanes, 1), LANE), THIN);
}

static double height_of(int lanes)
{
    return fmax(lanes * lane_height(lanes) + 2 * PADDING, 40);
}

/* Of its name, "DRAM to SRAM" stands above "(vortex)". */
static void draw_row(struct layout *l, uint32_t row, int lanes, double top)
{
    const char *name = l->p->row[row].name, *second = strstr(name, " (");
    double height = height_of(lanes), lane = lane_height(lanes), middle = top + height / 2;
    double first = top + (height - lanes * lane) / 2;
    for (int i = 0; i < lanes; i++) /* the last bar of a lane has room to the end of the sheet */
        l->next[i] = WIDTH;
    for (size_t i = l->count; i-- > 0;) {
        l->room[i] = l->next[l->lane[i]];
        l->next[l->lane[i]] = htmt__time_place(&l->axis, l->order[i]->asked);
    }
    for (size_t i = 0; i < l->count; i++) {
        struct slot s = {first + l->lane[i] * lane + 0.5, lane - (lane > 5 ? 1.5 : 0.5)};
        draw_bar(l, s, l->order[i], l->room[i]);
    }
    struct htmt__shape *m =
        htmt__sheet_text(l->sheet, LEFT - 14, middle + (second ? -2 : 5), "%.*s",
                         second ? (int)(second - name) : (int)strlen(name), name);
    m->anchor = HTMT__ANCHOR_RIGHT;
    m->bold = true;
    m->room = LEFT - 14 - MARGIN;
    if (second) {
        m = htmt__sheet_text(l->sheet, LEFT - 14, middle + 14, "%s", second + 1);
        m->anchor = HTMT__ANCHOR_RIGHT;
        m->size = 12;
        m->room = LEFT - 14 - MARGIN;
    }
    htmt__sheet_line(l->sheet, MARGIN, top + height, WIDTH - RIGHT, top + height)->ink = HTMT__GRID;
}

/* Draws the rows, or finds their heights alone: lines of time lie behind the bars and need the
 * height. Returns where the rows end, or HTMT_ENOMEM, below 0. */
static double visit_rows(struct layout *l, bool draws)
{
    double y = TOP;
    for (uint32_t row = 0; row < l->p->rows; row++) {
        int lanes = lay_out_row(l, row);
        if (lanes < 0)
            return lanes;
        if (draws)
            draw_row(l, row, lanes, y);
        y += height_of(lanes);
    }
    return y;
}

/* ---- the sheet ------------------------------------------------------------------------------ */

static int draw(struct layout *l)
{
    const struct htmt_trace_info *info = l->p->info;
    htmt_time from = HTMT_TIME_MAX, to = 0;
    for (size_t i = 0; i < l->p->bars; i++) {
        from = l->p->bar[i].asked < from ? l->p->bar[i].asked : from;
        to = l->p->bar[i].end > to ? l->p->bar[i].end : to;
    }
    from = from > (to - from) / 4 ? from : 0; /* from the beginning, where that is not far */
    l->axis = (struct htmt__time_axis){from, to > from ? to : from + 1, LEFT, WIDTH - LEFT - RIGHT};
    double bottom = visit_rows(l, false);
    if (bottom < 0)
        return HTMT_ENOMEM;
    l->sheet->drawing = (struct htmt__drawing){
        .width = WIDTH, .height = bottom + HTMT__TIME_AXIS_HEIGHT + 10, .title = l->p->type};
    htmt__time_draw(&l->axis, l->sheet, TOP, bottom);
    struct htmt__shape *m = htmt__sheet_text(
        l->sheet, MARGIN, 34, "Pipeline of %s: %s%s%s, slice %u, the first %u parcel%s%s%s",
        l->p->type, info->app, *info->app ? " on " : "", info->machine, l->p->slice, l->p->parcels,
        l->p->parcels == 1 ? "" : "s", info->filtered ? ", FILTERED" : "",
        info->complete ? "" : ", INCOMPLETE");
    m->bold = true;
    m->size = 17;
    m->room = WIDTH - MARGIN - RIGHT;
    double x = htmt__sheet_key(l->sheet, LEFT, LEGEND, colour_of(HTMT__COMPUTE), HTMT__INK, false,
                               "is served");
    x = htmt__sheet_key(l->sheet, x, LEGEND, colour_of(HTMT__TRANSFER), HTMT__INK, false,
                        "moves words");
    x = htmt__sheet_key(l->sheet, x, LEGEND, HTMT__WAITING, HTMT__FADED, true, "waits in line");
    htmt__sheet_key(l->sheet, x, LEGEND, HTMT__HELD, colour_of(HTMT__BLOCKED), true,
                    "stalls: waits for words of a memory");
    return visit_rows(l, true) < 0 ? HTMT_ENOMEM : 0;
}

int htmt__pipeline_draw(const struct htmt__pipeline *p, struct htmt__sheet *sheet)
{
    struct layout l = {.p = p, .sheet = sheet};
    l.order = calloc(p->bars + 1, sizeof *l.order);
    l.lane = calloc(p->bars + 1, sizeof *l.lane);
    l.room = calloc(p->bars + 1, sizeof *l.room);
    l.next = calloc(p->bars + 1, sizeof *l.next);
    int rc = l.order && l.lane && l.room && l.next ? draw(&l) : HTMT_ENOMEM;
    free(l.order);
    free(l.lane);
    free(l.room);
    free(l.next);
    return rc ? rc : sheet->failed ? HTMT_ENOMEM : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intervals as bars in their lanes. Intervals that are narrower than a pixel are added up, pixel by
 * pixel, and drawn with as much ink as they cover of it: nothing short vanishes, and a lane has no
 * more boxes than pixels, however long the run was. A lane gives its intervals in the order of
 * their ends, so a pixel is complete as soon as an interval of another pixel comes.
 */
#include "emul/view/picture/timeline_parts.h"

#include <inttypes.h>
#include <math.h>

#define NARROW   1.0 /* pixels: narrower intervals are added up */
#define LABELLED 26.0
#define HIGH     11.0 /* a lane that is so high has labels */
#define TAIL     0.22 /* height of a wait, at the foot of its lane, in that of the lane */
#define FAINT    0.4  /* ink of a pixel that is hardly in use */

struct span {
    double x, right, y, height;
};

static bool is_wait(enum htmt_trace_place place)
{
    return place >= HTMT_TRACE_STALLED && place != HTMT_TRACE_PAUSED;
}

static uint32_t colour_of(const struct htmt__timeline_picture *p, enum htmt__activity activity)
{
    return htmt__state_colour(p->palette, activity);
}

uint32_t htmt__timeline_colour(const struct htmt__timeline_picture *p, enum htmt_trace_place place)
{
    if (is_wait(place))
        return colour_of(p, HTMT__BLOCKED);
    if (place == HTMT_TRACE_PAUSED)
        return HTMT__SHADED;
    return colour_of(p, place == HTMT_TRACE_SERVED ? HTMT__COMPUTE : HTMT__TRANSFER);
}

double htmt__timeline_edge(const struct htmt__timeline_picture *p, htmt_time at)
{
    const struct htmt__time_axis *a = &p->axis;
    return htmt__time_place(a, at < a->from ? a->from : at > a->to ? a->to : at);
}

void htmt__timeline_pixel_draw(struct htmt__timeline_picture *p,
                               const struct htmt__timeline_band *band, uint32_t lane,
                               struct htmt__timeline_pixel *pixel)
{
    double share = fmin(pixel->share, 1);
    if (pixel->any)
        htmt__sheet_box(p->sheet, pixel->x, band->top + lane * band->lane_height + 0.5, 1,
                        band->lane_height - 1,
                        htmt__ink_colour(pixel->colour, FAINT + (1 - FAINT) * share));
    pixel->any = false;
}

static void draw_wait(struct htmt__timeline_picture *p, const struct span *s, double y,
                      double height, bool held)
{
    struct htmt__shape *m = htmt__sheet_box(p->sheet, s->x, y, s->right - s->x, height,
                                            held ? HTMT__HELD : HTMT__WAITING);
    m->hatched = true;
    m->ink = held ? colour_of(p, HTMT__BLOCKED) : HTMT__FADED;
    m->thick = height > 5 ? 0.6 : 0;
}

/* Where the start-up of a network ends, which lies before the words; else where the bar begins. */
static double end_of_startup(const struct htmt__timeline_picture *p,
                             const struct htmt__timeline_bar *b, const struct span *s)
{
    const struct htmt_trace_step *step = &p->info->step[b->interval->step];
    htmt_time begin = b->interval->end - b->interval->service;
    if (step->place != HTMT_TRACE_SENT)
        return s->x;
    return fmin(htmt__timeline_edge(p, begin + p->info->resource[step->resource].startup),
                s->right);
}

/* Above, what the interval does, its start-up first; below, that others wait for it meanwhile. The
 * label stands on the part of the bar that has one colour. */
static void draw_service(struct htmt__timeline_picture *p, const struct htmt__timeline_bar *b,
                         const struct span *s)
{
    const struct htmt_trace_step *step = &p->info->step[b->interval->step];
    const bool blocks = b->state & HTMT__LANE_BLOCKS;
    const double width = s->right - s->x, part = blocks ? s->height / 4 : s->height;
    const double startup = end_of_startup(p, b, s), left = blocks ? s->x : startup;
    const uint32_t own = htmt__timeline_colour(p, step->place);
    htmt__sheet_box(p->sheet, s->x, s->y, width, part, own);
    if (startup > s->x)
        htmt__sheet_box(p->sheet, s->x, s->y, startup - s->x, part, colour_of(p, HTMT__STARTUP));
    if (blocks)
        htmt__sheet_box(p->sheet, s->x, s->y + part, width, s->height - part,
                        colour_of(p, HTMT__BLOCKS));
    struct htmt__shape *m =
        htmt__sheet_box(p->sheet, s->x, s->y, width, s->height, HTMT__NO_COLOUR);
    m->thick = width > 4 ? 0.6 : 0;
    if (s->right - left < LABELLED || s->height < HIGH - 1)
        return;
    const double size = fmin(s->height - 2, 11);
    m = htmt__sheet_text(p->sheet, (left + s->right) / 2, s->y + s->height / 2 + 0.36 * size,
                         "%s #%" PRIu64, step->type, htmt_trace_ref_number(b->interval->serial));
    m->size = size;
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->ink = htmt__text_colour(blocks ? colour_of(p, HTMT__BLOCKS) : own);
    m->room = s->right - left - 2;
    m->rare = true;
}

void htmt__timeline_bar_draw(struct htmt__timeline_picture *p, const struct htmt__timeline_bar *b)
{
    const struct htmt_trace_interval *i = b->interval;
    const enum htmt_trace_place place = p->info->step[i->step].place;
    struct htmt__timeline_pixel *pixel = b->pixel;
    const struct span s = {
        htmt__timeline_edge(p, htmt__lane_begin(i, place)), htmt__timeline_edge(p, i->end),
        b->band->top + b->lane * b->band->lane_height + 0.5, b->band->lane_height - 1};
    if (s.right - s.x < NARROW) {
        const double x = floor(s.x);
        if (pixel->any && x > pixel->x)
            htmt__timeline_pixel_draw(p, b->band, b->lane, pixel);
        if (!pixel->any)
            *pixel = (struct htmt__timeline_pixel){.x = x,
                                                   .colour = b->state & HTMT__LANE_BLOCKS
                                                                 ? colour_of(p, HTMT__BLOCKS)
                                                                 : htmt__timeline_colour(p, place),
                                                   .any = true};
        pixel->share += s.right - s.x;
        return;
    }
    htmt__timeline_pixel_draw(p, b->band, b->lane, pixel);
    if (is_wait(place)) {
        draw_wait(p, &s, s.y, s.height, true);
        return;
    }
    /* The wait before a service is a tail at the foot of its lane: others may be served in that
     * lane meanwhile. */
    const struct span tail = {htmt__timeline_edge(p, i->end - i->service - i->wait), s.x, 0, 0};
    if (i->wait && tail.right - tail.x >= 1)
        draw_wait(p, &tail, s.y + (1 - TAIL) * s.height, TAIL * s.height,
                  b->state & HTMT__LANE_HOLDS);
    draw_service(p, b, &s);
}

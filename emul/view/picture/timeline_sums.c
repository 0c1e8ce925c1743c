/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a timeline's picture sums up by pixels: the intervals beyond the lanes that are shown, as
 * shades, and how full the memories are, as curves. A trace has millions of either, a row has as
 * many sums as pixels; both are gathered block by block while the slice is read, and drawn once.
 */
#include "emul/view/picture/timeline_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- depths ---------------------------------------------------------------------------------
 *
 * An interval that covers a thousand pixels costs as much as one that covers two: it notes its
 * parts of the first and of the last pixel, and for those between, which it covers wholly, only
 * that one more begins at the second pixel and one fewer from the last on. The differences are
 * added up when the row is drawn. From 2.5 to 5.25: pixel 2 gets 0.5, pixel 5 gets 0.25, the
 * differences are +1 at 3 and -1 at 5, so 3 and 4 get 1 each. emul/view/page/pyramid.c does the
 * same with exact times.
 */

#define PIXELS (HTMT__TIMELINE_PLOT + 2)
#define SHADES 16
#define FAINT  0.25 /* ink of the fewest */

int htmt__timeline_depth_create(uint32_t rows, struct htmt__timeline_depth *d)
{
    *d = (struct htmt__timeline_depth){.part = calloc((size_t)rows * PIXELS, sizeof *d->part),
                                       .whole = calloc((size_t)rows * PIXELS, sizeof *d->whole)};
    return d->part && d->whole ? 0 : HTMT_ENOMEM;
}

void htmt__timeline_depth_clear(struct htmt__timeline_depth *d)
{
    free(d->part);
    free(d->whole);
    *d = (struct htmt__timeline_depth){0};
}

void htmt__timeline_depth_add(struct htmt__timeline_depth *d, uint32_t row, double from, double to)
{
    double *part = d->part + (size_t)row * PIXELS;
    int64_t *whole = d->whole + (size_t)row * PIXELS;
    size_t first = (size_t)from, last = (size_t)to;
    if (first == last) {
        part[first] += to - from;
        return;
    }
    part[first] += (double)first + 1 - from;
    part[last] += to - (double)last;
    whole[first + 1]++;
    whole[last]--;
}

/* The deepest pixel of the row has all its ink. Whatever there is has some: shades are rounded up.
 * Neighbours of one shade become one box. */
void htmt__timeline_depth_draw(struct htmt__timeline_picture *p, struct htmt__timeline_depth *d,
                               uint32_t row, const struct htmt__timeline_band *band,
                               uint32_t colour)
{
    const double y = band->top + band->lanes * band->lane_height + 0.5;
    double *depth = d->part + (size_t)row * PIXELS, most = 0;
    int64_t *whole = d->whole + (size_t)row * PIXELS, now = 0;
    int shade[PIXELS];
    for (size_t i = 0; i < PIXELS; i++) {
        now += whole[i];
        depth[i] += (double)now;
        most = fmax(most, depth[i]);
    }
    for (size_t i = 0; i < HTMT__TIMELINE_PLOT; i++)
        shade[i] = depth[i] > 0 ? (int)ceil(SHADES * depth[i] / most) : 0;
    for (size_t i = 0, next; i < HTMT__TIMELINE_PLOT; i = next) {
        for (next = i + 1; next < HTMT__TIMELINE_PLOT && shade[next] == shade[i];)
            next++;
        if (shade[i])
            htmt__sheet_box(p->sheet, p->axis.left + (double)i, y, (double)(next - i),
                            band->lane_height - 1,
                            htmt__ink_colour(colour, FAINT + (1 - FAINT) * shade[i] / SHADES));
    }
}

/* ---- memories -------------------------------------------------------------------------------
 *
 * A pixel shows the most words that a memory held in its time: the level that it came with, or a
 * higher one that was reached in it. A level lasts until the next change, so pixels without any
 * are filled in when the next change comes, or at the end.
 */

int htmt__timeline_fill_create(const struct htmt__timeline_picture *p,
                               struct htmt__timeline_fill *f)
{
    uint32_t layers = p->info->layers;
    *f = (struct htmt__timeline_fill){
        .most = calloc((size_t)layers * HTMT__TIMELINE_PLOT + 1, sizeof *f->most),
        .level = calloc((size_t)layers + 1, sizeof *f->level),
        .done = calloc((size_t)layers + 1, sizeof *f->done),
        .used = calloc((size_t)layers + 1, sizeof *f->used)};
    return f->most && f->level && f->done && f->used ? 0 : HTMT_ENOMEM;
}

void htmt__timeline_fill_clear(struct htmt__timeline_fill *f)
{
    free(f->most);
    free(f->level);
    free(f->done);
    free(f->used);
    *f = (struct htmt__timeline_fill){0};
}

/* Pixels up to that one have the level that the layer has had; returns those of the layer. */
static uint64_t *advance(struct htmt__timeline_fill *f, uint32_t layer, uint32_t pixel)
{
    uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    while (f->done[layer] < pixel)
        most[++f->done[layer]] = f->level[layer];
    return most;
}

/* From `at` on a memory has so many words. Instants before the window are at its first pixel, where
 * the last of them holds, not the most. */
static void set_level(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                      uint32_t layer, htmt_time at, uint64_t words)
{
    const struct htmt__time_axis *a = &p->axis;
    if (at >= a->to)
        return;
    const double x = at <= a->from ? 0 : htmt__time_place(a, at) - a->left;
    const uint32_t last = HTMT__TIMELINE_PLOT - 1, pixel = x >= last ? last : (uint32_t)x;
    uint64_t *most = advance(f, layer, pixel);
    if (at <= a->from || most[pixel] < words)
        most[pixel] = words;
    f->level[layer] = words;
    f->used[layer] |= words > 0;
}

/* What is used before the first block was so from the start. The levels of later blocks tell
 * nothing new, unless a block between is missing. */
void htmt__timeline_fill_add(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                             const struct htmt_trace_block *b)
{
    for (uint32_t layer = 0; layer < p->info->layers; layer++)
        if (b->level && b->level[layer] != f->level[layer])
            set_level(p, f, layer, f->begun ? b->from : 0, b->level[layer]);
    f->begun = true;
    for (uint32_t i = 0; i < b->samples; i++)
        set_level(p, f, b->sample[i].layer, b->sample[i].at, b->sample[i].words);
}

/* The dashed line is the capacity; a memory without a limit stays below it. */
void htmt__timeline_fill_draw(struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                              uint32_t layer, double top)
{
    const uint64_t *most = advance(f, layer, HTMT__TIMELINE_PLOT - 1);
    const uint64_t capacity = p->info->layer[layer].capacity;
    const double foot = top + HTMT__TIMELINE_FILL - 1;
    for (uint32_t i = 0, next; i < HTMT__TIMELINE_PLOT; i = next) {
        const double share = capacity ? (double)most[i] / (double)capacity : 0;
        const double height = (share < 1 ? share : 1) * (HTMT__TIMELINE_FILL - 4);
        const double x = p->axis.left + i;
        for (next = i + 1; next < HTMT__TIMELINE_PLOT && most[next] == most[i];)
            next++;
        if (!most[i])
            continue;
        htmt__sheet_box(p->sheet, x, foot - height, next - i, height, HTMT__FILL);
        htmt__sheet_line(p->sheet, x, foot - height, p->axis.left + next, foot - height)->ink =
            htmt__state_colour(HTMT__PALETTE_DEFAULT, HTMT__TRANSFER);
    }
    double right = p->axis.left + HTMT__TIMELINE_PLOT;
    struct htmt__shape *full = htmt__sheet_line(p->sheet, p->axis.left, top + 3, right, top + 3);
    full->dashed = true;
    full->thick = 0.6;
    full->ink = HTMT__FADED;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How full the memories are: a curve below the row of each.
 */
#include "emul/view/picture/timeline_parts.h"

#include <stdlib.h>

#define AREA 0xcfe3f1u
#define EDGE 0x0072B2u

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

/* The pixel of an instant; those outside the window are at its ends. */
static uint32_t pixel_of(const struct htmt__time_axis *a, htmt_time at)
{
    if (at <= a->from)
        return 0;
    double x = htmt__time_place(a, at) - a->left;
    return x >= HTMT__TIMELINE_PLOT - 1 ? HTMT__TIMELINE_PLOT - 1 : (uint32_t)x;
}

/* The pixels up to that one have the level until something changes. */
static void advance(struct htmt__timeline_fill *f, uint32_t layer, uint32_t pixel)
{
    uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    while (f->done[layer] < pixel)
        most[++f->done[layer]] = f->level[layer];
}

/* In its pixel it may have been more before. */
static void set_level(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                      uint32_t layer, htmt_time at, uint64_t words)
{
    uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    if (at >= p->axis.to)
        return;
    uint32_t pixel = pixel_of(&p->axis, at);
    advance(f, layer, pixel);
    if (at <= p->axis.from || most[pixel] < words)
        most[pixel] = words;
    f->level[layer] = words;
    f->used[layer] |= words > 0;
}

/* What is used before the first block was so from the start; later blocks tell nothing new, unless
 * one between is missing. */
static void begin_block(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                        const struct htmt_trace_block *b)
{
    for (uint32_t layer = 0; layer < p->info->layers; layer++)
        if (b->level && b->level[layer] != f->level[layer])
            set_level(p, f, layer, f->begun ? b->from : 0, b->level[layer]);
    f->begun = true;
}

void htmt__timeline_fill_add(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                             const struct htmt_trace_block *b)
{
    begin_block(p, f, b);
    for (uint32_t i = 0; i < b->samples; i++) {
        const struct htmt_trace_sample *s = &b->sample[i];
        set_level(p, f, s->layer, s->at, s->words);
    }
}

static double height_of(const struct htmt__timeline_picture *p, uint32_t layer, uint64_t words)
{
    uint64_t capacity = p->info->layer[layer].capacity;
    double share = capacity ? (double)words / (double)capacity : 0;
    return (share < 1 ? share : 1) * (HTMT__TIMELINE_FILL - 4);
}

/* Pixels of the same height from i on make one box. */
static uint32_t draw_stretch(struct htmt__timeline_picture *p, const uint64_t *most, uint32_t layer,
                             uint32_t i, double foot)
{
    uint32_t next = i + 1;
    double height = height_of(p, layer, most[i]), x = p->axis.left + i;
    while (next < HTMT__TIMELINE_PLOT && most[next] == most[i])
        next++;
    if (most[i]) {
        htmt__sheet_box(p->sheet, x, foot - height, next - i, height, AREA);
        htmt__sheet_line(p->sheet, x, foot - height, p->axis.left + next, foot - height)->ink =
            EDGE;
    }
    return next;
}

void htmt__timeline_fill_draw(struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                              uint32_t layer, double top)
{
    const uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    double foot = top + HTMT__TIMELINE_FILL - 1;
    advance(f, layer, HTMT__TIMELINE_PLOT - 1);
    for (uint32_t i = 0; i < HTMT__TIMELINE_PLOT;)
        i = draw_stretch(p, most, layer, i, foot);
    double right = p->axis.left + HTMT__TIMELINE_PLOT;
    struct htmt__shape *full = htmt__sheet_line(p->sheet, p->axis.left, top + 3, right, top + 3);
    full->dashed = true;
    full->thick = 0.6;
    full->ink = HTMT__FADED;
}

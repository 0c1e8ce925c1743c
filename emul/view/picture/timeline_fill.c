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

/* The pixels up to that one have the level until something changes. */
static void advance(struct htmt__timeline_fill *f, uint32_t layer, uint32_t pixel)
{
    uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    while (f->done[layer] < pixel)
        most[++f->done[layer]] = f->level[layer];
}

/* From `at` on a memory has so many words; in its pixel it may have had more before. Instants
 * before the window are at its first pixel. */
static void set_level(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                      uint32_t layer, htmt_time at, uint64_t words)
{
    const struct htmt__time_axis *a = &p->axis;
    uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    if (at >= a->to)
        return;
    const double x = at <= a->from ? 0 : htmt__time_place(a, at) - a->left;
    const uint32_t last = HTMT__TIMELINE_PLOT - 1, pixel = x >= last ? last : (uint32_t)x;
    advance(f, layer, pixel);
    if (at <= a->from || most[pixel] < words)
        most[pixel] = words;
    f->level[layer] = words;
    f->used[layer] |= words > 0;
}

void htmt__timeline_fill_add(const struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                             const struct htmt_trace_block *b)
{
    /* What is used before the first block was so from the start; later blocks tell nothing new,
     * unless one between is missing. */
    for (uint32_t layer = 0; layer < p->info->layers; layer++)
        if (b->level && b->level[layer] != f->level[layer])
            set_level(p, f, layer, f->begun ? b->from : 0, b->level[layer]);
    f->begun = true;
    for (uint32_t i = 0; i < b->samples; i++)
        set_level(p, f, b->sample[i].layer, b->sample[i].at, b->sample[i].words);
}

void htmt__timeline_fill_draw(struct htmt__timeline_picture *p, struct htmt__timeline_fill *f,
                              uint32_t layer, double top)
{
    const uint64_t *most = f->most + (size_t)layer * HTMT__TIMELINE_PLOT;
    const uint64_t capacity = p->info->layer[layer].capacity;
    const double foot = top + HTMT__TIMELINE_FILL - 1;
    advance(f, layer, HTMT__TIMELINE_PLOT - 1);
    for (uint32_t i = 0, next; i < HTMT__TIMELINE_PLOT; i = next) {
        const double share = capacity ? (double)most[i] / (double)capacity : 0;
        const double height = (share < 1 ? share : 1) * (HTMT__TIMELINE_FILL - 4);
        const double x = p->axis.left + i;
        for (next = i + 1; next < HTMT__TIMELINE_PLOT && most[next] == most[i];)
            next++;
        if (!most[i])
            continue;
        htmt__sheet_box(p->sheet, x, foot - height, next - i, height, AREA);
        htmt__sheet_line(p->sheet, x, foot - height, p->axis.left + next, foot - height)->ink =
            EDGE;
    }
    double right = p->axis.left + HTMT__TIMELINE_PLOT;
    struct htmt__shape *full = htmt__sheet_line(p->sheet, p->axis.left, top + 3, right, top + 3);
    full->dashed = true;
    full->thick = 0.6;
    full->ink = HTMT__FADED;
}

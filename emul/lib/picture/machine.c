/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Layout. Layers are boxes below each other, the innermost one on top. Between two layers is a gap;
 * a network stands as a band in the gap next to which its layers lie, networks of one gap beside
 * each other. Between a band and a layer is a zone, high enough for the arrows of the channels and
 * their figures. So the height of the whole is known only when each band knows how many lines it
 * has: networks are placed first, then layers from the top, then all is drawn.
 *
 *     layer 0  (place 0)       CRAM
 *       zone                   out, in
 *     gap 1:   network         rti
 *       zone
 *     layer 1  (place 1)       SRAM
 */
#include "emul/lib/picture/machine.h"

#include "emul/lib/picture/machine_parts.h"
#include "emul/lib/text/format.h"

#include <stdlib.h>

#define TOP    112.0 /* below title and heads */
#define EMPTY  22.0  /* a gap without networks */
#define LEGEND 140.0 /* width of the scale of colours */

/* ---- places --------------------------------------------------------------------------------- */

/* Above its innermost layer but one; of a network with one layer above that. */
static unsigned find_gap(const struct htmt_machine *m, const struct htmt_network *n)
{
    unsigned first = HTMT_LAYERS_MAX, last = 0;
    for (uint32_t place = 0; place < m->layer_count; place++) {
        if (!htmt__machine_joins(n, htmt__machine_place(m, place)))
            continue;
        first = first == HTMT_LAYERS_MAX ? place : first;
        last = place;
    }
    return first == HTMT_LAYERS_MAX ? 0 : first == last ? first : first + 1;
}

/* Networks with a line around a layer come first: it reaches them on the left. */
static void place_networks(struct htmt__machine_picture *p)
{
    bool crowded = false;
    for (uint32_t i = 0; i < p->m->network_count; i++)
        p->gap[i] = find_gap(p->m, &p->m->network[i]);
    for (int far = 1; far >= 0; far--)
        for (uint32_t i = 0; i < p->m->network_count; i++)
            if (htmt__machine_is_far(p, i) == far)
                p->beside[i] = p->in_gap[p->gap[i]]++;
    for (uint32_t i = 0; i < p->m->network_count; i++) {
        double height = htmt__machine_band_height(p, i);
        double *band = &p->band_height[p->gap[i]];
        *band = height > *band ? height : *band;
        crowded |= p->in_gap[p->gap[i]] > 1;
    }
    p->zone = p->run && crowded ? 60 : 42;
}

/* Returns where the last layer ends. */
static double place_layers(struct htmt__machine_picture *p)
{
    double y = TOP;
    for (uint32_t place = 0; place < p->m->layer_count; place++) {
        p->gap_top[place] = y;
        if (p->in_gap[place])
            y += p->band_height[place] + p->zone * (place ? 2 : 1);
        else
            y += place ? EMPTY : 0;
        p->layer_top[place] = y;
        p->layer_height[place] = htmt__machine_layer_height(p, htmt__machine_place(p->m, place));
        y += p->layer_height[place];
    }
    return y;
}

/* ---- title, legend, sources ------------------------------------------------------------------ */

static void draw_head(struct htmt__machine_picture *p)
{
    struct htmt__sheet *s = p->sheet;
    struct htmt__shape *m = htmt__sheet_text(s, HTMT__MACHINE_LEFT, 34, "%s", p->m->name);
    m->bold = true;
    m->size = 20;
    m = htmt__sheet_text(s, HTMT__MACHINE_LEFT, 56, "%s", p->m->about);
    m->ink = HTMT__FADED;
    m->room = HTMT__MACHINE_END - HTMT__MACHINE_LEFT;
    htmt__sheet_text(s, HTMT__MACHINE_LEFT, 96, "Components and channels")->bold = true;
    htmt__sheet_text(s, HTMT__MACHINE_SLICE, 96, "A slice, added up")->bold = true;
    if (p->m->slices > 1)
        htmt__sheet_text(s, HTMT__MACHINE_ALL, 96, "All %s slices",
                         htmt__format_count(p->m->slices).s)
            ->bold = true;
}

static void draw_legend(struct htmt__machine_picture *p)
{
    struct htmt__sheet *s = p->sheet;
    double x = HTMT__MACHINE_END - LEGEND, y = 62;
    struct htmt__shape *m =
        htmt__sheet_text(s, HTMT__MACHINE_END, 34, "%s", htmt__machine_run_title(p->run));
    m->anchor = HTMT__ANCHOR_RIGHT;
    m->bold = true;
    m->room = 640;
    for (int i = 0; i < 10; i++)
        htmt__sheet_box(s, x + i * LEGEND / 10, y, LEGEND / 10, 12,
                        htmt__share_colour((i + 0.5) / 10));
    htmt__sheet_box(s, x, y, LEGEND, 12, HTMT__NO_COLOUR)->thick = 1;
    m = htmt__sheet_text(s, x - 8, y + 11, "in use, or full: 0 to 100 %%");
    m->anchor = HTMT__ANCHOR_RIGHT;
    m->size = HTMT__NOTE_SIZE;
}

static double list_sources(struct htmt__machine_picture *p, double y)
{
    if (!p->figures.sources)
        return y;
    htmt__sheet_text(p->sheet, HTMT__MACHINE_LEFT, y, "Sources")->bold = true;
    for (unsigned i = 0; i < p->figures.sources; i++) {
        y += 16;
        struct htmt__shape *m = htmt__sheet_text(p->sheet, HTMT__MACHINE_LEFT, y, "[%u] %s", i + 1,
                                                 p->figures.source[i]);
        m->size = HTMT__NOTE_SIZE;
        m->room = HTMT__MACHINE_END - HTMT__MACHINE_LEFT;
    }
    return y + 26;
}

int htmt__picture_machine(const struct htmt_machine *m, const struct htmt__machine_run *run,
                          struct htmt__sheet *sheet)
{
    struct htmt__machine_picture *p = calloc(1, sizeof *p);
    if (!p)
        return HTMT_ENOMEM;
    p->m = m;
    p->run = run;
    p->sheet = sheet;
    p->figures.machine = m;
    place_networks(p);
    double y = place_layers(p) + 34;
    draw_head(p);
    if (run)
        draw_legend(p);
    for (uint32_t place = 0; place < m->layer_count; place++) {
        for (uint32_t i = 0; i < m->network_count; i++)
            if (p->gap[i] == place)
                htmt__machine_draw_network(p, i);
        htmt__machine_draw_layer(p, place);
    }
    if (run)
        y = htmt__machine_list_limits(p, y);
    sheet->drawing.width = HTMT__MACHINE_WIDTH;
    sheet->drawing.height = list_sources(p, y);
    sheet->drawing.title = m->name;
    free(p);
    return sheet->failed ? HTMT_ENOMEM : 0;
}

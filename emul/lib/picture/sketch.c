/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coordinates are in cells, y downwards. Generated shapes are drawn as textbooks do: a mesh or
 * torus by its first two dimensions, the middle of long rows left out; the ends of a tree in a row
 * at the bottom, each switch above the middle of what it leads to; the stages of a butterfly in
 * columns; a fat tree by levels, a dragonfly's groups round a circle. A graph says where its
 * switches are. Its ends have no place, so each looks for the best of eight directions from its
 * switch: outwards, not along a link, not where another end is.
 */
#include "emul/lib/picture/sketch.h"

#include "layers/network/switch_graph.h"

#include <math.h>
#include <stdlib.h>

#define WHOLE      10 /* places of a row that are all shown */
#define HEAD       5  /* else so many first ones */
#define TAIL       2  /* and last ones */
#define ENDS_SHOWN 16 /* of a tree, butterfly or crossbar */
#define NAMED      20 /* ends with names */
#define AWAY       0.62
#define DIRECTIONS 8

static struct htmt__sketch_place *place_of(const struct htmt__sketch *s, uint32_t element)
{
    return &s->at[element];
}

static struct htmt__sketch_place *switch_place(const struct htmt__sketch *s, uint32_t number)
{
    return &s->at[s->t->ends + number];
}

static void put(struct htmt__sketch_place *p, double x, double y, bool seen)
{
    *p = (struct htmt__sketch_place){x, y, seen};
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* The cell of place i of a row; a long row has its middle left out. */
static double cell_of(uint32_t i, uint32_t extent, bool *seen)
{
    if (extent <= WHOLE || i < HEAD)
        return i;
    if (i + TAIL >= extent)
        return (double)HEAD + 1 + (double)(i + TAIL - extent);
    *seen = false;
    return HEAD;
}

static double cells(uint32_t extent)
{
    return extent <= WHOLE ? extent : HEAD + 1 + TAIL;
}

static void place_grid(struct htmt__sketch *s)
{
    const struct htmt__inside *in = &s->t->inside;
    uint32_t columns = in->shape[0], rows = in->dimensions > 1 ? in->shape[1] : 1;
    for (uint32_t i = 0; i < s->t->switches; i++) {
        bool seen = i / columns / rows == 0;
        double x = cell_of(i % columns, columns, &seen) + 0.5;
        double y = cell_of(i / columns % rows, rows, &seen) + 0.5;
        put(switch_place(s, i), x, y, seen);
        put(place_of(s, i), x + 0.3, y + 0.3, seen);
    }
    s->columns = cells(columns);
    s->rows = cells(rows);
}

/* ---- trees, butterflies, crossbars ----------------------------------------------------------- */

static uint32_t ends_shown(const struct htmt__sketch *s)
{
    return s->t->ends < ENDS_SHOWN ? s->t->ends : ENDS_SHOWN;
}

/* Above the middle of what it leads to, as far as that is shown. */
static void place_tree(struct htmt__sketch *s)
{
    uint32_t shown = ends_shown(s), arity = s->t->inside.shape[0], levels = s->t->inside.shape[1];
    uint32_t number = 0, below = arity;
    for (uint32_t i = 0; i < s->t->ends; i++)
        put(place_of(s, i), i + 0.5, levels + 0.5, i < shown);
    for (uint32_t level = 0; level < levels; level++, below *= arity)
        for (uint32_t i = 0; i < s->t->ends / below; i++, number++) {
            double first = (double)i * below, last = first + below;
            double middle = (first + (last < shown ? last : shown)) / 2;
            put(switch_place(s, number), first < shown ? middle : first, levels - level - 0.5,
                first < shown);
        }
    s->columns = shown;
    s->rows = levels + 1;
}

static void place_butterfly(struct htmt__sketch *s)
{
    uint32_t arity = s->t->inside.shape[0], levels = s->t->inside.shape[1];
    uint32_t stage = s->t->ends / arity, rows = ends_shown(s) / arity;
    rows = rows ? rows : 1;
    for (uint32_t i = 0; i < s->t->ends; i++)
        put(place_of(s, i), 0.4, (i + 0.5) / arity, i < rows * arity);
    for (uint32_t i = 0; i < s->t->switches; i++)
        put(switch_place(s, i), i / stage + 1.5, i % stage + 0.5, i % stage < rows);
    s->columns = levels + 2;
    s->rows = rows;
}

static void place_crossbar(struct htmt__sketch *s)
{
    uint32_t shown = ends_shown(s);
    for (uint32_t i = 0; i < s->t->ends; i++)
        put(place_of(s, i), i + 0.5, 1.5, i < shown);
    put(switch_place(s, 0), shown / 2.0, 0.5, true);
    s->columns = shown;
    s->rows = 2;
}

/* Of a Data Vortex: a column of nodes for each height, above its end. */
static void place_columns(struct htmt__sketch *s)
{
    const uint32_t shown = ends_shown(s);
    for (uint32_t i = 0; i < s->t->ends; i++) {
        put(place_of(s, i), i + 0.5, 1.5, i < shown);
        put(switch_place(s, i), i + 0.5, 0.5, i < shown);
    }
    s->columns = shown;
    s->rows = 2;
}

/* ---- topologies with several ways ------------------------------------------------------------ */

#define COLUMNS_SHOWN 32 /* switches of a level of a fat tree, or places of a row */

/* Levels in rows, the ends of each lowest switch below it. Levels of fewer switches are as wide. */
static void place_fat_tree(struct htmt__sketch *s)
{
    const struct htmt__inside *in = &s->t->inside;
    const uint32_t levels = htmt__fat_levels(in), leaves = s->t->ends / in->shape[0];
    const uint32_t shown = leaves < COLUMNS_SHOWN ? leaves : COLUMNS_SHOWN;
    for (uint32_t i = 0; i < s->t->ends; i++)
        put(place_of(s, i), (i + 0.5) / in->shape[0], levels + 0.5, i / in->shape[0] < shown);
    for (uint32_t level = 0; level < levels; level++) {
        const uint32_t first = htmt__fat_level(in, level).first;
        const uint32_t behind =
            level + 1 < levels ? htmt__fat_level(in, level + 1).first : s->t->switches;
        const double wide = (double)leaves / (behind - first);
        for (uint32_t i = first; i < behind; i++) {
            const double x = (i - first + 0.5) * wide;
            put(switch_place(s, i), x, levels - level - 0.5, x < shown);
        }
    }
    s->columns = shown;
    s->rows = levels + 1;
}

/* Groups round a circle, the switches of each round a smaller one, their ends outwards. */
static void place_dragonfly(struct htmt__sketch *s)
{
    const struct htmt__inside *in = &s->t->inside;
    const uint32_t a = in->shape[0], all = s->t->switches / a, own = in->per_switch;
    const uint32_t groups = all < ENDS_SHOWN ? all : ENDS_SHOWN;
    const double small = a / 6.0 + 0.4, great = groups * (small + 1.2) / M_PI,
                 side = great + small + 1;
    for (uint32_t i = 0; i < s->t->switches; i++) {
        const double round = 2 * M_PI * (i / a) / groups;
        const double turn = round + 2 * M_PI * (i % a) / a;
        const double x = side + great * cos(round) + small * cos(turn);
        const double y = side + great * sin(round) + small * sin(turn);
        put(switch_place(s, i), x, y, i / a < groups);
        for (uint32_t k = 0; k < own; k++) {
            const double to = turn + (k + 0.5 - own / 2.0) * 0.8;
            put(place_of(s, i * own + k), x + 0.4 * cos(to), y + 0.4 * sin(to), i / a < groups);
        }
    }
    s->columns = s->rows = 2 * side;
}

/* By the first dimension, and all others below each other; of a cube by halves of its dimensions.
 */
static void place_several(struct htmt__sketch *s)
{
    const struct htmt__inside *in = &s->t->inside;
    const bool cube = in->topology == HTMT__HYPERCUBE;
    const uint32_t columns = cube ? UINT32_C(1) << (in->shape[0] + 1) / 2 : in->shape[0];
    const uint32_t rows = s->t->switches / columns, own = in->per_switch;
    for (uint32_t i = 0; i < s->t->switches; i++) {
        const bool seen = i % columns < COLUMNS_SHOWN && i / columns < COLUMNS_SHOWN;
        const double x = i % columns + 0.5, y = i / columns + 0.5;
        put(switch_place(s, i), x, y, seen);
        for (uint32_t k = 0; k < own; k++)
            put(place_of(s, i * own + k), x + 0.2 + 0.2 * k / own, y + 0.4 - 0.2 * k / own, seen);
    }
    s->columns = columns < COLUMNS_SHOWN ? columns : COLUMNS_SHOWN;
    s->rows = rows < COLUMNS_SHOWN ? rows : COLUMNS_SHOWN;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Switches without a place stand in rows below the others. */
static void place_switches(struct htmt__sketch *s)
{
    const struct htmt__switch_graph *g = s->t->graph;
    double left = INFINITY, top = INFINITY, right = 0, bottom = 0;
    uint32_t loose = 0;
    for (uint32_t i = 0; i < g->switches; i++) {
        if (!g->at[i].placed)
            continue;
        left = fmin(left, g->at[i].at[0]);
        top = fmin(top, g->at[i].at[1]);
    }
    for (uint32_t i = 0; i < g->switches; i++)
        if (g->at[i].placed) {
            put(switch_place(s, i), g->at[i].at[0] - left, g->at[i].at[1] - top, true);
            right = fmax(right, g->at[i].at[0] - left);
            bottom = fmax(bottom, g->at[i].at[1] - top + 1);
        }
    for (uint32_t i = 0; i < g->switches; i++)
        if (!g->at[i].placed) {
            put(switch_place(s, i), loose % WHOLE, bottom + loose / WHOLE, true);
            right = fmax(right, loose++ % WHOLE);
        }
    s->columns = right + 1;
    s->rows = bottom + (loose ? (loose - 1) / WHOLE + 1 : 0);
}

/* How well an end of the switch stands in direction `way`: outwards, away from links, and from the
 * ends before it. */
static double rate_direction(const struct htmt__sketch *s, uint32_t element, unsigned way,
                             const bool *taken)
{
    const struct htmt__topology *t = s->t;
    const struct htmt__sketch_place *here = place_of(s, element);
    double x = cos(way * M_PI / 4), y = sin(way * M_PI / 4);
    double right = (here->x - (s->columns - 1) / 2) / s->columns;
    double below = (here->y - (s->rows - 1) / 2) / s->rows;
    double rate = 3 * x * right + y * below - (way % 2) * 0.1 - taken[way] * 100.0;
    for (uint32_t c = t->first[element]; c < t->first[element + 1]; c++) {
        const struct htmt__sketch_place *there = place_of(s, htmt__wire(t, c)->to);
        double dx = there->x - here->x, dy = there->y - here->y, length = hypot(dx, dy);
        if (htmt__wire(t, c)->to >= t->ends && length > 0 && (dx * x + dy * y) / length > 0.8)
            rate -= 10;
    }
    return rate;
}

static void place_ends_of(struct htmt__sketch *s, uint32_t element)
{
    const struct htmt__topology *t = s->t;
    bool taken[DIRECTIONS] = {0};
    for (uint32_t c = t->first[element]; c < t->first[element + 1]; c++) {
        unsigned best = 0;
        if (htmt__wire(t, c)->to >= t->ends)
            continue;
        for (unsigned way = 1; way < DIRECTIONS; way++)
            if (rate_direction(s, element, way, taken) > rate_direction(s, element, best, taken))
                best = way;
        taken[best] = true;
        put(place_of(s, htmt__wire(t, c)->to),
            place_of(s, element)->x + AWAY * cos(best * M_PI / 4),
            place_of(s, element)->y + AWAY * sin(best * M_PI / 4), true);
    }
}

static void place_graph(struct htmt__sketch *s)
{
    place_switches(s);
    for (uint32_t i = 0; i < s->t->switches; i++)
        place_ends_of(s, s->t->ends + i);
    for (uint32_t e = 0; e < s->t->ends + s->t->switches; e++) {
        s->at[e].x += 1 + AWAY / 2;
        s->at[e].y += AWAY + 0.35;
    }
    s->columns += 1 + AWAY;
    s->rows += 2 * AWAY - 0.3;
}

/* ---- all ------------------------------------------------------------------------------------- */

int htmt__sketch_create(const struct htmt__topology *t, struct htmt__sketch *s)
{
    static void (*const ways[])(struct htmt__sketch *) = {[HTMT__CROSSBAR] = place_crossbar,
                                                          [HTMT__MESH] = place_grid,
                                                          [HTMT__TORUS] = place_grid,
                                                          [HTMT__TREE] = place_tree,
                                                          [HTMT__BUTTERFLY] = place_butterfly,
                                                          [HTMT__FAT_TREE] = place_fat_tree,
                                                          [HTMT__DRAGONFLY] = place_dragonfly,
                                                          [HTMT__FLAT_BUTTERFLY] = place_several,
                                                          [HTMT__CONCENTRATED_MESH] = place_several,
                                                          [HTMT__HYPERCUBE] = place_several,
                                                          [HTMT__GRAPH] = place_graph,
                                                          [HTMT__DATA_VORTEX] = place_columns};
    *s = (struct htmt__sketch){.t = t, .names = t->graph && t->ends <= NAMED};
    s->at = calloc((size_t)t->ends + t->switches, sizeof *s->at);
    if (!s->at)
        return HTMT_ENOMEM;
    ways[t->inside.topology](s);
    for (uint32_t i = 0; i < t->switches; i++)
        s->shown += s->at[t->ends + i].seen;
    return 0;
}

void htmt__sketch_destroy(struct htmt__sketch *s)
{
    free(s->at);
    s->at = NULL;
}

/* Another switch stands on the line between the two. */
static bool is_hidden(const struct htmt__sketch *s, const struct htmt__sketch_place *a,
                      const struct htmt__sketch_place *b)
{
    double dx = b->x - a->x, dy = b->y - a->y;
    for (uint32_t i = 0; i < s->t->switches; i++) {
        const struct htmt__sketch_place *c = switch_place(s, i);
        double along = dx * (c->x - a->x) + dy * (c->y - a->y);
        double aside = dx * (c->y - a->y) - dy * (c->x - a->x);
        if (along > 0.01 && along < dx * dx + dy * dy - 0.01 && fabs(aside) < 0.01)
            return true;
    }
    return false;
}

bool htmt__sketch_leads_round(const struct htmt__sketch *s, const struct htmt__wire *w)
{
    const struct htmt__sketch_place *a = &s->at[w->from], *b = &s->at[w->to];
    if (s->t->inside.topology == HTMT__GRAPH)
        return w->from >= s->t->ends && w->to >= s->t->ends && is_hidden(s, a, b);
    return s->t->inside.topology == HTMT__TORUS && hypot(a->x - b->x, a->y - b->y) > 1.5;
}

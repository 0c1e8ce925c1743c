/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is inside a network: a sketch of its switches, links and ends, beside its figures.
 *
 * A link is a line between its elements, drawn once for both directions. Three kinds would mislead
 * as such a line. A wraparound link of a torus would run through all switches of its row, as may a
 * link of a graph; one whose other element is left out of the sketch has nowhere to go; a one-way
 * link to an end would look like a link of both ways. These are drawn as half-edges: a short dashed
 * line at each element that is seen, in the direction in which the link leaves. In a row of
 * switches 0 to 3, the link from 3 to 0 leaves 3 to the right and 0 to the left.
 *
 * With the results of a run, each port is drawn over its half of the link: the half at the element
 * that sends, and of a half-edge all of it. So both directions of a link have places of their own.
 */
#include "emul/lib/picture/machine_parts.h"
#include "emul/lib/picture/sketch.h"
#include "emul/lib/text/format.h"
#include "layers/network/switch_graph.h"
#include "layers/network/vortex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BESIDE    560.0 /* a band as wide has the sketch at the right of the figures */
#define TEXT      264.0 /* width of the figures then */
#define CELL_MOST 64.0
#define HIGH_MOST 330.0 /* of a sketch */
#define CAPTION   26.0
#define SMALL     10.0 /* size of names */
#define NAME      80.0 /* their width at most */
#define LINES     12
#define HALF_FROM 0.2 /* of a cell: where a half-edge begins, and */
#define HALF_TO   0.5 /* where it ends */
#define QUEUE     0.43

/* ---- figures --------------------------------------------------------------------------------- */

/* The keys of a line, below `inside`, and what stands before each. */
struct part {
    const char *before, *key;
};

static const struct part lines[LINES][4] = {
    {{"", "topology"}, {"", "graph"}, {"", "shape"}},
    {{"", "switching"}, {"", "routing"}},
    {{"packet ", "packet"}, {"header ", "header.fixed"}, {"a hop ", "header.hop"}},
    {{"rate ", "rate"}},
    {{"wire ", "wire"}, {"switch ", "switch"}, {"slot ", "slot"}, {"signal ", "signal"}},
    {{"control ", "control"}},
    {{"buffer ", "buffer"}, {"lanes ", "lanes"}},
    {{"planes ", "planes.count"}, {"", "planes.as"}},
    {{"set-up ", "setup"}},
    {{"route ", "route"}},
    {{"copy ", "copy"}, {"by ", "router"}},
    {{"blocked: ", "blocked"}, {"place ", "place"}}};

static struct htmt__phrase line_of(struct htmt__machine_picture *p, const char *network,
                                   const struct part part[4])
{
    struct htmt__phrase line = {""};
    for (unsigned i = 0; i < 4 && part[i].key; i++) {
        struct htmt__phrase f =
            htmt__figure(&p->figures, "networks.%s.inside.%s", network, part[i].key);
        if (*f.s)
            line = htmt__phrase("%.60s%s%s%.50s", line.s, *line.s ? ", " : "", part[i].before, f.s);
    }
    return line;
}

/* ---- size ------------------------------------------------------------------------------------ */

static double sketch_room(double band)
{
    return band >= BESIDE ? band - TEXT - 24 : band - 36;
}

/* As large as the room allows, names beside it, up to a height. */
static double cell_of(const struct htmt__sketch *s, double band)
{
    double room = sketch_room(band) - (s->names ? 2 * NAME : 0);
    double cell = fmin(CELL_MOST, room / s->columns);
    return fmin(cell, HIGH_MOST / s->rows);
}

/* Beside the figures of a wide band, below those of a narrow one. Sources are numbered only when
 * the figures are drawn. */
double htmt__machine_inside_height(const struct htmt__machine_picture *p, uint32_t network,
                                   double band)
{
    const struct htmt_network *n = &p->m->network[network];
    struct htmt__machine_picture quiet = *p;
    struct htmt__sketch s;
    double text = 0;
    for (unsigned i = 0; i < LINES; i++)
        if (*line_of(&quiet, n->name, lines[i]).s)
            text += HTMT__MACHINE_LINE;
    if (htmt__sketch_create(htmt__topology(n), &s))
        return text;
    double height = cell_of(&s, band) * s.rows + CAPTION;
    htmt__sketch_destroy(&s);
    return band >= BESIDE ? fmax(text, height - 2 * HTMT__MACHINE_LINE) : text + height;
}

/* ---- the sketch ------------------------------------------------------------------------------ */

struct drawing {
    struct htmt__sheet *sheet;
    const struct htmt__machine_run *run; /* NULL: none */
    const char *network;
    const struct htmt__sketch *s;
    double x, y, cell; /* its corner */
};

static double across(const struct drawing *d, double x)
{
    return d->x + x * d->cell;
}

static double down(const struct drawing *d, double y)
{
    return d->y + y * d->cell;
}

static void draw_line(const struct drawing *d, double x, double y, double to_x, double to_y,
                      bool dashed)
{
    struct htmt__shape *line =
        htmt__sheet_line(d->sheet, across(d, x), down(d, y), across(d, to_x), down(d, to_y));
    line->ink = HTMT__FADED;
    line->dashed = dashed;
}

/* A half-edge, from the rim of what stands at a place. */
static void draw_half_edge(const struct drawing *d, const struct htmt__sketch_place *from,
                           double dx, double dy)
{
    double length = hypot(dx, dy);
    if (length <= 0)
        return;
    double begin = HALF_FROM / length, end = HALF_TO / length;
    draw_line(d, from->x + begin * dx, from->y + begin * dy, from->x + end * dx, from->y + end * dy,
              true);
}

static void draw_link(const struct drawing *d, const struct htmt__wire *w)
{
    const struct htmt__sketch_place *a = &d->s->at[w->from], *b = &d->s->at[w->to];
    double dx = b->x - a->x, dy = b->y - a->y;
    if (a->seen && b->seen && htmt__sketch_leads_round(d->s, w)) {
        draw_half_edge(d, a, -dx, -dy);
        draw_half_edge(d, b, dx, dy);
    } else if (a->seen && b->seen && w->back == UINT32_MAX && w->to < d->s->t->ends) {
        draw_half_edge(d, a, 1, 0);
    } else if (a->seen && b->seen) {
        draw_line(d, a->x, a->y, b->x, b->y, false);
    } else if (a->seen) {
        draw_half_edge(d, a, dx, dy);
    } else if (b->seen) {
        draw_half_edge(d, b, -dx, -dy);
    }
}

/* Packets queue there; of small graphs. */
static void draw_queue(const struct drawing *d, double x, double y, uint64_t contentions)
{
    double side = fmin(15, 0.26 * d->cell);
    uint32_t fill = htmt__state_colour(HTMT__PALETTE_DEFAULT, HTMT__BLOCKS);
    htmt__sheet_box(d->sheet, across(d, x) - side / 2, down(d, y) - side / 2, side, side, fill)
        ->round = side / 2;
    struct htmt__shape *m = htmt__sheet_text(d->sheet, across(d, x), down(d, y) + 3.2, "%llu",
                                             (unsigned long long)contentions);
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->size = SMALL - 1;
    m->room = side + 2;
    m->rare = true;
    m->ink = htmt__text_colour(fill);
}

/* Over the half of its link at the element that sends, or all of a half-edge. */
static void draw_port(const struct drawing *d, uint32_t channel)
{
    const struct htmt__wire *w = htmt__wire(d->s->t, channel);
    const struct htmt__sketch_place *a = &d->s->at[w->from], *b = &d->s->at[w->to];
    const bool round = htmt__sketch_leads_round(d->s, w);
    const bool one_way = w->back == UINT32_MAX && w->to < d->s->t->ends;
    struct htmt__machine_port port;
    char name[96];
    htmt__topology_port_name(d->s->t, channel, name, sizeof name);
    if (!a->seen || !htmt__machine_run_port(d->run, d->network, name, &port))
        return;
    double dx = b->x - a->x, dy = b->y - a->y, whole = hypot(dx, dy);
    if (whole <= 0)
        return;
    double length = !b->seen || round || one_way ? fmin(HALF_TO, whole) : whole / 2;
    double x = (round ? -1 : 1) * (one_way ? 1 : dx / whole);
    double y = (round ? -1 : 1) * (one_way ? 0 : dy / whole);
    struct htmt__shape *line =
        htmt__sheet_line(d->sheet, across(d, a->x), down(d, a->y), across(d, a->x + length * x),
                         down(d, a->y + length * y));
    line->ink = htmt__share_colour(port.held);
    line->thick = fmin(6, 0.12 * d->cell);
    if (port.contentions && d->s->names)
        draw_queue(d, a->x + QUEUE * x, a->y + QUEUE * y, port.contentions);
}

static void draw_switch(const struct drawing *d, uint32_t number)
{
    const struct htmt__sketch_place *at = &d->s->at[d->s->t->ends + number];
    double side = fmin(26, 0.42 * d->cell);
    char name[HTMT__ELEMENT_NAME];
    if (!at->seen)
        return;
    htmt__sheet_box(d->sheet, across(d, at->x) - side / 2, down(d, at->y) - side / 2, side, side,
                    HTMT__PAPER)
        ->thick = 1.2;
    if (!d->s->t->graph || side < 14)
        return;
    htmt__topology_name(d->s->t, d->s->t->ends + number, name, sizeof name);
    struct htmt__shape *m =
        htmt__sheet_text(d->sheet, across(d, at->x), down(d, at->y) + 3.5, "%s", name);
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->size = SMALL - 1;
    m->room = side - 2;
    m->rare = true;
}

/* Beside the end, away from its switch; above or below it. */
static void draw_name(const struct drawing *d, uint32_t end)
{
    const struct htmt__sketch_place *at = &d->s->at[end];
    const struct htmt__sketch_place *sw = &d->s->at[htmt__wire(d->s->t, d->s->t->first[end])->to];
    int aside = at->x > sw->x + 0.01 ? 1 : at->x < sw->x - 0.01 ? -1 : 0;
    double y = down(d, at->y) + (aside ? 3.5 : at->y < sw->y ? -8 : 15);
    char name[HTMT__ELEMENT_NAME];
    htmt__topology_name(d->s->t, end, name, sizeof name);
    struct htmt__shape *m = htmt__sheet_text(d->sheet, across(d, at->x) + 7 * aside, y, "%s", name);
    m->anchor = aside < 0 ? HTMT__ANCHOR_RIGHT : aside ? HTMT__ANCHOR_LEFT : HTMT__ANCHOR_MIDDLE;
    m->size = SMALL;
    m->room = NAME;
}

static void draw_end(const struct drawing *d, uint32_t end)
{
    const struct htmt__sketch_place *at = &d->s->at[end];
    double side = fmin(10, 0.2 * d->cell);
    if (!at->seen)
        return;
    htmt__sheet_box(d->sheet, across(d, at->x) - side / 2, down(d, at->y) - side / 2, side, side,
                    0x4a7ba6)
        ->round = side / 2;
    if (d->s->names)
        draw_name(d, end);
}

/* By another one: columns of a Data Vortex have links of all angles side by side. */
static bool is_drawn(const struct htmt__topology *t, uint32_t channel)
{
    return t->inside.topology == HTMT__DATA_VORTEX &&
           (htmt__vortex_channel(&t->inside, channel).angle != 0 ||
            htmt__wire(t, channel)->from == htmt__wire(t, channel)->to);
}

/* Links, then what the run did in their ports, then switches and ends, then a caption. */
static void draw_sketch(const struct drawing *d)
{
    const struct htmt__topology *t = d->s->t;
    struct htmt__phrase cut = {""};
    for (uint32_t c = 0; c < t->channels; c++)
        if ((htmt__wire(t, c)->back == UINT32_MAX || htmt__wire(t, c)->back > c) && !is_drawn(t, c))
            draw_link(d, htmt__wire(t, c));
    for (uint32_t c = 0; d->run && c < t->channels; c++)
        draw_port(d, c);
    for (uint32_t i = 0; i < t->switches; i++)
        draw_switch(d, i);
    for (uint32_t i = 0; i < t->ends; i++)
        draw_end(d, i);
    if (d->s->shown != t->switches)
        cut = htmt__phrase(" (%s shown)", htmt__format_count(d->s->shown).s);
    struct htmt__shape *m =
        htmt__sheet_text(d->sheet, across(d, d->s->columns / 2), down(d, d->s->rows) + 21,
                         "%s switch%s%s, %s ends, %s channels", htmt__format_count(t->switches).s,
                         t->switches == 1 ? "" : "es", cut.s, htmt__format_count(t->ends).s,
                         htmt__format_count(t->channels).s);
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->size = HTMT__NOTE_SIZE;
    m->ink = HTMT__FADED;
}

double htmt__machine_draw_inside(struct htmt__machine_picture *p, uint32_t network, double x,
                                 double y, double band)
{
    const struct htmt_network *n = &p->m->network[network];
    const bool beside = band >= BESIDE;
    struct htmt__sketch s;
    double top = y, end = y + htmt__machine_inside_height(p, network, band);
    for (unsigned i = 0; i < LINES; i++) {
        struct htmt__phrase line = line_of(p, n->name, lines[i]);
        if (!*line.s)
            continue;
        htmt__machine_line(p, x + 18, y, beside ? TEXT - 24 : band - 36, line.s);
        y += HTMT__MACHINE_LINE;
    }
    if (htmt__sketch_create(htmt__topology(n), &s)) {
        p->sheet->failed = true;
        return end;
    }
    double cell = cell_of(&s, band), room = sketch_room(band), left = beside ? x + TEXT : x + 18;
    draw_sketch(&(struct drawing){p->sheet, p->run, n->name, &s,
                                  left + (room - cell * s.columns) / 2,
                                  beside ? top - 2 * HTMT__MACHINE_LINE + 6 : y + 2, cell});
    htmt__sketch_destroy(&s);
    return end;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network: a band, and the channels of the layers on it.
 *
 * A network has up to four things to show: a band with its name, times and inside; an arrow for
 * each direction of each layer next to its gap; a line around the layers between for those further
 * away; and on the right the rates of all channels, of a slice and of the machine. What the machine
 * file leaves open is said, in a fainter ink and with a dashed arrow.
 */
#include "emul/lib/picture/machine_parts.h"
#include "emul/lib/text/format.h"
#include "layers/network/topology.h"

#include <stdio.h>
#include <string.h>

#define BETWEEN 16.0
#define CHANNEL 12.0 /* width */
#define LANE    12.0 /* between networks that leave to the left */

struct band {
    uint32_t network;
    double x, width, top, height;
};

static double width_of(const struct htmt__machine_picture *p, uint32_t network)
{
    unsigned n = p->in_gap[p->gap[network]];
    return (HTMT__MACHINE_RIGHT - HTMT__MACHINE_LEFT - (n - 1) * BETWEEN) / n;
}

/* Layers next to the network have their channels drawn; others are lines to the left. */
static bool is_near(const struct htmt__machine_picture *p, uint32_t network, uint32_t place)
{
    return place == p->gap[network] || place + 1 == p->gap[network];
}

/* ---- the band ------------------------------------------------------------------------------- */

static bool is_inside(const struct htmt_figure *f, const char *network)
{
    char prefix[64];
    int n = snprintf(prefix, sizeof prefix, "networks.%s.inside.", network);
    return strncmp(f->key, prefix, (size_t)n) == 0;
}

/* Lines about the channels of far layers: their figures, and for each that the run used its use. */
static unsigned far_lines(const struct htmt__machine_picture *p, uint32_t network)
{
    const struct htmt_network *n = &p->m->network[network];
    unsigned lines = 0;
    for (uint32_t place = 0; place < p->m->layer_count; place++) {
        const uint32_t layer = htmt__machine_place(p->m, place);
        if (!htmt__machine_joins(n, layer) || is_near(p, network, place))
            continue;
        lines++;
        for (unsigned in = 0; in < 2 && p->run; in++)
            lines += htmt__machine_run_used(p->run,
                                            htmt__phrase("%s %s %s", n->name,
                                                         p->m->layer[layer].name, in ? "in" : "out")
                                                .s) > 0;
    }
    return lines;
}

bool htmt__machine_is_far(const struct htmt__machine_picture *p, uint32_t network)
{
    bool far = false;
    for (uint32_t place = 0; place < p->m->layer_count; place++)
        far |= htmt__machine_joins(&p->m->network[network], htmt__machine_place(p->m, place)) &&
               !is_near(p, network, place);
    return far;
}

double htmt__machine_band_height(const struct htmt__machine_picture *p, uint32_t network)
{
    unsigned lines = 2 + far_lines(p, network);
    if (htmt__topology(&p->m->network[network]))
        return 16 + lines * HTMT__MACHINE_LINE +
               htmt__machine_inside_height(p, network, width_of(p, network));
    for (uint32_t i = 0; i < p->m->figure_count; i++)
        lines += is_inside(&p->m->figure[i], p->m->network[network].name);
    return 12 + lines * HTMT__MACHINE_LINE;
}

/* Name, times and the inside; returns where the lines end. */
static double draw_band(struct htmt__machine_picture *p, const struct band *b)
{
    const struct htmt_network *n = &p->m->network[b->network];
    const double x = b->x + 18, room = b->width - 36;
    double y = b->top + 3;
    struct htmt__phrase line;
    struct htmt__shape *frame =
        htmt__sheet_box(p->sheet, b->x, b->top, b->width, b->height, 0xe8eef4);
    frame->thick = 1.5;
    frame->round = b->height < 60 ? b->height / 2 : 20;
    line =
        htmt__phrase("%s, %s", n->name, n->machine_wide ? "joins all slices" : "inside each slice");
    htmt__machine_line(p, x, y, room, line.s)->bold = true;
    y += HTMT__MACHINE_LINE;
    struct htmt__phrase latency = htmt__figure(&p->figures, "networks.%s.latency", n->name);
    struct htmt__phrase startup = htmt__figure(&p->figures, "networks.%s.startup", n->name);
    line = htmt__phrase("latency %s%s%s", *latency.s ? latency.s : "not modelled",
                        *startup.s ? ", start-up " : "", startup.s);
    htmt__machine_line(p, x, y, room, line.s);
    y += HTMT__MACHINE_LINE;
    if (htmt__topology(n))
        return htmt__machine_draw_inside(p, b->network, b->x, y, b->width);
    for (uint32_t i = 0; i < p->m->figure_count; i++) {
        const struct htmt_figure *f = &p->m->figure[i];
        if (!is_inside(f, n->name))
            continue;
        line = htmt__phrase("%s %s", strrchr(f->key, '.') + 1,
                            htmt__figure(&p->figures, "%s", f->key).s);
        htmt__machine_line(p, x, y, room, line.s);
        y += HTMT__MACHINE_LINE;
    }
    return y;
}

/* ---- channels ------------------------------------------------------------------------------- */

/* One direction of a port. */
struct channel {
    const struct band *band;
    uint32_t layer;
    bool in;
    double x, top;
    bool downwards;
};

struct description {
    struct htmt__phrase count, rate; /* "out: 2 [1]", "3 Gword/s [2]"; rate empty: none */
};

static struct description describe_channel(struct htmt__machine_picture *p, const struct channel *c)
{
    const char *network = p->m->network[c->band->network].name, *way = c->in ? "in" : "out";
    const char *layer = p->m->layer[c->layer].name;
    struct htmt__cited *f = &p->figures;
    struct description d = {htmt__figure(f, "networks.%s.ports.%s.%s", network, layer, way),
                            htmt__figure(f, "networks.%s.ports.%s.%s-rate", network, layer, way)};
    if (!*d.count.s)
        return (struct description){htmt__phrase("%s: not modelled", way), {""}};
    d.count = htmt__phrase("%s: %s", way, d.count.s);
    if (!*d.rate.s)
        d.rate = htmt__phrase("rate not modelled");
    return d;
}

static struct htmt__phrase in_one_line(const struct description *d)
{
    return htmt__phrase("%s%s%s", d->count.s, *d->rate.s ? " \u00d7 " : "", d->rate.s);
}

/* The resource of the run: "vortex dram out". */
static struct htmt__phrase name_of(const struct htmt__machine_picture *p, const struct channel *c)
{
    return htmt__phrase("%s %s %s", p->m->network[c->band->network].name,
                        p->m->layer[c->layer].name, c->in ? "in" : "out");
}

/* How much of the time it was in use. */
static void draw_use(struct htmt__machine_picture *p, const struct channel *c, double room)
{
    struct htmt__phrase name = name_of(p, c);
    double used = htmt__machine_run_used(p->run, name.s);
    if (used < 0)
        return;
    htmt__sheet_box(p->sheet, c->x - CHANNEL / 2, c->top, CHANNEL, p->zone,
                    htmt__share_colour(used))
        ->thick = 1;
    struct htmt__shape *m = htmt__sheet_text(p->sheet, c->x + 14, c->top + p->zone - 8, "in use %s",
                                             htmt__format_share(used).s);
    m->bold = true;
    m->room = room;
    htmt__machine_badge(p, c->x + 116, c->top + p->zone - 21, name.s, false);
}

/* An arrow with its figures, which take two lines where networks stand beside each other. */
static void draw_channel(struct htmt__machine_picture *p, const struct channel *c, double room)
{
    const struct htmt_port *port = &p->m->network[c->band->network].port[c->layer];
    const bool modelled = (c->in ? port->in : port->out) > 0;
    const uint32_t ink = modelled ? HTMT__INK : HTMT__FADED;
    double bottom = c->top + p->zone;
    if (p->run && modelled)
        draw_use(p, c, room);
    struct htmt__shape *arrow = htmt__sheet_line(p->sheet, c->x, c->downwards ? c->top : bottom,
                                                 c->x, c->downwards ? bottom : c->top);
    arrow->head = true;
    arrow->thick = 1.5;
    arrow->dashed = !modelled;
    struct description d = describe_channel(p, c);
    bool split = p->in_gap[p->gap[c->band->network]] > 1 && *d.rate.s;
    double y = c->top + (p->run || split ? 2 : p->zone / 2 - 11);
    struct htmt__phrase first = split ? htmt__phrase("%s \u00d7", d.count.s) : in_one_line(&d);
    htmt__machine_line(p, c->x + 14, y, room, first.s)->ink = ink;
    if (split)
        htmt__machine_line(p, c->x + 14, y + HTMT__MACHINE_LINE, room, d.rate.s)->ink = ink;
}

/* A layer below sends upwards. */
static void draw_port(struct htmt__machine_picture *p, const struct band *b, uint32_t place)
{
    bool below = place == p->gap[b->network];
    double half = b->width / 2;
    struct channel c = {.band = b,
                        .layer = htmt__machine_place(p->m, place),
                        .x = b->x + 24,
                        .top = below ? b->top + b->height : b->top - p->zone,
                        .downwards = !below};
    draw_channel(p, &c, half - 34);
    c.in = true;
    c.x += half;
    c.downwards = below;
    draw_channel(p, &c, half - 44);
}

/* ---- layers further away -------------------------------------------------------------------- */

/* A line around the layers between, and lines of text in the band: figures, and use in a run.
 * Returns where these end. */
static double draw_far(struct htmt__machine_picture *p, const struct band *b, uint32_t place,
                       double y)
{
    double lane = HTMT__MACHINE_LEFT - 20 - LANE * (b->network % 4);
    double from = p->layer_top[place] + p->layer_height[place] / 2 + 4 * b->network;
    double to = b->top + b->height / 2;
    struct channel c = {.band = b, .layer = htmt__machine_place(p->m, place)};
    htmt__sheet_line(p->sheet, lane, from, lane, to);
    htmt__sheet_line(p->sheet, lane, from, HTMT__MACHINE_LEFT, from)->head = true;
    htmt__sheet_line(p->sheet, lane, to, b->x, to)->head = true;
    struct description out = describe_channel(p, &c);
    c.in = true;
    struct description in = describe_channel(p, &c);
    struct htmt__phrase line = htmt__phrase("%s %s, %s", p->m->layer[c.layer].name,
                                            in_one_line(&out).s, in_one_line(&in).s);
    htmt__machine_line(p, b->x + 18, y, b->width - 36, line.s);
    for (unsigned i = 0; i < 2 && p->run; i++) {
        c.in = i;
        struct htmt__phrase name = name_of(p, &c);
        const double used = htmt__machine_run_used(p->run, name.s);
        if (used <= 0)
            continue;
        y += HTMT__MACHINE_LINE;
        line = htmt__phrase("%s %s: in use %s", p->m->layer[c.layer].name, i ? "in" : "out",
                            htmt__format_share(used).s);
        htmt__machine_line(p, b->x + 18, y, b->width - 60, line.s)->bold = true;
        htmt__machine_badge(p, b->x + b->width - 36, y + 1, name.s, false);
    }
    return y + HTMT__MACHINE_LINE;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void draw_sum(struct htmt__machine_picture *p, const struct band *b, double x, double y,
                     double room, uint64_t slices, uint32_t layer, bool in)
{
    const struct htmt_port *port = &p->m->network[b->network].port[layer];
    const char *memory = p->m->layer[layer].memory.name;
    struct htmt__phrase rate = htmt__rate_phrase(slices * (in ? port->in : port->out),
                                                 in ? port->in_word : port->out_word);
    if (!*rate.s)
        return;
    struct htmt__shape *m =
        htmt__sheet_text(p->sheet, x + 12, y, "%s %s %s", rate.s, in ? "into" : "from", memory);
    m->size = HTMT__NOTE_SIZE;
    m->room = room;
}

/* The sums of the layers' channels, one below the other around the band's middle. */
static void draw_sums(struct htmt__machine_picture *p, const struct band *b)
{
    const struct htmt_network *n = &p->m->network[b->network];
    unsigned shown = 0;
    double pitch = 14,
           first = b->top + (p->gap[b->network] ? -8 : 22) + p->beside[b->network] * 4 * pitch;
    for (uint32_t place = 0; place < p->m->layer_count; place++)
        for (unsigned in = 0; in < 2; in++) {
            uint32_t layer = htmt__machine_place(p->m, place);
            const struct htmt_ratio word = in ? n->port[layer].in_word : n->port[layer].out_word;
            if (!word.num || !(in ? n->port[layer].in : n->port[layer].out))
                continue;
            double y = first + pitch * shown++;
            draw_sum(p, b, HTMT__MACHINE_SLICE, y, 176, 1, layer, in);
            if (p->m->slices > 1)
                draw_sum(p, b, HTMT__MACHINE_ALL, y, HTMT__MACHINE_END - HTMT__MACHINE_ALL - 16,
                         p->m->slices, layer, in);
        }
}

void htmt__machine_draw_network(struct htmt__machine_picture *p, uint32_t network)
{
    unsigned gap = p->gap[network];
    const double width = width_of(p, network);
    const struct band b = {.network = network,
                           .x = HTMT__MACHINE_LEFT + p->beside[network] * (width + BETWEEN),
                           .width = width,
                           .top = p->gap_top[gap] + (gap ? p->zone : 0),
                           .height = p->band_height[gap]};
    double y = draw_band(p, &b);
    for (uint32_t place = 0; place < p->m->layer_count; place++) {
        if (!htmt__machine_joins(&p->m->network[network], htmt__machine_place(p->m, place)))
            continue;
        if (is_near(p, network, place)) {
            draw_port(p, &b, place);
            continue;
        }
        y = draw_far(p, &b, place, y);
    }
    draw_sums(p, &b);
}

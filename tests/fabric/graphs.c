/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fabric/graphs.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct htmt__next htmt__route_next(const struct htmt__topology *t, uint32_t element,
                                   const struct htmt__bound *bound)
{
    const struct graph *g = t->routes;
    const uint32_t lane = g->deals ? (bound->source + bound->target) % t->inside.lanes : 0;
    if (bound->route && element >= t->ends)
        return (struct htmt__next){t->first[element] + bound->route[bound->hops - 1], lane};
    if (element < t->ends)
        return (struct htmt__next){t->first[element], lane};
    struct htmt__next next = g->next(g, element, bound);
    next.lane += lane;
    return next;
}

uint32_t htmt__route_ways(const struct htmt__topology *t, uint32_t element,
                          const struct htmt__bound *bound, struct htmt__allowed *way)
{
    *way = (struct htmt__allowed){htmt__route_next(t, element, bound), 1, 0, true};
    return way->next.channel != UINT32_MAX;
}

bool htmt__route_chooses(const struct htmt__topology *t)
{
    (void)t;
    return false;
}

bool htmt__route_has_many(const struct htmt__inside *inside)
{
    (void)inside;
    return false;
}

uint32_t htmt__route_classes(const struct htmt__inside *inside)
{
    (void)inside;
    return 1;
}

uint32_t htmt__route_path(const struct htmt__topology *t, uint32_t source, uint32_t target,
                          const uint16_t *route, uint32_t *channel, uint32_t room)
{
    struct htmt__bound b = {source, target, route, 0, UINT32_MAX, 0, 0};
    uint32_t element = source;
    do {
        const struct htmt__next next = htmt__route_next(t, element, &b);
        if (channel && b.hops < room)
            channel[b.hops] = next.channel;
        b.hops++;
        b.channel = next.channel;
        b.lane = next.lane;
        element = t->wire[next.channel].to;
    } while (element != target);
    return b.hops - 1;
}

bool htmt__route_straight(const struct htmt__topology *t, uint32_t channel,
                          struct htmt__straight *straight)
{
    (void)t, (void)channel, (void)straight;
    return false;
}

int32_t htmt__route_coordinate(const struct htmt__topology *t, uint32_t end, uint32_t dimension)
{
    (void)t, (void)end, (void)dimension;
    return 0;
}

static struct htmt__next by_table(const struct graph *g, uint32_t element,
                                  const struct htmt__bound *bound)
{
    return (struct htmt__next){g->table[element * g->t.ends + bound->target], 0};
}

static void *array(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    cr_assert_not_null(p);
    return p;
}

struct graph *graph_create(uint32_t ends, uint32_t switches, const struct htmt__inside *inside)
{
    struct graph *g = array(1, sizeof *g);
    const uint32_t elements = ends + switches;
    g->t.inside = *inside;
    g->t.ends = ends;
    g->t.switches = switches;
    g->t.first = array(elements + 1, sizeof *g->t.first);
    g->t.owner = array(elements, sizeof *g->t.owner);
    g->t.into = array(ends, sizeof *g->t.into);
    g->t.end_of = array(ends, sizeof *g->t.end_of);
    g->t.slice_of = array(ends, sizeof *g->t.slice_of);
    for (uint32_t e = 0; e < ends; e++)
        g->t.owner[e] = g->t.end_of[e] = g->t.slice_of[e] = e;
    g->t.routes = g;
    g->next = by_table;
    return g;
}

void graph_destroy(struct graph *g)
{
    free(g->t.first);
    free(g->t.wire);
    free(g->t.into);
    free(g->t.end_of);
    free(g->t.slice_of);
    free(g->t.owner);
    free(g->table);
    free(g);
}

uint32_t graph_lead(struct graph *g, uint32_t a, uint32_t b)
{
    if (g->t.channels == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        g->t.wire = realloc(g->t.wire, g->room * sizeof *g->t.wire);
        cr_assert_not_null(g->t.wire);
    }
    const struct htmt__inside *i = &g->t.inside;
    g->t.wire[g->t.channels] = (struct htmt__wire){
        .from = a, .to = b, .back = UINT32_MAX, .byte = i->byte, .wire = i->wire};
    return g->t.channels++;
}

uint32_t graph_join(struct graph *g, uint32_t a, uint32_t b)
{
    const uint32_t c = graph_lead(g, a, b);
    graph_lead(g, b, a);
    return c;
}

/* Those of an element stay in the order in which they were joined. */
static void sort(struct graph *g)
{
    struct htmt__wire *sorted = array(g->t.channels, sizeof *sorted);
    uint32_t n = 0;
    for (uint32_t e = 0; e < g->t.ends + g->t.switches; e++) {
        g->t.first[e] = n;
        for (uint32_t c = 0; c < g->t.channels; c++)
            if (g->t.wire[c].from == e)
                sorted[n++] = g->t.wire[c];
    }
    g->t.first[g->t.ends + g->t.switches] = n;
    free(g->t.wire);
    g->t.wire = sorted;
}

/* Backwards from the target, breadth first. */
static void find_ways(struct graph *g, uint32_t target)
{
    const uint32_t elements = g->t.ends + g->t.switches;
    uint32_t *line = array(elements, sizeof *line), begin = 0, end = 0;
    line[end++] = target;
    for (; begin < end; begin++)
        for (uint32_t c = 0; c < g->t.channels; c++) {
            const struct htmt__wire *w = &g->t.wire[c];
            uint32_t *entry = &g->table[w->from * g->t.ends + target];
            if (w->to != line[begin] || *entry != UINT32_MAX || w->from == target)
                continue;
            *entry = c;
            if (w->from >= g->t.ends)
                line[end++] = w->from;
        }
    free(line);
}

void graph_done(struct graph *g)
{
    sort(g);
    for (uint32_t c = 0; c < g->t.channels; c++) {
        struct htmt__wire *w = &g->t.wire[c];
        w->port = c - g->t.first[w->from];
        if (w->to < g->t.ends)
            g->t.into[w->to] = c;
    }
    const size_t n = (size_t)(g->t.ends + g->t.switches) * g->t.ends;
    if (g->next != by_table)
        return;
    g->table = array(n, sizeof *g->table);
    for (size_t i = 0; i < n; i++)
        g->table[i] = UINT32_MAX;
    for (uint32_t e = 0; e < g->t.ends; e++)
        find_ways(g, e);
}

uint32_t graph_channel(const struct graph *g, uint32_t a, uint32_t b)
{
    for (uint32_t c = g->t.first[a]; c < g->t.first[a + 1]; c++)
        if (g->t.wire[c].to == b)
            return c;
    return UINT32_MAX;
}

struct graph *graph_line(uint32_t n, const struct htmt__inside *inside)
{
    struct graph *g = graph_create(2, n, inside);
    uint32_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        graph_join(g, last, 2 + i);
        last = 2 + i;
    }
    graph_join(g, last, 1);
    graph_done(g);
    return g;
}

struct graph *graph_ring(uint32_t n, const struct htmt__inside *inside)
{
    struct graph *g = graph_create(n, n, inside);
    for (uint32_t i = 0; i < n; i++) {
        graph_join(g, i, n + i);
        graph_lead(g, n + i, n + (i + 1) % n);
    }
    graph_done(g);
    return g;
}

struct graph *graph_star(uint32_t ends, const struct htmt__inside *inside)
{
    struct graph *g = graph_create(ends, 1, inside);
    for (uint32_t i = 0; i < ends; i++)
        graph_join(g, i, ends);
    graph_done(g);
    return g;
}

/* Ports of a switch: its end, then +x, -x, +y, -y, as far as they are there. */
static struct htmt__next towards(const struct graph *g, uint32_t element, uint32_t x, uint32_t y,
                                 uint32_t lane)
{
    return (struct htmt__next){graph_channel(g, element, g->t.ends + y * g->x + x), lane};
}

static struct htmt__next xy(const struct graph *g, uint32_t element,
                            const struct htmt__bound *bound)
{
    const uint32_t at = element - g->t.ends, x = at % g->x, y = at / g->x;
    const uint32_t to_x = bound->target % g->x, to_y = bound->target / g->x;
    if (x != to_x)
        return towards(g, element, x < to_x ? x + 1 : x - 1, y, 0);
    if (y != to_y)
        return towards(g, element, x, y < to_y ? y + 1 : y - 1, 0);
    return (struct htmt__next){g->t.into[bound->target], 0};
}

struct graph *graph_mesh(uint32_t x, uint32_t y, const struct htmt__inside *inside)
{
    const uint32_t n = x * y;
    struct graph *g = graph_create(n, n, inside);
    g->x = x;
    g->y = y;
    g->next = xy;
    for (uint32_t i = 0; i < n; i++) {
        graph_join(g, i, n + i);
        if (i % x + 1 < x)
            graph_join(g, n + i, n + i + 1);
        if (i / x + 1 < y)
            graph_join(g, n + i, n + i + x);
    }
    graph_done(g);
    return g;
}

/* The next place on a circle of n, the shorter way round; whether it is behind the wrap. */
static uint32_t step(uint32_t from, uint32_t to, uint32_t n, bool *wraps)
{
    const bool up = (to + n - from) % n <= n / 2;
    *wraps = up ? from + 1 == n : from == 0;
    return (from + (up ? 1 : n - 1)) % n;
}

/* Whether the channel that it came by leads along x (y: over a whole row). */
static bool came_along(const struct graph *g, uint32_t channel, bool x)
{
    const struct htmt__wire *w = &g->t.wire[channel];
    if (w->from < g->t.ends)
        return false;
    const uint32_t a = (w->from - g->t.ends) / g->x, b = (w->to - g->t.ends) / g->x;
    return (a == b) == x;
}

static struct htmt__next by_dimension(const struct graph *g, uint32_t element,
                                      const struct htmt__bound *bound)
{
    const uint32_t at = element - g->t.ends, x = at % g->x, y = at / g->x;
    const uint32_t to_x = bound->target % g->x, to_y = bound->target / g->x;
    bool wraps = false;
    if (x == to_x && y == to_y)
        return (struct htmt__next){g->t.into[bound->target], 0};
    const bool along_x = x != to_x;
    const uint32_t next = along_x ? step(x, to_x, g->x, &wraps) : step(y, to_y, g->y, &wraps);
    const uint32_t lane = came_along(g, bound->channel, along_x) ? bound->lane : 0;
    return towards(g, element, along_x ? next : x, along_x ? y : next, wraps ? 1 : lane);
}

struct graph *graph_torus(uint32_t x, uint32_t y, const struct htmt__inside *inside)
{
    const uint32_t n = x * y;
    struct graph *g = graph_create(n, n, inside);
    g->x = x;
    g->y = y;
    g->next = by_dimension;
    for (uint32_t i = 0; i < n; i++) {
        graph_join(g, i, n + i);
        graph_join(g, n + i, n + i / x * x + (i + 1) % x);
        if (y > 1)
            graph_join(g, n + i, n + (i + x) % n);
    }
    graph_done(g);
    return g;
}

void graph_deal(struct graph *g, uint32_t step)
{
    for (uint32_t s = 0; s < g->t.switches; s++)
        g->t.owner[g->t.ends + s] = s * step % g->t.ends;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The routings. Those of grids reckon with places; those of graphs look up tables that lead from
 * each switch to each switch. A tree and a butterfly have one way a pair, whatever the routing.
 */
#include "layers/network/routing.h"

#include "layers/network/wiring.h"

#include <stdlib.h>
#include <string.h>

#define NONE    UINT32_MAX
#define NO_PORT UINT16_MAX
#define FAR     UINT16_MAX
#define OPEN    (UINT32_C(1) << 30) /* no way round is shorter */

struct way {
    const struct htmt__topology *t;
    const struct htmt__bound *bound;
    uint32_t element, at; /* the switch, and its number among switches */
};

typedef struct htmt__next next_of(const struct way *w);

/* How the ways of a routing are prepared, and found. */
struct row {
    int (*prepare)(struct htmt__topology *t);
    next_of *next;
};

struct routes {
    const struct row *row;
    uint32_t groups;                   /* of lanes: a pair of ends keeps to one */
    uint32_t *home;                    /* of an end: its switch's number; NULL: its own */
    uint32_t dimensions;               /* of places; 0: none */
    uint32_t extent[HTMT__DIMENSIONS]; /* OPEN: no ring closes in this dimension */
    int32_t *place;                    /* of a switch: `dimensions` coordinates */
    uint32_t *step;                    /* of a switch: the channel on and back in each dimension */
    /* Of graphs, by switch * switches + target's switch. */
    uint16_t *channel[2]; /* behind first[]: on the way, and once the way leads down */
    uint16_t *hops;
    uint16_t *depth; /* up-down: of a switch, from the root */
};

static const struct routes *routes_of(const struct htmt__topology *t)
{
    return t->routes;
}

static uint32_t home(const struct routes *r, uint32_t end)
{
    return r->home ? r->home[end] : end;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static uint32_t lane_of(const struct routes *r, const struct htmt__bound *b)
{
    return r->groups == 1 ? 0 : (b->source + b->target) % r->groups;
}

static struct htmt__next on(const struct way *w, uint32_t channel)
{
    return (struct htmt__next){channel, lane_of(routes_of(w->t), w->bound)};
}

/* ---- grids ----------------------------------------------------------------------------------- */

static struct htmt__next next_xy(const struct way *w)
{
    const struct routes *r = routes_of(w->t);
    uint32_t n = r->dimensions;
    const int32_t *here = r->place + (size_t)w->at * n;
    const int32_t *there = r->place + (size_t)home(r, w->bound->target) * n;
    for (uint32_t d = 0; d < n; d++)
        if (here[d] != there[d])
            return on(w, r->step[(size_t)w->at * 2 * n + 2 * d + (there[d] < here[d])]);
    return on(w, w->t->into[w->bound->target]);
}

/* The same of a generated grid of two dimensions, whose switch `at` stands at end `at`. */
static struct htmt__next next_xy_plane(const struct way *w)
{
    const struct routes *r = routes_of(w->t);
    const int32_t *here = r->place + (size_t)w->at * 2;
    const int32_t *there = r->place + (size_t)w->bound->target * 2;
    int32_t x = there[0] - here[0], y = there[1] - here[1];
    uint32_t port = x ? x < 0 : 2 + (uint32_t)(y < 0);
    if (__builtin_expect(w->at == w->bound->target, 0))
        return on(w, w->t->into[w->bound->target]);
    return on(w, r->step[(size_t)w->at * 4 + port]);
}

/* The shorter way round leads on: of two alike this one. */
static bool leads_on(int32_t from, int32_t to, uint32_t extent)
{
    uint32_t ahead = (uint32_t)(to < from ? to - from + (int32_t)extent : to - from);
    return 2 * ahead <= extent;
}

/* Has passed from the last place of the ring to the first one, or back. */
static bool has_wrapped(int32_t start, int32_t here, bool forward)
{
    return forward ? here < start : here > start;
}

static struct htmt__next next_around(const struct way *w, bool dateline)
{
    const struct routes *r = routes_of(w->t);
    uint32_t n = r->dimensions;
    const int32_t *here = r->place + (size_t)w->at * n;
    const int32_t *there = r->place + (size_t)home(r, w->bound->target) * n;
    const int32_t *start = r->place + (size_t)home(r, w->bound->source) * n;
    for (uint32_t d = 0; d < n; d++) {
        if (here[d] == there[d])
            continue;
        bool forward = leads_on(start[d], there[d], r->extent[d]);
        struct htmt__next next = on(w, r->step[(size_t)w->at * 2 * n + 2 * d + !forward]);
        if (dateline)
            next.lane = 2 * next.lane + has_wrapped(start[d], here[d], forward);
        return next;
    }
    struct htmt__next next = on(w, w->t->into[w->bound->target]);
    next.lane <<= dateline;
    return next;
}

static struct htmt__next next_torus(const struct way *w)
{
    return next_around(w, true);
}

static struct htmt__next next_around_shortest(const struct way *w)
{
    return next_around(w, false);
}

/* ---- geometric ------------------------------------------------------------------------------- */

/* A straight line from the source's place, by the vector to the target's place. */
struct line {
    uint32_t dimensions;
    int64_t along[HTMT__DIMENSIONS], gone[HTMT__DIMENSIONS];
};

/* |gone x along|^2: the square of the distance from the line, times the square of its length; in a
 * plane without the squares. */
static htmt_wide off_line(const struct line *l)
{
    htmt_wide a = 0, g = 0, both = 0;
    if (l->dimensions == 2)
        return llabs(l->gone[0] * l->along[1] - l->gone[1] * l->along[0]);
    for (uint32_t d = 0; d < l->dimensions; d++) {
        a += l->along[d] * l->along[d];
        g += l->gone[d] * l->gone[d];
        both += l->along[d] * l->gone[d];
    }
    return a * g - both * both;
}

/* From one place to another; round a torus the shorter way. */
static int64_t leg(const struct htmt__topology *t, uint32_t d, int32_t from, int32_t to)
{
    const struct routes *r = t->routes;
    int64_t extent = r->extent[d], straight = (int64_t)to - from;
    if (t->inside.topology != HTMT__TORUS)
        return straight;
    bool forward = leads_on(from, to, r->extent[d]);
    return forward ? (straight + extent) % extent : (straight - extent) % extent;
}

/* What is gone of the line, in its direction. */
static int64_t gone(const struct htmt__topology *t, uint32_t d, int64_t along, int32_t from,
                    int32_t here)
{
    const struct routes *r = t->routes;
    int64_t extent = r->extent[d], straight = (int64_t)here - from;
    if (t->inside.topology != HTMT__TORUS)
        return straight;
    return along >= 0 ? (straight + extent) % extent : (straight - extent) % extent;
}

static struct line line_of(const struct way *w)
{
    const struct routes *r = routes_of(w->t);
    struct line l = {.dimensions = r->dimensions};
    const int32_t *here = r->place + (size_t)w->at * l.dimensions;
    const int32_t *there = r->place + (size_t)home(r, w->bound->target) * l.dimensions;
    const int32_t *start = r->place + (size_t)home(r, w->bound->source) * l.dimensions;
    for (uint32_t d = 0; d < l.dimensions; d++) {
        l.along[d] = leg(w->t, d, start[d], there[d]);
        l.gone[d] = gone(w->t, d, l.along[d], start[d], here[d]);
    }
    return l;
}

static struct htmt__next next_geometric(const struct way *w)
{
    const struct routes *r = routes_of(w->t);
    struct line l = line_of(w);
    uint32_t best = w->t->into[w->bound->target];
    htmt_wide least = -1;
    for (uint32_t d = 0; d < l.dimensions; d++) {
        int64_t step = l.along[d] < 0 ? -1 : 1;
        if (l.gone[d] == l.along[d])
            continue;
        l.gone[d] += step;
        htmt_wide off = off_line(&l);
        l.gone[d] -= step;
        if (least >= 0 && off >= least)
            continue;
        least = off;
        best = r->step[((size_t)w->at * l.dimensions + d) * 2 + (step < 0)];
    }
    return on(w, best);
}

/* Among the neighbours that are nearer by links, the one nearest to the line. */
static struct htmt__next next_geometric_graph(const struct way *w)
{
    const struct htmt__topology *t = w->t;
    const struct routes *r = routes_of(t);
    uint32_t target = home(r, w->bound->target), best = NONE;
    htmt_wide least = -1;
    if (w->at == target)
        return on(w, t->into[w->bound->target]);
    for (uint32_t c = t->first[w->element]; c < t->first[w->element + 1]; c++) {
        if (t->wire[c].to < t->ends)
            continue;
        struct way there = {t, w->bound, t->wire[c].to, t->wire[c].to - t->ends};
        if (r->hops[(size_t)there.at * t->switches + target] + 1 !=
            r->hops[(size_t)w->at * t->switches + target])
            continue;
        struct line l = line_of(&there);
        htmt_wide off = off_line(&l);
        if (least >= 0 && off >= least)
            continue;
        least = off;
        best = c;
    }
    return on(w, best);
}

/* ---- one way a pair -------------------------------------------------------------------------- */

static struct htmt__next next_crossbar(const struct way *w)
{
    return on(w, w->t->into[w->bound->target]);
}

/* step[level]: how many ends a child of a switch of that level has below; place: the level. */
static struct htmt__next next_tree(const struct way *w)
{
    const struct routes *r = routes_of(w->t);
    uint32_t arity = w->t->inside.shape[0], level = (uint32_t)r->place[w->at];
    uint32_t below = r->step[level], child = w->bound->target / below;
    bool down = child / arity == w->at - (uint32_t)r->place[w->t->switches + level];
    return on(w, w->t->first[w->element] + (down ? child % arity : arity));
}

static struct htmt__next next_butterfly(const struct way *w)
{
    const struct routes *r = routes_of(w->t);
    uint32_t arity = w->t->inside.shape[0], shift = r->step[w->at];
    uint32_t digit = arity & (arity - 1) ? w->bound->target / shift % arity
                                         : w->bound->target >> shift & (arity - 1);
    return on(w, w->t->first[w->element] + digit);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static struct htmt__next look_up(const struct way *w, unsigned table)
{
    const struct routes *r = routes_of(w->t);
    uint32_t target = home(r, w->bound->target);
    if (w->at == target)
        return on(w, w->t->into[w->bound->target]);
    return on(w,
              w->t->first[w->element] + r->channel[table][(size_t)w->at * w->t->switches + target]);
}

static struct htmt__next next_table(const struct way *w)
{
    return look_up(w, 0);
}

/* Nearer to the root; of two as near the one with the lower number. */
static bool is_above(const struct routes *r, uint32_t a, uint32_t b)
{
    return r->depth[a] != r->depth[b] ? r->depth[a] < r->depth[b] : a < b;
}

static struct htmt__next next_up_down(const struct way *w)
{
    const struct htmt__wire *last = &w->t->wire[w->bound->channel];
    bool down = last->from >= w->t->ends && is_above(w->t->routes, last->from - w->t->ends, w->at);
    return look_up(w, down);
}

/* ---- tables of graphs ------------------------------------------------------------------------ */

static bool to_switch(const struct htmt__topology *t, uint32_t channel)
{
    return t->wire[channel].to >= t->ends;
}

static uint32_t other(const struct htmt__topology *t, uint32_t channel)
{
    return t->wire[channel].to - t->ends;
}

/* Hops from every switch to `target`, by breadth; links are two-way. */
static void count_hops(const struct htmt__topology *t, uint32_t target, uint32_t *queue,
                       uint16_t *hops, size_t stride)
{
    uint32_t taken = 0, put = 1;
    for (uint32_t s = 0; s < t->switches; s++)
        hops[s * stride] = FAR;
    hops[target * stride] = 0;
    queue[0] = target;
    while (taken < put) {
        uint32_t s = queue[taken++], e = t->ends + s;
        for (uint32_t c = t->first[e]; c < t->first[e + 1]; c++)
            if (to_switch(t, c) && hops[other(t, c) * stride] == FAR) {
                hops[other(t, c) * stride] = (uint16_t)(hops[s * stride] + 1);
                queue[put++] = other(t, c);
            }
    }
}

/* The first port that leads nearer. */
static uint16_t nearer(const struct htmt__topology *t, uint32_t s, uint32_t target)
{
    const struct routes *r = t->routes;
    uint32_t first = t->first[t->ends + s], all = t->first[t->ends + s + 1];
    for (uint32_t c = first; c < all; c++)
        if (to_switch(t, c) && r->hops[(size_t)other(t, c) * t->switches + target] + 1 ==
                                   r->hops[(size_t)s * t->switches + target])
            return (uint16_t)(c - first);
    return NO_PORT;
}

static uint16_t *square(const struct htmt__topology *t)
{
    return malloc((size_t)t->switches * t->switches * sizeof(uint16_t));
}

static int fill_hops(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    uint32_t *queue = malloc(t->switches * sizeof *queue);
    r->hops = square(t);
    for (uint32_t s = 0; queue && r->hops && s < t->switches; s++)
        count_hops(t, s, queue, r->hops + s, t->switches);
    free(queue);
    return queue && r->hops ? 0 : HTMT_ENOMEM;
}

static int prepare_shortest(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    int rc = fill_hops(t);
    r->channel[0] = rc ? NULL : square(t);
    for (uint32_t s = 0; r->channel[0] && s < t->switches; s++)
        for (uint32_t target = 0; target < t->switches; target++)
            r->channel[0][(size_t)s * t->switches + target] = nearer(t, s, target);
    free(r->hops);
    r->hops = NULL;
    return r->channel[0] ? 0 : HTMT_ENOMEM;
}

/* Shortest ways to one target that lead down alone (way 1), and up, then down (way 0). */
struct ways {
    const struct htmt__topology *t;
    uint32_t target;
    uint16_t *hops[2];
    uint32_t *order; /* switches, each behind those above it */
};

static uint16_t longer(uint16_t hops)
{
    return hops == FAR ? FAR : (uint16_t)(hops + 1);
}

/* Whether channel c of switch s may be the next one of the way, and the hops then. */
static uint16_t hops_by(const struct ways *w, uint32_t s, uint32_t c, bool down)
{
    const struct routes *r = w->t->routes;
    if (!to_switch(w->t, c))
        return FAR;
    if (is_above(r, s, other(w->t, c)))
        return longer(w->hops[1][other(w->t, c)]);
    return down ? FAR : longer(w->hops[0][other(w->t, c)]);
}

/* The first of the channels with the fewest hops. */
static void choose(const struct ways *w, uint32_t s, bool down)
{
    struct routes *r = w->t->routes;
    uint32_t first = w->t->first[w->t->ends + s], all = w->t->first[w->t->ends + s + 1];
    uint16_t *channel = &r->channel[down][(size_t)s * w->t->switches + w->target];
    uint16_t least = s == w->target ? 0 : FAR;
    *channel = NO_PORT;
    for (uint32_t c = first; c < all && s != w->target; c++)
        if (hops_by(w, s, c, down) < least) {
            least = hops_by(w, s, c, down);
            *channel = (uint16_t)(c - first);
        }
    w->hops[down][s] = least;
}

/* Down ways from below: a switch needs those under it; up ways from above. */
static void choose_all(const struct ways *w)
{
    for (uint32_t i = w->t->switches; i-- > 0;)
        choose(w, w->order[i], true);
    for (uint32_t i = 0; i < w->t->switches; i++)
        choose(w, w->order[i], false);
}

static int prepare_up_down(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    struct ways w = {.t = t, .order = malloc(t->switches * sizeof *w.order)};
    w.hops[0] = malloc(t->switches * sizeof(uint16_t));
    w.hops[1] = malloc(t->switches * sizeof(uint16_t));
    r->depth = malloc(t->switches * sizeof *r->depth);
    r->channel[0] = square(t);
    r->channel[1] = square(t);
    bool good = w.order && w.hops[0] && w.hops[1] && r->depth && r->channel[0] && r->channel[1];
    uint32_t put = 0;
    if (good)
        count_hops(t, 0, w.order, r->depth, 1);
    for (uint32_t depth = 0; good && put < t->switches; depth++)
        for (uint32_t s = 0; s < t->switches; s++)
            if (r->depth[s] == depth)
                w.order[put++] = s;
    for (w.target = 0; good && w.target < t->switches; w.target++)
        choose_all(&w);
    free(w.hops[0]);
    free(w.hops[1]);
    free(w.order);
    return good ? 0 : HTMT_ENOMEM;
}

/* ---- tables of grids ------------------------------------------------------------------------- */

static void place_grid(const struct htmt__topology *t, struct routes *r)
{
    for (uint32_t s = 0; s < t->switches; s++)
        for (uint32_t d = 0, rest = s; d < r->dimensions; rest /= r->extent[d++])
            r->place[s * r->dimensions + d] = (int32_t)(rest % r->extent[d]);
}

/* The links of a graph between two switches that differ in one coordinate: by how much. */
static bool leads_along(const struct htmt__topology *t, const struct htmt__wire *w, uint32_t d,
                        int32_t *by)
{
    if (w->from < t->ends || w->to < t->ends)
        return false;
    const int32_t *a = t->graph->at[w->from - t->ends].at, *b = t->graph->at[w->to - t->ends].at;
    *by = b[d] - a[d];
    return *by != 0 && a[1 - d] == b[1 - d];
}

/* A ring closes behind the greatest place if a link leads from there to place 0. */
static void close_rings(const struct htmt__topology *t, struct routes *r)
{
    int32_t by;
    for (uint32_t d = 0; d < 2; d++) {
        uint32_t extent = r->extent[d];
        bool ring = t->inside.routing == HTMT__ROUTE_TORUS && extent > 2, closed = false;
        for (uint32_t c = 0; ring && c < t->channels && !closed; c++)
            closed = leads_along(t, &t->wire[c], d, &by) && by == 1 - (int32_t)extent;
        r->extent[d] = closed ? extent : OPEN;
    }
}

static void place_graph(const struct htmt__topology *t, struct routes *r)
{
    for (uint32_t s = 0; s < t->switches; s++)
        for (uint32_t d = 0; d < 2; d++) {
            int32_t at = t->graph->at[s].at[d];
            r->place[s * 2 + d] = at;
            r->extent[d] = at >= (int32_t)r->extent[d] ? (uint32_t)at + 1 : r->extent[d];
        }
    close_rings(t, r);
}

/* The direction in which a link of a graph leads one place on; 4: none. */
static uint32_t direction(const struct htmt__topology *t, const struct htmt__wire *w)
{
    const struct routes *r = t->routes;
    int32_t by;
    for (uint32_t d = 0; d < 2; d++) {
        int32_t extent = (int32_t)r->extent[d];
        if (!leads_along(t, w, d, &by))
            continue;
        if (by == 1 || by == 1 - extent)
            return 2 * d;
        if (by == -1 || by == extent - 1)
            return 2 * d + 1;
    }
    return 4;
}

/* Generated grids have a port for each direction. */
static void step_grid(const struct htmt__topology *t, struct routes *r)
{
    for (uint32_t c = 0; c < t->channels; c++) {
        const struct htmt__wire *w = &t->wire[c];
        if (w->from >= t->ends && w->to >= t->ends)
            r->step[(size_t)(w->from - t->ends) * 2 * r->dimensions + w->port] = c;
    }
}

static void step_graph(const struct htmt__topology *t, struct routes *r)
{
    for (uint32_t c = t->channels; c-- > 0;) {
        const struct htmt__wire *w = &t->wire[c];
        uint32_t way = direction(t, w);
        if (way < 4)
            r->step[(size_t)(w->from - t->ends) * 4 + way] = c;
    }
}

static int prepare_grid(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    size_t count = (size_t)t->switches * (t->graph ? 2 : t->inside.dimensions);
    r->dimensions = t->graph ? 2 : t->inside.dimensions;
    r->place = malloc(count * sizeof *r->place);
    r->step = malloc(count * 2 * sizeof *r->step);
    if (!r->place || !r->step)
        return HTMT_ENOMEM;
    memset(r->step, 0xff, count * 2 * sizeof *r->step);
    if (t->graph) {
        place_graph(t, r);
        step_graph(t, r);
    } else {
        memcpy(r->extent, t->inside.shape, sizeof r->extent);
        place_grid(t, r);
        step_grid(t, r);
    }
    return 0;
}

/* place: the level of each switch, then of each level its first switch. */
static int prepare_tree(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    uint32_t arity = t->inside.shape[0], levels = t->inside.shape[1], below = 1, s = 0;
    r->place = malloc((t->switches + levels) * sizeof *r->place);
    r->step = malloc(levels * sizeof *r->step);
    if (!r->place || !r->step)
        return HTMT_ENOMEM;
    for (uint32_t level = 0; level < levels; level++, below *= arity) {
        r->step[level] = below;
        r->place[t->switches + level] = (int32_t)s;
        for (uint32_t i = 0; i < t->ends / below / arity; i++)
            r->place[s++] = (int32_t)level;
    }
    return 0;
}

static int prepare_butterfly(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    uint32_t arity = t->inside.shape[0], weight = t->ends, stage = t->ends / arity;
    bool shifts = !(arity & (arity - 1));
    r->step = malloc(t->switches * sizeof *r->step);
    for (uint32_t s = 0; r->step && s < t->switches; s++) {
        weight = s % stage ? weight : weight / arity;
        r->step[s] = shifts ? (uint32_t)__builtin_ctz(weight) : weight;
    }
    return r->step ? 0 : HTMT_ENOMEM;
}

/* ---- the routings ---------------------------------------------------------------------------- */

static int prepare_geometric_graph(struct htmt__topology *t)
{
    int rc = prepare_grid(t);
    return rc ? rc : fill_hops(t);
}

static int prepare_crossbar(struct htmt__topology *t)
{
    (void)t;
    return 0;
}

/* By routing; routes of messages that bring none are the shortest. */
static const struct row of_graph[] = {
    [HTMT__ROUTE_XY] = {prepare_grid, next_xy},
    [HTMT__ROUTE_TORUS] = {prepare_grid, next_torus},
    [HTMT__ROUTE_GEOMETRIC] = {prepare_geometric_graph, next_geometric_graph},
    [HTMT__ROUTE_UP_DOWN] = {prepare_up_down, next_up_down},
    [HTMT__ROUTE_SHORTEST] = {prepare_shortest, next_table},
    [HTMT__ROUTE_SOURCE] = {prepare_shortest, next_table}};
static const struct row of_mesh[] = {[HTMT__ROUTE_XY] = {prepare_grid, next_xy},
                                     [HTMT__ROUTE_GEOMETRIC] = {prepare_grid, next_geometric},
                                     [HTMT__ROUTE_SHORTEST] = {prepare_grid, next_xy},
                                     [HTMT__ROUTE_SOURCE] = {prepare_grid, next_xy}};
static const struct row of_torus[] = {[HTMT__ROUTE_XY] = {prepare_grid, next_xy},
                                      [HTMT__ROUTE_TORUS] = {prepare_grid, next_torus},
                                      [HTMT__ROUTE_GEOMETRIC] = {prepare_grid, next_geometric},
                                      [HTMT__ROUTE_SHORTEST] = {prepare_grid, next_around_shortest},
                                      [HTMT__ROUTE_SOURCE] = {prepare_grid, next_around_shortest}};
static const struct row of_plane = {prepare_grid, next_xy_plane};
/* One way a pair, by topology. */
static const struct row of_one_way[] = {[HTMT__CROSSBAR] = {prepare_crossbar, next_crossbar},
                                        [HTMT__TREE] = {prepare_tree, next_tree},
                                        [HTMT__BUTTERFLY] = {prepare_butterfly, next_butterfly}};

static const struct row *row_of(const struct htmt__inside *inside)
{
    switch (inside->topology) {
    case HTMT__GRAPH:
        return &of_graph[inside->routing];
    case HTMT__MESH:
        if (inside->dimensions == 2 && of_mesh[inside->routing].next == next_xy)
            return &of_plane;
        return &of_mesh[inside->routing];
    case HTMT__TORUS:
        return &of_torus[inside->routing];
    default:
        return &of_one_way[inside->topology];
    }
}

static int find_homes(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    r->home = t->graph ? malloc(t->ends * sizeof *r->home) : NULL;
    for (uint32_t i = 0; r->home && i < t->ends; i++)
        r->home[i] = t->wire[t->first[i]].to - t->ends;
    return t->graph && !r->home ? HTMT_ENOMEM : 0;
}

/* The first switch on the way to an end from which the routing does not go on; NONE: it arrives.
 * `seen` marks the switches that are known to lead there. */
static uint32_t find_gap(const struct htmt__topology *t, uint32_t from, uint32_t target,
                         uint32_t *seen)
{
    const struct routes *r = t->routes;
    struct htmt__bound bound = {.source = from, .target = target};
    uint32_t s = r->home[from];
    while (s != r->home[target] && seen[s] != target + 1) {
        struct way w = {t, &bound, t->ends + s, s};
        uint32_t channel = r->row->next(&w).channel;
        if (channel == NONE)
            return s;
        seen[s] = target + 1;
        s = other(t, channel);
    }
    return NONE;
}

/* Graphs may lack links that a routing by places takes. */
static int check_ways(const struct htmt__topology *t, struct htmt_fault *fault)
{
    uint32_t *seen = calloc(t->switches, sizeof *seen), gap = NONE;
    int rc = seen ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for routes");
    for (uint32_t to = 0; to < t->ends && !rc; to++)
        for (uint32_t from = 0; from < t->ends && !rc; from++) {
            gap = find_gap(t, from, to, seen);
            if (gap != NONE)
                rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                    "no link leads on from switch '%s' on the way from '%s' to "
                                    "'%s'",
                                    t->graph->at[gap].name, t->graph->end_name[from],
                                    t->graph->end_name[to]);
        }
    free(seen);
    return rc;
}

int htmt__routes_create(struct htmt__topology *t, struct htmt_fault *fault)
{
    const struct row *row = row_of(&t->inside);
    struct routes *r = calloc(1, sizeof *r);
    t->routes = r;
    if (!r)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for routes");
    if (!row->prepare)
        return htmt_fault_set(fault, HTMT_EFORMAT, "the topology does not know this routing");
    r->row = row;
    r->groups = t->inside.routing == HTMT__ROUTE_TORUS ? t->inside.lanes / 2 : t->inside.lanes;
    r->groups = r->groups ? r->groups : 1;
    int rc = find_homes(t);
    if (!rc)
        rc = row->prepare(t);
    if (rc)
        return htmt_fault_set(fault, rc, "out of memory for the routes of %u switches",
                              t->switches);
    return t->graph && r->step && !r->hops ? check_ways(t, fault) : 0;
}

void htmt__routes_destroy(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    if (!r)
        return;
    free(r->home);
    free(r->place);
    free(r->step);
    free(r->channel[0]);
    free(r->channel[1]);
    free(r->hops);
    free(r->depth);
    free(r);
    t->routes = NULL;
}

/* ---- one packet's next channel --------------------------------------------------------------- */

/* The channel at that port of an element; NONE: there is no link. */
static uint32_t at_port(const struct htmt__topology *t, uint32_t element, uint32_t port)
{
    uint32_t low = t->first[element], high = t->first[element + 1];
    if (port < high - low && t->wire[low + port].port == port)
        return low + port;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->wire[middle].port == port)
            return middle;
        if (t->wire[middle].port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return NONE;
}

struct htmt__next htmt__route_next(const struct htmt__topology *t, uint32_t element,
                                   const struct htmt__bound *bound)
{
    const struct routes *r = routes_of(t);
    struct way w = {t, bound, element, element - t->ends};
    if (element >= t->ends && __builtin_expect(!bound->route, 1))
        return r->row->next(&w);
    if (element >= t->ends)
        return on(&w, at_port(t, element, bound->route[bound->hops - 1]));
    if (bound->channel != NONE)
        return (struct htmt__next){NONE, bound->lane};
    struct htmt__next next = on(&w, t->first[element]);
    next.lane <<= t->inside.routing == HTMT__ROUTE_TORUS;
    return next;
}

/* ---- straight ways --------------------------------------------------------------------------- */

/* Passes its dimensions in order, each in one direction. */
static bool goes_straight(const struct routes *r)
{
    next_of *next = r->row->next;
    return !r->home && (next == next_xy || next == next_xy_plane || next == next_torus ||
                        next == next_around_shortest);
}

bool htmt__route_straight(const struct htmt__topology *t, uint32_t channel,
                          struct htmt__straight *straight)
{
    const struct routes *r = routes_of(t);
    const struct htmt__wire *w = &t->wire[channel];
    if (!goes_straight(r) || w->from < t->ends || w->to < t->ends)
        return false;
    const uint32_t n = r->dimensions, d = w->port / 2, from = w->from - t->ends,
                   to = other(t, channel);
    const int32_t begin = r->place[(size_t)from * n + d], at = r->place[(size_t)to * n + d];
    const bool closes = has_wrapped(begin, at, !(w->port & 1));
    *straight = (struct htmt__straight){.channel = r->step[(size_t)to * 2 * n + w->port],
                                        .dimension = d,
                                        .at = at,
                                        .lanes = r->row->next == next_torus && closes};
    return straight->channel != NONE;
}

int32_t htmt__route_coordinate(const struct htmt__topology *t, uint32_t end, uint32_t dimension)
{
    const struct routes *r = routes_of(t);
    return r->place[(size_t)home(r, end) * r->dimensions + dimension];
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* A packet that walks. */
struct walk {
    const struct htmt__topology *t;
    struct htmt__bound bound;
    uint32_t element;
};

/* false: it is at its target. */
static bool walk_on(struct walk *w)
{
    struct htmt__next next = htmt__route_next(w->t, w->element, &w->bound);
    if (next.channel == NONE)
        return false;
    w->bound.channel = next.channel;
    w->bound.lane = next.lane;
    w->bound.hops++;
    w->element = w->t->wire[next.channel].to;
    return true;
}

static struct walk walk_from(const struct htmt__topology *t, uint32_t source, uint32_t target,
                             const uint16_t *route)
{
    return (struct walk){t, {source, target, route, 0, NONE, 0}, source};
}

uint32_t htmt__route_path(const struct htmt__topology *t, uint32_t source, uint32_t target,
                          const uint16_t *route, uint32_t *channel, uint32_t room)
{
    struct walk w = walk_from(t, source, target, route);
    while (walk_on(&w))
        if (channel && w.bound.hops <= room)
            channel[w.bound.hops - 1] = w.bound.channel;
    return w.bound.hops - 1;
}

static int refuse_port(const struct htmt__topology *t, uint32_t element, uint32_t index,
                       unsigned port, const char *why, struct htmt_fault *fault)
{
    char name[HTMT__ELEMENT_NAME];
    htmt__topology_name(t, element, name, sizeof name);
    return htmt_fault_set(fault, HTMT_EFORMAT, "port %u, number %u of the route, at %s: %s", port,
                          index + 1, name, why);
}

static bool was_at(const struct htmt__topology *t, uint32_t source, const uint16_t *ports,
                   uint32_t count, uint32_t element)
{
    struct walk w = walk_from(t, source, source, ports);
    for (uint32_t i = 0; i < count && walk_on(&w); i++)
        if (w.element == element)
            return true;
    return false;
}

/* Where port `i` of the route leads from an element; NONE: the fault says why not. */
static uint32_t follow(const struct htmt__topology *t, uint32_t source, uint32_t element,
                       const uint16_t *ports, uint32_t i, struct htmt_fault *fault)
{
    const char *why = NULL;
    uint32_t channel = at_port(t, element, ports[i]), to = NONE;
    if (channel == NONE)
        why = "there is no link";
    else
        to = t->wire[channel].to;
    if (to != NONE && to >= t->ends && was_at(t, source, ports, i + 1, to))
        why = "the way goes round in a circle";
    if (why)
        (void)refuse_port(t, element, i, ports[i], why, fault);
    return why ? NONE : to;
}

int htmt__route_check(const struct htmt__topology *t, uint32_t source, uint32_t target,
                      const uint16_t *ports, uint32_t count, struct htmt_fault *fault)
{
    char end[HTMT__ELEMENT_NAME], there[HTMT__ELEMENT_NAME];
    uint32_t element = t->wire[t->first[source]].to;
    for (uint32_t i = 0; i < count; i++) {
        if (element < t->ends)
            return htmt_fault_set(fault, HTMT_EFORMAT, "a route of %u ports ends after %u of them",
                                  count, i);
        element = follow(t, source, element, ports, i, fault);
        if (element == NONE)
            return HTMT_EFORMAT;
    }
    if (element == target)
        return 0;
    htmt__topology_name(t, target, end, sizeof end);
    htmt__topology_name(t, element, there, sizeof there);
    return htmt_fault_set(fault, HTMT_EFORMAT, "the route leads to %s, expected %s", there, end);
}

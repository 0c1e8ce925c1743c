/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The routings: grids compare coordinates, trees and butterflies take digits of the target's
 * number, graphs look up tables that lead from each switch to each switch.
 *
 * Why a routing may not have a circle
 *
 * A packet that is blocked keeps its room in the inlet where it is, and waits for room in the next
 * one. Say that channel a depends on b if some path takes b right after a. If the dependencies form
 * a circle, its channels may fill with packets each of which waits for the next one, for ever. If
 * they form none, the channels can be numbered so that each path climbs. Then the packet whose
 * channel has the greatest number of all occupied ones is not blocked, so something always moves
 * (Dally and Seitz 1987).
 *
 * - xy: a path passes the dimensions in order, each in one direction. Number the channels by
 * dimension, direction and place along it: every path climbs.
 *
 * - torus: the channels of a ring depend on each other in a circle. So each channel has two lanes.
 * A packet begins a ring on the lower one, and takes the upper one behind the channel that closes
 * the ring. Of a ring of four, the path from 2 to 0 takes 2>3 and 3>0, both on lane 0; from 3 to 1
 * it takes 3>0 on lane 0, then 0>1 on lane 1. Nobody takes 3>0 on lane 1, for a path is at most
 * half a ring long; so lane 0 leads to lane 1, and lane 1 to no lane 0 of the ring.
 *
 * With `datelines: keep` a packet whose path closes the ring takes lane 1 from its begin on, any
 * other one lane 0. Lane 0 is never taken over the channel that closes the ring, lane 1 never over
 * the one opposite to it, for paths are half a ring long at most: so neither is a circle.
 *
 * Of two ways round a ring that are as long, all packets may take the one forward (`ties:
 * forward`). Then the channels forward carry more: of a ring of k = 8 a source has 3 targets that
 * are nearer forward, 3 nearer backward and 1 half a ring away, so 1 + 2 + 3 + 4 = 10 hops lead
 * forward and 6 back. `ties: balanced` sends half of the sources the other way: those whose
 * coordinates have an odd sum. It is the source's, so a packet keeps its direction, and every row
 * and column has as many of either. The same lanes still open the circle, as these paths are no
 * longer.
 *
 * - tree: up, then down. butterfly: stage after stage. crossbar: one switch.
 *
 * - up-down: see below. It is the only one of these that is safe in any graph.
 *
 * - geometric, shortest, and routes that messages bring may have circles. blocked.c finds them when
 * nothing moves any more.
 */
#include "layers/network/routing_parts.h"

#include <stdlib.h>
#include <string.h>

static struct htmt__next out(const struct query *q)
{
    return over(q, q->t->into[q->bound->target]);
}

/* ---- grids ----------------------------------------------------------------------------------- */

static struct htmt__next next_xy(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    uint32_t n = r->dimensions;
    const int32_t *here = r->place + (size_t)q->at * n;
    const int32_t *there = r->place + (size_t)home(r, q->bound->target) * n;
    for (uint32_t d = 0; d < n; d++)
        if (here[d] != there[d])
            return over(q, r->step[(size_t)q->at * 2 * n + 2 * d + (there[d] < here[d])]);
    return out(q);
}

/* The same of a generated grid of two dimensions, whose switch `at` stands at end `at`. */
static struct htmt__next next_xy_plane(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    const int32_t *here = r->place + (size_t)q->at * 2;
    const int32_t *there = r->place + (size_t)q->bound->target * 2;
    int32_t x = there[0] - here[0], y = there[1] - here[1];
    uint32_t port = x ? x < 0 : 2 + (uint32_t)(y < 0);
    if (__builtin_expect(q->at == q->bound->target, 0))
        return out(q);
    return over(q, r->step[(size_t)q->at * 4 + port]);
}

/* In their order or the reverse one, as is drawn. */
static struct htmt__next next_o1turn(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    const uint32_t n = r->dimensions, class = (uint32_t)draw(q, 0) & 1;
    const int32_t *here = r->place + (size_t)q->at * n;
    const int32_t *there = r->place + (size_t)home(r, q->bound->target) * n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t d = class ? n - 1 - i : i;
        if (here[d] != there[d])
            return over_in(q, r->step[((size_t)q->at * n + d) * 2 + (there[d] < here[d])], class);
    }
    return out(q);
}

/* Whether the way round the ring of dimension d leads forward, from the source at `start`: the
 * shorter way; of two that are as long, the one that `ties` says. */
static bool leads_forward(const struct query *q, const int32_t *start, int32_t to, uint32_t d)
{
    const struct routes *r = routes_of(q->t);
    const uint32_t extent = r->extent[d];
    uint32_t ahead = (uint32_t)(to < start[d] ? to - start[d] + (int32_t)extent : to - start[d]);
    if (2 * ahead != extent || r->ties == HTMT__TIES_FORWARD)
        return 2 * ahead <= extent;
    if (r->ties == HTMT__TIES_HASH)
        return draw(q, d) & 1;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < r->dimensions; i++)
        sum += (uint32_t)start[i];
    return sum % 2 == 0;
}

/* Has passed from the last place of the ring to the first one, or back. */
static bool has_wrapped(int32_t start, int32_t here, bool forward)
{
    return forward ? here < start : here > start;
}

static struct htmt__next next_around(const struct query *q, bool dateline)
{
    const struct routes *r = routes_of(q->t);
    uint32_t n = r->dimensions;
    const int32_t *here = r->place + (size_t)q->at * n;
    const int32_t *there = r->place + (size_t)home(r, q->bound->target) * n;
    const int32_t *start = r->place + (size_t)home(r, q->bound->source) * n;
    for (uint32_t d = 0; d < n; d++) {
        if (here[d] == there[d])
            continue;
        bool forward = leads_forward(q, start, there[d], d);
        struct htmt__next next = over(q, r->step[(size_t)q->at * 2 * n + 2 * d + !forward]);
        if (dateline)
            next.lane =
                2 * next.lane + has_wrapped(start[d], r->keeps_class ? there[d] : here[d], forward);
        return next;
    }
    struct htmt__next next = out(q);
    next.lane <<= dateline;
    return next;
}

static struct htmt__next next_torus(const struct query *q)
{
    return next_around(q, true);
}

static struct htmt__next next_around_shortest(const struct query *q)
{
    return next_around(q, false);
}

/* ---- minimal-adaptive ------------------------------------------------------------------------
 *
 * The last class of lanes leads along any dimension in which the packet is not at its target's
 * coordinate, the shorter way round; it is entered only at once. Else the packet waits for the
 * escape lane, whose class is that of xy, or round a torus of the datelines (many_ways.c says why
 * that is enough). */

static bool closes_rings(const struct query *q)
{
    return q->t->inside.topology == HTMT__TORUS;
}

static struct htmt__next next_escape(const struct query *q)
{
    const uint32_t classes = routes_of(q->t)->classes;
    struct htmt__next next = closes_rings(q) ? next_around(q, true) : next_xy(q);
    next.lane = closes_rings(q) ? next.lane / 2 * classes + next.lane % 2 : next.lane * classes;
    return next;
}

static uint32_t ways_nearer(const struct query *q, struct htmt__allowed *way)
{
    const struct routes *r = routes_of(q->t);
    const uint32_t n = r->dimensions;
    const int32_t *here = r->place + (size_t)q->at * n;
    const int32_t *there = r->place + (size_t)home(r, q->bound->target) * n;
    const int32_t *start = r->place + (size_t)home(r, q->bound->source) * n;
    uint32_t count = 0;
    for (uint32_t d = 0; d < n; d++) {
        if (here[d] == there[d])
            continue;
        const bool back =
            closes_rings(q) ? !leads_forward(q, start, there[d], d) : there[d] < here[d];
        const uint32_t channel = r->step[((size_t)q->at * n + d) * 2 + back];
        way[count++] =
            (struct htmt__allowed){.next = over_in(q, channel, r->classes - 1), .hops = 1};
    }
    way[count++] = (struct htmt__allowed){.next = next_escape(q), .hops = 1, .waits = true};
    return count;
}

/* ---- geometric -------------------------------------------------------------------------------
 *
 * A packet stays near the straight line from the source's place to the target's: of the steps that
 * lead nearer, it takes the one that ends nearest to the line, of equal ones the first. The
 * distance from the line is |gone x along| / |along|; |along| is the same for all steps, so the
 * numerator is compared, in whole numbers. From 0,0 to 3,1: |gx * 1 - gy * 3| is 1 behind +x and 3
 * behind +y, so +x; then 2 and 2, so +x again; then 3 and 1, so +y; then +x.
 */

/* A path along a line: the vector from source to target, and how much of it is gone. */
struct line {
    uint32_t dimensions;
    int64_t along[HTMT__DIMENSIONS], gone[HTMT__DIMENSIONS];
};

/* |gone x along|^2 = |along|^2 |gone|^2 - (along . gone)^2; in a plane |gone x along| itself. */
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

/* Round a torus the line takes the shorter way, and what is gone of it has its direction. */
static struct line line_of(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    struct line l = {.dimensions = r->dimensions};
    const int32_t *here = r->place + (size_t)q->at * l.dimensions;
    const int32_t *there = r->place + (size_t)home(r, q->bound->target) * l.dimensions;
    const int32_t *start = r->place + (size_t)home(r, q->bound->source) * l.dimensions;
    for (uint32_t d = 0; d < l.dimensions; d++) {
        int64_t extent = r->extent[d];
        int64_t along = (int64_t)there[d] - start[d], gone = (int64_t)here[d] - start[d];
        if (q->t->inside.topology == HTMT__TORUS) {
            bool forward = leads_forward(q, start, there[d], d);
            along = (forward ? along + extent : along - extent) % extent;
            gone = (along >= 0 ? gone + extent : gone - extent) % extent;
        }
        l.along[d] = along;
        l.gone[d] = gone;
    }
    return l;
}

static struct htmt__next next_geometric(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    struct line l = line_of(q);
    uint32_t best = q->t->into[q->bound->target];
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
        best = r->step[((size_t)q->at * l.dimensions + d) * 2 + (step < 0)];
    }
    return over(q, best);
}

static bool to_switch(const struct htmt__topology *t, uint32_t channel)
{
    return htmt__wire(t, channel)->to >= t->ends;
}

/* The number of the switch where a channel ends. */
static uint32_t other(const struct htmt__topology *t, uint32_t channel)
{
    return htmt__wire(t, channel)->to - t->ends;
}

/* In a graph the steps are the channels to switches that are nearer by links. */
static struct htmt__next next_geometric_graph(const struct query *q)
{
    const struct htmt__topology *t = q->t;
    const struct routes *r = routes_of(t);
    uint32_t target = home(r, q->bound->target), best = NONE;
    htmt_wide least = -1;
    if (q->at == target)
        return out(q);
    for (uint32_t c = t->first[q->element]; c < t->first[q->element + 1]; c++) {
        if (!to_switch(t, c))
            continue;
        struct query there = {t, q->bound, htmt__wire(t, c)->to, other(t, c)};
        if (r->hops[(size_t)there.at * t->switches + target] + 1 !=
            r->hops[(size_t)q->at * t->switches + target])
            continue;
        struct line l = line_of(&there);
        htmt_wide off = off_line(&l);
        if (least >= 0 && off >= least)
            continue;
        least = off;
        best = c;
    }
    return over(q, best);
}

/* The places of a grid's switches, and a step in each direction that is not known yet. */
static int allocate_grid(struct htmt__topology *t, uint32_t dimensions)
{
    struct routes *r = t->routes;
    size_t count = (size_t)t->switches * dimensions;
    r->dimensions = dimensions;
    r->place = malloc(count * sizeof *r->place);
    r->step = malloc(count * 2 * sizeof *r->step);
    if (!r->place || !r->step)
        return HTMT_ENOMEM;
    memset(r->step, 0xff, count * 2 * sizeof *r->step);
    return 0;
}

/* Generated grids have a switch for each place and a port for each direction. */
static int prepare_grid(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    int rc = allocate_grid(t, t->inside.dimensions);
    if (rc)
        return rc;
    memcpy(r->extent, t->inside.shape, sizeof r->extent);
    const bool mesh = t->inside.topology != HTMT__TORUS;
    int32_t *place = r->place;
    uint32_t *step = r->step;
    for (uint32_t s = 0; s < t->switches; s++) {
        uint32_t c = t->first[t->ends + s], rest = s;
        for (uint32_t d = 0; d < r->dimensions; d++, place++, step += 2) {
            const uint32_t extent = r->extent[d], x = rest % extent;
            rest /= extent;
            *place = (int32_t)x;
            if (extent == 1)
                continue;
            if (!mesh || x + 1 < extent)
                step[0] = c++;
            if (!mesh || x > 0)
                step[1] = c++;
        }
    }
    return 0;
}

/* Whether a channel of a graph joins two switches that differ in dimension d alone: by how much. */
static bool leads_along(const struct htmt__topology *t, const struct htmt__wire *w, uint32_t d,
                        int32_t *by)
{
    if (w->from < t->ends || w->to < t->ends)
        return false;
    const int32_t *a = t->graph->at[w->from - t->ends].at, *b = t->graph->at[w->to - t->ends].at;
    *by = b[d] - a[d];
    return *by != 0 && a[1 - d] == b[1 - d];
}

/* Graphs say where their switches stand. Links that join neighbours of a row or column are the
 * steps. A ring closes behind the greatest place if a link leads from there to place 0. Of links
 * that lead the same step the first counts. */
static int prepare_placed(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    int32_t by;
    int rc = allocate_grid(t, 2);
    if (rc)
        return rc;
    for (uint32_t s = 0; s < t->switches; s++)
        for (uint32_t d = 0; d < 2; d++) {
            int32_t at = t->graph->at[s].at[d];
            r->place[s * 2 + d] = at;
            r->extent[d] = at >= (int32_t)r->extent[d] ? (uint32_t)at + 1 : r->extent[d];
        }
    for (uint32_t d = 0; d < 2; d++) {
        uint32_t extent = r->extent[d];
        bool ring = t->inside.routing == HTMT__ROUTE_TORUS && extent > 2, closed = false;
        for (uint32_t c = 0; ring && c < t->channels && !closed; c++)
            closed = leads_along(t, htmt__wire(t, c), d, &by) && by == 1 - (int32_t)extent;
        r->extent[d] = closed ? extent : OPEN;
    }
    for (uint32_t c = t->channels; c-- > 0;)
        for (uint32_t d = 0; d < 2; d++) {
            const struct htmt__wire *w = htmt__wire(t, c);
            int32_t extent = (int32_t)r->extent[d];
            if (!leads_along(t, w, d, &by))
                continue;
            if (by == 1 || by == 1 - extent)
                r->step[(size_t)(w->from - t->ends) * 4 + 2 * d] = c;
            else if (by == -1 || by == extent - 1)
                r->step[(size_t)(w->from - t->ends) * 4 + 2 * d + 1] = c;
        }
    return 0;
}

/* ---- one path a pair ------------------------------------------------------------------------- */

/* A switch of a tree leads down to the child that has the target below it, else up.
 * step[level]: how many ends a child of a switch of that level has below; place: the level of each
 * switch, then of each level its first switch. */
static struct htmt__next next_tree(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    uint32_t arity = q->t->inside.shape[0], level = (uint32_t)r->place[q->at];
    uint32_t below = r->step[level], child = q->bound->target / below;
    bool down = child / arity == q->at - (uint32_t)r->place[q->t->switches + level];
    return over(q, q->t->first[q->element] + (down ? child % arity : arity));
}

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

/* Each stage sets one digit of the position to the target's. step: the weight of a switch's digit;
 * if the arity is a power of two its logarithm, which spares the division. */
static struct htmt__next next_butterfly(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    uint32_t arity = q->t->inside.shape[0], shift = r->step[q->at];
    uint32_t digit = arity & (arity - 1) ? q->bound->target / shift % arity
                                         : q->bound->target >> shift & (arity - 1);
    return over(q, q->t->first[q->element] + digit);
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

/* ---- graphs: shortest ------------------------------------------------------------------------ */

static struct htmt__next look_up(const struct query *q, unsigned table)
{
    const struct routes *r = routes_of(q->t);
    uint32_t target = home(r, q->bound->target);
    if (q->at == target)
        return out(q);
    return over(q, q->t->first[q->element] +
                       r->channel[table][(size_t)q->at * q->t->switches + target]);
}

static struct htmt__next next_table(const struct query *q)
{
    return look_up(q, 0);
}

static uint16_t *square(const struct htmt__topology *t)
{
    return malloc((size_t)t->switches * t->switches * sizeof(uint16_t));
}

/* Hops from every switch to `target`, by breadth; links of graphs lead both ways. */
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

/* From each switch the first port that leads one hop nearer. */
static int prepare_shortest(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    int rc = fill_hops(t);
    r->channel[0] = rc ? NULL : square(t);
    for (uint32_t s = 0; r->channel[0] && s < t->switches; s++)
        for (uint32_t target = 0; target < t->switches; target++) {
            uint16_t *port = &r->channel[0][(size_t)s * t->switches + target];
            uint32_t first = t->first[t->ends + s], all = t->first[t->ends + s + 1];
            *port = NO_PORT;
            for (uint32_t c = first; c < all && *port == NO_PORT; c++)
                if (to_switch(t, c) && r->hops[(size_t)other(t, c) * t->switches + target] + 1 ==
                                           r->hops[(size_t)s * t->switches + target])
                    *port = (uint16_t)(c - first);
        }
    free(r->hops);
    r->hops = NULL;
    return r->channel[0] ? 0 : HTMT_ENOMEM;
}

static int prepare_geometric_graph(struct htmt__topology *t)
{
    int rc = prepare_placed(t);
    return rc ? rc : fill_hops(t);
}

/* ---- graphs: up-down -------------------------------------------------------------------------
 *
 * Switch 0 is the root. Of two joined switches the one that is nearer to the root is above, of two
 * that are as near the one with the lower number. Every channel leads up or down by this order. A
 * path goes up any number of times, then down; never up after down.
 *
 * There is always such a path: up to the root, then down. And there is no circle of dependencies:
 * the order is total, so channels up alone, or down alone, cannot close a circle. A circle would
 * need both, so somewhere a channel up behind a channel down, and no path takes those.
 *
 * Example: a ring of switches 0 1 2 3. Their depths are 0 1 2 1. From 1 to 3, both ways take two
 * hops; by 2 the path would go down and then up, so it leads by 0. Shortest paths could all lead
 * clockwise, 0>1>2, 1>2>3, 2>3>0 and 3>0>1: a circle.
 *
 * For each target there are two tables of the next port: while the path may still go up, and once
 * it went down. First the paths that only go down: hops[1] of a switch follows from those
 * below it, so the switches are taken from the lowest up. Then hops[0] follows from hops[1] of
 * those below and hops[0] of those above, so they are taken from the root down. All targets cost
 * O(switches * channels), the tables 4 bytes for each pair of switches.
 */

static bool is_above(const struct routes *r, uint32_t a, uint32_t b)
{
    return r->depth[a] != r->depth[b] ? r->depth[a] < r->depth[b] : a < b;
}

/* The channel that a packet came over says whether it went down. */
static struct htmt__next next_up_down(const struct query *q)
{
    const struct htmt__wire *last = htmt__wire(q->t, q->bound->channel);
    bool down = last->from >= q->t->ends && is_above(q->t->routes, last->from - q->t->ends, q->at);
    return look_up(q, down);
}

/* The first of the channels of switch s with the fewest hops to the target; `down`: the path went
 * down before. */
static void choose(struct htmt__topology *t, uint32_t target, uint32_t s, bool down,
                   uint16_t *const hops[2])
{
    const struct routes *r = t->routes;
    uint32_t first = t->first[t->ends + s], all = t->first[t->ends + s + 1];
    uint16_t port = NO_PORT, least = s == target ? 0 : FAR;
    for (uint32_t c = first; c < all && s != target; c++) {
        if (!to_switch(t, c))
            continue;
        uint32_t next = other(t, c);
        bool leads_down = is_above(r, s, next);
        if (down && !leads_down)
            continue;
        uint32_t by = hops[leads_down][next] + 1u;
        if (by >= least)
            continue;
        least = (uint16_t)by;
        port = (uint16_t)(c - first);
    }
    r->channel[down][(size_t)s * t->switches + target] = port;
    hops[down][s] = least;
}

static int prepare_up_down(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    uint16_t *hops[2] = {malloc(t->switches * sizeof *hops[0]),
                         malloc(t->switches * sizeof *hops[1])};
    uint32_t *order = malloc(t->switches * sizeof *order), put = 0; /* each behind those above it */
    r->depth = malloc(t->switches * sizeof *r->depth);
    r->channel[0] = square(t);
    r->channel[1] = square(t);
    bool good = order && hops[0] && hops[1] && r->depth && r->channel[0] && r->channel[1];
    if (good)
        count_hops(t, 0, order, r->depth, 1);
    for (uint32_t depth = 0; good && put < t->switches; depth++)
        for (uint32_t s = 0; s < t->switches; s++)
            if (r->depth[s] == depth)
                order[put++] = s;
    for (uint32_t target = 0; good && target < t->switches; target++) {
        for (uint32_t i = t->switches; i-- > 0;)
            choose(t, target, order[i], true, hops);
        for (uint32_t i = 0; i < t->switches; i++)
            choose(t, target, order[i], false, hops);
    }
    free(hops[0]);
    free(hops[1]);
    free(order);
    return good ? 0 : HTMT_ENOMEM;
}

/* ---- the routings ---------------------------------------------------------------------------- */

/* By routing. Messages that should bring routes, and do not, take the shortest. */
static const struct row of_graph[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_XY] = {.prepare = prepare_placed, .next = next_xy},
    [HTMT__ROUTE_TORUS] = {prepare_placed, next_torus, NULL, 2},
    [HTMT__ROUTE_GEOMETRIC] = {.prepare = prepare_geometric_graph, .next = next_geometric_graph},
    [HTMT__ROUTE_UP_DOWN] = {.prepare = prepare_up_down, .next = next_up_down},
    [HTMT__ROUTE_SHORTEST] = {.prepare = prepare_shortest, .next = next_table},
    [HTMT__ROUTE_SOURCE] = {.prepare = prepare_shortest, .next = next_table}};
static const struct row of_mesh[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_XY] = {.prepare = prepare_grid, .next = next_xy},
    [HTMT__ROUTE_GEOMETRIC] = {.prepare = prepare_grid, .next = next_geometric},
    [HTMT__ROUTE_SHORTEST] = {.prepare = prepare_grid, .next = next_xy},
    [HTMT__ROUTE_O1TURN] = {prepare_grid, next_o1turn, NULL, 2},
    [HTMT__ROUTE_MINIMAL_ADAPTIVE] = {prepare_grid, next_escape, ways_nearer, 2},
    [HTMT__ROUTE_SOURCE] = {.prepare = prepare_grid, .next = next_xy}};
static const struct row of_torus[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_XY] = {.prepare = prepare_grid, .next = next_xy},
    [HTMT__ROUTE_TORUS] = {prepare_grid, next_torus, NULL, 2},
    [HTMT__ROUTE_GEOMETRIC] = {.prepare = prepare_grid, .next = next_geometric},
    [HTMT__ROUTE_SHORTEST] = {.prepare = prepare_grid, .next = next_around_shortest},
    [HTMT__ROUTE_SOURCE] = {.prepare = prepare_grid, .next = next_around_shortest},
    [HTMT__ROUTE_MINIMAL_ADAPTIVE] = {prepare_grid, next_escape, ways_nearer, 3}};
static const struct row of_concentrated[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_XY] = {.prepare = prepare_grid, .next = next_xy},
    [HTMT__ROUTE_SHORTEST] = {.prepare = prepare_grid, .next = next_xy},
    [HTMT__ROUTE_O1TURN] = {prepare_grid, next_o1turn, NULL, 2},
    [HTMT__ROUTE_MINIMAL_ADAPTIVE] = {prepare_grid, next_escape, ways_nearer, 2}};
static const struct row of_plane = {.prepare = prepare_grid, .next = next_xy_plane};
/* By topology, whatever the routing; a crossbar's switch leads straight out. */
static const struct row of_one_path[HTMT__DATA_VORTEX + 1] = {
    [HTMT__CROSSBAR] = {.prepare = NULL, .next = out},
    [HTMT__TREE] = {.prepare = prepare_tree, .next = next_tree},
    [HTMT__BUTTERFLY] = {.prepare = prepare_butterfly, .next = next_butterfly}};

static const struct row *row_of(const struct htmt__inside *inside)
{
    const bool one_path = inside->routing == HTMT__ROUTE_UP_DOWN ||
                          inside->routing == HTMT__ROUTE_SHORTEST ||
                          inside->routing == HTMT__ROUTE_SOURCE;
    const struct row *many = htmt__row_of_many(inside);
    if (many)
        return many;
    switch (inside->topology) {
    case HTMT__GRAPH:
        return &of_graph[inside->routing];
    case HTMT__MESH:
        if (inside->dimensions == 2 && of_mesh[inside->routing].next == next_xy)
            return &of_plane;
        return &of_mesh[inside->routing];
    case HTMT__TORUS:
        return &of_torus[inside->routing];
    case HTMT__CONCENTRATED_MESH:
        return &of_concentrated[inside->routing];
    default:
        return &of_one_path[one_path ? inside->topology : HTMT__GRAPH];
    }
}

/* The first switch on the path to an end from which the routing does not go on; NONE: it arrives.
 * `seen` marks the switches that are known to lead there. */
static uint32_t find_gap(const struct htmt__topology *t, uint32_t from, uint32_t target,
                         uint32_t *seen)
{
    const struct routes *r = t->routes;
    struct htmt__bound bound = {.source = from, .target = target};
    uint32_t s = r->home[from];
    while (s != r->home[target] && seen[s] != target + 1) {
        struct query q = {t, &bound, t->ends + s, s};
        uint32_t channel = r->row->next(&q).channel;
        if (channel == NONE)
            return s;
        seen[s] = target + 1;
        s = other(t, channel);
    }
    return NONE;
}

/* Graphs may lack links that a routing by places takes. */
static int check_paths(const struct htmt__topology *t, struct htmt_fault *fault)
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
    if (!row->next)
        return htmt_fault_set(fault, HTMT_EFORMAT, "the topology does not know this routing");
    r->row = row;
    r->ties = t->inside.ties;
    r->keeps_class = t->inside.keep_class;
    r->classes = row->classes ? row->classes : 1;
    r->groups = t->inside.lanes / r->classes;
    r->groups = r->groups ? r->groups : 1;
    const bool homes = t->graph || t->inside.topology == HTMT__CONCENTRATED_MESH;
    r->home = homes ? malloc(t->ends * sizeof *r->home) : NULL;
    for (uint32_t i = 0; r->home && i < t->ends; i++)
        r->home[i] = t->graph ? other(t, t->first[i]) : i / t->inside.per_switch;
    int rc = homes && !r->home ? HTMT_ENOMEM : 0;
    if (!rc && row->prepare)
        rc = row->prepare(t);
    if (rc)
        return htmt_fault_set(fault, rc, "out of memory for the routes of %u switches",
                              t->switches);
    return t->graph && r->step && !r->hops ? check_paths(t, fault) : 0;
}

void htmt__routes_destroy(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    if (!r)
        return;
    free(r->home);
    free(r->place);
    free(r->step);
    free(r->level);
    free(r->channel[0]);
    free(r->channel[1]);
    free(r->hops);
    free(r->depth);
    free(r);
    t->routes = NULL;
}

/* ---- one packet's next channel --------------------------------------------------------------- */

/* The channel at that port of an element; NONE: there is no link. The channels of an element are in
 * the order of their ports, mostly without a gap. */
static uint32_t at_port(const struct htmt__topology *t, uint32_t element, uint32_t port)
{
    uint32_t low = t->first[element], high = t->first[element + 1];
    if (port < high - low && htmt__wire(t, low + port)->port == port)
        return low + port;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (htmt__wire(t, middle)->port == port)
            return middle;
        if (htmt__wire(t, middle)->port < port)
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
    struct query q = {t, bound, element, element - t->ends};
    if (element >= t->ends && __builtin_expect(!bound->route, 1))
        return r->row->next(&q);
    if (element >= t->ends)
        return over(&q, at_port(t, element, bound->route[bound->hops - 1]));
    if (bound->channel != NONE)
        return (struct htmt__next){NONE, bound->lane};
    struct htmt__next next = over(&q, t->first[element]);
    next.lane *= r->classes;
    return next;
}

uint32_t htmt__route_ways(const struct htmt__topology *t, uint32_t element,
                          const struct htmt__bound *bound, struct htmt__allowed *way)
{
    const struct routes *r = routes_of(t);
    const struct query q = {t, bound, element, element - t->ends};
    if (element >= t->ends && r->row->ways && !bound->route)
        return r->row->ways(&q, way);
    *way = (struct htmt__allowed){htmt__route_next(t, element, bound), 1, 0, true};
    return way->next.channel != NONE;
}

bool htmt__route_chooses(const struct htmt__topology *t)
{
    const struct routes *r = routes_of(t);
    return r->row->ways || (t->inside.dynamic && r->groups > 1);
}

uint32_t htmt__route_classes(const struct htmt__inside *inside)
{
    const struct row *row = row_of(inside);
    return !row->next ? 0 : row->classes ? row->classes : 1;
}

bool htmt__route_has_many(const struct htmt__inside *in)
{
    switch (in->routing) {
    case HTMT__ROUTE_UP_RANDOM:
    case HTMT__ROUTE_UP_ADAPTIVE:
    case HTMT__ROUTE_VALIANT:
    case HTMT__ROUTE_UGAL:
    case HTMT__ROUTE_O1TURN:
    case HTMT__ROUTE_MINIMAL_ADAPTIVE:
        return true;
    default:
        return in->ties == HTMT__TIES_HASH || (in->dynamic && in->lanes > 1);
    }
}

/* A routing that passes the dimensions of a generated grid in order, each in one direction, has few
 * answers: a packet goes on by the port that it came in by, or has come to the target's coordinate.
 * The first answer is a constant of the channel. */
bool htmt__route_straight(const struct htmt__topology *t, uint32_t channel,
                          struct htmt__straight *straight)
{
    const struct routes *r = routes_of(t);
    const struct htmt__wire *w = htmt__wire(t, channel);
    next_of *next = r->row->next;
    if (r->home || (next != next_xy && next != next_xy_plane && next != next_torus &&
                    next != next_around_shortest))
        return false;
    if (w->from < t->ends || w->to < t->ends)
        return false;
    const uint32_t n = r->dimensions, d = w->port / 2, from = w->from - t->ends,
                   to = other(t, channel);
    const int32_t begin = r->place[(size_t)from * n + d], at = r->place[(size_t)to * n + d];
    const bool closes = has_wrapped(begin, at, !(w->port & 1));
    *straight = (struct htmt__straight){.channel = r->step[(size_t)to * 2 * n + w->port],
                                        .dimension = d,
                                        .at = at,
                                        .lanes = next == next_torus && closes && !r->keeps_class};
    return straight->channel != NONE;
}

int32_t htmt__route_coordinate(const struct htmt__topology *t, uint32_t end, uint32_t dimension)
{
    const struct routes *r = routes_of(t);
    return r->place[(size_t)home(r, end) * r->dimensions + dimension];
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* A packet that walks its path. */
struct walk {
    const struct htmt__topology *t;
    struct htmt__bound bound;
    uint32_t element;
};

static struct walk walk_from(const struct htmt__topology *t, uint32_t source, uint32_t target,
                             const uint16_t *route)
{
    return (struct walk){t, {source, target, route, 0, NONE, 0, 0}, source};
}

/* false: it is at its target. */
static bool walk_on(struct walk *w)
{
    struct htmt__next next = htmt__route_next(w->t, w->element, &w->bound);
    if (next.channel == NONE)
        return false;
    w->bound.channel = next.channel;
    w->bound.lane = next.lane;
    w->bound.hops++;
    w->element = htmt__wire(w->t, next.channel)->to;
    return true;
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

/* A route is followed port by port, and at each switch its beginning once more: a way that comes to
 * a switch again would go round in a circle. Routes are short, so the square of their length is. */
int htmt__route_check(const struct htmt__topology *t, uint32_t source, uint32_t target,
                      const uint16_t *ports, uint32_t count, struct htmt_fault *fault)
{
    char end[HTMT__ELEMENT_NAME], there[HTMT__ELEMENT_NAME];
    uint32_t element = htmt__wire(t, t->first[source])->to;
    for (uint32_t i = 0; i < count; i++) {
        const char *why = NULL;
        if (element < t->ends)
            return htmt_fault_set(fault, HTMT_EFORMAT, "a route of %u ports ends after %u of them",
                                  count, i);
        uint32_t channel = at_port(t, element, ports[i]);
        uint32_t to = channel == NONE ? NONE : htmt__wire(t, channel)->to;
        if (channel == NONE)
            why = "there is no link";
        struct walk before = walk_from(t, source, source, ports);
        for (uint32_t k = 0; to != NONE && to >= t->ends && k <= i && walk_on(&before); k++)
            if (before.element == to)
                why = "the way goes round in a circle";
        if (why) {
            htmt__topology_name(t, element, there, sizeof there);
            return htmt_fault_set(fault, HTMT_EFORMAT, "port %u, number %u of the route, at %s: %s",
                                  ports[i], i + 1, there, why);
        }
        element = to;
    }
    if (element == target)
        return 0;
    htmt__topology_name(t, target, end, sizeof end);
    htmt__topology_name(t, element, there, sizeof there);
    return htmt_fault_set(fault, HTMT_EFORMAT, "the route leads to %s, expected %s", there, end);
}

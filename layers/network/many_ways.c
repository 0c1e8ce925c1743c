/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routings of topologies with several ways between two ends.
 *
 * Which way a packet takes is fixed, or follows from a number that is drawn for it (a hash of its
 * message's key, its own number and what is decided), or from what waits at the switch where it is.
 * Nothing else: so whoever plays the switch finds the same way, and what is drawn needs no memory,
 * because it is drawn anew at each switch and comes out the same.
 *
 * Why there is no circle of lanes (routing.c says what that is)
 *
 * - fat tree: up, then down. No channel up depends on one down.
 *
 * - dragonfly: the class of a lane counts the links between groups that a packet has passed. A way
 * is local, global, local; by another group local, global, local, global, local. Number the
 * channels by class, within a class the local ones first: every way climbs. Minimal ways have two
 * classes. Where ways by another group are possible, a minimal one begins in class 1 and one by
 * another group in class 0, so all of them end in class 2; and the class of a packet's lane says
 * whether it is still on its way to the other group. A packet that is to go by another group
 * needs no other memory of it.
 *
 * - flattened butterfly, hypercube: dimension by dimension, at most one hop in each, so the number
 * of the dimension climbs. By another switch: the way to it in class 0, the rest in class 1.
 *
 * - o1turn: dimensions in order in class 0, in the reverse order in class 1; a packet keeps its
 * class.
 *
 * - minimal-adaptive: lanes of the last class lead along any dimension that leads nearer. A packet
 * takes one only if it can enter it at once; else it waits for the escape lane, which is that of
 * xy, or round a torus of its two datelines. So packets wait for escape lanes alone. These form no
 * circle, also by way of adaptive lanes between: the escape lane of a dimension is taken when all
 * dimensions before it are done, and they stay done (Duato 1993).
 */
#include "layers/network/routing_parts.h"

#include <stdlib.h>

static struct htmt__next out(const struct query *q)
{
    return over_in(q, q->t->into[q->bound->target], 0);
}

/* It comes from its sender's end. */
static bool is_first(const struct query *q)
{
    return q->bound->hops == 1;
}

static uint32_t class_of(const struct query *q)
{
    return q->bound->lane % routes_of(q->t)->classes;
}

static struct htmt__allowed allow(struct htmt__next next, uint32_t hops)
{
    return (struct htmt__allowed){.next = next, .hops = hops, .waits = true};
}

/* ---- fat trees -------------------------------------------------------------------------------
 *
 * Switch A * copies + B of a level has the ends below it whose numbers, without the digits of this
 * level and of those below, are A. Any way up leads to a switch that has the target below it, as
 * high as needed; from there one way leads down. */

static const struct htmt__fat_level *level_of(const struct query *q)
{
    const struct routes *r = routes_of(q->t);
    const struct htmt__fat_level *l = r->level + r->dimensions - 1;
    if (r->extent[0]) /* levels are alike */
        return r->level + q->at / r->extent[0];
    while (q->at < l->first)
        l--;
    return l;
}

/* The port down that leads to the target; NONE: it is not below. */
static uint32_t down_port(const struct query *q, const struct htmt__fat_level *l)
{
    const uint32_t target = q->bound->target / l->child, above = target / l->down;
    return (q->at - l->first) / l->copies == above ? target - above * l->down : NONE;
}

static struct htmt__next up_or_down(const struct query *q, uint32_t port)
{
    return over_in(q, q->t->first[q->element] + port, 0);
}

static struct htmt__next next_d_mod_k(const struct query *q)
{
    const struct htmt__fat_level *l = level_of(q);
    const uint32_t down = down_port(q, l);
    return up_or_down(q, down == NONE ? l->down + q->bound->target / l->child % l->up : down);
}

static struct htmt__next next_up_random(const struct query *q)
{
    const struct htmt__fat_level *l = level_of(q);
    const uint32_t down = down_port(q, l);
    return up_or_down(q, down == NONE ? l->down + draw_below(q, q->bound->hops, l->up) : down);
}

static uint32_t ways_up(const struct query *q, struct htmt__allowed *way)
{
    const struct htmt__fat_level *l = level_of(q);
    const uint32_t down = down_port(q, l);
    if (down != NONE) {
        *way = allow(up_or_down(q, down), 1);
        return 1;
    }
    for (uint32_t i = 0; i < l->up; i++)
        way[i] = allow(up_or_down(q, l->down + i), 1);
    return l->up;
}

/* dimensions: how many levels; extent[0]: switches of each, if all have as many. */
static int prepare_fat_tree(struct htmt__topology *t)
{
    struct routes *r = t->routes;
    r->dimensions = htmt__fat_levels(&t->inside);
    r->extent[0] = t->inside.dimensions == 2 ? t->ends / t->inside.shape[0] : 0;
    r->level = malloc(r->dimensions * sizeof *r->level);
    for (uint32_t i = 0; r->level && i < r->dimensions; i++)
        r->level[i] = htmt__fat_level(&t->inside, i);
    return r->level ? 0 : HTMT_ENOMEM;
}

/* ---- dragonflies ----------------------------------------------------------------------------- */

static uint32_t group_of_end(const struct htmt__inside *in, uint32_t end)
{
    return end / (in->per_switch * in->shape[0]);
}

/* Within a group to its switch of that number. */
static struct htmt__next to_local(const struct query *q, uint32_t number, uint32_t class)
{
    const struct htmt__inside *in = &q->t->inside;
    const uint32_t own = q->at % in->shape[0];
    return over_in(q, q->t->first[q->element] + in->per_switch + number - (number > own), class);
}

/* The link of a group that leads to another group: they are numbered round the groups, or by the
 * other group's number. */
static uint32_t link_to(const struct htmt__inside *in, uint32_t group, uint32_t other)
{
    const uint32_t groups = in->shape[0] * in->shape[1] + 1;
    return in->by_number ? other - (other > group) : (other + groups - group - 1) % groups;
}

static struct htmt__next to_group(const struct query *q, uint32_t group, uint32_t class)
{
    const struct htmt__inside *in = &q->t->inside;
    const uint32_t a = in->shape[0], h = in->shape[1];
    const uint32_t link = link_to(in, q->at / a, group);
    if (link / h != q->at % a)
        return to_local(q, link / h, class);
    return over_in(q, q->t->first[q->element] + in->per_switch + a - 1 + link % h, class);
}

static struct htmt__next to_target(const struct query *q, uint32_t class)
{
    const struct htmt__inside *in = &q->t->inside;
    const uint32_t a = in->shape[0], home = q->bound->target / in->per_switch;
    if (home == q->at)
        return out(q);
    return home / a == q->at / a ? to_local(q, home % a, class) : to_group(q, home / a, class);
}

/* Global links that it has passed, and of a minimal way one more, where others are possible. */
static uint32_t class_here(const struct query *q)
{
    const struct htmt__wire *last = htmt__wire(q->t, q->bound->channel);
    const uint32_t a = q->t->inside.shape[0];
    return class_of(q) + ((last->from - q->t->ends) / a != q->at / a);
}

static struct htmt__next next_dragonfly(const struct query *q)
{
    return to_target(q, is_first(q) ? 0 : class_here(q));
}

/* Another group than those of source and target; NONE: none, or they are the same. */
static uint32_t other_group(const struct query *q)
{
    const struct htmt__inside *in = &q->t->inside;
    const uint32_t groups = in->shape[0] * in->shape[1] + 1;
    uint32_t from = group_of_end(in, q->bound->source), to = group_of_end(in, q->bound->target);
    if (from == to || groups < 3)
        return NONE;
    uint32_t via = draw_below(q, 0, groups - 2);
    const uint32_t low = from < to ? from : to, high = from < to ? to : from;
    via += via >= low;
    return via + (via >= high);
}

static struct htmt__next next_dragonfly_valiant(const struct query *q)
{
    const uint32_t via = other_group(q);
    const uint32_t class = is_first(q) ? via == NONE : class_here(q);
    return class ? to_target(q, class) : to_group(q, via, 0);
}

/* Ways are as long as they have links between groups: one, or two. */
static uint32_t ways_dragonfly(const struct query *q, struct htmt__allowed *way)
{
    const uint32_t via = is_first(q) ? other_group(q) : NONE;
    if (!is_first(q)) {
        way[0] = allow(next_dragonfly_valiant(q), 1);
        return 1;
    }
    way[0] = allow(to_target(q, 1), 1);
    if (via == NONE)
        return 1;
    way[1] = allow(to_group(q, via, 0), 2);
    way[1].bias = q->t->inside.bias;
    return 2;
}

/* By a switch of another group (`detours: switch`): on the way to its group a packet is in class 0,
 * within that group in class 1, from the switch on in class 2, in the target's group in class 3. In
 * class 1 it takes one channel at most, so every way climbs. The last channel says whether it came
 * by a link between groups, and thus is in class 1 or 3 from here on. */
static uint32_t other_groups_switch(const struct query *q)
{
    const struct htmt__inside *in = &q->t->inside;
    const uint32_t via = draw_below(q, 0, q->t->switches),
                   from = group_of_end(in, q->bound->source);
    return from == group_of_end(in, q->bound->target) || from == via / in->shape[0] ? NONE : via;
}

static struct htmt__next next_dragonfly_by_switch(const struct query *q)
{
    const uint32_t via = other_groups_switch(q), a = q->t->inside.shape[0];
    uint32_t class = is_first(q) ? via == NONE ? 2 : 0 : class_here(q);
    if (class == 0)
        return to_group(q, via / a, 0);
    if (class == 1 && q->at != via)
        return to_local(q, via % a, 1);
    return to_target(q, class == 1 ? 2 : class);
}

static uint32_t ways_dragonfly_by_switch(const struct query *q, struct htmt__allowed *way)
{
    const uint32_t via = is_first(q) ? other_groups_switch(q) : NONE;
    if (!is_first(q)) {
        way[0] = allow(next_dragonfly_by_switch(q), 1);
        return 1;
    }
    way[0] = allow(to_target(q, 2), 1);
    if (via == NONE)
        return 1;
    way[1] = allow(to_group(q, via / q->t->inside.shape[0], 0), 2);
    way[1].bias = q->t->inside.bias;
    return 2;
}

/* ---- flattened butterflies and hypercubes ---------------------------------------------------- */

/* The first dimension in which the switch differs from `goal`, straight to its place there. */
static struct htmt__next to_switch(const struct query *q, uint32_t goal, uint32_t class)
{
    const struct htmt__inside *in = &q->t->inside;
    uint32_t port = in->per_switch, here = q->at, there = goal;
    if (in->topology == HTMT__HYPERCUBE)
        return over_in(q, q->t->first[q->element] + 1 + (uint32_t)__builtin_ctz(here ^ there),
                       class);
    for (uint32_t d = 0;; port += in->shape[d++] - 1) {
        const uint32_t x = here % in->shape[d], y = there % in->shape[d];
        if (x != y)
            return over_in(q, q->t->first[q->element] + port + y - (y > x), class);
        here /= in->shape[d];
        there /= in->shape[d];
    }
}

static uint32_t hops_to(const struct query *q, uint32_t from, uint32_t to)
{
    const struct htmt__inside *in = &q->t->inside;
    uint32_t hops = 0;
    if (in->topology == HTMT__HYPERCUBE)
        return (uint32_t)__builtin_popcount(from ^ to);
    for (uint32_t d = 0; d < in->dimensions; from /= in->shape[d], to /= in->shape[d], d++)
        hops += from % in->shape[d] != to % in->shape[d];
    return hops;
}

static uint32_t target_switch(const struct query *q)
{
    return q->bound->target / q->t->inside.per_switch;
}

static struct htmt__next to_switch_or_out(const struct query *q, uint32_t class)
{
    const uint32_t home = target_switch(q);
    return home == q->at ? out(q) : to_switch(q, home, class);
}

static struct htmt__next next_by_dimension(const struct query *q)
{
    return to_switch_or_out(q, 0);
}

static uint32_t other_switch(const struct query *q)
{
    return draw_below(q, 0, q->t->switches);
}

static struct htmt__next next_by_switch(const struct query *q)
{
    const uint32_t via = other_switch(q), class = is_first(q) ? 0 : class_of(q);
    return class == 0 && via != q->at ? to_switch(q, via, 0) : to_switch_or_out(q, 1);
}

static uint32_t ways_by_switch(const struct query *q, struct htmt__allowed *way)
{
    const uint32_t via = other_switch(q), home = target_switch(q);
    if (!is_first(q)) {
        way[0] = allow(next_by_switch(q), 1);
        return 1;
    }
    way[0] = allow(to_switch_or_out(q, 1), hops_to(q, q->at, home));
    if (via == q->at || via == home || q->at == home)
        return 1;
    way[1] = allow(to_switch(q, via, 0), hops_to(q, q->at, via) + hops_to(q, via, home));
    way[1].bias = q->t->inside.bias;
    return 2;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct row of_fat_tree[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_D_MOD_K] = {prepare_fat_tree, next_d_mod_k, NULL, 1},
    [HTMT__ROUTE_UP_RANDOM] = {prepare_fat_tree, next_up_random, NULL, 1},
    [HTMT__ROUTE_UP_ADAPTIVE] = {prepare_fat_tree, next_up_random, ways_up, 1}};
static const struct row of_dragonfly[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_MINIMAL] = {NULL, next_dragonfly, NULL, 2},
    [HTMT__ROUTE_VALIANT] = {NULL, next_dragonfly_valiant, NULL, 3},
    [HTMT__ROUTE_UGAL] = {NULL, next_dragonfly_valiant, ways_dragonfly, 3}};
static const struct row of_dragonfly_by_switch[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_VALIANT] = {NULL, next_dragonfly_by_switch, NULL, 4},
    [HTMT__ROUTE_UGAL] = {NULL, next_dragonfly_by_switch, ways_dragonfly_by_switch, 4}};
static const struct row of_flat[HTMT__ROUTINGS] = {
    [HTMT__ROUTE_MINIMAL] = {NULL, next_by_dimension, NULL, 1},
    [HTMT__ROUTE_VALIANT] = {NULL, next_by_switch, NULL, 2},
    [HTMT__ROUTE_UGAL] = {NULL, next_by_switch, ways_by_switch, 2}};

const struct row *htmt__row_of_many(const struct htmt__inside *inside)
{
    switch (inside->topology) {
    case HTMT__FAT_TREE:
        return &of_fat_tree[inside->routing];
    case HTMT__DRAGONFLY:
        return inside->by_switch && inside->routing != HTMT__ROUTE_MINIMAL
                   ? &of_dragonfly_by_switch[inside->routing]
                   : &of_dragonfly[inside->routing];
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__HYPERCUBE:
        return &of_flat[inside->routing];
    default:
        return NULL;
    }
}

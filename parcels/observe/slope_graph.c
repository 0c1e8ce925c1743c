/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instants as expressions.
 *
 * A clock computes instants by three operations: a charge later; the later one of two (a parcel has
 * come, and its server is free); the sooner one of two (which of two servers is free first). Each
 * becomes a node. Where the two differ, the result is one of them, and no node is made: what is
 * kept is the expression near the run, not the one for every machine. Only where both are equal, a
 * tie, the result is a node of its own that refers to both.
 *
 * Several servers that become free at one instant, for several that want one, are a group: number 0
 * of its instants goes to who is first in line, number 1 to the second one. Which server that is
 * need not be known; number k is the one for which k others come sooner a moment later.
 *
 * Nodes are counted references, as in live_path.c: what nothing refers to goes, with what only it
 * kept. A node has 24 bytes. Charges are kept once for all nodes that have equal ones.
 */
#include "parcels/observe/slope_graph.h"

#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

void htmt__slope_graph_init(struct htmt__slope_graph *g)
{
    *g = (struct htmt__slope_graph){.free = NONE, .free_group = NONE};
}

void htmt__slope_graph_fini(struct htmt__slope_graph *g)
{
    for (uint32_t i = 0; i < g->groups; i++)
        free(g->group[i].member);
    free(g->node);
    free(g->group);
    free(g->charge);
    free(g->slot);
}

/* ---- charges --------------------------------------------------------------------------------- */

/* The place of a charge, or a free one, of a table that is never full. */
static uint32_t *place_of(const struct htmt__slope_graph *g, const struct htmt__charge *charge)
{
    uint64_t words[sizeof *charge / sizeof(uint64_t)], h = 0;
    memcpy(words, charge, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        h = (h ^ words[i] ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = (h >> 32) & (g->slots - 1);; i = (i + 1) & (g->slots - 1))
        if (!g->slot[i] || !memcmp(&g->charge[g->slot[i] - 1], charge, sizeof *charge))
            return &g->slot[i];
}

static bool more_slots(struct htmt__slope_graph *g)
{
    size_t slots = g->slots ? 2 * g->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(g->slot);
    g->slot = slot;
    g->slots = slots;
    for (uint32_t i = 0; i < g->charges; i++)
        *place_of(g, &g->charge[i]) = i + 1;
    return true;
}

uint32_t htmt__slope_charge(struct htmt__slope_graph *g, const struct htmt__charge *charge)
{
    if (g->failed)
        return 0;
    if (2 * (size_t)g->charges >= g->slots && !more_slots(g)) {
        g->failed = true;
        return 0;
    }
    uint32_t *place = place_of(g, charge);
    if (*place)
        return *place - 1;
    if (!htmt__array_fits(&g->charge, &g->charge_room, g->charges + 1u, sizeof *g->charge)) {
        g->failed = true;
        return 0;
    }
    g->charge[g->charges] = *charge;
    *place = ++g->charges;
    return g->charges - 1;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

uint32_t htmt__slope_hold(struct htmt__slope_graph *g, uint32_t node)
{
    if (node != HTMT__TIME_0)
        g->node[node].users++;
    return node;
}

/* Those that nothing refers to any more are linked by `users`, since what they referred to may go,
 * too. */
static void forget(struct htmt__slope_graph *g, uint32_t *gone, uint32_t node)
{
    if (node == HTMT__TIME_0 || --g->node[node].users)
        return;
    g->node[node].users = *gone;
    *gone = node;
}

static void forget_group(struct htmt__slope_graph *g, uint32_t *gone, uint32_t group)
{
    struct htmt__slope_group *of = &g->group[group];
    if (--of->users)
        return;
    for (uint32_t i = 0; i < of->count; i++)
        forget(g, gone, of->member[i]);
    of->count = 0;
    of->users = g->free_group;
    g->free_group = group;
}

static void clear(struct htmt__slope_graph *g, uint32_t gone)
{
    while (gone != NONE) {
        struct htmt__slope_node *n = &g->node[gone];
        const uint32_t next = n->users, node = gone;
        gone = next;
        if (n->charge == HTMT__SLOPE_ORDER)
            forget_group(g, &gone, n->a);
        else
            forget(g, &gone, n->a);
        if (n->charge == HTMT__SLOPE_MAX || n->charge == HTMT__SLOPE_MIN)
            forget(g, &gone, n->b);
        n->a = g->free;
        g->free = node;
    }
}

void htmt__slope_drop(struct htmt__slope_graph *g, uint32_t node)
{
    uint32_t gone = NONE;
    forget(g, &gone, node);
    clear(g, gone);
}

void htmt__slope_set(struct htmt__slope_graph *g, uint32_t *place, uint32_t node)
{
    const uint32_t old = *place;
    *place = node;
    htmt__slope_drop(g, old);
}

/* Held once. Without memory it is `a`, which is no lie for long: the run fails. */
static uint32_t make(struct htmt__slope_graph *g, htmt_time time, uint32_t a, uint32_t b,
                     uint32_t charge)
{
    uint32_t node = g->free;
    if (node != NONE) {
        g->free = g->node[node].a;
    } else {
        if (g->nodes == HTMT__TIME_0 - 1 ||
            !htmt__array_fits(&g->node, &g->node_room, g->nodes + 1u, sizeof *g->node)) {
            g->failed = true;
            return NONE;
        }
        node = g->nodes++;
    }
    g->node[node] =
        (struct htmt__slope_node){.time = time, .a = a, .b = b, .charge = charge, .users = 1};
    return node;
}

uint32_t htmt__slope_plus(struct htmt__slope_graph *g, uint32_t from, uint32_t charge,
                          htmt_time time)
{
    htmt__slope_hold(g, from);
    if (time <= htmt__slope_time(g, from) || g->failed)
        return from;
    uint32_t node = make(g, time, from, HTMT__TIME_0, charge);
    return node == NONE ? from : node;
}

/* Both are of one instant. */
static uint32_t tie(struct htmt__slope_graph *g, uint32_t a, uint32_t b, uint32_t kind)
{
    htmt__slope_hold(g, a);
    if (g->failed)
        return a;
    htmt__slope_hold(g, b);
    uint32_t node = make(g, htmt__slope_time(g, a), a, b, kind);
    if (node != NONE)
        return node;
    htmt__slope_drop(g, b);
    return a;
}

/* The later of both is, or comes as a tie of, the other one. */
static bool has(const struct htmt__slope_graph *g, uint32_t node, uint32_t part)
{
    if (node == part)
        return true;
    const struct htmt__slope_node *n = &g->node[node];
    return node != HTMT__TIME_0 && n->charge == HTMT__SLOPE_MAX && (n->a == part || n->b == part);
}

uint32_t htmt__slope_later(struct htmt__slope_graph *g, uint32_t a, uint32_t b)
{
    const htmt_time at = htmt__slope_time(g, a), bt = htmt__slope_time(g, b);
    if (at > bt || (at == bt && has(g, a, b)))
        return htmt__slope_hold(g, a);
    if (bt > at || has(g, b, a))
        return htmt__slope_hold(g, b);
    return tie(g, a, b, HTMT__SLOPE_MAX);
}

uint32_t htmt__slope_sooner(struct htmt__slope_graph *g, uint32_t *a, uint32_t b)
{
    if (*a == b)
        return htmt__slope_hold(g, b);
    uint32_t sooner = tie(g, *a, b, HTMT__SLOPE_MIN);
    htmt__slope_set(g, a, tie(g, *a, b, HTMT__SLOPE_MAX));
    return sooner;
}

/* ---- groups ---------------------------------------------------------------------------------- */

uint32_t htmt__slope_group_create(struct htmt__slope_graph *g)
{
    uint32_t group = g->free_group;
    if (group != NONE) {
        g->free_group = g->group[group].users;
        g->group[group].users = 1;
        return group;
    }
    if (g->failed ||
        !htmt__array_fits(&g->group, &g->group_room, g->groups + 1u, sizeof *g->group)) {
        g->failed = true;
        return NONE;
    }
    g->group[g->groups] = (struct htmt__slope_group){.users = 1};
    return g->groups++;
}

void htmt__slope_group_add(struct htmt__slope_graph *g, uint32_t group, uint32_t node)
{
    struct htmt__slope_group *of = &g->group[group];
    if (!htmt__array_fits(&of->member, &of->room, of->count + 1u, sizeof *of->member)) {
        g->failed = true;
        return;
    }
    of->member[of->count++] = htmt__slope_hold(g, node);
}

void htmt__slope_group_drop(struct htmt__slope_graph *g, uint32_t group)
{
    uint32_t gone = NONE;
    forget_group(g, &gone, group);
    clear(g, gone);
}

uint32_t htmt__slope_of_group(struct htmt__slope_graph *g, uint32_t group, uint32_t number)
{
    struct htmt__slope_group *of = &g->group[group];
    of->users++;
    uint32_t node = make(g, htmt__slope_time(g, of->member[0]), group, number, HTMT__SLOPE_ORDER);
    if (node != NONE)
        return node;
    of->users--;
    return htmt__slope_hold(g, of->member[0]);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Nodes and groups that the last node comes from get new numbers, each behind those that it comes
 * from: depth first, without recursion, for chains are as long as runs. `users` is the new number
 * from now on, or what follows. */
#define NEW  UINT32_MAX       /* not yet met */
#define OPEN (UINT32_MAX - 1) /* what it comes from is being looked at */

struct settle {
    struct htmt__slope_graph *g;
    struct htmt__slope_node *node; /* in the new order */
    uint32_t count;
    uint32_t *stack;
    size_t room;
    uint32_t depth;
};

static bool look_at(struct settle *s, uint32_t node)
{
    if (node == HTMT__TIME_0 || s->g->node[node].users != NEW)
        return true;
    if (!htmt__array_fits(&s->stack, &s->room, s->depth + 1u, sizeof *s->stack))
        return false;
    s->stack[s->depth++] = node;
    return true;
}

static bool look_before(struct settle *s, const struct htmt__slope_node *n)
{
    bool fits = true;
    if (n->charge == HTMT__SLOPE_ORDER) {
        const struct htmt__slope_group *of = &s->g->group[n->a];
        for (uint32_t i = 0; i < of->count && fits; i++)
            fits = look_at(s, of->member[i]);
        return fits;
    }
    fits = look_at(s, n->a);
    if (n->charge == HTMT__SLOPE_MAX || n->charge == HTMT__SLOPE_MIN)
        fits = fits && look_at(s, n->b);
    return fits;
}

static uint32_t number_of(const struct settle *s, uint32_t node)
{
    return node == HTMT__TIME_0 ? HTMT__TIME_0 : s->g->node[node].users;
}

static void number(struct settle *s, struct htmt__slope_node *n)
{
    struct htmt__slope_node *to = &s->node[s->count];
    *to = *n;
    n->users = s->count++;
    if (n->charge == HTMT__SLOPE_ORDER)
        return;
    to->a = number_of(s, n->a);
    to->b = number_of(s, n->b);
}

static bool order(struct settle *s, uint32_t last)
{
    struct htmt__slope_graph *g = s->g;
    if (!look_at(s, last))
        return false;
    while (s->depth) {
        const uint32_t node = s->stack[s->depth - 1];
        struct htmt__slope_node *n = &g->node[node];
        if (n->users == NEW) {
            n->users = OPEN;
            if (!look_before(s, n))
                return false;
            continue;
        }
        s->depth--;
        if (n->users == OPEN)
            number(s, n);
    }
    return true;
}

bool htmt__slope_graph_settle(struct htmt__slope_graph *g, uint32_t *last)
{
    struct settle s = {.g = g, .node = malloc((g->nodes + 1u) * sizeof *s.node)};
    for (uint32_t i = 0; i < g->nodes; i++)
        g->node[i].users = NEW;
    bool done = s.node && !g->failed && order(&s, *last);
    for (uint32_t i = 0; i < g->groups && done; i++)
        for (uint32_t k = 0; k < g->group[i].count; k++)
            g->group[i].member[k] = number_of(&s, g->group[i].member[k]);
    free(s.stack);
    if (!done) {
        free(s.node);
        g->failed = true;
        return false;
    }
    free(g->node);
    g->node = s.node;
    g->nodes = s.count;
    *last = s.count ? s.count - 1 : HTMT__TIME_0;
    return true;
}

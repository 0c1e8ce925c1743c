/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instants as expressions.
 *
 * A clock computes instants by three operations: a charge later; the later one of two (a parcel has
 * come, and its server is free); the first of several (servers are free). Each becomes a node.
 * Where two instants differ, the later one is one of them, and no node is made: what is kept is the
 * expression near the run, not the one for every machine. Only where both are equal, a tie, the
 * result is a node of its own that refers to both.
 *
 * Several servers that become free at one instant, for several that want one, are a group: number 0
 * of its instants goes to who is first in line, number 1 to the second one. Which server that is
 * need not be known; number k is the one for which k others come sooner a moment later.
 *
 * Nodes are counted references, as in live_path.c: what nothing refers to goes, with what only it
 * kept. A node has 24 bytes, and 16 to 32 in a table by which equal expressions are one node:
 * slices that do the same at the same time, and the processors of a slice, are as one of them, and
 * no ties. The table has open addressing and keeps hashes, so that what is not there costs one line
 * of the cache; where hardly any nodes are equal, it goes. Equal charges are one, too.
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
    free(g->entry);
    free(g->term);
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

/* ---- equal nodes ----------------------------------------------------------------------------- */

static uint32_t hash_of(const struct htmt__slope_node *n)
{
    uint64_t h = ((uint64_t)n->a << 32 | n->b) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ n->charge) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 32 ^ (uint64_t)n->time) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

/* The entry of an equal node, or the free one where it belongs. */
static struct htmt__slope_entry *entry_of(const struct htmt__slope_graph *g,
                                          const struct htmt__slope_node *n, uint32_t hash)
{
    for (size_t i = hash & (g->entries - 1);; i = (i + 1) & (g->entries - 1)) {
        struct htmt__slope_entry *at = &g->entry[i];
        const struct htmt__slope_node *found = &g->node[at->node];
        if (at->node == NONE || (at->hash == hash && found->a == n->a && found->b == n->b &&
                                 found->charge == n->charge && found->time == n->time))
            return at;
    }
}

/* The entries behind it, up to a free one, move up if they may stand there. */
static void remove_entry(struct htmt__slope_graph *g, uint32_t node)
{
    const size_t mask = g->entries - 1;
    if (g->apart)
        return;
    size_t gap = hash_of(&g->node[node]) & mask;
    while (g->entry[gap].node != node)
        gap = (gap + 1) & mask;
    for (size_t i = (gap + 1) & mask; g->entry[i].node != NONE; i = (i + 1) & mask)
        if (((i - g->entry[i].hash) & mask) >= ((i - gap) & mask)) {
            g->entry[gap] = g->entry[i];
            gap = i;
        }
    g->entry[gap].node = NONE;
    g->live--;
}

static bool more_entries(struct htmt__slope_graph *g)
{
    const size_t had = g->entries, entries = had ? 2 * had : 1024;
    struct htmt__slope_entry *old = g->entry;
    g->entry = malloc(entries * sizeof *g->entry);
    if (!g->entry) {
        g->entry = old;
        return false;
    }
    g->entries = entries;
    for (size_t i = 0; i < entries; i++)
        g->entry[i].node = NONE;
    for (size_t i = 0; i < had; i++)
        if (old[i].node != NONE)
            *entry_of(g, &g->node[old[i].node], old[i].hash) = old[i];
    free(old);
    return true;
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
        remove_entry(g, node);
        if (n->charge == HTMT__SLOPE_ORDER)
            forget_group(g, &gone, n->a);
        else
            forget(g, &gone, n->a);
        if (n->charge == HTMT__SLOPE_MAX)
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

static uint32_t new_node(struct htmt__slope_graph *g)
{
    uint32_t node = g->free;
    if (node != NONE) {
        g->free = g->node[node].a;
        return node;
    }
    if (g->nodes == HTMT__TIME_0 - 1 ||
        !htmt__array_fits(&g->node, &g->node_room, g->nodes + 1u, sizeof *g->node)) {
        g->failed = true;
        return NONE;
    }
    return g->nodes++;
}

static void drop_parts(struct htmt__slope_graph *g, const struct htmt__slope_node *n)
{
    if (n->charge == HTMT__SLOPE_ORDER)
        htmt__slope_group_drop(g, n->a);
    else
        htmt__slope_drop(g, n->a);
    if (n->charge == HTMT__SLOPE_MAX)
        htmt__slope_drop(g, n->b);
}

#define LATELY (1u << 16)

/* Less than one in eight that were asked for lately were there: the table goes for good. */
static bool is_worth_a_look(struct htmt__slope_graph *g)
{
    if (g->apart || ++g->asked < LATELY)
        return !g->apart;
    g->apart = g->equal < LATELY / 8;
    g->asked = g->equal = 0;
    if (g->apart) {
        free(g->entry);
        g->entry = NULL;
    }
    return !g->apart;
}

/* The caller has held what the node comes from, and from now on holds the node instead. Without
 * memory it is NONE, and nothing has changed. */
static uint32_t make(struct htmt__slope_graph *g, htmt_time time, uint32_t a, uint32_t b,
                     uint32_t charge)
{
    const struct htmt__slope_node n = {time, a, b, charge, 1};
    struct htmt__slope_entry *entry = NULL;
    const uint32_t hash = hash_of(&n);
    if (!g->apart && 2 * (size_t)g->live >= g->entries && !more_entries(g)) {
        g->failed = true;
        return NONE;
    }
    if (is_worth_a_look(g)) {
        entry = entry_of(g, &n, hash);
        if (entry->node != NONE) {
            g->equal++;
            htmt__slope_hold(g, entry->node);
            drop_parts(g, &n);
            return entry->node;
        }
    }
    const uint32_t node = new_node(g);
    if (node == NONE)
        return NONE;
    g->node[node] = n;
    if (entry) {
        *entry = (struct htmt__slope_entry){node, hash};
        g->live++;
    }
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

/* Both are of one instant; which of them comes first says nothing. */
static uint32_t tie(struct htmt__slope_graph *g, uint32_t a, uint32_t b)
{
    htmt__slope_hold(g, a);
    if (g->failed)
        return a;
    htmt__slope_hold(g, b);
    uint32_t node = make(g, htmt__slope_time(g, a), a < b ? a : b, a < b ? b : a, HTMT__SLOPE_MAX);
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
    return tie(g, a, b);
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
    const uint32_t first = of->member[0];
    of->users++;
    uint32_t node = make(g, htmt__slope_time(g, first), group, number, HTMT__SLOPE_ORDER);
    if (node != NONE)
        return node;
    htmt__slope_group_drop(g, group);
    return htmt__slope_hold(g, first);
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
    if (n->charge == HTMT__SLOPE_MAX)
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
    for (uint32_t i = 0; i < g->groups && done; i++) {
        struct htmt__slope_group *of = &g->group[i];
        for (uint32_t k = 0; k < of->count; k++)
            of->member[k] = number_of(&s, of->member[k]);
        of->first = g->members;
        g->members += of->count;
    }
    free(s.stack);
    if (!done) {
        free(s.node);
        g->failed = true;
        return false;
    }
    free(g->node);
    free(g->entry);
    g->entry = NULL;
    g->node = s.node;
    g->nodes = s.count;
    *last = s.count ? s.count - 1 : HTMT__TIME_0;
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------
 *
 * Most of a path has no ties, and asks for few charges many times. Such a part becomes one node,
 * the sum of so many of each charge, and finding a derivative does not take longer for a longer
 * run. By hand: 1: charge a; 2 = 1 + b; 3 = 2 + a; 4: LATER(3, ...). Nodes 1 and 2 are used once,
 * by a charge, so they are parts of 3, which becomes 2 a + b from time 0.
 */

struct shorten {
    struct htmt__slope_graph *g;
    uint32_t *users;  /* of each node */
    uint32_t *number; /* its new one */
    uint32_t *kept;   /* nodes that stay, in order */
    uint32_t *count;  /* of each charge in the present sum */
    uint32_t *met;    /* those charges */
};

static bool is_charge(const struct htmt__slope_node *n)
{
    return n->charge < HTMT__SLOPE_SUM;
}

#define PART UINT32_MAX /* of a longer sum */

static void find_parts(struct shorten *s)
{
    const struct htmt__slope_graph *g = s->g;
    for (uint32_t i = 0; i < g->nodes; i++) {
        const struct htmt__slope_node *n = &g->node[i];
        if (n->charge != HTMT__SLOPE_ORDER && n->a != HTMT__TIME_0)
            s->users[n->a] += is_charge(n) ? 1 : 2;
        if (n->charge == HTMT__SLOPE_MAX && n->b != HTMT__TIME_0)
            s->users[n->b] += 2;
    }
    for (uint32_t i = 0; i < g->groups; i++)
        for (uint32_t k = 0; k < g->group[i].count; k++)
            if (g->group[i].member[k] != HTMT__TIME_0)
                s->users[g->group[i].member[k]] += 2;
    for (uint32_t i = 0; i < g->nodes; i++)
        s->number[i] = is_charge(&g->node[i]) && s->users[i] == 1 ? PART : 0;
}

static bool add_term(struct htmt__slope_graph *g, uint32_t charge, uint32_t count)
{
    if (!htmt__array_fits(&g->term, &g->term_room, g->terms + 1, sizeof *g->term))
        return false;
    g->term[g->terms++] = (struct htmt__slope_term){charge, count};
    return true;
}

/* All charges up to that node, back to one that is no part of it. */
static bool add_up(struct shorten *s, uint32_t node)
{
    struct htmt__slope_graph *g = s->g;
    uint32_t kinds = 0, at = node;
    bool fits = true;
    do {
        const struct htmt__slope_node *n = &g->node[at];
        if (!s->count[n->charge]++)
            s->met[kinds++] = n->charge;
        at = n->a;
    } while (at != HTMT__TIME_0 && s->number[at] == PART);
    g->node[node].a = at;
    g->node[node].b = (uint32_t)g->terms;
    g->node[node].charge = HTMT__SLOPE_SUM;
    for (uint32_t i = 0; i < kinds; i++) {
        fits = fits && add_term(g, s->met[i], s->count[s->met[i]]);
        s->count[s->met[i]] = 0;
    }
    return fits && add_term(g, 0, 0) && g->terms < UINT32_MAX;
}

/* What a node comes from has its new number already, but parts stay where they are until all sums
 * have looked back. */
static bool add_all(struct shorten *s)
{
    struct htmt__slope_graph *g = s->g;
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->nodes; i++) {
        struct htmt__slope_node *n = &g->node[i];
        if (s->number[i] == PART)
            continue;
        if (is_charge(n) && !add_up(s, i))
            return false;
        if (n->charge != HTMT__SLOPE_ORDER && n->a != HTMT__TIME_0)
            n->a = s->number[n->a];
        if (n->charge == HTMT__SLOPE_MAX && n->b != HTMT__TIME_0)
            n->b = s->number[n->b];
        s->number[i] = count;
        s->kept[count++] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        g->node[i] = g->node[s->kept[i]];
    g->nodes = count;
    for (uint32_t i = 0; i < g->groups; i++)
        for (uint32_t k = 0; k < g->group[i].count; k++)
            if (g->group[i].member[k] != HTMT__TIME_0)
                g->group[i].member[k] = s->number[g->group[i].member[k]];
    return true;
}

bool htmt__slope_graph_shorten(struct htmt__slope_graph *g)
{
    const size_t nodes = g->nodes + 1u, charges = g->charges + 1u;
    struct shorten s = {.g = g,
                        .users = calloc(nodes, sizeof *s.users),
                        .number = calloc(nodes, sizeof *s.number),
                        .kept = calloc(nodes, sizeof *s.kept),
                        .count = calloc(charges, sizeof *s.count),
                        .met = calloc(charges, sizeof *s.met)};
    bool done = s.users && s.number && s.kept && s.count && s.met;
    if (done) {
        find_parts(&s);
        done = add_all(&s);
    }
    free(s.users);
    free(s.number);
    free(s.kept);
    free(s.count);
    free(s.met);
    g->failed |= !done;
    return done;
}

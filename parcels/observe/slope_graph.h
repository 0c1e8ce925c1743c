/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: instants of a run as sums, maxima and minima of charges. live_slope.c makes
 * them while the run is played, slope.c differentiates the last one.
 */
#ifndef HTMT_PARCELS_OBSERVE_SLOPE_GRAPH_H
#define HTMT_PARCELS_OBSERVE_SLOPE_GRAPH_H

#include "layers/machine/slope.h"

#define HTMT__TIME_0 UINT32_MAX /* the node of time 0 */

/* What stands where a node's charge would. */
#define HTMT__SLOPE_SUM                                                                            \
    (UINT32_MAX - 3) /* many charges later: terms from number b on, at the end */
#define HTMT__SLOPE_ORDER (UINT32_MAX - 2) /* number b of the instants of group a */
#define HTMT__SLOPE_MAX   (UINT32_MAX - 1) /* the later one of two */

struct htmt__slope_node {
    htmt_time time;
    uint32_t a, b;   /* nodes; a charge has no b */
    uint32_t charge; /* by number */
    uint32_t users;  /* nodes, groups and places of who keeps them that refer to it */
};

/* Instants that came together, of which each of several gets one. */
struct htmt__slope_group {
    uint32_t *member;
    size_t room, first;    /* first: of its members among those of all, at the end */
    uint32_t count, users; /* users: also the next free group */
};

/* So many times that charge; 0: behind the last term of a sum. */
struct htmt__slope_term {
    uint32_t charge, count;
};

struct htmt__slope_graph {
    struct htmt__slope_node *node;
    struct htmt__slope_group *group;
    struct htmt__charge *charge;
    uint32_t *slot; /* charges by their bytes, 1 + number; 0: none */
    struct htmt__slope_entry {
        uint32_t node, hash; /* node: HTMT__TIME_0 in a free entry */
    } * entry;               /* all nodes, by their hash, */
    bool apart;              /* or none: hardly any were equal */
    uint32_t asked, equal;   /* for nodes, lately */
    size_t node_room, group_room, charge_room, slots, entries;
    struct htmt__slope_term *term;         /* at the end */
    size_t members, terms, term_room;      /* members: of all groups, at the end */
    uint32_t nodes, live, groups, charges; /* live: nodes that are no free ones */
    uint32_t free, free_group;
    bool failed; /* memory ran out: nothing counts any more */
};

void htmt__slope_graph_init(struct htmt__slope_graph *g);
void htmt__slope_graph_fini(struct htmt__slope_graph *g);

/* Number of a charge among those that differ. */
uint32_t htmt__slope_charge(struct htmt__slope_graph *g, const struct htmt__charge *charge);

/* Each of these returns a node to which the caller refers from now on. */
uint32_t htmt__slope_hold(struct htmt__slope_graph *g, uint32_t node);
/* A charge later, which ends at `time`; of no length: `from` itself. */
uint32_t htmt__slope_plus(struct htmt__slope_graph *g, uint32_t from, uint32_t charge,
                          htmt_time time);
/* The later one; of equal instants, both are kept. */
uint32_t htmt__slope_later(struct htmt__slope_graph *g, uint32_t a, uint32_t b);
/* Of a group's instants, all of one time, the one of that number. */
uint32_t htmt__slope_of_group(struct htmt__slope_graph *g, uint32_t group, uint32_t number);

/* The caller does not refer to it any more. */
void htmt__slope_drop(struct htmt__slope_graph *g, uint32_t node);
/* A place that referred to a node refers to one that was returned to the caller. */
void htmt__slope_set(struct htmt__slope_graph *g, uint32_t *place, uint32_t node);

/* An empty group, which the caller keeps. */
uint32_t htmt__slope_group_create(struct htmt__slope_graph *g);
void htmt__slope_group_add(struct htmt__slope_graph *g, uint32_t group, uint32_t node);
void htmt__slope_group_drop(struct htmt__slope_graph *g, uint32_t group);

static inline htmt_time htmt__slope_time(const struct htmt__slope_graph *g, uint32_t node)
{
    return node == HTMT__TIME_0 ? 0 : g->node[node].time;
}

/* The run is over: what `last` does not come from goes, and nodes stand behind those that they come
 * from. *last is then the last node, or HTMT__TIME_0. Nothing is added from now on. false: no
 * memory. */
bool htmt__slope_graph_settle(struct htmt__slope_graph *g, uint32_t *last);
/* Then charges that follow each other without a tie become one sum: there are no other charges. */
bool htmt__slope_graph_shorten(struct htmt__slope_graph *g);

#endif

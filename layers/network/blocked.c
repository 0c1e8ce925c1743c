/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waits for whom, when no event is left and packets are under way.
 *
 * The graph of blocked lanes: a node is a lane of a channel, in a plane. The packet that is the
 * first in that lane's inlet waits for the outlet of another lane, or has it and stands there;
 * either way an edge leads to that lane. A node has one edge at most, for one packet is the first.
 * So whoever follows the edges from any node ends where something moves, or comes into a circle; a
 * circle is a deadlock. Marking each node by the first search that passes it finds one in linear
 * time.
 *
 * Places hold the outlets of their own slices alone, and ranks their own places. So edges are
 * collected as plain values first, brought together, and put in the order of outlets: what is told
 * does not depend on who played which slice.
 */
#include "layers/network/fabric_parts.h"
#include "runtime/base/array.h"

#include <stdlib.h>

struct node {
    const struct htmt__packet *waits;
    uint32_t channel; /* that it waits for */
    uint32_t next;    /* HTMT__NOWHERE: none */
    uint32_t seen;    /* the search that came here; 0: none */
};

static uint32_t node_of(const struct htmt__fabric *f, uint32_t channel, uint32_t plane,
                        uint32_t lane)
{
    return channel * f->per_channel + plane * f->lanes + lane;
}

int htmt__blocked_edges_add(struct htmt__blocked_edges *edges,
                            const struct htmt__blocked_edge *edge)
{
    if (!htmt__array_fits(&edges->at, &edges->room, (size_t)edges->count + 1, sizeof *edges->at))
        return HTMT_ENOMEM;
    edges->at[edges->count++] = *edge;
    return 0;
}

void htmt__blocked_edges_clear(struct htmt__blocked_edges *edges)
{
    free(edges->at);
    *edges = (struct htmt__blocked_edges){0};
}

/* Of an outlet: the packets that wait for it, and the one that has it and stands there. */
static int add_edges(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                     struct htmt__blocked_edges *edges, uint32_t channel, uint32_t lane)
{
    const uint32_t outlet = f->view[channel].outlet + lane;
    int rc = 0;
    for (struct htmt__request *r = place->outlet[outlet].port.queue.first; r && !rc; r = r->next) {
        const struct htmt__fabric_event *e = &htmt__waits_of(r)->event;
        const struct htmt__packet *p = &e->packet;
        if (p->channel != HTMT__NOWHERE)
            rc = htmt__blocked_edges_add(
                edges, &(struct htmt__blocked_edge){
                           htmt__wanted(e), edges->count, node_of(f, p->channel, p->plane, p->lane),
                           node_of(f, htmt__wanted(e), p->plane, htmt__wanted_lane(e)), true, *p});
    }
    if (rc || !place->stream || place->outlet[outlet].port.end != HTMT_TIME_MAX)
        return rc;
    const struct htmt__stream *s = &place->stream[outlet];
    if (s->from == HTMT__NOWHERE)
        return 0;
    return htmt__blocked_edges_add(
        edges,
        &(struct htmt__blocked_edge){.channel = channel,
                                     .number = edges->count,
                                     .from = node_of(f, s->from, s->packet.plane, s->from_lane),
                                     .to = channel * f->per_channel + lane});
}

int htmt__blocked_edges_find(const struct htmt__fabric *f, struct htmt__fabric_place *const *place,
                             struct htmt__blocked_edges *edges)
{
    int rc = 0;
    for (uint32_t i = 0; f->flits && i < f->t->slices && !rc; i++)
        rc = place[i] ? htmt__flits_edges(f->flits, place[i]->flits, edges, htmt__blocked_edges_add)
                      : 0;
    for (uint32_t c = 0;
         !f->vortex && !f->flits && (c = htmt__fabric_known(f, c)) < f->t->channels && !rc; c++)
        for (uint32_t i = 0; i < f->per_channel && place[f->view[c].from] && !rc; i++)
            rc = add_edges(f, place[f->view[c].from], edges, c, i);
    return rc;
}

/* Those of a channel were found by one. */
static int in_order(const void *a, const void *b)
{
    const struct htmt__blocked_edge *x = a, *y = b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* A node of a circle that node `at` leads to; HTMT__NOWHERE: none that no search has found. */
static uint32_t follow(struct node *node, uint32_t at, uint32_t search)
{
    while (at != HTMT__NOWHERE && !node[at].seen) {
        node[at].seen = search;
        at = node[at].next;
    }
    return at != HTMT__NOWHERE && node[at].seen == search ? at : HTMT__NOWHERE;
}

unsigned htmt__fabric_stuck(const struct htmt__fabric *f, struct htmt__blocked_edges *edges,
                            htmt__fabric_stuck_tell *tell, void *user)
{
    const uint32_t count = f->t->channels * f->per_channel;
    struct node *node = edges->count ? calloc((size_t)count + 1, sizeof *node) : NULL;
    uint32_t first = HTMT__NOWHERE, at;
    unsigned told = 0;
    if (!node)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        node[i].next = HTMT__NOWHERE;
    if (edges->count)
        qsort(edges->at, edges->count, sizeof *edges->at, in_order);
    for (uint32_t i = 0; i < edges->count; i++) {
        const struct htmt__blocked_edge *edge = &edges->at[i];
        struct node *n = &node[edge->from];
        n->next = edge->to;
        if (!edge->waits)
            continue;
        n->waits = &edge->packet;
        n->channel = edge->channel;
    }
    for (uint32_t i = 0; i < count && first == HTMT__NOWHERE; i++)
        first = follow(node, i, i + 1);
    at = first;
    while (at != HTMT__NOWHERE) {
        if (node[at].waits) {
            tell(user, node[at].waits, at / f->per_channel, node[at].channel);
            told++;
        }
        at = node[at].next != first ? node[at].next : HTMT__NOWHERE;
    }
    free(node);
    return told;
}

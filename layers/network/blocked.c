/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circles of packets that hold and want. A node is the lane of a channel: the packet that is the
 * first in its inlet waits for another lane, or leaves by it; either way that lane comes next.
 */
#include "layers/network/fabric_parts.h"

#include <stdlib.h>

struct node {
    const struct htmt__packet *waits;
    uint32_t channel; /* that it waits for */
    uint32_t next;    /* HTMT__NOWHERE: none */
    uint32_t seen;    /* the search that came here; 0: none */
};

/* ---- edges ------------------------------------------------------------------------------------
 */

static uint32_t node_of(const struct htmt__fabric *f, uint32_t channel, uint32_t plane,
                        uint32_t lane)
{
    return channel * f->per_channel + plane * f->lanes + lane;
}

int htmt__blocked_edges_add(struct htmt__blocked_edges *edges,
                            const struct htmt__blocked_edge *edge)
{
    if (edges->count == edges->room) {
        const uint32_t room = edges->room ? 2 * edges->room : 16;
        struct htmt__blocked_edge *more = realloc(edges->at, room * sizeof *more);
        if (!more)
            return HTMT_ENOMEM;
        edges->at = more;
        edges->room = room;
    }
    edges->at[edges->count++] = *edge;
    return 0;
}

void htmt__blocked_edges_clear(struct htmt__blocked_edges *edges)
{
    free(edges->at);
    *edges = (struct htmt__blocked_edges){0};
}

static int add_waits(const struct htmt__fabric *f, struct htmt__blocked_edges *edges,
                     const struct htmt__requests *q)
{
    int rc = 0;
    for (struct htmt__request *r = q->first; r && !rc; r = r->next) {
        const struct htmt__fabric_event *e = &htmt__waits_of(r)->event;
        const struct htmt__packet *p = &e->packet;
        if (p->channel != HTMT__NOWHERE)
            rc = htmt__blocked_edges_add(
                edges, &(struct htmt__blocked_edge){
                           htmt__wanted(e), edges->count, node_of(f, p->channel, p->plane, p->lane),
                           node_of(f, htmt__wanted(e), p->plane, htmt__wanted_lane(e)), true, *p});
    }
    return rc;
}

/* The packet that has an outlet, and stands there. */
static int add_holder(const struct htmt__fabric *f, const struct htmt__fabric_place *p,
                      struct htmt__blocked_edges *edges, uint32_t channel, uint32_t lane)
{
    const uint32_t outlet = f->view[channel].outlet + lane;
    if (!p->stream || p->outlet[outlet].port.end != HTMT_TIME_MAX)
        return 0;
    const struct htmt__stream *s = &p->stream[outlet];
    if (s->from == HTMT__NOWHERE)
        return 0;
    return htmt__blocked_edges_add(
        edges,
        &(struct htmt__blocked_edge){.channel = channel,
                                     .number = edges->count,
                                     .from = node_of(f, s->from, s->packet.plane, s->from_lane),
                                     .to = channel * f->per_channel + lane});
}

static int add_channel(const struct htmt__fabric *f, const struct htmt__fabric_place *p,
                       struct htmt__blocked_edges *edges, uint32_t channel)
{
    int rc = 0;
    for (uint32_t i = 0; i < f->per_channel && !rc; i++) {
        rc = add_waits(f, edges, &p->outlet[f->view[channel].outlet + i].port.queue);
        rc = rc ? rc : add_holder(f, p, edges, channel, i);
    }
    return rc;
}

int htmt__blocked_edges_find(const struct htmt__fabric *f, struct htmt__fabric_place *const *place,
                             struct htmt__blocked_edges *edges)
{
    int rc = 0;
    for (uint32_t c = 0; c < f->t->channels && !rc; c++)
        if (place[f->view[c].from])
            rc = add_channel(f, place[f->view[c].from], edges, c);
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

static void edge(struct node *node, const struct htmt__blocked_edge *t)
{
    struct node *n = &node[t->from];
    n->next = t->to;
    if (!t->waits)
        return;
    n->waits = &t->packet;
    n->channel = t->channel;
}

/* ---- circles --------------------------------------------------------------------------------- */

/* A node of a circle that leads there from `at`. */
static uint32_t follow(struct node *node, uint32_t at, uint32_t search)
{
    while (at != HTMT__NOWHERE && !node[at].seen) {
        node[at].seen = search;
        at = node[at].next;
    }
    return at != HTMT__NOWHERE && node[at].seen == search ? at : HTMT__NOWHERE;
}

static uint32_t find(struct node *node, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = follow(node, i, i + 1);
        if (at != HTMT__NOWHERE)
            return at;
    }
    return HTMT__NOWHERE;
}

static unsigned tell_circle(const struct htmt__fabric *f, const struct node *node, uint32_t first,
                            htmt__fabric_stuck_tell *tell, void *user)
{
    unsigned n = 0;
    uint32_t at = first;
    do {
        if (node[at].waits) {
            tell(user, node[at].waits, at / f->per_channel, node[at].channel);
            n++;
        }
        at = node[at].next;
    } while (at != first);
    return n;
}

unsigned htmt__fabric_stuck(const struct htmt__fabric *f, struct htmt__blocked_edges *edges,
                            htmt__fabric_stuck_tell *tell, void *user)
{
    const uint32_t count = f->t->channels * f->per_channel;
    struct node *node = calloc((size_t)count + 1, sizeof *node);
    if (!node)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        node[i].next = HTMT__NOWHERE;
    if (edges->count)
        qsort(edges->at, edges->count, sizeof *edges->at, in_order);
    for (uint32_t i = 0; i < edges->count; i++)
        edge(node, &edges->at[i]);
    const uint32_t first = find(node, count);
    const unsigned n = first == HTMT__NOWHERE ? 0 : tell_circle(f, node, first, tell, user);
    free(node);
    return n;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circles of packets that hold and want. A node is the lane of a channel: the packet that is the
 * first in its inlet waits for another lane, or leaves by it; either way that lane comes next.
 */
#include "layers/fabric/parts.h"

#include <stdlib.h>

struct node {
    const struct htmt__fabric_event *waits;
    uint32_t next; /* HTMT__NOWHERE: none */
    uint32_t seen; /* the search that came here; 0: none */
};

static uint32_t node_of(const struct htmt__fabric *f, uint32_t channel, uint32_t plane,
                        uint32_t lane)
{
    return channel * f->per_channel + plane * f->lanes + lane;
}

static void add_waits(const struct htmt__fabric *f, struct node *node,
                      const struct htmt__requests *q)
{
    for (struct htmt__request *r = q->first; r; r = r->next) {
        const struct htmt__fabric_event *e = &htmt__waits_of(r)->event;
        const struct htmt__packet *p = &e->packet;
        if (p->channel == HTMT__NOWHERE)
            continue;
        struct node *n = &node[node_of(f, p->channel, p->plane, p->lane)];
        n->waits = e;
        n->next = node_of(f, htmt__wanted(e), p->plane, htmt__wanted_lane(e));
    }
}

/* The packet that has an outlet, and stands there. */
static void add_holder(const struct htmt__fabric *f, const struct htmt__fabric_place *p,
                       struct node *node, uint32_t outlet, uint32_t number)
{
    if (!p->stream || p->outlet[outlet].port.end != HTMT_TIME_MAX)
        return;
    const struct htmt__stream *s = &p->stream[outlet];
    if (s->from != HTMT__NOWHERE)
        node[node_of(f, s->from, s->packet.plane, s->from_lane)].next = number;
}

static void add_channel(const struct htmt__fabric *f, const struct htmt__fabric_place *p,
                        struct node *node, uint32_t channel)
{
    for (uint32_t i = 0; i < f->per_channel; i++) {
        const uint32_t outlet = f->lead[channel].outlet + i;
        add_waits(f, node, &p->outlet[outlet].port.queue);
        add_holder(f, p, node, outlet, channel * f->per_channel + i);
    }
}

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
        const struct htmt__fabric_event *e = node[at].waits;
        if (e) {
            tell(user, &e->packet, at / f->per_channel, htmt__wanted(e));
            n++;
        }
        at = node[at].next;
    } while (at != first);
    return n;
}

unsigned htmt__fabric_stuck(const struct htmt__fabric *f, struct htmt__fabric_place *const *place,
                            htmt__fabric_stuck_tell *tell, void *user)
{
    const uint32_t count = f->t->channels * f->per_channel;
    struct node *node = calloc((size_t)count + 1, sizeof *node);
    if (!node)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        node[i].next = HTMT__NOWHERE;
    for (uint32_t c = 0; c < f->t->channels; c++)
        if (place[f->lead[c].from])
            add_channel(f, place[f->lead[c].from], node, c);
    const uint32_t first = find(node, count);
    const unsigned n = first == HTMT__NOWHERE ? 0 : tell_circle(f, node, first, tell, user);
    free(node);
    return n;
}

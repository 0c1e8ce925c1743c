/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks with ports inside: made with the emulator, and what is stuck in them at the end.
 */
#include "parcels/message/packet_network.h"
#include "layers/network/routing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

/* Of a route that the program made. */
static const uint16_t *ports_of(void *emulator, uint32_t route)
{
    const struct htmt_emulator *e = emulator;
    return route && route <= e->routes.count ? e->routes.at[route - 1].port : NULL;
}

/* Elements may belong to slices that the emulator does not play: each has a place all the same. */
static int make(struct htmt_emulator *e, uint32_t network, const struct htmt__topology *t)
{
    const struct htmt__fabric_options o = {.user = e, .ports = ports_of};
    struct htmt__fabric_net *n = calloc(1, sizeof *n);
    e->net[network].fabric = n;
    if (!n)
        return HTMT_ENOMEM;
    n->topology = t;
    n->places = e->slices;
    for (uint32_t i = 0; i < t->ends + t->switches; i++)
        if (t->owner[i] >= n->places && t->owner[i] != UINT32_MAX)
            n->places = t->owner[i] + 1;
    n->place = calloc(n->places, sizeof(struct htmt__fabric_place *));
    n->end = calloc(e->played, sizeof(struct htmt__sendings *));
    n->senders = calloc(e->played, sizeof *n->senders);
    n->count = calloc(n->places, sizeof *n->count);
    int rc = n->place && n->end && n->senders && n->count ? htmt__fabric_create(t, &o, &n->fabric)
                                                          : HTMT_ENOMEM;
    n->reorders =
        !rc && (t->inside.topology == HTMT__DATA_VORTEX || htmt__route_has_many(&t->inside) ||
                (t->inside.planes > 1 && !htmt__fabric_never_blocks(n->fabric)));
    return rc;
}

/* One slice may stand for all, where none waits inside for what others do. Those that were said to
 * be independent of each other are played together, since their packets meet. */
static int check(struct htmt_emulator *e, uint32_t network)
{
    const struct htmt__fabric_net *n = e->net[network].fabric;
    if (e->options.symmetry == HTMT_FOLDED && !htmt__fabric_never_blocks(n->fabric))
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "network %s: packets of different slices may block each other inside, so "
                          "that one slice cannot stand for all: expected a run that is not folded",
                          e->machine->network[network].name);
    if (n->topology->ends < e->slices)
        return htmt__fail(e, HTMT_EINVAL,
                          "network %s has %u ends inside, expected one for each of "
                          "%u slices",
                          e->machine->network[network].name, n->topology->ends, e->slices);
    if (e->options.symmetry == HTMT_INDEPENDENT)
        e->options.symmetry = HTMT_NO_SYMMETRY;
    return 0;
}

int htmt__fabrics_create(struct htmt_emulator *e)
{
    int rc = 0;
    for (uint32_t n = 0; n < e->networks && !rc; n++) {
        const struct htmt__topology *t = htmt__topology(&e->machine->network[n]);
        if (!t)
            continue;
        e->has_fabric = true;
        rc = make(e, n, t);
        rc = rc ? rc : check(e, n);
    }
    return rc;
}

void htmt__fabrics_destroy(struct htmt_emulator *e)
{
    for (uint32_t k = 0; k < e->networks; k++) {
        struct htmt__fabric_net *n = e->net[k].fabric;
        if (!n)
            continue;
        for (uint32_t i = 0; n->place && i < n->places; i++)
            htmt__fabric_place_destroy(&n->place[i]);
        for (uint32_t i = 0; n->end && i < e->played; i++)
            htmt__sendings_destroy(n->end[i]);
        for (uint32_t i = 0; n->senders && i < e->played; i++)
            free(n->senders[i].at);
        htmt__fabric_destroy(&n->fabric);
        free(n->place);
        free(n->end);
        free(n->senders);
        free(n->count);
        free(n->account);
        htmt__blocked_edges_clear(&n->edges);
        free(n->holder);
        free(n);
    }
    for (uint32_t i = 0; i < e->routes.count; i++)
        free(e->routes.at[i].port);
    free(e->routes.at);
}

/* ---- who waits for whom ---------------------------------------------------------------------- */

struct circle {
    const struct htmt__topology *topology;
    char *text;
    size_t room, used;
    unsigned left_out;
};

#define MORE 24u /* "; and 1000 more packets" */

static void tell(void *user, const struct htmt__packet *p, uint32_t held, uint32_t wanted)
{
    struct circle *c = user;
    char holds[64], wants[64], line[300];
    htmt__topology_port_name(c->topology, held, holds, sizeof holds);
    htmt__topology_port_name(c->topology, wanted, wants, sizeof wants);
    int n = snprintf(
        line, sizeof line, "%spacket %u of %u from slice %u to slice %u holds %s, wants %s",
        c->used ? "; " : "", p->number + 1, p->count, p->source, p->target, holds, wants);
    if (c->left_out || n < 0 || c->used + (size_t)n + MORE >= c->room) {
        c->left_out++;
        return;
    }
    memcpy(c->text + c->used, line, (size_t)n + 1);
    c->used += (size_t)n;
}

bool htmt__fabric_stuck_text(const struct htmt_emulator *e, char *text, size_t room)
{
    for (uint32_t n = 0; n < e->networks; n++) {
        struct htmt__fabric_net *net = e->net[n].fabric;
        struct circle c = {.text = text, .room = room};
        if (!net)
            continue;
        c.topology = net->topology;
        if (!htmt__fabric_stuck(net->fabric, &net->edges, tell, &c))
            continue;
        if (c.left_out)
            snprintf(text + c.used, room - c.used, "; and %u more", c.left_out);
        return true;
    }
    return false;
}

/* ---- accounts -------------------------------------------------------------------------------- */

uint32_t htmt__port_used(const struct htmt__fabric_net *n, uint32_t port)
{
    const uint32_t channels = n->topology->channels, all = htmt__fabric_ports(n);
    while (port < all) {
        const uint32_t channel = htmt__fabric_known(n->fabric, port % channels);
        if (channel < channels)
            return port / channels * channels + channel;
        port = (port / channels + 1) * channels;
    }
    return all;
}

void htmt__fabrics_settle(struct htmt_emulator *e)
{
    for (uint32_t k = 0; k < e->networks; k++) {
        struct htmt__fabric_net *n = e->net[k].fabric;
        if (!n)
            continue;
        const struct htmt__topology *t = n->topology;
        const uint32_t planes = htmt__fabric_planes(n);
        htmt__outlets_settle(e, k);
        n->account = calloc(htmt__fabric_ports(n) + 1, sizeof *n->account);
        if (!n->account) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory for the accounts of ports");
            return;
        }
        for (uint32_t i = 0; (i = htmt__fabric_known(n->fabric, i)) < t->channels; i++) {
            const struct htmt__fabric_place *place = n->place[t->owner[htmt__wire(t, i)->from]];
            for (uint32_t plane = 0; place && plane < planes; plane++)
                htmt__fabric_account(n->fabric, place, i, plane, e->now,
                                     &n->account[(size_t)plane * t->channels + i]);
        }
        if (htmt__blocked_edges_find(n->fabric, n->place, &n->edges)) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory for packets that wait");
            return;
        }
    }
}

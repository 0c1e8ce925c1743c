/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_port.h"
#include "parcels/timing/fabric.h"

#include <stdlib.h>

#define MOST   100000u /* rows: a footer is bounded */
#define QUEUES 4u      /* enum htmt__port_state, and this */

struct row {
    htmt_time begin, end;
    uint64_t serial;
    uint32_t network, port, packet, packets, source, target;
    uint8_t state;
};

/* One that queues, of any port. */
struct queued {
    struct row row;
    uint64_t key;
};

struct htmt__record_ports {
    struct row *open[HTMT_NETWORKS_MAX]; /* of each port; state FREE: nothing */
    htmt_time *until[HTMT_NETWORKS_MAX];
    struct queued *queued;
    uint32_t waiting, waiting_room;
    struct row *row;
    uint32_t rows, room;
    uint64_t left_out;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void add(struct htmt_emulator *e, struct htmt__record_ports *r, const struct row *row)
{
    if (row->end <= row->begin)
        return;
    if (r->rows == MOST) {
        r->left_out++;
        return;
    }
    if (r->rows == r->room) {
        uint32_t room = r->room ? 2 * r->room : 256;
        struct row *more = realloc(r->row, room * sizeof *more);
        if (!more) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory to record ports");
            return;
        }
        r->row = more;
        r->room = room;
    }
    r->row[r->rows++] = *row;
}

static struct row row_of(uint32_t network, uint32_t port, const struct htmt__port_change *c,
                         uint64_t serial, htmt_time now)
{
    return (struct row){.begin = now,
                        .serial = serial,
                        .network = network,
                        .port = port,
                        .packet = c->packet->number,
                        .packets = c->packet->count,
                        .source = c->packet->source,
                        .target = c->packet->target,
                        .state = (uint8_t)c->state};
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void join(struct htmt_emulator *e, struct htmt__record_ports *r, struct row row,
                 uint64_t key)
{
    if (r->waiting == r->waiting_room) {
        uint32_t room = r->waiting_room ? 2 * r->waiting_room : 64;
        struct queued *more = realloc(r->queued, room * sizeof *more);
        if (!more) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory to record ports");
            return;
        }
        r->queued = more;
        r->waiting_room = room;
    }
    row.state = QUEUES;
    r->queued[r->waiting++] = (struct queued){row, key};
}

/* It has the port. */
static void leave(struct htmt_emulator *e, struct htmt__record_ports *r, const struct row *now,
                  uint64_t key)
{
    for (uint32_t i = r->waiting; i; i--) {
        struct queued *q = &r->queued[i - 1];
        if (q->key != key || q->row.packet != now->packet || q->row.port != now->port ||
            q->row.network != now->network)
            continue;
        q->row.end = now->begin;
        add(e, r, &q->row);
        *q = r->queued[--r->waiting];
        return;
    }
}

/* ---- ports ----------------------------------------------------------------------------------- */

static void close_port(struct htmt_emulator *e, struct htmt__record_ports *r, uint32_t network,
                       uint32_t port)
{
    struct row *open = &r->open[network][port];
    const htmt_time until = r->until[network][port];
    if (open->state == HTMT__PORT_FREE)
        return;
    open->end = open->state == HTMT__PORT_SENDS && until < e->now ? until : e->now;
    add(e, r, open);
    open->state = HTMT__PORT_FREE;
}

void htmt__record_port(struct htmt_emulator *e, struct htmt__record_ports *r, uint32_t network,
                       const struct htmt__port_change *c, uint64_t serial)
{
    const uint32_t port = c->plane * e->net[network].fabric->topology->channels + c->channel;
    const struct row row = row_of(network, port, c, serial, e->now);
    if (c->queues) {
        join(e, r, row, c->packet->key);
        return;
    }
    leave(e, r, &row, c->packet->key);
    close_port(e, r, network, port);
    r->open[network][port] = row;
    r->until[network][port] = c->until;
}

/* ---- the footer ------------------------------------------------------------------------------ */

static const char *const states[] = {[HTMT__PORT_FREE] = "free",
                                     [HTMT__PORT_SENDS] = "sends",
                                     [HTMT__PORT_BLOCKED] = "blocked",
                                     [HTMT__PORT_WAITS] = "waits",
                                     [QUEUES] = "queues"};

static json_t *row_json(const struct row *r)
{
    return json_pack("[I,I,s,I,I,I,I,I,I,I]", (json_int_t)r->network, (json_int_t)r->port,
                     states[r->state], (json_int_t)r->begin, (json_int_t)r->end,
                     (json_int_t)r->serial, (json_int_t)r->packet, (json_int_t)r->packets,
                     (json_int_t)r->source, (json_int_t)r->target);
}

static json_t *port_json(const struct htmt__fabric_net *n, uint32_t network, uint32_t port)
{
    char name[64], from[64], to[64];
    const uint32_t channel = port % n->topology->channels;
    const struct htmt__wire *w = &n->topology->wire[channel];
    htmt__topology_port_name(n->topology, channel, name, sizeof name);
    htmt__topology_name(n->topology, w->from, from, sizeof from);
    htmt__topology_name(n->topology, w->to, to, sizeof to);
    return json_pack("[I,I,s,I,s,s]", (json_int_t)network, (json_int_t)port, name,
                     (json_int_t)(port / n->topology->channels), from, to);
}

static json_t *ports_json(const struct htmt_emulator *e, const struct htmt__record_ports *r)
{
    json_t *all = json_array();
    for (uint32_t n = 0; n < e->networks && all; n++) {
        const struct htmt__fabric_net *net = e->net[n].fabric;
        bool *used = net ? calloc(htmt__fabric_ports(net) + 1, sizeof *used) : NULL;
        for (uint32_t i = 0; used && i < r->rows; i++)
            if (r->row[i].network == n)
                used[r->row[i].port] = true;
        for (uint32_t p = 0; used && p < htmt__fabric_ports(net); p++)
            if (used[p] && json_array_append_new(all, port_json(net, n, p))) {
                json_decref(all);
                all = NULL;
                break;
            }
        free(used);
    }
    return all;
}

static json_t *rows_json(const struct htmt__record_ports *r)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < r->rows && all; i++)
        if (json_array_append_new(all, row_json(&r->row[i]))) {
            json_decref(all);
            all = NULL;
        }
    return all;
}

json_t *htmt__record_ports_json(const struct htmt_emulator *e, struct htmt__record_ports *r)
{
    for (uint32_t n = 0; n < e->networks; n++)
        for (uint32_t p = 0; r->open[n] && p < htmt__fabric_ports(e->net[n].fabric); p++)
            close_port(e->whole, r, n, p);
    for (uint32_t i = 0; i < r->waiting; i++) {
        r->queued[i].row.end = e->now;
        add(e->whole, r, &r->queued[i].row);
    }
    r->waiting = 0;
    return json_pack("{so,so,sI}", "ports", ports_json(e, r), "port_rows", rows_json(r),
                     "port_rows_left_out", (json_int_t)r->left_out);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct htmt__record_ports *htmt__record_ports_create(const struct htmt_emulator *e)
{
    struct htmt__record_ports *r = calloc(1, sizeof *r);
    bool enough = r;
    for (uint32_t n = 0; n < e->networks && enough; n++) {
        const struct htmt__fabric_net *net = e->net[n].fabric;
        if (!net)
            continue;
        r->open[n] = calloc(htmt__fabric_ports(net) + 1, sizeof **r->open);
        r->until[n] = calloc(htmt__fabric_ports(net) + 1, sizeof **r->until);
        enough = r->open[n] && r->until[n];
    }
    if (enough)
        return r;
    htmt__record_ports_destroy(r);
    return NULL;
}

void htmt__record_ports_destroy(struct htmt__record_ports *r)
{
    for (uint32_t n = 0; r && n < HTMT_NETWORKS_MAX; n++) {
        free(r->open[n]);
        free(r->until[n]);
    }
    if (r) {
        free(r->queued);
        free(r->row);
    }
    free(r);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what record_ports.c and record_ports_footer.c share.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_PORTS_PARTS_H
#define HTMT_PARCELS_OBSERVE_RECORD_PORTS_PARTS_H

#include "parcels/message/packet_network.h"
#include "parcels/observe/record_ports.h"

struct htmt__port_packet {
    uint64_t serial; /* its message's */
    uint32_t number, source, target;
};

/* What a port does now, and who waits for it. */
struct htmt__recorded_port {
    struct htmt__port_packet packet;
    htmt_time since, until; /* until: of SENDS */
    enum htmt__port_state state;
    struct htmt__port_waits {
        struct htmt__port_packet packet;
        htmt_time since;
    } * queue;
    uint32_t queued, room;
};

/* A change, with what is needed of it later. */
struct htmt__port_note {
    struct htmt__failure turn;
    struct htmt__port_packet packet;
    htmt_time at, until;
    uint32_t port;
    enum htmt__port_state state;
    bool queues;
};

/* Deflated intervals of one slice. */
struct htmt__port_run {
    uint32_t slice, bytes, raw_bytes, crc, count;
    uint8_t *at;
};

struct htmt__record_ports {
    uint32_t first[HTMT_NETWORKS_MAX]; /* port of each network */
    uint32_t ports;
    struct htmt__recorded_port *port;
    uint32_t *slice; /* of each port */
    size_t room;     /* of a run */
    struct htmt__port_writer {
        uint8_t *bytes; /* of the run that is written */
        size_t used;
        uint32_t count;
        htmt_time begin; /* of the interval before */
        uint64_t serial;
        struct htmt__port_run *run;
        uint32_t runs, run_room;
    } * writer; /* of each slice */
    uint32_t writers;
    uint64_t at; /* in the file */
};

/* Lanes are ports of their own. */
static inline uint32_t htmt__recorded_ports(const struct htmt__fabric_net *n)
{
    return htmt__fabric_ports(n) * (n->topology->inside.lanes > 1 ? n->topology->inside.lanes : 1);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what ports inside networks do, in a recording: intervals of their states, and
 * of packets in their queues.
 *
 * Intervals of a slice's ports become bytes in the order in which they end; runs of them are
 * deflated, and stay in memory until the file has all blocks. So the file is the same however the
 * clock is cut.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_PORTS_H
#define HTMT_PARCELS_OBSERVE_RECORD_PORTS_H

#include "parcels/message/packet_network.h"
#include "parcels/observe/recorder.h"

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
    uint32_t queued;
    size_t room;
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
        uint32_t runs;
        size_t run_room;
    } * writer; /* of each slice */
    uint32_t writers;
    uint64_t at; /* in the file */
};

/* Lanes are ports of their own. */
static inline uint32_t htmt__recorded_ports(const struct htmt__fabric_net *n)
{
    return htmt__fabric_ports(n) * (n->topology->inside.lanes > 1 ? n->topology->inside.lanes : 1);
}

/* NULL: no network has ports inside. Errors (latched): HTMT_ENOMEM. */
int htmt__record_ports_create(struct htmt_emulator *e, struct htmt__record_ports **ports);
void htmt__record_ports_destroy(struct htmt__record_ports **ports);

/* A port changes, or a packet of p's message queues there. Errors (latched): HTMT_ENOMEM. */
void htmt__record_port(struct htmt_emulator *e, uint32_t network, const struct htmt__entity *p,
                       const struct htmt__port_change *change);

/* Of a partition: what it noted is written; nothing stays that comes behind the failure. */
void htmt__record_ports_note_write(struct htmt_emulator *part);
void htmt__record_ports_note_cut(struct htmt__recorder *part, struct htmt__failure failure);

/* The run is over: all goes to the file. Errors: HTMT_ENOMEM, HTMT_EIO. */
int htmt__record_ports_finish(struct htmt_emulator *e, struct htmt_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the source's side of a message, or of a parcel that moves, over a network
 * with ports inside. A channel of its layer is held from its begin until its last word has left the
 * slice, which is an event; who comes meanwhile waits in line.
 *
 * From the moment at which its first packet is on its way the entity belongs to the target's side.
 * What the source still needs of it lies here.
 */
#ifndef HTMT_PARCELS_MESSAGE_OUTLET_H
#define HTMT_PARCELS_MESSAGE_OUTLET_H

#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "runtime/sim/bank.h"

struct htmt__capture;

/* The channels of one layer. */
struct htmt__held_port {
    struct htmt__bank bank;
    htmt_time ended; /* when the last one did that was held */
};

/* A message on its way out. */
struct htmt__sending {
    uint64_t key, whose; /* of its packets: number of the message << 32 | its place here */
    struct htmt__leg leg;
    uint64_t bytes;
    uint32_t packets, left; /* in all (0: it is over); whose last word has left */
    uint32_t route, order;  /* order: among those of this pair of slices; 0: none is kept */
    htmt_time asked, start, startup; /* start < 0: it waits for a channel */
    struct htmt__entity *moment;     /* when the last word has left; or NULL */
    struct htmt__capture *capture;   /* of bytes for another partition; or NULL */
    bool captured;                   /* its bytes are captured when the last word has left */
    uint32_t spare;                  /* the next free one */
};

struct htmt__sendings {
    struct htmt__held_port outlet[HTMT_LAYERS_MAX];
    struct htmt__sending *sending;
    uint32_t sent;         /* messages */
    uint32_t fresh, spare; /* spare: 1 + index; 0: none */
    size_t room;
    struct htmt__pairs receivers; /* where the network reorders */
};

/* The adapter's own kinds of events, beyond those of the fabric. */
enum { HTMT__PACKET_INJECT = 255 };

void htmt__sendings_destroy(struct htmt__sendings *end);
/* It goes as soon as it gets a channel. Errors are latched. */
void htmt__outlet_send(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                       uint64_t bytes, uint32_t route);
/* What was sent last, or waits. */
struct htmt__sending *htmt__outlet_sending(struct htmt_emulator *e, const struct htmt__entity *p,
                                           const struct htmt__leg *g);
/* The run is over: accounts of those who wait to the end. */
void htmt__outlets_settle(struct htmt_emulator *e, uint32_t network);
/* An event of HTMT__PACKET_INJECT. */
void htmt__outlet_inject(struct htmt_emulator *e, const struct htmt__fabric_event *event);
/* The last word of a packet has left. true: it was the message's last one, which `over` describes;
 * its channel is the next one's. */
bool htmt__outlet_left(struct htmt_emulator *e, const struct htmt__packet *packet,
                       struct htmt__sending *over);

/* Those of a played slice that hold a channel, or wait for one. */
void htmt__outlet_each(struct htmt_emulator *e, uint32_t network, uint32_t slice,
                       void (*tell)(struct htmt_emulator *e, const struct htmt__sending *s));

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the networks of an emulator that have ports inside, which packets pass
 * (layers/network/fabric.h), and what each slice keeps of them.
 *
 * Elements belong to slices of the machine, of which an emulator may have fewer: the slice that
 * plays an element is its slice modulo those that there are.
 */
#ifndef HTMT_PARCELS_MESSAGE_PACKET_NETWORK_H
#define HTMT_PARCELS_MESSAGE_PACKET_NETWORK_H

#include "parcels/message/message.h"
#include "parcels/message/packet_queue.h"
#include "parcels/walk/entity.h"
#include "runtime/sim/bank.h"

#define HTMT__NO_ROUTE 0u /* the machine's routing */

struct htmt__sendings; /* what a slice that sends keeps: below */

/* Messages from slice to slice where their ways may differ. They have numbers in the order in which
 * they got a channel, and are there in that order: a signal never passes a put that went before it.
 * A slice that sends has such a table by receivers, one that receives by senders; where one slice
 * stands for all, it has those of all. */
struct htmt__pairs {
    struct htmt__pair {
        uint64_t pair;              /* source << 32 | target */
        bool used;                  /* else: the place is free */
        uint32_t number;            /* of the last one that was sent, or that is there */
        htmt_time end;              /* when that one is there */
        struct htmt__entity *early; /* those behind it, by `flight.early`, in no order */
    } * at;                         /* by pair, modulo the room, or behind */
    uint32_t count, room;
};

/* What a slice counts of packets. */
struct htmt__packet_count {
    uint64_t sent, came, hops; /* packets */
    htmt_uwide sent_bytes, came_bytes;
    uint64_t turn;      /* of its last hop */
    htmt_uwide history; /* of hops: runtime/sim/history.h */
};

/* Of one network. */
struct htmt__fabric_net {
    const struct htmt__topology *topology;
    struct htmt__fabric *fabric;
    bool reorders;   /* ways may differ: messages of a pair of slices are put in order again */
    uint32_t places; /* slices that its elements belong to */
    struct htmt__fabric_place **place;  /* each; NULL: not used yet */
    struct htmt__sendings **end;        /* of each played slice; NULL: it has not sent yet */
    struct htmt__pairs *senders;        /* of each played slice; where it reorders */
    struct htmt__packet *holder;        /* of each port, where somebody watches; else NULL */
    struct htmt__packet_count *count;   /* of each played slice */
    struct htmt__port_account *account; /* at the end: by plane and channel */
    struct htmt__blocked_edges edges;   /* at the end: of packets that wait */
};

/* Of a clock: what is to come inside networks; NULL where none has ports. */
struct htmt__packet_clock {
    uint32_t network; /* that is played */
    struct htmt__packet_queue queue;
    struct htmt__landing {
        struct htmt__entity *p; /* NULL: the place is free */
        uint32_t spare;         /* 1 + the next free place */
    } * landing; /* those whose head has a channel at its target, and not all of which is there */
    uint32_t landings, landing_spare;
    size_t landing_room;
    struct htmt__fabric_sink sink;
};

static inline uint32_t htmt__fabric_planes(const struct htmt__fabric_net *n)
{
    return n->topology->inside.planes > 1 ? n->topology->inside.planes : 1;
}
/* All: a channel has one in each plane. */
static inline uint32_t htmt__fabric_ports(const struct htmt__fabric_net *n)
{
    return n->topology->channels * htmt__fabric_planes(n);
}
/* The first port from that one on which may have had a packet; else their number. */
uint32_t htmt__port_used(const struct htmt__fabric_net *n, uint32_t port);
/* What another process counted of others. */
static inline void htmt__packet_count_add(struct htmt__packet_count *c,
                                          const struct htmt__packet_count *others)
{
    c->sent += others->sent;
    c->came += others->came;
    c->hops += others->hops;
    c->sent_bytes += others->sent_bytes;
    c->came_bytes += others->came_bytes;
    c->history += others->history;
}
static inline void htmt__port_account_add(struct htmt__port_account *a,
                                          const struct htmt__port_account *others)
{
    a->packets += others->packets;
    a->bytes += others->bytes;
    a->returned += others->returned;
    a->contentions += others->contentions;
    a->busy += others->busy;
    a->blocked += others->blocked;
    a->waiting += others->waiting;
    a->queued += others->queued;
    a->longest += others->longest;
}
/* The played slice that an element's slice is played with. */
static inline uint32_t htmt__fabric_slice(const struct htmt_emulator *e, uint32_t slice)
{
    return slice < e->played ? slice : slice % e->played;
}
/* In outlet.c: the pair's record, which is made when it is used first. NULL: out of memory. */
struct htmt__pair *htmt__pair_of(struct htmt__pairs *all, uint32_t source, uint32_t target);
/* NULL: out of memory (latched). */
struct htmt__fabric_place *htmt__fabric_place_of(struct htmt_emulator *e, uint32_t network,
                                                 uint32_t slice);
/* An event that the present one causes, here or elsewhere. Errors (latched): HTMT_ENOMEM,
 * HTMT_EPAST, HTMT_EOVERFLOW. */
void htmt__fabric_post(struct htmt_emulator *e, uint32_t network,
                       const struct htmt__fabric_event *event);
/* The same of the event at that place of the queue, which was taken. */
void htmt__fabric_post_again(struct htmt_emulator *e, uint32_t place);
static inline htmt_time htmt__fabric_next(const struct htmt_emulator *e)
{
    return e->packets ? htmt__packet_queue_next(&e->packets->queue) : HTMT_TIME_MAX;
}
/* There is one. Errors (latched): HTMT_ENOMEM. */
uint64_t htmt__fabric_next_key(struct htmt_emulator *e);

/* ---- networks, in packet_network.c ---- */

/* At the creation of the emulator, when its machine is there. Errors (latched): HTMT_ENOMEM,
 * HTMT_ESYMMETRY: slices are not alike inside; HTMT_EINVAL. */
int htmt__fabrics_create(struct htmt_emulator *e);
void htmt__fabrics_destroy(struct htmt_emulator *e);
/* Packets wait for each other in a circle: text for people; false: none do. */
bool htmt__fabric_stuck_text(const struct htmt_emulator *e, char *text, size_t room);
/* The run is over: accounts of all ports, packets that still wait. Errors (latched): HTMT_ENOMEM.
 */
void htmt__fabrics_settle(struct htmt_emulator *e);

/* ---- the source's side of a message, in outlet.c ---- */

/* A channel of its layer is held from its begin until its last word has left the slice, which is an
 * event; who comes meanwhile waits in line. From the moment at which its first packet is on its way
 * the entity belongs to the target's side. What the source still needs of it lies here. */

struct htmt__capture;

/* The channels of one layer. */
struct htmt__held_port {
    struct htmt__bank bank;
    htmt_time ended; /* when the last one did that was held */
    uint32_t taken;  /* bit of each channel that is held */
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
    uint8_t channel;                 /* which it holds; start >= 0 */
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

/* ---- packets, in packet.c: their events, and the target's side of a message ---- */

/* For a clock, the whole's or that of a partition, where a network has ports inside. Errors:
 * HTMT_ENOMEM. */
int htmt__packet_clock_create(struct htmt_emulator *e);
void htmt__packet_clock_destroy(struct htmt_emulator *e);
/* At the begin of the run: the critical path is followed through ports. */
void htmt__packet_watch(struct htmt_emulator *e);
/* It has a channel at the target from now on (inlet.h). */
void htmt__packets_begin(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt__leg *g);
/* The next event inside networks; there is one. */
void htmt__packet_turn(struct htmt_emulator *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets walk the ports of a network with an inside. This knows a topology, and no parcels.
 *
 * The state of an element belongs to one slice. Whatever one slice causes in another one is an
 * event, a plain value, that the caller brings there: at least min(wire, control) later. The caller
 * plays the events of a slice by (at, key, number, kind).
 */
#ifndef HTMT_LAYERS_NETWORK_FABRIC_H
#define HTMT_LAYERS_NETWORK_FABRIC_H

#include "layers/network/routing.h"

struct htmt__fabric;       /* of one network: constant, shared by threads */
struct htmt__fabric_place; /* the elements of one slice */

struct htmt__packet {
    uint64_t key;   /* of its message: the order at an instant */
    uint64_t whose; /* for the caller; with the key its own: a parcel may go again. The upper
                       half numbers the messages of its source: ways are drawn by it */
    uint32_t source, target; /* slices */
    uint32_t number, count;  /* of the message's packets */
    uint64_t bytes;          /* with its header, as it leaves its sender */
    uint32_t route;          /* for htmt__fabric_options.ports; 0: the machine's routing */
    uint32_t channel;        /* where its head is; UINT32_MAX: at its sender */
    uint16_t hops;
    uint8_t lane, plane; /* of a Data Vortex: the angles where it leaves, and enters */
    uint8_t from, to;    /* layers, at its sender and its target */
};

enum htmt__port_state { HTMT__PORT_FREE, HTMT__PORT_SENDS, HTMT__PORT_BLOCKED, HTMT__PORT_WAITS };

/* Kinds are the fabric's own. */
struct htmt__fabric_event {
    htmt_time at;
    struct htmt__packet packet;
    uint32_t slice;   /* whose event it is */
    uint32_t channel; /* whose port or input */
    uint8_t kind;
    htmt_time time[2]; /* what the kind says */
    uint64_t amount;
};

/* A packet queues at a port, or has it from now on in that state, or the state changes. */
struct htmt__port_change {
    uint32_t channel, plane;
    enum htmt__port_state state;
    bool queues;     /* the packet does, from now on or still; else it has the port */
    uint32_t queue;  /* its length now */
    htmt_time until; /* of SENDS: its end, as far as is known */
    const struct htmt__packet *packet; /* as it is in the channel */
};

/* A packet that a router takes: it routes that long, then copies. */
struct htmt__router_service {
    uint32_t slice, element, plane;
    bool queues; /* the router has others before it */
    htmt_time route, copy;
};

/* What the fabric tells its caller while it plays. */
struct htmt__fabric_sink {
    void *user;
    void (*post)(void *user, const struct htmt__fabric_event *event);
    /* At the source's slice: the packet's last word has left its sender. */
    void (*left)(void *user, const struct htmt__packet *p, htmt_time now);
    /* At the target's slice: its head is there; its last word comes at `tail`, or later if not
     * `sure` (then arrived() tells). */
    void (*head)(void *user, const struct htmt__packet *p, htmt_time now, htmt_time tail,
                 bool sure);
    /* At the target's slice: its last word is there; not told of those that were sure. */
    void (*arrived)(void *user, const struct htmt__packet *p, htmt_time now);
    /* A hop: the packet's head enters a channel (second history). */
    void (*hop)(void *user, const struct htmt__packet *p, uint32_t channel, htmt_time now);
    /* At the slice of a router: a packet has come to it; NULL: nobody wants to know. */
    void (*routes)(void *user, const struct htmt__router_service *routing);
    /* A port changes its state, or a packet joins its queue; NULL: nobody watches. */
    void (*watch)(void *user, const struct htmt__port_change *change, htmt_time now);
    /* Errors: host memory, time. */
    void (*fail)(void *user, int code, const char *what);
};

/* What of a route by number: its ports. NULL: none. */
struct htmt__fabric_options {
    void *user;
    const uint16_t *(*ports)(void *user, uint32_t route);
};

/* What a port did up to an instant. Words in = words out + under way. */
struct htmt__port_account {
    uint64_t packets, bytes;
    uint64_t returned;                /* entries of packets that started again: not in `packets` */
    uint64_t contentions;             /* packets that found it not free and queued */
    htmt_time busy, blocked, waiting; /* by state; the rest it was free */
    htmt_uwide queued;                /* integral of the queue's length */
    uint32_t longest;                 /* queue */
};

int htmt__fabric_create(const struct htmt__topology *t, const struct htmt__fabric_options *options,
                        struct htmt__fabric **f);
void htmt__fabric_destroy(struct htmt__fabric **f);

/* State on first use of a slice. NULL: out of memory. */
struct htmt__fabric_place *htmt__fabric_place_create(const struct htmt__fabric *f, uint32_t slice);
void htmt__fabric_place_destroy(struct htmt__fabric_place **p);

/* Packets of a message of that many bytes, and the bytes of packet `number` on its path. */
uint32_t htmt__fabric_packets(const struct htmt__fabric *f, uint64_t bytes);
void htmt__fabric_cut(const struct htmt__fabric *f, uint64_t bytes, uint32_t number,
                      struct htmt__packet *p);

/* The packet is at its sender's injection port: its head now, its last word not before `tail`.
 * Called while its source's slice plays. */
void htmt__fabric_inject(const struct htmt__fabric *f, struct htmt__fabric_place *place,
                         const struct htmt__packet *p, htmt_time now, htmt_time tail,
                         const struct htmt__fabric_sink *sink);
/* Bring what an event will touch near; it changes nothing. */
void htmt__fabric_fetch(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                        const struct htmt__fabric_event *event);
/* The kind of an event that was played and found nothing to do, since what it was to do is known to
 * be at another time: no time has passed by it. */
enum { HTMT__FABRIC_VOID = 254 };
/* An event of the slice. true: its packet goes on, *event is the next one, and the caller's to
 * post like those of the sink. It may be any slice's. Else its kind may be HTMT__FABRIC_VOID. */
bool htmt__fabric_play(const struct htmt__fabric *f, struct htmt__fabric_place *place,
                       struct htmt__fabric_event *event, const struct htmt__fabric_sink *sink);

/* Least time from an event of one slice to one that it causes in another slice. */
htmt_time htmt__fabric_lookahead(const struct htmt__fabric *f);
/* Never blocks: what slices that do the same meet is alike, or nothing. */
bool htmt__fabric_never_blocks(const struct htmt__fabric *f);

/* The first channel from that one on which may have had a packet; else the number of channels. */
uint32_t htmt__fabric_known(const struct htmt__fabric *f, uint32_t channel);
/* A channel that has, as another process says. */
void htmt__fabric_know(const struct htmt__fabric *f, uint32_t channel);
/* An event that another process caused here, before it is played. */
void htmt__fabric_hear(const struct htmt__fabric *f, const struct htmt__fabric_event *event);

/* What a channel of the place's did up to `now`; false: the place has no such channel. */
bool htmt__fabric_account(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                          uint32_t channel, uint32_t plane, htmt_time now,
                          struct htmt__port_account *account);

/* Of what is under way when no event is left: an inlet whose first packet waits for, or has, the
 * outlet of a channel. */
struct htmt__blocked_edge {
    uint32_t channel, number; /* their order: outlet after outlet */
    uint32_t from, to;        /* lanes of channels */
    bool waits;               /* the packet does */
    struct htmt__packet packet;
};

struct htmt__blocked_edges {
    struct htmt__blocked_edge *at;
    uint32_t count;
    size_t room;
};

/* Adds those of the places that are there. Errors: HTMT_ENOMEM. */
int htmt__blocked_edges_find(const struct htmt__fabric *f, struct htmt__fabric_place *const *place,
                             struct htmt__blocked_edges *edges);
/* One that was found elsewhere. Errors: HTMT_ENOMEM. */
int htmt__blocked_edges_add(struct htmt__blocked_edges *edges,
                            const struct htmt__blocked_edge *edge);
void htmt__blocked_edges_clear(struct htmt__blocked_edges *edges);

/* Who holds and wants: calls `tell` for each packet of a circle, in order; puts the edges in order.
 * Returns the number of packets. */
typedef void htmt__fabric_stuck_tell(void *user, const struct htmt__packet *p, uint32_t held,
                                     uint32_t wanted);
unsigned htmt__fabric_stuck(const struct htmt__fabric *f, struct htmt__blocked_edges *edges,
                            htmt__fabric_stuck_tell *tell, void *user);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the fabric share.
 *
 * An *outlet* is a transmit port's part for one channel, plane and lane, an *inlet* the buffer at
 * the channel's other end. A packet asks for the next outlet when it is the first in its inlet.
 *
 * The order at an instant. Threads and ranks play slices in any grouping, and all must predict the
 * same. So a slice's events have one order, (at, key, number, kind), which says nothing of who
 * played what before. Events of control come first, with key 0: they change what is known of other
 * elements, and commute; what one element tells another one comes in order, for `number` counts it.
 * Then packets act in the order of their messages' keys. Whatever lets a packet go on posts an
 * event of that packet, and does not move it itself. So if a credit comes at the instant at which
 * packet 7 asks for the same outlet, packet 3, which waited for the credit, acts first by its own
 * key.
 */
#ifndef HTMT_LAYERS_NETWORK_FABRIC_PARTS_H
#define HTMT_LAYERS_NETWORK_FABRIC_PARTS_H

#include "layers/network/fabric.h"
#include "layers/network/vortex.h"
#include "runtime/sim/port.h"

#define HTMT__NOWHERE    UINT32_MAX
#define HTMT__LANES_MOST 64

enum htmt__fabric_kind {
    /* Control. */
    HTMT__CREDIT, /* to an outlet: `amount` more units of room (modulo 2^64) */
    HTMT__DRAIN,  /* to an outlet: the inlet has drained up to time[0], at the pace `amount` until
                     time[1] */
    HTMT__TAIL, /* to an inlet: the last word of packet (amount, time[1]) comes at time[0]; now the
                   work packet.bytes is still to come, at the pace packet.route */
    HTMT__VOID, /* to an inlet: what packet (amount, time[1]) does now is void, once */
    HTMT__STOP, /* to an outlet: its packet queues further on */
    HTMT__GO,   /* to an outlet: its packet may start again */
    HTMT__LOOK, /* an outlet may run out of room */
    /* Packets. */
    HTMT__AGAIN,  /* its sender starts it again */
    HTMT__END,    /* an outlet's packet has left it, others share its wire */
    HTMT__LEFT,   /* its last word has left its sender */
    HTMT__ROUTES, /* it is at a router */
    HTMT__ASKS,   /* its head has passed a switch */
    HTMT__FIRST,  /* the one before it in its inlet has left */
    HTMT__READY,  /* an outlet faster than its inlet will not run dry any more */
    HTMT__WAKES,  /* the outlet that it waits for may serve it */
    HTMT__HEAD,   /* its head is at its target */
    HTMT__LAST    /* its last word is there */
};

/* A packet acts as an event: time[0] is when its last word is in its inlet, as far as is known,
 * time[1] the channel that it wants, amount the outlet there and its lane. */
static inline uint32_t htmt__wanted(const struct htmt__fabric_event *e)
{
    return (uint32_t)e->time[1];
}
static inline uint32_t htmt__wanted_outlet(const struct htmt__fabric_event *e)
{
    return (uint32_t)(e->amount >> 8);
}
static inline uint8_t htmt__wanted_lane(const struct htmt__fabric_event *e)
{
    return (uint8_t)e->amount;
}

/* A packet that waits: in the queue of an outlet, or behind the first of an inlet; and its event.
 */
struct htmt__waits {
    struct htmt__request request;
    struct htmt__fabric_event event;
};

/* A channel, as its packets see it: laid with its block, when a packet first wants it
 * (htmt__channel_know()). */
struct htmt__channel_view {
    struct htmt_ratio byte;
    htmt_time wire;
    htmt_time control;      /* from the input back to the port */
    uint32_t from, to;      /* slices */
    uint32_t element;       /* at its end */
    uint32_t outlet, inlet; /* the first of the channel's, in the places of the two slices */
    bool ejects;            /* the element is an end */
    bool bounded;           /* the inlet has a limit */
};

/* What follows a channel: htmt__route_straight(). */
struct htmt__next_channel {
    uint32_t channel; /* HTMT__NOWHERE: the routing says */
    uint32_t outlet;  /* its first, in the place of its slice */
    int32_t at;
    uint8_t dimension, lanes;
};

/* A pace is the time of a unit of work, in units of 1 / HTMT__FULL_PACE of its time at the full
 * rate; 0: it stands. */
#define HTMT__PACE_BITS 20
#define HTMT__FULL_PACE (UINT32_C(1) << HTMT__PACE_BITS)

/* How far the packet of an outlet has come (lane_stream.c). Positions are times of work at the full
 * rate, from the first packet of the outlet on. One line of the cache holds what the packet is, the
 * next one where it is, the last one what only wormholes have. */
struct htmt__stream {
    struct htmt__packet packet;
    uint32_t from;     /* channel that it comes from; HTMT__NOWHERE: its sender */
    uint8_t from_lane; /* there */
    bool stands;       /* for want of room */
    bool fed_all;      /* nothing that comes from upstream holds it up */
    bool open;         /* a packet has asked for its channel; all else is zero before */
    /* */
    htmt_time begin, at;  /* position `at` was reached at `begin`, or will be */
    htmt_time base, stop; /* positions of its first and behind its last word */
    htmt_time tail;       /* when its last word comes from upstream; HTMT_TIME_MAX: not known */
    /* The room it knows of: up to `limit` from `told` on, growing to `last`. */
    htmt_time limit;
    uint32_t pace;           /* it grows at this pace */
    uint32_t share;          /* the pace that the wire allows */
    uint32_t version;        /* of its end; events of an older one are void. Packets count, too */
    uint32_t closed_version; /* of the packet before it, when it ended */
    /* */
    htmt_time told, last;
    htmt_time drained; /* of the inlet that it comes from, its first word's */
    uint32_t tells;    /* counts what the outlet upstream was told */
    uint32_t said;     /* its pace, the last time */
    /* With several lanes: the words that have come from upstream, unless fed_all: up to `fed` at
     * `heard`, growing at the pace `feed`. */
    htmt_time fed, heard;
    htmt_time slack; /* a part of the work of a byte */
    htmt_time dry;   /* all that came is sent, and nothing comes, since then; HTMT_TIME_MAX: no */
    uint32_t feed;
    uint32_t deals; /* of lane 0: how often the wire was dealt at `dealt` */
    htmt_time dealt;
};

/* A line of the cache. */
struct htmt__outlet {
    struct htmt__transmit_port port;
};

struct htmt__inlet {
    htmt_time left; /* when the packet that was first has left; HTMT_TIME_MAX: not known */
    struct htmt__requests behind; /* those that wait behind the first */
    uint32_t outlet;              /* where the first leaves while its words still come */
    bool updated; /* the inlet was told of the tail of a packet that has not begun */
};

/* What an inlet was told, where ends of services change. */
struct htmt__inlet_update {
    htmt_time drained; /* work of all packets that were first */
    /* When the last word of a packet comes, the last that was told. */
    htmt_time tail;
    htmt_time rest, heard; /* the work that was still to come then, */
    uint32_t feed;         /* at this pace */
    uint64_t key, whose;
    uint32_t number;
    struct htmt__request *voids; /* packets that are void, each once, at `since` */
};

struct htmt__chunk;

/* The state of a slice's elements. What each packet asks for comes first. */
struct htmt__fabric_place {
    _Alignas(64) struct htmt__outlet *outlet;
    struct htmt__stream *stream; /* of each outlet; NULL: ends never change. blocked: source: its
                                    packet and where that comes from */
    struct htmt__inlet *inlet;
    struct htmt__port_queue *queue;    /* of each outlet: what those did that waited */
    struct htmt__inlet_update *update; /* of each inlet; NULL: ends never change */
    struct htmt__waits *unused;
    uint32_t slice;
    uint32_t plane;    /* of the next packet that is sent */
    htmt_time *router; /* when it is free; by element of the slice and plane */
    uint32_t outlets, inlets, routers;
    struct htmt__chunk *chunk;
    struct htmt__vortex_place *vortex; /* NULL: the network is none */
    struct htmt__flits_place *flits;   /* the same */
    void *whole[3];                    /* allocations that outlet, inlet and stream lie in */
};

#define HTMT__OTHERS_PLAY 3 /* the vortex, or routers of flits */

struct htmt__fabric {
    const struct htmt__topology *t;
    struct htmt__fabric_options options;
    struct htmt__channel_view *view;     /* by channel */
    struct htmt__next_channel *straight; /* by channel; NULL: no path goes straight on */
    uint8_t *known;                      /* by block of channels: the two above have them */
    pthread_mutex_t knowing;
    int32_t *at;                      /* by slice and dimension, where paths do */
    struct htmt__next_channel *eject; /* by slice: its ejection channel */
    uint32_t dimensions;
    uint32_t ring;                        /* bits of a lane that say whether its ring has closed */
    uint32_t *outlets, *inlets, *routers; /* by slice */
    uint32_t *outlet;                     /* by element: its first in its slice; of generated shapes
                                             its first inlet, too: as many come as leave */
    uint32_t *router;                     /* by element: its number in its slice */
    uint32_t planes, lanes, per_channel;  /* planes that have states */
    struct htmt_ratio copy;
    bool from_source;
    bool stored;    /* store-and-forward */
    bool uniform;   /* all channels have one rate */
    bool unbounded; /* inputs have no limit: packets pass those that wait for other outlets */
    bool worm;      /* a packet begins with room for its head alone */
    bool flows;     /* ends of services change: there are streams */
    bool flows_in;  /* they know how their words come from upstream, and may wait for them */
    bool
        defers; /* an outlet may be faster than what comes: heads wait, so that it never runs dry */
    bool routes;                 /* routers take time */
    struct htmt__vortex *vortex; /* a Data Vortex: it plays instead; NULL: none */
    struct htmt__flits *flits;   /* routers of flits: they play instead; NULL: none */
    bool chooses;                /* what waits at an element decides where packets go */
    bool finds; /* what a packet wants is known before it is there: neither that nor from_source */
    bool draws, keeps; /* it is drawn; for all packets of a message alike */
    uint32_t classes;  /* lanes of a group */
    uint8_t plays;     /* who plays events: by link, from_source, chooses, or HTMT__OTHERS_PLAY */
    bool free;         /* nothing takes time but wires and switches: htmt__fabric_never_blocks() */
    htmt_time lookahead;
};

/* ---- routers of flits ------------------------------------------------------------------------
 * flit_router.c: routers that send flits one by one (`pipeline: per-flit`) play instead. */

struct htmt__flits;       /* constant, shared by threads */
struct htmt__flits_place; /* the routers of one slice */

/* The fabric is whole but for this, and outlives it. Errors: HTMT_ENOMEM. */
int htmt__flits_create(const struct htmt__fabric *f, struct htmt__flits **flits);
void htmt__flits_destroy(struct htmt__flits **flits);
/* NULL: out of memory. */
struct htmt__flits_place *htmt__flits_place_create(const struct htmt__flits *flits, uint32_t slice);
void htmt__flits_place_destroy(struct htmt__flits_place **place);
void htmt__flits_inject(const struct htmt__flits *flits, struct htmt__flits_place *place,
                        const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                        const struct htmt__fabric_sink *sink);
bool htmt__flits_play(const struct htmt__flits *flits, struct htmt__flits_place *place,
                      struct htmt__fabric_event *event, const struct htmt__fabric_sink *sink);
bool htmt__flits_account(const struct htmt__flits *flits, const struct htmt__flits_place *place,
                         uint32_t channel, htmt_time now, struct htmt__port_account *account);
/* Adds who waits for whom in the place (htmt__blocked_edges_find()), by htmt__blocked_edges_add. */
typedef int htmt__edges_add(struct htmt__blocked_edges *edges,
                            const struct htmt__blocked_edge *edge);
int htmt__flits_edges(const struct htmt__flits *flits, const struct htmt__flits_place *place,
                      struct htmt__blocked_edges *edges, htmt__edges_add *add);

/* Who plays an event of which place, for whom, and when. */
struct htmt__fabric_step {
    const struct htmt__fabric *f;
    struct htmt__fabric_place *place;
    const struct htmt__fabric_sink *sink;
    htmt_time now;
    bool continues; /* what was played is the next event of its packet now */
    bool is_void;   /* it had nothing to do */
};

/* NULL: told to the sink. */
struct htmt__waits *htmt__place_waits(struct htmt__fabric_step *k,
                                      const struct htmt__fabric_event *e);
/* The streams of a channel that no packet has asked for before. */
__attribute__((cold)) void htmt__place_open(const struct htmt__fabric_step *k, uint32_t channel);
static inline void htmt__place_forget(struct htmt__fabric_step *k, struct htmt__waits *w)
{
    w->request.next = (struct htmt__request *)k->place->unused;
    k->place->unused = w;
}

/* fabric_channels.c: a block of channels. */
__attribute__((cold)) void htmt__channels_learn(const struct htmt__fabric *f, uint32_t block);

/* What names a channel to the packets here for the first time calls this. */
static inline void htmt__channel_know(const struct htmt__fabric *f, uint32_t channel)
{
    const uint32_t block = channel >> HTMT__BLOCK_BITS;
    if (__builtin_expect(!__atomic_load_n(&f->known[block], __ATOMIC_ACQUIRE), 0))
        htmt__channels_learn(f, block);
}

static inline struct htmt__waits *htmt__waits_of(struct htmt__request *r)
{
    return (struct htmt__waits *)r;
}

static inline uint32_t htmt__outlet_number(const struct htmt__fabric *f, uint32_t channel,
                                           uint32_t plane, uint32_t lane)
{
    return f->view[channel].outlet + plane * f->lanes + lane;
}

static inline struct htmt__outlet *htmt__outlet_of(const struct htmt__fabric_step *k,
                                                   uint32_t channel, uint32_t plane, uint32_t lane)
{
    return &k->place->outlet[htmt__outlet_number(k->f, channel, plane, lane)];
}

static inline void htmt__want(const struct htmt__fabric *f, struct htmt__fabric_event *e,
                              uint32_t channel, uint32_t lane)
{
    htmt__channel_know(f, channel);
    e->time[1] = channel;
    e->amount = (uint64_t)htmt__outlet_number(f, channel, e->packet.plane, lane) << 8 | lane;
}

/* Where the packet's head is; NULL: at its sender. */
static inline struct htmt__inlet *htmt__inlet_of(const struct htmt__fabric_step *k,
                                                 const struct htmt__packet *p)
{
    if (p->channel == HTMT__NOWHERE)
        return NULL;
    return &k->place->inlet[k->f->view[p->channel].inlet + p->plane * k->f->lanes + p->lane];
}

static inline struct htmt__inlet_update *htmt__update_of(const struct htmt__fabric_step *k,
                                                         const struct htmt__inlet *in)
{
    return &k->place->update[in - k->place->inlet];
}

static inline struct htmt__port_queue *htmt__queue_of(const struct htmt__fabric_step *k,
                                                      const struct htmt__outlet *o)
{
    return &k->place->queue[o - k->place->outlet];
}

static inline htmt_time htmt__work_of(const struct htmt__fabric *f, uint32_t channel,
                                      uint64_t bytes)
{
    const struct htmt_ratio byte = f->view[channel].byte;
    uint64_t work;
    if (__builtin_expect(byte.den == 1 && !__builtin_mul_overflow(bytes, byte.num, &work), 1) &&
        work <= (uint64_t)HTMT_TIME_MAX)
        return (htmt_time)work; /* without a division */
    return htmt_charge_time(byte, bytes);
}

/* ---- steps -----------------------------------------------------------------------------------
 * Each plays an event. If its packet goes on, the event is that packet's next one afterwards, and
 * the step says so. */

/* packet.c: a packet at its sender, then events. */
void htmt__packet_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
/* The same as without `chooses`, where packets choose their ways. */
void htmt__choosing_arrives(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__choosing_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__choosing_first(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_credit(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_tail(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_void(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_arrives(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_first(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_ready(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_head(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__packet_last(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

/* stop_and_go.c: the same where a blocked packet starts again at its sender. */
void htmt__from_source_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_stop(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_go(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_again(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__from_source_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is inside a network: ends, switches, and the channels that join them.
 *
 * An end is a slice as the network sees it. Elements have numbers: ends 0 .. ends - 1, in the order
 * of their places (the slice at end i is slice_of[i]), then the switches. A channel leads from an
 * element to another one and is one way; a link of a drawing is two channels. A channel has one
 * number, for the transmit port at its begin and for the input at its end. The channels that leave
 * an element stand together, in the order of its ports.
 *
 * A topology is constant to who reads it, and may be shared by threads.
 */
#ifndef HTMT_LAYERS_NETWORK_TOPOLOGY_H
#define HTMT_LAYERS_NETWORK_TOPOLOGY_H

#include "layers/machine/machine.h"

#include <pthread.h>

struct htmt__switch_graph; /* graph.h */

#define HTMT__DIMENSIONS 8

enum htmt__topology_kind {
    HTMT__CROSSBAR,
    HTMT__MESH,
    HTMT__TORUS,
    HTMT__TREE,
    HTMT__BUTTERFLY,
    HTMT__FAT_TREE,
    HTMT__DRAGONFLY,
    HTMT__FLAT_BUTTERFLY,
    HTMT__CONCENTRATED_MESH,
    HTMT__HYPERCUBE,
    HTMT__GRAPH,
    HTMT__DATA_VORTEX
};
enum htmt__switching { HTMT__STORE_AND_FORWARD, HTMT__CUT_THROUGH, HTMT__WORMHOLE };
enum htmt__routing {
    HTMT__ROUTE_XY,
    HTMT__ROUTE_TORUS,
    HTMT__ROUTE_GEOMETRIC,
    HTMT__ROUTE_UP_DOWN,
    HTMT__ROUTE_SHORTEST,
    HTMT__ROUTE_SOURCE,
    HTMT__ROUTE_DEFLECTION,
    HTMT__ROUTE_D_MOD_K,
    HTMT__ROUTE_UP_RANDOM,
    HTMT__ROUTE_UP_ADAPTIVE,
    HTMT__ROUTE_MINIMAL,
    HTMT__ROUTE_VALIANT,
    HTMT__ROUTE_UGAL,
    HTMT__ROUTE_O1TURN,
    HTMT__ROUTE_MINIMAL_ADAPTIVE,
    HTMT__ROUTINGS
};

/* Of a Data Vortex: the angles at which packets of a layer enter, or leave. */
struct htmt__vortex_angles {
    uint8_t first, count;
};
/* Of ways that are alike: all the first one; parity or a hash of the packet tells which. */
enum htmt__ties { HTMT__TIES_FORWARD, HTMT__TIES_BALANCED, HTMT__TIES_HASH };
/* What the hash that chooses a way is of: each packet's own number, or that of its message alone.
 */
enum htmt__order { HTMT__ORDER_FREE, HTMT__ORDER_KEEP };

/* What a machine file says under `inside`. Times in femtoseconds, sizes in bytes. In a topology,
 * planes that are scaled are done: byte and copy (and the wires' byte) are divided, planes is 1. */
struct htmt__inside {
    enum htmt__topology_kind topology;
    enum htmt__switching switching;
    enum htmt__routing routing;
    enum htmt__ties ties;
    enum htmt__order order;
    uint32_t per_switch; /* dragonfly, flattened butterfly, concentrated mesh: ends of a switch */
    uint32_t dimensions, /* of a hypercube: shape[0] */
        shape[HTMT__DIMENSIONS]; /* mesh, torus, flattened butterfly, concentrated mesh: extents, x
                                    first; trees, butterfly: arity, levels (of a fat
                                    tree by lists those of htmt__fat_level()); dragonfly: switches
                                    of a group, links of a switch to other groups */
    uint64_t packet;             /* payload at most; 0: whole messages */
    uint64_t header, header_hop; /* of a packet: fixed, and for each switch on its path */
    struct htmt_ratio byte;      /* fs a byte of an inner channel; zero: no time */
    htmt_time wire, turn;        /* of a head: element to element, inside a switch (`switch`) */
    htmt_time local_wire, global_wire; /* dragonfly: in a group, from group to group */
    uint64_t buffer;                   /* bytes of an input and lane; 0: unlimited */
    uint32_t lanes, planes;
    bool auto_classes; /* as many lanes for each class that the routing needs */
    uint64_t bias;     /* ugal: bytes that a longer way must be ahead */
    uint32_t seed;     /* of what is drawn for packets */
    bool dynamic;      /* allocate: a packet takes the lane where least waits */
    bool per_flit;     /* pipeline: routers send flits, of so many bytes */
    uint64_t flit;
    uint32_t input_speedup; /* flits of an input that may leave in a cycle; 0: one of each lane */
    bool oldest;            /* arbiter: who has waited longest, not in turn */
    uint64_t urgent;        /* priority: messages of at most so many bytes go first; 0: none */
    bool may_deadlock;      /* deadlock: allowed */
    bool by_number;         /* links: a group's lead to the others in order, not round from it */
    bool keep_class;        /* datelines: a packet is in one class round the whole ring */
    bool by_switch; /* detours: a dragonfly's valiant and ugal go by a switch, not a group */
    bool scaled;    /* planes: one of them, latencies divided; false: dealt in turn */
    htmt_time setup, route; /* each link; each router, the sender's included */
    struct htmt_ratio copy; /* fs a byte, at routers between */
    int router;             /* layer whose processors route and copy; -1: none */
    bool from_source;       /* blocked: source */
    htmt_time control;      /* Stop, Go, credits, tail releases: an element */
    htmt_time latency;      /* the network's; in a topology it is in the wires that leave ends */
    htmt_time startup_next, receive;
    struct htmt_ratio local_byte; /* fs a byte from an end to its memory */
    htmt_time slot, signal;       /* of a Data Vortex; its shape is heights and angles */
    struct htmt__vortex_angles enters[HTMT_LAYERS_MAX], leaves[HTMT_LAYERS_MAX];
};

struct htmt__wire {
    uint32_t from, to;      /* elements */
    uint32_t port, to_port; /* their numbers there, from 0 */
    uint32_t back; /* the channel of the other way between the two ports; UINT32_MAX: none */
    struct htmt_ratio byte; /* fs a byte */
    htmt_time wire;         /* of the head */
};

/* Channels of generated shapes are laid by that many, when one of them is asked for first: a run of
 * two slices of a machine of a million touches few. */
#define HTMT__BLOCK_BITS 6

struct htmt__topology {
    struct htmt__inside said; /* as it was given */
    struct htmt__inside inside;
    uint32_t slices, ends, switches, channels;
    uint32_t longest;                 /* switches on a path, at most */
    uint32_t usual[2];                /* two ends that are as far apart as ends are in the mean */
    uint32_t *first;                  /* of an element: its first channel; ends + switches + 1 */
    struct htmt__wire *wire;          /* by channel: htmt__wire() */
    uint8_t *laid;                    /* by block of channels; NULL: all are */
    pthread_mutex_t laying;           /* of generated shapes */
    uint32_t *into;                   /* of an end: its ejection channel */
    uint32_t *end_of, *slice_of;      /* end of a slice, slice of an end (UINT32_MAX: none) */
    uint32_t *owner;                  /* of an element: the slice that its state belongs to */
    void *routes;                     /* tables of routing.h */
    struct htmt__switch_graph *graph; /* names and places; NULL: generated */
    uint32_t users;
};

/* The block of that number is there afterwards; any thread may ask. */
void htmt__wires_lay(const struct htmt__topology *t, uint32_t block);

static inline const struct htmt__wire *htmt__wire(const struct htmt__topology *t, uint32_t channel)
{
    const uint32_t block = channel >> HTMT__BLOCK_BITS;
    if (t->laid && !__atomic_load_n(&t->laid[block], __ATOMIC_ACQUIRE))
        htmt__wires_lay(t, block);
    return &t->wire[channel];
}

/* From the input of a channel back to its port: `control`, and in a dragonfly, whose links differ
 * in length, by as much longer as the wire is. */
static inline htmt_time htmt__wire_control(const struct htmt__topology *t,
                                           const struct htmt__wire *w)
{
    const bool longer =
        t->inside.topology == HTMT__DRAGONFLY && w->from >= t->ends && w->wire > t->inside.wire;
    return t->inside.control + (longer ? w->wire - t->inside.wire : 0);
}

/* The next channel whose figures may be others: in generated shapes there are those that leave ends
 * and those that leave switches. */
static inline uint32_t htmt__wire_other(const struct htmt__topology *t, uint32_t channel)
{
    if (!t->laid || t->inside.topology == HTMT__DRAGONFLY)
        return channel + 1;
    return channel < t->ends ? t->ends : t->channels;
}

/* A level of a fat tree, from the ends up. A switch of it is a number A * copies + B: A is that of
 * the ends below it, without their last digits, B says which one of those that have the same. */
struct htmt__fat_level {
    uint32_t down, up;      /* ports of a switch */
    uint32_t first, copies; /* its first switch; */
    uint32_t child;         /* ends below a port down */
};
uint32_t htmt__fat_levels(const struct htmt__inside *inside);
struct htmt__fat_level htmt__fat_level(const struct htmt__inside *inside, uint32_t level);

/* Ends of a generated shape; 0: more than can be numbered (or a crossbar, a graph). */
uint32_t htmt__topology_ends(const struct htmt__inside *inside);

/* Channels of a generated shape at most, and how many a network may have. */
uint64_t htmt__topology_channels(const struct htmt__inside *inside, uint32_t ends);
#define HTMT__CHANNELS_MOST (UINT64_C(1) << 23)

/* "8 x 8", "square", "cube"; of a tree or butterfly "2 x 12", or "2": arity, and as many levels as
 * the slices need; of a fat tree "4 ^ 3", "4", or "4, 4, 4; 2, 2", ports down of each level, then
 * those up of all but the last one; of a dragonfly "2, 4, 2"; of a flattened
 * butterfly or concentrated mesh "4 x 4 x 4", ends of a switch first; of a hypercube "6". Fills
 * dimensions and shape; false: `why` says what was expected. */
bool htmt__topology_shape(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                          size_t room);

/* Of what `inside` says, in which topology and shape (or graph) hold the slices. The graph, NULL
 * unless the topology is one, belongs to the topology from then on, also if this fails. place: the
 * end of each slice; NULL: in order. On success the caller owns *t.
 * Errors: HTMT_ENOMEM, HTMT_EROUTE (the routing has no path; the fault says where). */
int htmt__topology_create(const struct htmt__inside *inside, struct htmt__switch_graph *graph,
                          uint32_t slices, const uint32_t *place, struct htmt__topology **t,
                          struct htmt_fault *fault);
/* One user more, and one less; the last one frees it. NULL accepted. */
struct htmt__topology *htmt__topology_share(struct htmt__topology *t);
void htmt__topology_release(struct htmt__topology **t);

/* NULL: the network has no inside of this kind. It belongs to the machine. */
const struct htmt__topology *htmt__topology(const struct htmt_network *n);

/* The machine plays that many of its slices, the first ones: its topologies (those of a copy are
 * its own then) get shapes that follow the slices, and owners among them. Without inside: nothing.
 * Errors: HTMT_ENOMEM, HTMT_EFORMAT. */
int htmt__machine_play(struct htmt_machine *m, uint32_t slices, struct htmt_fault *fault);

/* "1.e", "switch 3 port 2", "end 7": of the transmit port of a channel, for people. */
void htmt__topology_port_name(const struct htmt__topology *t, uint32_t channel, char *name,
                              size_t room);
/* The same of an element. */
void htmt__topology_name(const struct htmt__topology *t, uint32_t element, char *name, size_t room);

#endif

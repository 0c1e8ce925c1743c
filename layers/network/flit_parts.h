/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of routers that send flits share (flit_router.c says what these do).
 */
#ifndef HTMT_LAYERS_NETWORK_FLIT_PARTS_H
#define HTMT_LAYERS_NETWORK_FLIT_PARTS_H

#include "layers/network/fabric_parts.h"

struct htmt__flits {
    const struct htmt__fabric *f;
    htmt_time cycle;
    uint64_t bytes;       /* of a flit */
    uint32_t room;        /* flits of an inlet */
    uint32_t parts;       /* of an input */
    bool oldest, decides; /* arbiter: oldest; routing: ugal */
    uint64_t urgent;      /* bytes of a packet, with its header, that goes first; 0: none */
    uint32_t *rank;       /* of a channel: its number among those that come to its end */
    uint32_t *arrive;     /* channels that come to an element, behind arrive_first[] */
    uint32_t *arrive_first;
};

/* A packet in an inlet. */
struct worm {
    struct worm *next;
    struct htmt__packet packet; /* as it came */
    uint32_t flits, come, gone;
    htmt_time since;        /* its head may go on */
    uint32_t channel, lane; /* that ugal decided for; HTMT__NOWHERE: none */
    bool waited, urgent;
};

struct inlet {
    struct worm *first, *last;
    struct worm *ahead; /* at an end: the last urgent one that passed others; NULL: it has gone */
    uint32_t outlet;    /* 1 + number of the lane that the first one has; 0: none */
};

struct outlet {
    uint32_t room; /* flits */
    bool taken;
    uint64_t packets, bytes, flits;
};

/* Of a channel that leaves. */
struct wire {
    uint64_t contentions;
    htmt_uwide queued;
    uint32_t waits, longest; /* heads without a lane, now and at most */
};

struct router {
    uint32_t element, inputs, outputs; /* channels */
    uint32_t lanes;                    /* of an input; an end has one */
    htmt_time cycled, planned;         /* its last cycle, and its next one */
    struct inlet *in;                  /* by input and lane */
    struct outlet *out;
    struct wire *wire;
    /* Pointers of matching: of lanes, and of parts of inputs and wires. */
    uint32_t *lane_grant, *lane_accept, *wire_grant, *wire_accept;
    uint32_t *turn; /* of a part: the lane that is asked first */
};

/* A request of a matching, and what came of it. */
struct ask {
    uint32_t in, out, lane; /* lane: the inlet's number */
    bool early;             /* it has no lane yet */
    bool urgent;
    bool match;
    htmt_time since;
};

struct asks {
    struct ask *at;
    size_t room;
    uint32_t count;
};

struct htmt__flits_place {
    uint32_t slice;
    struct router **router; /* by number of the element in its slice; NULL: nothing came */
    uint32_t routers;
    struct worm *spare;
    struct asks lanes, wires;
    uint32_t *grant, *accept; /* of a round: 1 + number of the request */
    size_t grants, accepts;
};

struct step {
    const struct htmt__flits *c;
    const struct htmt__fabric *f;
    struct htmt__flits_place *place;
    const struct htmt__fabric_sink *sink;
    htmt_time now;
};

/* flit_match.c: false: out of memory, which was told. */
bool htmt__flits_ask(const struct step *k, struct asks *a, struct ask with);
/* Marks those that are matched; the pointers of outputs and inputs go on. */
void htmt__flits_match(const struct step *k, struct asks *a, uint32_t ins, uint32_t outs,
                       uint32_t *grant_at, uint32_t *accept_at);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Message-passing programs: equal nodes of one memory that compute, send and wait for each other.
 *
 * Each slice is a node. All nodes go through the same phases. In a phase a node computes and sends
 * puts into the memories of others. The phase is over when its kernel has ended and all that it
 * awaits has come; a barrier may follow, and then the next phase begins.
 *
 * peers.c tells how, what it costs, and why a fast node never disturbs a slow one.
 */
#ifndef HTMT_APPS_PEERS_PEERS_H
#define HTMT_APPS_PEERS_PEERS_H

#include "parcels/htmt.h"

#include <stdbool.h>

/* The only layer of a machine and the network that joins its nodes. */
struct htmt__peer_place {
    uint32_t layer, network;
};

static inline struct htmt__peer_place htmt__peer_place(const struct htmt_machine *m)
{
    const int network = htmt_machine_route(m, 0, 0, true); /* -1: there is one node alone */
    return (struct htmt__peer_place){0, network < 0 ? 0 : (uint32_t)network};
}

struct htmt__phase {
    const char *name;
    htmt_kernel_fn *kernel;
    htmt_cost_fn *cost;
    bool constant; /* the cost is the same in all nodes and rounds */
    bool steered;  /* `act` looks at the result of a kernel before (struct htmt_stage) */
    bool barrier;  /* follows */
    void (*act)(struct htmt_context *c, struct htmt_slot done); /* footprints, puts; NULL: none */
    uint32_t awaited; /* signals to `done` in each round beside that of its own end: arrivals of
                         others' puts, whose slots are htmt_slot_in(done, there) */
};

/* In `act`: the number of its phase, for those that several phases share. */
uint32_t htmt__peers_phase(const struct htmt_context *c);

#define HTMT__PEERS_END UINT32_MAX

struct htmt__peers_desc {
    struct htmt_emulator *e;
    const char *type;
    struct htmt__peer_place place;
    const struct htmt__phase *phases; /* copied */
    uint32_t count, first;            /* phases; the first one of a run */
    /* The phase that follows the one that is over, or HTMT__PEERS_END; it is called once in each
     * node for each phase, and may count rounds in what belongs to the slice. */
    uint32_t (*next)(struct htmt_context *c, uint32_t over);
    const void *args; /* of each node's activation, copied */
    size_t args_bytes, result_bytes;
    void (*each)(void *args, uint32_t node); /* tells the arguments whose they are; may be NULL */
};

struct htmt__peers;

/* Types and activations; the program gives *nodes to htmt__peers_destroy() after the run. Errors:
 * HTMT_ENOMEM and those of the emulator. */
int htmt__peers_create(const struct htmt__peers_desc *desc, struct htmt__peers **nodes);
void htmt__peers_destroy(struct htmt__peers **nodes); /* NULL accepted */

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Message i of a node; false: it has no more. */
struct htmt__sent {
    uint32_t to;
    uint64_t words;
};
typedef bool htmt__sends(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent);

/* All nodes send their messages at once, each one after another, and receive as many: from the
 * first start-up to the last word of the node that takes longest. Where the network has no ports
 * inside nodes differ by what they send alone, and the last one must send most. What messages of
 * different nodes do to each other inside is not in it. -1: it overflows. */
htmt_time htmt__peers_exchange(const struct htmt_machine *m, struct htmt__peer_place place,
                               htmt__sends *sends, const void *user);

/* A barrier of all nodes. -1: it overflows. */
htmt_time htmt__peers_barrier(const struct htmt_machine *m, struct htmt__peer_place place);

#endif

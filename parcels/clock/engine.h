/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the emulator, and where it keeps the resources of its slices.
 */
#ifndef HTMT_PARCELS_CLOCK_ENGINE_H
#define HTMT_PARCELS_CLOCK_ENGINE_H

#include "parcels/data/data.h"
#include "runtime/sim/bank.h"
#include "runtime/sim/link.h"
#include "runtime/sim/pending.h"
#include "runtime/sim/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct htmt__list {
    struct htmt__entity *head, *tail;
};

#define HTMT__NO_NETWORK UINT32_MAX /* of a leg: within one memory of one slice */

#define HTMT__NO_CONTROLLER UINT32_MAX

#define HTMT__TURNING_MOST 4u

/* Types whose parcels turn in a slice that does not get on. */
struct htmt__turning {
    uint32_t slice, count;
    const struct htmt_type *type[HTMT__TURNING_MOST];
};
/* What each move over a network asks of it. */
struct htmt__net {
    htmt_time startup, latency;
    bool modelled;                   /* something is inside */
    bool one_source;                 /* every queue at a target has one source port */
    bool engine;                     /* one for both directions, of a slice: the DMA engine */
    bool plain;                      /* it has neither ports inside nor an engine */
    bool bus;                        /* the controller's, or of cells: no message takes it */
    bool in_aside;                   /* heads that come go another way: of these two reasons */
    uint8_t holds;                   /* a bit of each layer whose in channels full queues hold */
    struct htmt__fabric_net *fabric; /* its ports; NULL: it has none inside */
};

/* Messages from memory to memory: over which network, and how long the last one held its channels.
 */
struct htmt__way {
    _Alignas(64) uint64_t words; /* there was none yet: UINT64_MAX; where all have one word, 0 */
    uint64_t from_pieces, to_pieces;
    htmt_time out_time, in_time;
    struct htmt__stage_stats *stats;
    uint32_t network; /* HTMT__NO_NETWORK: none carries */
    uint32_t line;    /* of the events that end there */
};

/* Failures are compared by the instant, then by whose turn it was; those of slices that were said
 * to be independent by the slice alone. */
struct htmt__failure {
    htmt_time at;
    htmt_uwide order;
};

/* A service that waits for its kernel, and the key of the turn in which it began. */
struct htmt__awaiting {
    struct htmt__entity *p;
    uint64_t key;
    uint64_t reply; /* of a captured run: the name of the kernel's reply */
};

/* Of a partition, in a run: the bytes of messages to others (capture.h). */
struct htmt__captures {
    struct htmt__capture **due; /* a binary heap by time and key */
    uint32_t count;
    size_t room;
    struct htmt__capture *made, *spare;
};

/* Why events may have to go another way than most, each a bit of e->aside. */
enum htmt__aside {
    HTMT__BY_PROBE = 1,      /* e->explain hears of them */
    HTMT__BY_OBSERVER = 2,   /* htmt_options.observe does */
    HTMT__BY_GUARD = 4,      /* e->guard shuts the pages of other slices */
    HTMT__BY_PARTITION = 8,  /* e->partition is not alone */
    HTMT__BY_CALENDAR = 16,  /* there is no e->lane */
    HTMT__BY_BYTES = 32,     /* e->data, of a run */
    HTMT__BY_RESIDENCY = 64, /* htmt_options.lint or what_if (memory.h) */
    HTMT__BY_ROUTER = 128,   /* processors route packets (packet_router.h) */
    HTMT__BY_ISSUE = 256,    /* threads share issue ports (issue.h) */
    HTMT__BY_NODES = 512,    /* services depend on each other (node_services.h) */
    HTMT__BY_REPLIES = 1024, /* e->replies, of a captured run (replies.h) */
    HTMT__BY_QUEUES = 2048,  /* e->inlets: full queues hold channels (inlet.h) */
    HTMT__BY_STEERED = 4096, /* e->steered_posts */
};

enum htmt__life { HTMT__SETUP, HTMT__STARTING, HTMT__RUNNING, HTMT__ENDED };

struct htmt_emulator {
    struct htmt_emulator *whole;  /* itself; else of what it is the copy of a partition */
    struct htmt_machine *machine; /* its own copy */
    atomic_int state;             /* enum htmt__life; other threads ask, too */
    pthread_t clock;              /* the thread of the run, once it is on */
    struct htmt_options options;
    uint32_t slices, layers, networks;
    uint8_t processors_of[HTMT_LAYERS_MAX]; /* the layer whose bank a layer asks for processors */
    uint32_t played; /* slices that are emulated: 1 when folded; and the controller's place, behind
                        them */
    uint32_t controller;         /* its place; HTMT__NO_CONTROLLER: the machine has none */
    struct htmt__banked *banked; /* what only a machine with a controller has; else NULL */
    uint32_t *roots;             /* of each slice: root parcels asked for; when folded */
    struct htmt_mailbox *first_box, ***next_box; /* of slice 0, in order; of each slice: where the
                                                    twin of its next one hangs; when folded */
    htmt_uwide history;                          /* of what it has played: runtime/sim/history.h */
    htmt_time now;
    unsigned aside; /* enum htmt__aside */
    uint64_t parcels,
        controller_parcels;         /* controller_parcels: of them, at the controller's place */
    struct htmt__instant *instants; /* of each slice */
    struct htmt__turning turning;
    htmt_time lookahead; /* 0: all slices are played in one order */
    char in_order[100];  /* and why */
    htmt_time ahead;     /* the lookahead of the machine; -1: the order of all events is needed */
    bool alone;          /* no slice hears of another: they are played one by one */
    uint32_t present;    /* slice, where slices are played one by one */
    bool apart; /* not all of one instant is played in order: first uses are to be sorted */
    struct htmt__windows *windows;     /* NULL: it plays all slices itself */
    struct htmt__partition *partition; /* whose copy it is; NULL: of none */
    struct htmt_type **own_type;       /* of a partition: its copies, by number; else NULL */
    struct htmt__lane *lane;           /* what is in order; NULL: all is in `pending` */
    uint32_t lines;                    /* of a lane: those of the types' steps */
    uint64_t turn;                     /* key of the present event */
    htmt_time followed_at;        /* the last instant with an event that had another one follow at
                                 once, */
    htmt_uwide followed;          /* and the last turn that such an event came behind */
    htmt_time phased_at;          /* the last instant at which kernels were waited for, */
    uint64_t phase;               /* and what has come since: see htmt__order() */
    struct htmt__failure failure; /* when `fault` came about, among those of other slices */
    struct htmt__pending pending;
    const struct htmt__event *fetched; /* of the day, up to some events further */
    struct htmt__list ready;
    struct htmt__awaiting *kernels; /* in order */
    uint32_t kernel_count;
    size_t kernel_room;
    struct htmt__captures captures;
    const struct htmt__explain_probe *explain; /* all in one; NULL: there is none */
    const struct htmt__lint_probe *lint;       /* NULL: nobody asks for departures */
    struct htmt__probes *probes;               /* those in `explain` */
    struct htmt__live_path *live_path;         /* NULL: nobody will ask why */
    struct htmt__live_slope *slope;            /* NULL: nobody asks what changes it */
    struct htmt__recorder *recorder;           /* NULL: none */
    struct htmt__races *races;                 /* NULL: nobody looks for them */
    struct htmt__profiled *profiled;           /* lengths by profiles */
    struct htmt__replies *replies;             /* captured, or played; NULL: none */
    struct htmt__nodes *nodes; /* that play operations when services start; NULL: none */
    struct htmt__op_recorder *op_recorder; /* htmt_options.operations; else NULL */
    double clock_reading; /* ns that the host's clock takes to be read, with time_kernels */
    uint64_t *placed;     /* model bytes of objects so far, of each slice and layer; the same */
    struct htmt__guard *guard; /* htmt_options.checked; else NULL */
    char *slice_block;         /* struct htmt__slice of each, slice_stride bytes apart */
    size_t slice_stride;
    struct htmt__slice *post;      /* guarded: where the messages of each slice are */
    struct htmt__entity *over;     /* messages that are over */
    struct htmt__owned *owned;     /* by htmt__slice_memory() */
    struct htmt__entity *first;    /* first_each entities of each slice: together those whose turns
                                     follow each other, twins unless slices are played one by one */
    size_t slice_step, index_step; /* in them */
    uint32_t first_each;
    char *block; /* banks by layer, stores by layer, links of slice 0, of slice 1, ... */
    size_t stride;
    uint32_t links;                                           /* of one slice */
    uint32_t port_at[2][HTMT_NETWORKS_MAX * HTMT_LAYERS_MAX]; /* out, in; by network, layer: where
                                                                 a slice has the link (bytes) */
    htmt_time *channels;                                      /* beyond each link's first */
    struct htmt__tally *tally;                                /* by resource */
    struct htmt__store_class store_class[HTMT_LAYERS_MAX];
    uint64_t crowded; /* how often some class's resident_peak has grown */
    struct htmt__hop {
        struct htmt__way *way; /* of its word; NULL: there is no chain */
        bool across;
        uint8_t next;
    } hop[2][HTMT_LAYERS_MAX][HTMT_LAYERS_MAX], /* of signals, by across, from, to */
        detour[2]
              [HTMT_LAYERS_MAX]; /* to the innermost layer, not over what joins it to its likes */
    struct htmt__way way[2][2][HTMT_LAYERS_MAX]
                        [HTMT_LAYERS_MAX]; /* put, signal; by across, from, to */
    struct htmt__net net[HTMT_NETWORKS_MAX];
    struct htmt__routes {
        struct htmt__put_route {
            uint32_t network, count;
            uint16_t *port;
        } * at;
        uint32_t count;
        size_t room;
    } routes;                           /* that the program made, from 1 */
    struct htmt__packet_clock *packets; /* inside networks with ports; NULL: there are none */
    bool has_fabric;
    struct htmt__cell_net *cell_net;  /* a network of cells; NULL: there is none, */
    struct htmt__cell_clock *cells;   /* and those that this clock plays */
    struct htmt__routers *routers;    /* layers that route packets; NULL: none does */
    char *inside[HTMT_NETWORKS_MAX];  /* state of a network's model, slice by slice; or NULL */
    struct htmt_type *types, **named; /* all, the last one first; by a hash of their names */
    size_t named_slots;
    struct htmt__stage_stats *stats, **stats_tail;
    uint64_t uses;                            /* of message_stats that may be their first ones */
    struct htmt__stage_stats **message_stats; /* by group, network, from, to; NULL: none yet */
    struct htmt__entry *entries;              /* free */
    struct htmt__message *messages;           /* free */
    struct htmt__posts *posts;                /* NULL: no type can be posted */
    struct htmt__inlets *inlets;              /* NULL: no layer has queues with a limit */
    struct htmt__post_chunk *post_chunks;     /* free */
    struct htmt__gather *gather;              /* posts that are held back; NULL: none yet */
    struct htmt__quiet *quiet; /* what runs when no event is left; NULL: nothing does */
    uint64_t quiet_rounds;     /* so far */
    bool came;                 /* something comes of the present one */
    void *post_runner;         /* what runs controls for a server of posts; NULL: not yet */
    struct htmt_object *objects, *tombs; /* tombs: destroyed */
    uint32_t objects_made;
    struct htmt_frame *frames;
    struct htmt_mailbox *mailboxes;
    struct htmt__collective *collectives;
    struct htmt__note *notes; /* of what a run left over */
    /* Whose cost function or control runs on the clock's thread; NULL: none. A watchdog looks. */
    _Atomic(const struct htmt__entity *) asked, controls;
    struct htmt__data *data;         /* NULL in a model run */
    struct htmt__watchdog *watchdog; /* NULL: none */
    bool diagnosed;                  /* it watches for signals */
    bool kept, wanted_gone;          /* htmt__emulator_keep() */
    bool steered_posts;              /* a type of posts has a steered control */
    bool steered; /* of a model run: a control asked whether it is one, or for a result, which it
                     has not */
    struct htmt_context *root, *control; /* of the host before the run; of the control that runs */
    struct htmt__diagnostics *diagnostics;
    struct htmt_fault fault;
    /* Of set-up: the first call that was refused, when another one followed. That one reports its
     * own fault, or none; the run begins with the first, so that nobody misses it. */
    struct htmt_fault refused;
    char no_layer[HTMT_NAME_MAX];    /* what htmt_emulator_layer() did not find last */
    struct htmt__sections *sections; /* NULL: none was declared */
    const struct htmt__section_operations *section_operations;
    const struct htmt__stuck_operations *stuck_operations;
};

/* e->aside, when something of it has changed. */
static inline void htmt__aside_find(struct htmt_emulator *e)
{
    e->aside = (e->explain ? HTMT__BY_PROBE : 0u) | (e->options.observe ? HTMT__BY_OBSERVER : 0u) |
               (e->guard ? HTMT__BY_GUARD : 0u) | (e->partition ? HTMT__BY_PARTITION : 0u) |
               (e->lane ? 0u : HTMT__BY_CALENDAR) | (e->data ? HTMT__BY_BYTES : 0u) |
               (e->options.lint || e->options.what_if ? HTMT__BY_RESIDENCY : 0u) |
               (e->routers ? HTMT__BY_ROUTER : 0u) | (e->banked ? HTMT__BY_ISSUE : 0u) |
               (e->nodes ? HTMT__BY_NODES : 0u) | (e->replies ? HTMT__BY_REPLIES : 0u) |
               (e->inlets ? HTMT__BY_QUEUES : 0u) | (e->steered_posts ? HTMT__BY_STEERED : 0u);
}
/* For one of these reasons. */
static inline bool htmt__goes_aside(const struct htmt_emulator *e, unsigned reasons)
{
    return (e->aside & reasons) != 0;
}

/* What the slices keep of their resources lies together, slice by slice. */
static inline struct htmt__bank *htmt__bank_at(const struct htmt_emulator *e, uint32_t slice,
                                               uint32_t layer)
{
    return (struct htmt__bank *)(void *)(e->block + slice * e->stride) + layer;
}
static inline struct htmt__store *htmt__store_at(const struct htmt_emulator *e, uint32_t slice,
                                                 uint32_t layer)
{
    return (struct htmt__store *)(void *)htmt__bank_at(e, slice, e->layers) + layer;
}
static inline struct htmt__link *htmt__link_at(const struct htmt_emulator *e, uint32_t slice,
                                               uint32_t i)
{
    return (struct htmt__link *)(void *)htmt__store_at(e, slice, e->layers) + i;
}
/* The resource that is so many bytes into what its slice has. */
static inline void *htmt__resource_at(const struct htmt_emulator *e, uint32_t slice, size_t at)
{
    return e->block + slice * e->stride + at;
}
static inline struct htmt__link *htmt__port_at(const struct htmt_emulator *e, uint32_t slice,
                                               bool in, uint32_t network, uint32_t layer)
{
    return htmt__resource_at(e, slice, e->port_at[in][network * HTMT_LAYERS_MAX + layer]);
}

/* Of how many slices each played one is an account. */
static inline uint32_t htmt__stands_for(const struct htmt_emulator *e)
{
    return e->options.symmetry == HTMT_FOLDED ? e->slices : 1;
}

/* The slice that stands for it. */
static inline uint32_t htmt__played(const struct htmt_emulator *e, uint32_t slice)
{
    return slice < e->played ? slice : 0;
}

/* Phases of an instant: its events; then, round after round, the kernels that services wait for,
 * what becomes ready by them, generation after generation, and events again. */
#define HTMT__ROUND  (UINT64_C(1) << 32)
#define HTMT__EVENTS (HTMT__ROUND - 1)

/* The turn of what happens now among those of other slices at this instant: its phase, then the key
 * of its event. What follows at once comes behind what it follows, whatever its own key. */
static inline htmt_uwide htmt__order(const struct htmt_emulator *e)
{
    uint64_t phase = e->now == e->phased_at ? e->phase : 0;
    htmt_uwide turn = (htmt_uwide)phase << 64 | e->turn;
    return e->now == e->followed_at && turn < e->followed ? e->followed : turn;
}

static inline bool htmt__fails_before(struct htmt__failure a, struct htmt__failure b)
{
    return a.at != b.at ? a.at < b.at : a.order < b.order;
}

/* fault.c: latch the first failure, with whose turn it is; the run ends with it. Returns the code.
 * On the clock's thread. */
int htmt__fail(struct htmt_emulator *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what is summed up for the reports. Stage statistics belong to one stage of
 * one type of parcels; message statistics to the messages between two layers over one network.
 */
#ifndef HTMT_PARCELS_CLOCK_STATISTICS_H
#define HTMT_PARCELS_CLOCK_STATISTICS_H

#include "parcels/clock/engine.h"

#define HTMT__RECORDED_PLACES (5u + HTMT_LAYERS_MAX)

/* Services or moves of one step: those like its last one are counted, and added up when another one
 * comes or somebody asks. */
struct htmt__alike {
    struct htmt__alike *next; /* of the same stage: fibers have one each */
    uint64_t count;
    htmt_time time;                     /* that its server or channel is occupied; -1: none yet */
    struct htmt_ops ops;                /* of a service */
    const struct htmt__move_cost *cost; /* of a move, and its words */
    uint64_t words;
};

/* Services that took what their own operations took. */
struct htmt__played {
    uint64_t services, others;
    char why[200]; /* the others did not */
    htmt_wide part[HTMT__NODE_PARTS];
    struct htmt__node_account account; /* all but its parts */
    uint64_t misses[HTMT_MISS_KINDS];
};

struct htmt__stage_stats {
    struct htmt__stage_stats *next;
    uint32_t number; /* in the list of all */
    char type[64];   /* a type that was refused leaves its statistics behind */
    enum htmt_stage_id stage;
    uint64_t kind;                        /* of its events: htmt__history_kind() */
    uint32_t resource, in_resource;       /* indices of reports; in: UINT32_MAX when not modelled */
    uint32_t from, to;                    /* layers of a move or of messages */
    struct htmt__tally *tally, *in_tally; /* of these; in: NULL when not modelled */
    uint64_t count;
    htmt_uwide words, ops[HTMT_OP_CLASSES];
    htmt_wide busy, paused, in_busy, waited, in_waited, stalled;
    htmt_wide flight;        /* through the inside of a network: arrivals less departures */
    uint64_t shaped, scaled; /* services timed by a profile of their own shape, or of another one */
    htmt_time longest;       /* service */
    uint64_t ended;          /* events */
    htmt_time first, last;   /* of them; first: HTMT_TIME_MAX when none */
    uint32_t recorded[HTMT__RECORDED_PLACES]; /* a recording's own: its steps */
    struct htmt__first_use {
        htmt_time at; /* of independent slices: the slice */
        htmt_uwide turn;
        uint64_t number;         /* of uses */
    } use;                       /* of messages': the first one */
    struct htmt__alike alike;    /* to be added to count, words, ops, busy */
    struct htmt__played *played; /* of stages with kernels, with htmt_options.operations */
    struct htmt__took took;      /* the same with htmt_options.time_kernels, of all partitions */
};

/* NULL: out of memory (latched). The emulator owns it. */
struct htmt__stage_stats *htmt__stage_stats_create(struct htmt_emulator *e, const char *type,
                                                   enum htmt_stage_id stage, uint32_t resource,
                                                   uint32_t in_resource);
/* Another step of the stage: its own account. NULL: out of memory. */
struct htmt__alike *htmt__stage_stats_step(struct htmt__stage_stats *stats);
/* From now on those that are alike are others: `time`, and what it belongs to, are the caller's to
 * set. */
void htmt__stage_stats_add(struct htmt__stage_stats *stats, struct htmt__alike *alike);
/* A kernel ran. false: no memory. */
bool htmt__stage_stats_played(struct htmt__stage_stats *stats, const struct htmt__timed *timed);
/* What others counted of the same stage. */
void htmt__stage_stats_merge(struct htmt__stage_stats *stats,
                             const struct htmt__stage_stats *others);
/* With all that is to be added. */
struct htmt__stage_stats htmt__stage_stats_sum(const struct htmt__stage_stats *stats);
/* The same of all messages, those that the whole had none of included. Errors (latched):
 * HTMT_ENOMEM. */
int htmt__message_stats_merge(struct htmt_emulator *whole, const struct htmt_emulator *part);
/* The same of one of them, by its place in e->message_stats. */
int htmt__message_stats_add(struct htmt_emulator *whole, size_t at,
                            const struct htmt__stage_stats *part);
/* Messages of a network that are summed up together. */
enum htmt__message_group {
    HTMT__GROUP_PUTS,
    HTMT__GROUP_SIGNALS,  /* of one word */
    HTMT__GROUP_LAUNCHES, /* of the controller's bus: launches, and their ends */
    HTMT__MESSAGE_GROUPS
};

static inline size_t htmt__message_stats_places(const struct htmt_emulator *e)
{
    return HTMT__MESSAGE_GROUPS * (size_t)e->networks * e->layers * e->layers;
}
void htmt__statistics_destroy(struct htmt_emulator *e);
/* Messages over that network. NULL: out of memory (latched). */
struct htmt__stage_stats *htmt__message_stats(struct htmt_emulator *e, uint32_t network,
                                              uint32_t from, uint32_t to,
                                              enum htmt__message_group group);
/* The same where a message comes from another partition: it was used there. */
struct htmt__stage_stats *htmt__message_stats_here(struct htmt_emulator *e, uint32_t network,
                                                   uint32_t from, uint32_t to,
                                                   enum htmt__message_group group);
/* It is used, perhaps before its first use so far. */
void htmt__message_stats_use(struct htmt_emulator *e, struct htmt__stage_stats *stats);
/* Of partitions, or slices that were played one by one: the statistics of messages get the order of
 * their first uses, that in which the sequential clock makes them. */
void htmt__message_stats_sort(struct htmt_emulator *e);

static inline uint32_t htmt__resource_count(const struct htmt_emulator *e)
{
    return e->layers * (1 + 2 * e->networks);
}
/* Report indices: banks by layer, then out ports, then in ports by network and layer. */
uint32_t htmt__bank_resource(const struct htmt_emulator *e, uint32_t layer);
uint32_t htmt__out_resource(const struct htmt_emulator *e, uint32_t network, uint32_t layer);
uint32_t htmt__in_resource(const struct htmt_emulator *e, uint32_t network, uint32_t layer);

/* fs, over all slices, that servers of the resource were held by pauses, and not in use; of the
 * phase of htmt_phase_at(). */
htmt_wide htmt__paused_sum(const struct htmt_emulator *e, uint32_t resource);
htmt_wide htmt__phase_paused(const struct htmt_emulator *e, uint32_t index);

/* fs that messages and moves over the network were in flight, over all slices: from when the last
 * word has left until it is there, less the wait for a channel at the target. 0 of a run that is
 * not complete, and of the bus of a controller. */
htmt_wide htmt__flight_sum(const struct htmt_emulator *e, uint32_t network);

/* What sets the pace of a link: "rate", of its channels; "DRAM access"; "start-up"; "inside of the
 * network". "": it is no link, or nothing takes time. At most HTMT_NAME_MAX + 15 bytes. */
void htmt__link_term(const struct htmt_emulator *e, uint32_t resource, char *text, size_t room);

/* What one slice has of a resource: fs that its servers or channels were in use, and fs that others
 * waited for them. */
struct htmt__slice_use {
    htmt_wide busy, waited;
};
/* false: the slice has none, or its sum may have passed 64 bits (5.1 hours of all servers). */
bool htmt__slice_use_of(const struct htmt_emulator *e, uint32_t resource, uint32_t slice,
                        struct htmt__slice_use *use);
/* Of another rank's slice: what that rank has found. */
void htmt__slice_use_set(struct htmt_emulator *e, uint32_t resource, uint32_t slice,
                         const struct htmt__slice_use *use);
/* fs that moves waited for space in the slice's memory of that layer. */
htmt_wide htmt__slice_stall_of(const struct htmt_emulator *e, uint32_t layer, uint32_t slice);

/* How long kernels took on this host, over all threads, with htmt_options.time_kernels; else 0: of
 * the phase of htmt_phase_at(), and of all. */
double htmt__phase_kernels_seconds(const struct htmt_emulator *e, uint32_t index);
double htmt__kernels_seconds(const struct htmt_emulator *e);

/* Of a model run: whether a control asked for what only data can tell. */
bool htmt__is_steered(const struct htmt_emulator *e);

/* Slices that are played one after another bring the times of a stage out of order. */
static inline void htmt__stage_stats_ended(struct htmt__stage_stats *stats, htmt_time now)
{
    if (now < stats->first)
        stats->first = now;
    if (now > stats->last)
        stats->last = now;
    stats->ended++;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the critical paths of a run with all their ties, kept while it is played;
 * slope.c differentiates them.
 */
#ifndef HTMT_PARCELS_OBSERVE_LIVE_SLOPE_H
#define HTMT_PARCELS_OBSERVE_LIVE_SLOPE_H

#include "parcels/clock/probe.h"
#include "parcels/observe/slope_graph.h"

#define HTMT__SLOPE_WORKS 64u

struct htmt__live_slope {
    struct htmt__slope_graph graph;
    uint32_t simple[HTMT__CHARGE_UNKNOWN]
                   [HTMT_NETWORKS_MAX]; /* 1 + number of the charge; 0: none */
    uint32_t work[HTMT__SLOPE_WORKS];   /* the last one, by step */
    struct htmt__slope_passage {
        const struct htmt__move_cost *cost;
        uint64_t words, pieces;
        htmt_time time;
        uint32_t network, charge;
    } passage[2][2 * HTMT_LAYERS_MAX]; /* the last moves of parcels, out and in */
    uint32_t last;                     /* the end of the run */
    htmt_time latest;                  /* when that is */
    bool wrong;     /* an instant came before its causes: an error of this module */
    bool settled;   /* the run is over, and the graph is only read */
    uint32_t unfit; /* a charge of the paths that has no derivative; UINT32_MAX: none */
    struct htmt__slope_origins {
        struct htmt__slope_origin {
            uint32_t node; /* from which the entity goes on */
            uint32_t sent; /* where its message left its channel */
            uint32_t call; /* what a gate or the end of an activation waits for */
            uint32_t said; /* charges of the control of its present service, */
            size_t said_room;
            struct htmt__slope_said {
                uint32_t charge;
                bool after; /* behind the kernel */
                htmt_time time;
            } * charges; /* in order */
        } * of;          /* by the index of the entity */
        size_t room;
    } * origins;                      /* of each slice; then of its messages, in a guarded run */
    struct htmt__slope_origin nobody; /* after memory ran out */
    uint32_t now;                     /* the node of what happens */
    uint32_t kept;                    /* `now` before a meeting */
    bool meeting;
    const struct htmt__store *room;    /* of the mailbox whose records were taken last */
    const struct htmt__entity *walker; /* whose walk it is, up to that step: */
    const struct htmt__step *walked;
    uint32_t *channel;       /* where each was last used, by htmt__channel_of() */
    uint32_t *used;          /* of the channel that is about to be occupied, */
    struct htmt__link *link; /* and of which link */
    bool has_via, within;    /* the next event is at this node instead; or in the service below */
    uint32_t via;
    struct {
        const struct htmt__entity *p; /* NULL: none */
        uint32_t *node;               /* its instants, held */
        uint32_t count;
        size_t room;
    } service; /* whose length is known */
    struct {
        htmt_time at;
        uint32_t *node;
        uint32_t count;
        size_t room;
    } front; /* what happened at the last instant */
    struct htmt__slope_spot {
        const void *key; /* NULL: a free place */
        htmt_time at;    /* of all that follows */
        uint32_t node;   /* what is waited for; of a store: where its line got words */
        uint32_t count, taken, group;
        size_t room;
        uint64_t old; /* words that were free before */
        struct htmt__slope_share {
            uint32_t node;
            uint64_t words;
        } * share; /* servers, words that became free */
        struct htmt__slope_end {
            htmt_time at;
            uint32_t node;
            bool mixed; /* others end then, by another node */
        } * end;        /* of a bank of several servers: of the services that are known */
        uint32_t ends;
        size_t end_room;
    } * spot; /* by key: banks, stores, slots, parts of collectives */
    size_t spots, spot_count;
    struct htmt__slope_way {
        uint64_t words, from_accesses, to_accesses;
        htmt_time out_time, in_time;
        uint32_t network, from, to;
        uint32_t out, in; /* charges; `out` UINT32_MAX: a free place */
    } * way;              /* of messages, by their legs */
    size_t ways, way_count;
};

/* The emulator has a probe for slopes from now on. Errors: HTMT_ENOMEM. */
int htmt__live_slope_create(struct htmt_emulator *e);
void htmt__live_slope_destroy(struct htmt_emulator *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Patterns of traffic: who sends to whom, as functions of the node, the slot and the number of the
 * message. Nothing is kept, so that a pattern of thousands of nodes takes no memory.
 *
 * Mermaid, 5.2: in a slot each node sends N - 1 messages: to all others, or to one partner.
 */
#ifndef HTMT_APPS_TRAFFIC_PATTERN_H
#define HTMT_APPS_TRAFFIC_PATTERN_H

#include "apps/traffic/io/table.h"

enum htmt__traffic_pattern_kind {
    HTMT__PING_PONG,
    HTMT__ALL_TO_ALL,
    HTMT__EQUAL_DISTANCE,
    HTMT__UNEQUAL_DISTANCE,
    HTMT__UNIFORM,
    HTMT__TRANSPOSE,
    HTMT__TORNADO,
    HTMT__HOTSPOT,
    HTMT__BIT_COMPLEMENT,
    HTMT__REVERSE,
    HTMT__SHUFFLE,
    HTMT__PERMUTATION,
    HTMT__NEIGHBOUR,
    HTMT__ADVERSARIAL,
    HTMT__PATTERNS
};

extern const char *const htmt__traffic_pattern_names[]; /* ends with NULL */

struct htmt__traffic_pattern {
    enum htmt__traffic_pattern_kind kind;
    uint32_t nodes;
    uint32_t side;    /* of the square of nodes; 0: they make none */
    uint32_t partner; /* of ping-pong, from node 0 */
    uint64_t bytes, slots;
    uint64_t seed;
    double rate;           /* messages a second of each node; 0: one after another */
    htmt_time cycle;       /* of a rate: a message begins in a cycle or not (Bernoulli); 0: at any
                              time (Poisson) */
    uint32_t group;        /* nodes of a group, of adversarial */
    double hot;            /* share of the messages that goes to node 0 */
    htmt_time least, most; /* node 0 computes `least` before it sends, the last node `most` */
    bool in_order;         /* all-to-all: targets 0, 1, 2, ... instead of the next node first */
    bool synchronous;
};

/* Errors: HTMT_EINVAL: the pattern needs other numbers of nodes. */
int htmt__traffic_pattern_check(const struct htmt__traffic_pattern *p, struct htmt_fault *fault);

/* The side of a square of so many nodes; 0: they make none. */
uint32_t htmt__traffic_square(uint32_t nodes);

/* Each slot is like the others, and a node hears as many as it sends. */
bool htmt__traffic_pattern_repeats(const struct htmt__traffic_pattern *p);
/* Messages of a node in a slot; 0: it has no partner. */
uint32_t htmt__traffic_pattern_sends(const struct htmt__traffic_pattern *p, uint32_t node);
/* The target of message k of a slot. */
uint32_t htmt__traffic_pattern_target(const struct htmt__traffic_pattern *p, uint32_t node,
                                      uint64_t slot, uint32_t k);
/* Messages of all slots that a node hears, in heard[nodes]. */
void htmt__traffic_pattern_heard(const struct htmt__traffic_pattern *p, uint64_t *heard);
/* Messages of all nodes in a slot. */
uint64_t htmt__traffic_pattern_requests(const struct htmt__traffic_pattern *p);
/* Time before message `n` of a node, of a rate, from the seed: exponential, or so many cycles. */
htmt_time htmt__traffic_pattern_gap(const struct htmt__traffic_pattern *p, uint32_t node,
                                    uint64_t n);
/* What a node computes before it sends. */
htmt_time htmt__traffic_pattern_work(const struct htmt__traffic_pattern *p, uint32_t node);

/* floor(300 * 128 / bytes), at least 1: the paper's slots, whose printed formula grows. */
uint64_t htmt__traffic_paper_slots(uint64_t bytes);

/* Adds its nodes: of a pattern that repeats one slot, which is an iteration; else all slots.
 * Errors: HTMT_ENOMEM, HTMT_ERANGE. */
int htmt__traffic_pattern_expand(const struct htmt__traffic_pattern *p,
                                 struct htmt__traffic_table *t, struct htmt_fault *fault);

/* What a pattern asks of an n x n mesh: messages over its busiest link, and hops, by routing first
 * along x, then along y. Nodes stand in rows. */
struct htmt__traffic_load {
    uint64_t busiest; /* messages of a slot over one link, one way */
    uint64_t messages, hops, least, most;
};

/* Of one slot. Errors: HTMT_EINVAL (the nodes make no square, or slots differ, or a slot has more
 * messages than 2^25), HTMT_ENOMEM. */
int htmt__traffic_load_of(const struct htmt__traffic_pattern *p, struct htmt__traffic_load *load);

#endif

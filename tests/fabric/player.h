/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays the events of a fabric, without an emulator: from one heap, or slice after slice in windows
 * of the lookahead.
 */
#ifndef HTMT_TESTS_FABRIC_PLAYER_H
#define HTMT_TESTS_FABRIC_PLAYER_H

#include "layers/network/fabric.h"
#include "tests/fabric/graphs.h"

/* A packet that is sent, and what became of it; times are -1 until then. */
struct sent {
    uint32_t source, target;
    uint64_t bytes; /* with its header */
    htmt_time at;
    uint32_t route;
    uint64_t key; /* 0: number + 1 */
    htmt_time left, head, tail;
    uint32_t hops;
    uint8_t plane;
};

struct heap {
    struct htmt__fabric_event *event;
    size_t count, room;
};

struct player {
    struct graph *g;
    struct htmt__fabric *f;
    struct htmt__fabric_place **place;
    struct heap *heap; /* by slice; one if together */
    uint32_t heaps;
    struct sent *sent;
    uint32_t count;
    htmt_time now, last; /* of the last event; the last packet's end */
    uint64_t hops, events, digest;
    int failed;
    htmt_time until; /* player_run() ends there; 0: when no event is left */
    /* After a packet left its sender; NULL: nothing. */
    void (*left)(struct player *p, uint32_t number);
    /* Before a packet is at its sender; packet n then has the place n % count. NULL: nothing. */
    void (*sends)(struct player *p, uint32_t number);
    void *user;
    const struct htmt__fabric_options *options;
};

/* A negative `at` is sent by hand. */
void player_create(struct player *p, struct graph *g, struct sent *sent, uint32_t count);
void player_options(struct player *p, const struct htmt__fabric_options *options);
void player_destroy(struct player *p);
/* Send packet number i now. */
void player_send(struct player *p, uint32_t number, htmt_time now);
/* Until no event is left. */
void player_run(struct player *p);
/* The same, each slice alone in windows of the lookahead, the last slice first. */
void player_run_in_windows(struct player *p);
/* Number of packets that did not arrive. */
uint32_t player_missing(const struct player *p);

#endif

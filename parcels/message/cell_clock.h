/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: cells (layers/network/cells.h) on the virtual clock. They serve the posts of
 * their layer (parcels/message/post.h): a post is an operon.
 */
#ifndef HTMT_PARCELS_MESSAGE_CELL_CLOCK_H
#define HTMT_PARCELS_MESSAGE_CELL_CLOCK_H

#include "layers/network/cells.h"
#include "parcels/message/packet_queue.h"
#include "parcels/message/post.h"

/* What a partition tells another one in a cycle. */
struct htmt__cell_tell {
    struct htmt__cells_tell tell;
    int64_t cycle;          /* in which it counts */
    struct htmt__post post; /* if it offers one */
};

/* Of the whole: the grid, and what the host posts before the run; NULL: the machine has no cells.
 */
struct htmt__cell_net {
    struct htmt__cells_grid grid;
    struct htmt_ratio period; /* fs, of a cycle */
    uint32_t network, layer;
    struct htmt__cell_root {
        uint32_t slice;
        struct htmt__post post;
    } * root;
    uint32_t roots, *held[2]; /* held: of them, by queue and slice */
    size_t root_room;
    struct htmt__cells_series *series;  /* at the end; NULL: nobody wants it */
    struct htmt__cells_account account; /* at the end: of all cells that this process plays */
    uint32_t stuck, first_stuck; /* cells that wait for each other at the end; UINT32_MAX: none */
    uint32_t places, *waits;     /* then, of htmt__cells_waits(); 0 of them: not known */
};

struct htmt__cell_clock;

/* An event of a clock's cells: a cycle. */
#define HTMT__CELL_CYCLE 253

/* With the emulator, when its machine is there. Errors (latched): HTMT_ENOMEM, HTMT_ESYMMETRY. */
int htmt__cell_net_create(struct htmt_emulator *e);
void htmt__cell_net_destroy(struct htmt_emulator *e);
/* Least time from an event of one slice to one that it causes in another slice. */
htmt_time htmt__cells_ahead(const struct htmt__cell_net *net);

/* At the begin of the run, for the clock of a partition, or the whole's where there are none; the
 * host's posts of its slices lie in their queues. Errors (latched): HTMT_ENOMEM, HTMT_ECAPACITY. */
int htmt__cell_clock_create(struct htmt_emulator *e);
void htmt__cell_clock_destroy(struct htmt_emulator *e);

/* An event that was taken out of the clock's packet queue. false: it came to nothing. */
bool htmt__cell_clock_turn(struct htmt_emulator *e, const struct htmt__fabric_event *event);
/* What another partition told in the last window. */
void htmt__cell_clock_hear(struct htmt_emulator *e, const struct htmt__cell_tell *tell);
/* What came from another process can be heard. */
bool htmt__cell_tell_known(const struct htmt_emulator *e, const struct htmt__cell_tell *tell);

/* The run is over: what the clock's cells did is the whole's. */
void htmt__cell_clock_settle(struct htmt_emulator *whole, struct htmt_emulator *e);
/* After a run in which cells are stuck: a circle of those that wait for each other's room. false:
 * none was found. */
bool htmt__cell_net_circle(const struct htmt_emulator *e, char *text, size_t room);
/* Another process's. false: they are no such places. */
bool htmt__cell_net_add_waits(struct htmt_emulator *e, const uint32_t *waits, uint32_t count);
/* What another process counted. */
void htmt__cell_net_add(struct htmt__cell_net *net, const struct htmt__cell_net *others);

#endif

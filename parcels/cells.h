/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What cells did: small processors in a grid that play posts (parcels/post.h), where the machine
 * file says `inside: {model: cells}` of a network and of the layer that it joins
 * (docs/networks.md).
 *
 * There every cycle counts. A cell has a core and a router. Posts of the layer's first queue are
 * messages between cells; posts of the second one go to the own slice alone, and what they post is
 * put off until their turn comes, which is why such a post is called a diffusion. A post to another
 * slice waits in its cell until it is its turn to be staged, as do the messages of htmt_each(), in
 * the order in which they were posted. A control charges whole cycles, and does nothing else than
 * charge, post and write kept objects. Cells take part in a run that is neither folded nor of
 * independent slices.
 */
#ifndef HTMT_PARCELS_CELLS_H
#define HTMT_PARCELS_CELLS_H

#include "parcels/emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of all cells. */
struct htmt_cells {
    size_t size;          /* htmt_cells_init() */
    uint64_t cycles;      /* up to the last one in which a cell was active */
    uint64_t hops;        /* of messages, from cell to cell */
    uint64_t created;     /* messages: the host's, and those that controls posted */
    uint64_t work;        /* of the first queue: controls that ran */
    uint64_t unwanted;    /* and posts that were not `wanted` */
    uint64_t diffusions;  /* posts to the second queue */
    uint64_t done;        /* of them: controls that ran, */
    uint64_t outdated;    /* not wanted any more at their turn, */
    uint64_t filtered;    /* or before it, when the core had nothing else to do */
    uint64_t overlapped;  /* of work and unwanted, while messages waited to be staged */
    uint64_t first_most;  /* posts that waited at once in a first queue */
    uint64_t second_most; /* and in a second one */
    uint64_t active;      /* cycles, summed over cells: with anything in the cell, */
    uint64_t throttled;   /* of them those whose messages waited after congestion, */
    uint64_t standing;    /* and those whose core computed, while the router stood */
};
static inline struct htmt_cells htmt_cells_init(void)
{
    struct htmt_cells d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
/* Callable by the host, after the run. Errors: HTMT_EINVAL (the machine has no cells). */
int htmt_cells_of(const struct htmt_emulator *e, struct htmt_cells *cells);

/* A span of cycles, in which cells were active. Spans follow each other from cycle 0 on, each of as
 * many cycles: the least power of two with which there are at most 1,024 of them. The sums over
 * all spans are those of struct htmt_cells. */
struct htmt_cells_span {
    uint64_t first, cycles;
    uint64_t active, throttled, standing; /* as in struct htmt_cells: cycles, summed over cells */
};
/* Callable by the host, before the run: spans are wanted. They change nothing else, and are the
 * same for any number of threads and ranks. Errors, latched: HTMT_EINVAL (the machine has no
 * cells), HTMT_ENOMEM. */
int htmt_cells_watch(struct htmt_emulator *e);
/* Callable by the host, after the run. 0 without htmt_cells_watch(). */
uint32_t htmt_cells_span_count(const struct htmt_emulator *e);
/* Errors: HTMT_EINVAL (there is no such span). */
int htmt_cells_span_at(const struct htmt_emulator *e, uint32_t index, struct htmt_cells_span *span);

#ifdef __cplusplus
}
#endif

#endif

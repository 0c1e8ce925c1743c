/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: services of processors whose threads share an issue port
 * (layers/bank/issue_port.h). A parcel holds a thread from its first service until it ends, and
 * its fibers are served on that thread. How long a service takes depends on who else issues
 * meanwhile: the port has one pending event, that of its next completion. An event that came too
 * early is dropped; it is in no history and no count.
 *
 * What a control charges are instructions, and a line of its log stands at a count of them.
 */
#ifndef HTMT_PARCELS_WALK_ISSUE_H
#define HTMT_PARCELS_WALK_ISSUE_H

#include "parcels/walk/banked.h"
#include "parcels/walk/entity.h"

#define HTMT__NO_THREAD 255u

struct htmt__issuing {
    struct htmt__issue_port port;
    struct htmt__entity *on[HTMT__ISSUE_THREADS_MAX]; /* whose service each thread is in */
    struct htmt__entity *event;                       /* that counts; NULL: none is pending */
    htmt_time event_at;
    uint32_t taken;   /* a bit for each thread that a parcel holds */
    uint32_t launch;  /* number of the host's launch that it runs; 0: none */
    htmt_time back;   /* how long the host takes to hear of its end */
    uint64_t issued;  /* instructions of services that are over */
    htmt_wide inside; /* fs of these services, from ready to done, of all threads */
    htmt_wide copying,
        waiting;        /* fs of threads between services of a launch: for the engine; else */
    htmt_wide ran;      /* fs of launches, up to their ends */
    htmt_time launched; /* when it began */
    struct {
        htmt_time free;   /* since when no service has the thread */
        htmt_time copies; /* until when the engine copies for it */
    } between[HTMT__ISSUE_THREADS_MAX];
    struct htmt__claim *claims; /* checked: of the DMA engine (dma.h) */
    uint32_t claim_count, claim_room;
};

static inline struct htmt__issuing *htmt__issuing_at(const struct htmt_emulator *e, uint32_t slice)
{
    return e->banked->issuing[slice];
}

/* The service of p, a parcel or fiber that has a thread, takes these operations and what its
 * control charged: an instruction each. */
void htmt__issue_begin(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt_ops *ops);
/* The event of a port. Returns whose service has ended, to be given to htmt__walk_issued(); NULL:
 * nobody's. */
struct htmt__entity *htmt__issue_turn(struct htmt_emulator *e, struct htmt__entity *event);
/* p has a server of its bank: it gets a thread. */
void htmt__issue_take(struct htmt_emulator *e, struct htmt__entity *p);
/* A parcel ends. Returns who has its thread from now on, or NULL. */
struct htmt__waiter *htmt__issue_release(struct htmt_emulator *e, struct htmt__entity *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: services of processors whose threads share an issue port
 * (layers/bank/issue_port.h), and puts between bank and scratch memory of a slice, which its DMA
 * engine makes (message.c occupies it).
 */
#ifndef HTMT_PARCELS_WALK_ISSUE_H
#define HTMT_PARCELS_WALK_ISSUE_H

#include "parcels/walk/controller.h"
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
    struct htmt__claim *claims; /* checked: what the DMA engine owns */
    uint32_t claim_count;
    size_t claim_room;
};

static inline struct htmt__issuing *htmt__issuing_at(const struct htmt_emulator *e, uint32_t slice)
{
    return e->banked->issuing[slice];
}

/* ---- services (issue.c) ---------------------------------------------------------------------- */

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

/* ---- threads between services (dma.c) -------------------------------------------------------- */

/* A launch begins, or ends: what threads do in between counts. */
void htmt__threads_launched(struct htmt__issuing *s, htmt_time now);
void htmt__threads_ended(struct htmt__issuing *s, htmt_time now);
/* A service of the thread begins. */
void htmt__thread_serves(struct htmt__issuing *s, uint32_t thread, htmt_time now);
/* The engine copies for the thread until then; HTMT__NO_THREAD: for none. */
void htmt__thread_copies(struct htmt__issuing *s, uint32_t thread, htmt_time until);

/* ---- the DMA engine (dma.c) ------------------------------------------------------------------ */

/* 0: the put of that message, which the service asks for, does not go by an engine, or the engine
 * makes it. Errors (latched):
 * HTMT_EINVAL: too large, not aligned, in pieces, of bytes that the engine owns. */
int htmt__dma_check(struct htmt_emulator *e, struct htmt__entity *message,
                    struct htmt__entity *service);
/* It is over. */
void htmt__dma_release(struct htmt_emulator *e, const struct htmt__entity *message);
/* A kernel of the slice will use the bytes. Errors: as above. */
int htmt__dma_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, bool writes);

#endif

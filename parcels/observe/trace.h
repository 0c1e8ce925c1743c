/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what is kept during a run so that its critical path can be found.
 *
 * A node is an instant at which an interval ended; it points to the node at which that interval
 * began. Only nodes from which something that is still alive came are kept. The emulator calls
 * these functions only when htmt__traced().
 */
#ifndef HTMT_PARCELS_OBSERVE_TRACE_H
#define HTMT_PARCELS_OBSERVE_TRACE_H

#include "parcels/path.h"

struct htmt__leg;
struct htmt__link;
struct htmt__phase;

/* Why an interval began when it did. */
enum htmt__why {
    HTMT__CAME,  /* its parcel came */
    HTMT__TOLD,  /* another one called, assembled or signalled it */
    HTMT__LINE,  /* a server or channel of resource `of` became free */
    HTMT__SPACE, /* words of layer `of` became free */
};

#define HTMT__NO_NODE UINT32_MAX

struct htmt__node {
    htmt_time time;
    uint32_t from; /* HTMT__NO_NODE: time 0 */
    uint32_t users;
    uint32_t phase;
    uint32_t of;
    uint8_t place, why;
};

int htmt__trace_create(struct htmt_emulator *e);
void htmt__trace_destroy(struct htmt_emulator *e);

/* Time begins for the slices whose turn it is; it ends. */
void htmt__trace_begin(struct htmt_emulator *e);
void htmt__trace_end(struct htmt_emulator *e);
/* A slice will not be played any more. */
void htmt__trace_rest(struct htmt_emulator *e, uint32_t slice);

/* What happens from now on happens because p's event, or turn, has come. */
void htmt__trace_turn(struct htmt_emulator *e, const struct htmt_parcel *p);
/* p goes on later at this very instant, for the present reason... */
void htmt__trace_keep(struct htmt_emulator *e, const struct htmt_parcel *p);
/* ...because another one told it so... */
void htmt__trace_called(struct htmt_emulator *e, const struct htmt_parcel *p);
/* ...or because it has waited. */
void htmt__trace_woken(struct htmt_emulator *e, const struct htmt_parcel *p, enum htmt__why why,
                       uint32_t of);
/* What begins from now on within this event had waited. */
void htmt__trace_why(struct htmt_emulator *e, enum htmt__why why, uint32_t of);
/* The next event scheduled lies within a service of that phase. */
void htmt__trace_within(struct htmt_emulator *e, const struct htmt__phase *phase);
/* p has an event at `at`. */
void htmt__trace_event(struct htmt_emulator *e, const struct htmt_parcel *p, htmt_time at);
void htmt__trace_free(struct htmt_emulator *e, const struct htmt_parcel *p);

/* The channel that a message is about to occupy. */
uint32_t *htmt__trace_channel(struct htmt_emulator *e, struct htmt__link *l);
/* It does, from `start` on; the head is at the other end at `head`, or head < 0. */
void htmt__trace_out(struct htmt_emulator *e, const struct htmt_parcel *p,
                     const struct htmt__leg *leg, uint32_t *channel, htmt_time start,
                     htmt_time head);
/* At the other end it occupies a channel from `start` on and the whole of it is there at `end`. */
void htmt__trace_in(struct htmt_emulator *e, const struct htmt_parcel *p,
                    const struct htmt__leg *leg, uint32_t *channel, htmt_time head, htmt_time start,
                    htmt_time end);
/* The next event scheduled is when p's message has left. */
void htmt__trace_sent(struct htmt_emulator *e, const struct htmt_parcel *p);

#endif

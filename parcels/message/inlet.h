/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: in channels that full queues of posts hold. Only where a machine file gives
 * a layer's queues a limit (HTMT__BY_QUEUES).
 */
#ifndef HTMT_PARCELS_MESSAGE_INLET_H
#define HTMT_PARCELS_MESSAGE_INLET_H

#include "parcels/message/message.h"

/* As the run begins: the queues of that layer have a limit. Errors: HTMT_ENOMEM. */
int htmt__inlets_create(struct htmt_emulator *e, uint32_t layer);
/* Who stood in line and has a channel: the next part of its way, on a network without and with
 * ports inside. Before the run. */
typedef void htmt__inlet_begin(struct htmt_emulator *e, struct htmt__entity *p,
                               const struct htmt__leg *g);
void htmt__inlets_begin(struct htmt_emulator *e, htmt__inlet_begin *channel,
                        htmt__inlet_begin *packets);
void htmt__inlets_destroy(struct htmt_emulator *e);
/* The port at the end of the leg is such a one. */
static inline bool htmt__inlet_holds(const struct htmt_emulator *e, const struct htmt__leg *g)
{
    return __builtin_expect(htmt__goes_aside(e, HTMT__BY_QUEUES), 0) &&
           g->network != HTMT__NO_NETWORK && (e->net[g->network].holds >> g->to & 1);
}
/* And p takes a channel of it: answers to posts never wait behind what is held, and pass it in no
 * time (htmt__inlet_pass(), which counts them). */
void htmt__inlet_pass(struct htmt_emulator *e, const struct htmt__leg *g);
static inline bool htmt__inlet_takes(const struct htmt_emulator *e, const struct htmt__entity *p,
                                     const struct htmt__leg *g)
{
    return htmt__inlet_holds(e, g) &&
           (p->kind != HTMT__MESSAGE || p->message->kind != HTMT__MESSAGE_ACK);
}
/* p's head is there. true: it has a channel from now on; false: it waits in line, and
 * htmt__inlet_begin follows when it has one. */
bool htmt__inlet_enter(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g);
/* What crossed that leg lets its channel go. The first in line begins. */
void htmt__inlet_leave(struct htmt_emulator *e, const struct htmt__leg *g);
/* Since when the first one stands in a line of that slice; now: nobody does. */
htmt_time htmt__inlets_since(const struct htmt_emulator *e, uint32_t slice);
/* The run is over: accounts of those who wait to the end. */
void htmt__inlets_settle(struct htmt_emulator *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: with htmt_options.what_if, the moves that percolation would make and a
 * program that departs from it saves. The timing plane asks here when a closure is measured
 * (add_region), when a message gets its way (route, arrived) and when a service asks for its server
 * (fetch, arrives).
 */
#ifndef HTMT_PARCELS_WALK_WHAT_IF_H
#define HTMT_PARCELS_WALK_WHAT_IF_H

#include "parcels/message/message.h"

/* Where messages may go round: htmt__what_if_route() of message.h, and of the one below. */
bool htmt__what_if_next(struct htmt_emulator *e, struct htmt__entity *p);

/* One leg is over; true: so is the way. */
static inline bool htmt__what_if_arrived(struct htmt_emulator *e, struct htmt__entity *p)
{
    return __builtin_expect(!p->message->round, 1) || htmt__what_if_next(e, p);
}

/* true: p has no closure to begin with; it asks for its server when that has come. */
bool htmt__what_if_fetch(struct htmt_emulator *e, struct htmt__entity *p);
/* A message with state has arrived. Returns the service that may ask for its server now, or NULL.
 */
struct htmt__entity *htmt__what_if_arrives(struct htmt_emulator *e, struct htmt__entity *message);

/* From SPELL to SPELL. */
bool htmt__exchanges(const struct htmt_emulator *e, const struct htmt__leg *way);
/* Words of a later fiber's frame that percolation would bring down, and up again. */
uint64_t htmt__frame_down(const struct htmt__entity *fiber);
uint64_t htmt__frame_up(const struct htmt__entity *fiber);

#endif

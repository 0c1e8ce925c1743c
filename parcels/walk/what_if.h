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

/* The two below call these where messages may go round. */
int htmt__what_if_route(struct htmt_emulator *e, struct htmt__message *m, uint64_t from_pieces,
                        uint64_t to_pieces);
bool htmt__what_if_next(struct htmt_emulator *e, struct htmt__entity *p);

/* Give a message its way, between the ends that its leg says: over one network, or round. `word`:
 * htmt__message_one_word(). Errors (latched): HTMT_EROUTE, HTMT_EOVERFLOW, HTMT_ESYMMETRY,
 * HTMT_ECAPACITY, HTMT_ENOMEM. */
static inline int htmt__message_route(struct htmt_emulator *e, struct htmt__message *m, bool word,
                                      uint64_t from_pieces, uint64_t to_pieces)
{
    return __builtin_expect(e->options.what_if & HTMT_DEPARTS_EXCHANGE, 0)
               ? htmt__what_if_route(e, m, from_pieces, to_pieces)
               : htmt__message_cross(e, m, word, from_pieces, to_pieces);
}
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events that elements cause in each other.
 */
#ifndef HTMT_LAYERS_FABRIC_POST_H
#define HTMT_LAYERS_FABRIC_POST_H

#include "layers/fabric/parts.h"

/* Of a packet, in this slice. */
void htmt__post_packet(struct htmt__fabric_turn *k, enum htmt__fabric_kind kind, htmt_time at,
                       const struct htmt__packet *p);
/* The first that waits for an outlet tries when its service ends, or now. */
void htmt__post_wake(struct htmt__fabric_turn *k, const struct htmt__outlet *o);
/* The first behind the one that leaves an inlet. */
void htmt__post_first(struct htmt__fabric_turn *k, const struct htmt__inlet *in);
/* Room of the channel `from`, to the outlet that fills it. */
void htmt__post_credit(struct htmt__fabric_turn *k, const struct htmt__packet *p, uint32_t from,
                       uint32_t lane, uint64_t bytes, htmt_time at);
/* The packet, whose event it is, goes on over the channel that it entered: its head begins, its
 * last word leaves. The event is its next one. */
void htmt__post_onward(struct htmt__fabric_turn *k, struct htmt__fabric_event *e, htmt_time begin,
                       htmt_time end);
/* Its last word leaves at another time than `old`; `turn` counts what is told so. */
void htmt__post_tail(struct htmt__fabric_turn *k, const struct htmt__packet *p, htmt_time old,
                     htmt_time end, uint32_t turn);

#endif

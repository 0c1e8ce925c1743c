/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services whose ends change: lanes that share a wire, and wormholes that run out of room.
 */
#ifndef HTMT_LAYERS_FABRIC_STREAM_H
#define HTMT_LAYERS_FABRIC_STREAM_H

#include "layers/fabric/post.h"

/* Whether a head has room behind the outlet. */
bool htmt__stream_room(const struct htmt__fabric_turn *k, uint32_t outlet);
/* A packet enters the outlet from that channel and lane; `work` is its time at the full rate.
 * Returns the time when its last word leaves, which the port takes before the second call. */
htmt_time htmt__stream_begin(struct htmt__fabric_turn *k, uint32_t outlet,
                             const struct htmt__fabric_event *e, uint32_t from, uint8_t from_lane,
                             htmt_time work);
void htmt__stream_begun(struct htmt__fabric_turn *k, uint32_t outlet);

/* The work of all its packets until now. */
htmt_time htmt__stream_done(const struct htmt__stream *s, htmt_time now);

/* Events. */
void htmt__stream_drain(struct htmt__fabric_turn *k, struct htmt__fabric_event *e);
bool htmt__stream_tail(struct htmt__fabric_turn *k, uint32_t outlet,
                       const struct htmt__fabric_event *e);
void htmt__stream_look(struct htmt__fabric_turn *k, struct htmt__fabric_event *e);
void htmt__stream_end(struct htmt__fabric_turn *k, struct htmt__fabric_event *e);
/* false: it has not left yet. */
bool htmt__stream_left(const struct htmt__fabric_turn *k, const struct htmt__fabric_event *e);

#endif

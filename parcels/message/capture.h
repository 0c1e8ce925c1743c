/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: in a run by partitions, the bytes of messages that go to other partitions. A
 * message goes there as soon as its way is known; its bytes are those of the moment when its last
 * word leaves, so they are captured here, in the order of this partition's events, and follow at
 * the end of the window. They are there before the message arrives: no window is wider than the
 * latency.
 */
#ifndef HTMT_PARCELS_MESSAGE_CAPTURE_H
#define HTMT_PARCELS_MESSAGE_CAPTURE_H

#include "parcels/message/gather.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"

/* What is left here of a message. */
struct htmt__capture {
    struct htmt__capture *next; /* in a list of e->captures, or of an outbox */
    htmt_time at;               /* when, and behind which events of that instant */
    uint64_t key;
    uint32_t slice, index; /* of the message */
    uint32_t target, layer;
    struct htmt_put put;
    struct htmt__held *held;
};

/* Of the message, to be made when the caller says so. NULL: out of memory (latched). */
struct htmt__capture *htmt__capture_create(struct htmt_emulator *e, const struct htmt__entity *p);
/* At that instant, in the message's turn. */
void htmt__capture_plan(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at);
/* Now. */
void htmt__capture_make(struct htmt_emulator *e, struct htmt__capture *c);
/* The next planned one, of which there is one, comes before that event. */
bool htmt__capture_before(const struct htmt_emulator *e, htmt_time at, uint64_t key);
/* It takes its turn. */
void htmt__capture_turn(struct htmt_emulator *e);
static inline htmt_time htmt__capture_time(const struct htmt_emulator *e)
{
    return e->captures.count ? e->captures.due[0]->at : HTMT_TIME_MAX;
}
/* Of whatever comes next; HTMT_TIME_MAX: nothing does. */
static inline htmt_time htmt__turn_next(const struct htmt_emulator *e)
{
    htmt_time event = htmt__event_next(e), capture = htmt__capture_time(e);
    uint64_t key;
    htmt_time packet = htmt__fabric_next(e), posts = htmt__gather_next(e, &key);
    event = packet < event ? packet : event;
    event = posts < event ? posts : event;
    return event < capture ? event : capture;
}
/* The end of a window: the bytes go where the messages are. */
void htmt__captures_send(struct htmt_emulator *e);
/* What went to another process. */
void htmt__capture_free(struct htmt_emulator *e, struct htmt__capture *c);
void htmt__captures_fini(struct htmt_emulator *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the source's half of an arrival in a slice of another partition.
 *
 * The leg of a message enters the history of its source at the instant of its arrival, between the
 * events of that slice. That instant is known when the message leaves, or, where it queues at the
 * target, when its head has arrived there. Then the source may have been played beyond it, though
 * not beyond the window. So while such a message is on its way, what its source does is not hashed
 * but kept; it is merged with what was booked when the next window of its partition begins.
 */
#ifndef HTMT_PARCELS_CLOCK_REMOTE_ARRIVALS_H
#define HTMT_PARCELS_CLOCK_REMOTE_ARRIVALS_H

#include "parcels/message/channel.h"
#include "runtime/sim/history.h"

/* What enters a history, and its turn at that instant; its key among those that follow the same
 * turn at once. */
struct htmt__booked {
    htmt_uwide turn;
    uint64_t key;
    struct htmt__history_event event;
};

/* In order; the first ones are gone. */
struct htmt__book_row {
    struct htmt__booked *at;
    size_t first, end, room;
};

/* A heap: the first one is due first. */
struct htmt__book_heap {
    struct htmt__booked *at;
    size_t count, room;
};

/* Of one slice. */
struct htmt__books {
    uint32_t open;               /* messages that left, arriving nobody knows when */
    bool listed;                 /* among the unbooked ones of its partition */
    struct htmt__book_row due;   /* their legs */
    struct htmt__book_heap late; /* of them those that came far behind their turn */
    struct htmt__book_row own;   /* what the slice did meanwhile */
};

/* The message has left for another partition; when it arrives is not known yet. */
void htmt__booking_open(struct htmt_emulator *e, uint32_t source);
/* It arrives at `at`: told on its source's side, or, where it was `opened`, on its target's.
 * Errors (latched): HTMT_ENOMEM. */
void htmt__booking_add(struct htmt_emulator *e, const struct htmt__entity *p,
                       const struct htmt__leg *leg, htmt_time at, bool opened);
/* The same has come to the source's side. */
void htmt__booking_take(struct htmt_emulator *e, const struct htmt__booked *due, bool opened);
/* An event of a slice; false: the slice has no bookings, and nothing was done. Errors (latched):
 * HTMT_ENOMEM. */
bool htmt__booking_own(struct htmt_emulator *e, uint32_t slice,
                       const struct htmt__history_event *event);
/* All partitions have been played up to `before`: what came before it enters the histories of the
 * slices of this one. */
void htmt__booking_settle(struct htmt_emulator *e, htmt_time before);
void htmt__books_fini(struct htmt__books *b);

#endif

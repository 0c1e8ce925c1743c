/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the source's half of an arrival in a slice of another partition. How it works
 * stands in remote_arrivals.c.
 */
#ifndef HTMT_PARCELS_CLOCK_REMOTE_ARRIVALS_H
#define HTMT_PARCELS_CLOCK_REMOTE_ARRIVALS_H

#include "parcels/walk/entity.h"
#include "runtime/sim/history.h"

struct htmt__leg;

/* An event for a history: its turn at its instant, and its key among those that follow the same
 * turn at once. */
struct htmt__remote_arrival {
    htmt_uwide turn;
    uint64_t key;
    struct htmt__history_event event;
};

/* Of a slice that sends. */
struct htmt__remote_arrivals {
    uint32_t open; /* messages that left, of which the time of arrival is not known yet */
    bool listed;   /* among the deferred ones of its partition */
    struct htmt__arrival_row {
        struct htmt__remote_arrival *at; /* sorted; those before `first` are gone */
        size_t first, end, room;
    } due, own; /* arrivals; events of the slice itself that wait for them */
    struct htmt__arrival_heap {
        struct htmt__remote_arrival *at; /* the first one is due first */
        size_t count, room;
    } late; /* arrivals that came far out of turn */
};

/* The message has left for another partition; when it arrives is not known yet. */
void htmt__remote_arrival_open(struct htmt_emulator *e, uint32_t source);
/* It arrives at `at`: told on its source's side, or, where it was `opened`, on its target's.
 * Errors (latched): HTMT_ENOMEM. */
void htmt__remote_arrival_add(struct htmt_emulator *e, const struct htmt__entity *p,
                              const struct htmt__leg *leg, htmt_time at, bool opened);
/* The same has come to the source's side. */
void htmt__remote_arrival_take(struct htmt_emulator *e, const struct htmt__remote_arrival *due,
                               bool opened);
/* An event of a slice; false: the slice awaits no arrivals, and nothing was done. Errors (latched):
 * HTMT_ENOMEM. */
bool htmt__remote_arrivals_record(struct htmt_emulator *e, uint32_t slice,
                                  const struct htmt__history_event *event);
/* All partitions have been played up to `before`: what came before it enters the histories of the
 * slices of this one. */
void htmt__remote_arrivals_settle(struct htmt_emulator *e, htmt_time before);
void htmt__remote_arrivals_fini(struct htmt__remote_arrivals *a);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what a partition has for another one. It is put down while a window is played
 * and taken in (window_clock.c) when the other one plays the next window, so that no thread touches
 * what another one uses. It takes no order: events have their times and keys.
 */
#ifndef HTMT_PARCELS_CLOCK_OUTBOX_H
#define HTMT_PARCELS_CLOCK_OUTBOX_H

#include "parcels/clock/partition.h"

/* Where the next event of p is, which is on its way over a network. */
uint32_t htmt__outbox_slice(const struct htmt__entity *p);

/* p's next event is at `at`, in a slice of another partition. Errors (latched): HTMT_EPAST when it
 * comes within the present window: the lookahead must be right; HTMT_ENOMEM. */
int htmt__outbox_send(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at);
/* An event inside a network is due in a slice of another partition. Errors (latched): the same. */
void htmt__outbox_packet(struct htmt_emulator *e, const struct htmt__packet_event *event);
/* What cells tell those of another partition, which plays its next cycle at `at`. Errors (latched):
 * HTMT_ENOMEM. */
void htmt__outbox_tell(struct htmt_emulator *e, const struct htmt__cell_tell *tell, htmt_time at);
/* The message p of another partition is over: it goes back with what it holds. Errors (latched):
 * HTMT_ENOMEM. */
void htmt__outbox_return(struct htmt_emulator *e, struct htmt__entity *p);
/* Bytes of a message that goes to another process: the record is the box's then. Errors (latched):
 * HTMT_ENOMEM. */
int htmt__outbox_bytes(struct htmt_emulator *e, struct htmt__capture *c);

/* The same for one who has checked and latches himself. Errors: HTMT_ENOMEM. */
int htmt__outbox_put(struct htmt__partition *from, const struct htmt__windows *w,
                     struct htmt__entity *p, htmt_time at);
int htmt__outbox_put_packet(struct htmt__partition *from, const struct htmt__windows *w,
                            uint32_t slice, const struct htmt__packet_event *event);
int htmt__outbox_put_tell(struct htmt__partition *from, const struct htmt__windows *w,
                          const struct htmt__cell_tell *tell);
int htmt__outbox_put_over(struct htmt__partition *from, const struct htmt__windows *w,
                          struct htmt__entity *p);

/* What there is for a partition; NULL: there never was anything. */
struct htmt__outbox *htmt__outbox_for(const struct htmt__outboxes *all, uint32_t partition);
void htmt__outboxes_fini(struct htmt__outboxes *all);

#endif

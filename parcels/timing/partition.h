/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the slices are dealt to partitions, which are played by themselves for a
 * window of virtual time each (window.h).
 *
 * A partition plays with a copy of the emulator. The machine, the slices and what they have are
 * those of the whole. The present instant, pending events, free lists, contexts of controls, sums,
 * and the types, whose steps lead to sums, are the copy's own. So all that plays a slice is the
 * same code with or without partitions. When the run is over the sums are added up; they are sums,
 * least and greatest values, so their order does not matter.
 */
#ifndef HTMT_PARCELS_TIMING_PARTITION_H
#define HTMT_PARCELS_TIMING_PARTITION_H

#include "parcels/timing/lane.h"
#include "parcels/timing/observed.h"
#include "parcels/timing/window.h"

/* From one partition to another one. */
struct htmt__outbox {
    struct htmt__head *event;
    struct htmt__booked *due;
    uint32_t events, event_room, dues, due_room;
    struct htmt__entity *over; /* messages that go back */
};

struct htmt__partition {
    _Alignas(64) struct htmt_emulator *e; /* its copy; NULL: another process plays it */
    uint32_t number;
    htmt_time next; /* event; HTMT_TIME_MAX: none */
    htmt_time sent; /* the first event that it sent to others in the window; HTMT_TIME_MAX: none */
    uint32_t *slice, slices;        /* in order */
    uint32_t *unbooked;             /* of them: e->unbooked (booking.h) */
    struct htmt__outbox *outbox[2]; /* for each partition, in turns of windows */
    _Atomic uint64_t *mail[2]; /* a bit for each partition that has put something down for it */
    struct htmt__observed_row observed;
};

static inline bool htmt__elsewhere(const struct htmt_emulator *e, uint32_t slice)
{
    return e->windows->partition_of[slice] != e->partition->number;
}

/* The type as it is here. */
static inline struct htmt_type *htmt__type_here(const struct htmt_emulator *e,
                                                const struct htmt_type *t)
{
    return e->own_type ? e->own_type[t->number] : (struct htmt_type *)t;
}

/* Room for what goes to the others. Errors (latched): HTMT_ENOMEM. */
int htmt__partition_boxes(struct htmt_emulator *whole, struct htmt__partition *p);
/* Make the copy for the partition's slices, whose number and list are set; the emulator is set up.
 * Errors (latched): HTMT_ENOMEM. */
int htmt__partition_init(struct htmt_emulator *whole, struct htmt__partition *p);
/* The run is over: what the copy counted is the whole's, and what its slices have is as if the
 * whole had played them. Errors (latched): HTMT_ENOMEM. */
int htmt__partition_merge(struct htmt_emulator *whole, struct htmt__partition *p);
void htmt__partition_fini(struct htmt__partition *p, uint32_t partitions);

#endif

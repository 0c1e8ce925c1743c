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
#ifndef HTMT_PARCELS_CLOCK_PARTITION_H
#define HTMT_PARCELS_CLOCK_PARTITION_H

#include "parcels/clock/event_observers.h"
#include "parcels/clock/lane.h"
#include "parcels/clock/window.h"
#include "parcels/message/packet_network.h"

/* From one partition to another one. */
struct htmt__outbox {
    uint32_t to; /* the number of that one, from 1; 0: of none */
    uint32_t events, event_room, dues, due_room;
    struct htmt__head *event;
    struct htmt__booked *due;
    struct htmt__packet_event *packet;
    uint32_t packets, packet_room;
    struct htmt__entity *over;   /* messages that go back */
    struct htmt__capture *bytes; /* of messages, to another process */
};

/* For those partitions that it has had something for. */
struct htmt__outboxes {
    struct htmt__outbox *at; /* by number, modulo the room, or behind */
    uint32_t count, room;    /* room: 0 or a power of 2 */
};

struct htmt__partition {
    _Alignas(64) struct htmt_emulator *e; /* its copy; NULL: another process plays it */
    uint32_t number;
    htmt_time next;            /* event; HTMT_TIME_MAX: none */
    struct htmt__failure rest; /* the first turn that the host's wish to end kept it from */
    htmt_time sent; /* the first event that it sent to others in the window; HTMT_TIME_MAX: none */
    uint32_t *slice, slices;         /* in order */
    uint32_t *unbooked;              /* of them: e->unbooked (booking.h) */
    struct htmt__outboxes outbox[2]; /* in turns of windows */
    /* A bit for each partition that has put something down for it; NULL: no slice hears of
     * another. */
    _Atomic uint64_t *mail[2];
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

/* Nothing comes from the others yet. Errors (latched): HTMT_ENOMEM. */
int htmt__partition_mail(struct htmt_emulator *whole, struct htmt__partition *p);
/* Make the copy for the partition's slices, whose number and list are set; the emulator is set up.
 * Errors (latched): HTMT_ENOMEM. */
int htmt__partition_init(struct htmt_emulator *whole, struct htmt__partition *p);
/* Its slices, which hear of no others, have come to their ends: what waits for further parcels and
 * messages of the copy is given back. */
void htmt__partition_rest(struct htmt_emulator *e);
/* The run is over: what the copy counted is the whole's, and what its slices have is as if the
 * whole had played them. Errors (latched): HTMT_ENOMEM. */
int htmt__partition_merge(struct htmt_emulator *whole, struct htmt__partition *p);
void htmt__partition_fini(struct htmt__partition *p);

#endif

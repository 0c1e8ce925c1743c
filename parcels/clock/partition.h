/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the slices are dealt to partitions, which are played by themselves for a
 * window of virtual time each (window.h). What a partition is made of stands in partition.c.
 */
#ifndef HTMT_PARCELS_CLOCK_PARTITION_H
#define HTMT_PARCELS_CLOCK_PARTITION_H

#include "parcels/clock/window.h"

struct htmt__capture;
struct htmt__cell_tell;
struct htmt__head;
struct htmt__packet_event;

/* From one partition to another one. */
struct htmt__outbox {
    uint32_t to; /* the number of that one, from 1; 0: of none */
    uint32_t events, packets, tells;
    size_t event_room, packet_room, tell_room;
    struct htmt__head *event;
    struct htmt__packet_event *packet;
    struct htmt__cell_tell *tell; /* of cells at borders */
    struct htmt__entity *over;    /* messages that go back */
    struct htmt__capture *bytes;  /* of messages, to another process */
};

/* For those partitions that it has had something for. */
struct htmt__outboxes {
    struct htmt__outbox *at; /* by number, modulo the room, or behind */
    uint32_t count, room;    /* room: 0 or a power of 2 */
};

/* Events of a window that an observer is to hear of (htmt_options.observe), in order, each with
 * whose turn it was. */
struct htmt__observed_row {
    struct htmt__observed {
        struct htmt_event event;
        struct htmt__failure turn;
    } * at;
    size_t count, room;
    size_t told; /* of them */
};

struct htmt__partition {
    _Alignas(64) struct htmt_emulator *e; /* its copy; NULL: another process plays it */
    uint32_t number;
    bool helped;               /* another thread than the clock's own played it last */
    uint64_t events;           /* in the window that was played last */
    htmt_time next;            /* event; HTMT_TIME_MAX: none */
    struct htmt__failure rest; /* the first turn that the host's wish to end kept it from */
    htmt_time sent; /* the first event that it sent to others in the window; HTMT_TIME_MAX: none */
    uint32_t *slice, slices;         /* in order */
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

/* event_observers.c: keep an event of the present window. Errors (latched): HTMT_ENOMEM. */
int htmt__observed_keep(struct htmt_emulator *e, const struct htmt_event *event);
/* The window is over: the observer hears of those of all partitions that this process plays, in the
 * order of one clock, up to the failure, if there is one. Errors (latched): HTMT_ENOMEM. */
int htmt__observed_tell(struct htmt_emulator *whole);

/* The data planes of a run share their threads. There is one; where the slices are dealt to
 * partitions, each of those that this process plays has one beside it, with the bytes of its
 * slices. So a partition meets no other one's jobs: what it has of another slice comes by messages.
 * This is the plane of a slice; NULL in a model run. */
static inline struct htmt__data *htmt__data_of(const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__windows *w = e->windows;
    const struct htmt_emulator *copy =
        w && slice < e->played ? w->partition[w->partition_of[slice]].e : NULL;
    return copy && copy->data ? copy->data : e->data;
}
/* Until all that was asked for is done. */
void htmt__planes_drain(const struct htmt_emulator *e);
/* After it. Errors (latched): HTMT_ENOMEM if some job found no room. */
void htmt__planes_check(struct htmt_emulator *e);
void htmt__planes_report(const struct htmt_emulator *e, struct htmt_host_report *report);

#endif

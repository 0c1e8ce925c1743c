/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a recording (parcels/recording.h) while the run goes on. An interval is
 * written when its end is known; a seat tells of each entity what brought it where it stands.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORDER_H
#define HTMT_PARCELS_OBSERVE_RECORDER_H

#include "parcels/observe/record_block.h"
#include "parcels/observe/record_file.h"
#include "parcels/recording.h"
#include "parcels/timing/probe.h"

enum htmt__record_place {
    HTMT__RECORD_SERVED,
    HTMT__RECORD_SENT,
    HTMT__RECORD_RECEIVED,
    HTMT__RECORD_GATE,
    HTMT__RECORD_STALLED, /* in layer 0, and so on */
    HTMT__RECORD_ROOM = HTMT__RECORD_STALLED + HTMT_LAYERS_MAX,
    HTMT__RECORD_AT_SECTION = HTMT__RECORD_ROOM + HTMT_LAYERS_MAX,
    HTMT__RECORD_PLACES
};

/* What an interval is: where, of which stage. */
struct htmt__record_step {
    const struct htmt__stage_stats *stats; /* NULL: of a mailbox's room, or of a section */
    enum htmt__record_place place;
};

struct htmt__recorder {
    struct htmt_recording options; /* with copies of what it points to */
    uint32_t layers;               /* bit of each that counts */
    bool windowed;
    struct htmt__record_file *file; /* NULL: writing has failed */
    size_t room;                    /* bytes of a block */
    struct htmt__record_slice {
        struct htmt__record_block block;
        bool left_out;
        uint32_t section; /* the last one that was written, and from when on */
        htmt_time since;
    } * slice;
    struct htmt__record_row {
        struct htmt__record_seat {
            htmt__record_ref stands; /* what brought it here */
            htmt__record_ref before; /* ...before it was called last */
            htmt__record_ref line;   /* what ended its wait in a line, */
            htmt_time wait;          /* of so long */
        } * seat;
        uint32_t seats;
    } * row; /* of each slice; then of its messages, in a guarded run */
    struct htmt__record_seat nobody;
    htmt__record_ref *channel, *used; /* last of each channel; of the one to be occupied */
    htmt__record_ref turn;            /* whose end let this event, or turn, come */
    htmt__record_ref now;             /* ...or what is done now */
    htmt__record_ref sent;            /* the last message's */
    bool via_sent;                    /* the next moment comes from it */
    htmt__record_ref last;            /* the last event of all comes from there */
    htmt_time latest;
    bool begun;
    uint32_t *number; /* of each place of each stage: 0 not met yet, 1 left out, else its step
                         number * 2 + 2 */
    uint32_t numbers;
    struct htmt__record_step *step;
    uint32_t steps, steps_room;
};

/* The emulator has a recorder from now on. Errors: HTMT_EINVAL, HTMT_ENOMEM, those of opening the
 * file; latched in e->fault. */
int htmt__recorder_create(struct htmt_emulator *e, const struct htmt_recording *recording);
/* An unfinished file goes. */
void htmt__recorder_destroy(struct htmt_emulator *e);

#endif

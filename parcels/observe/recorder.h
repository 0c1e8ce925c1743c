/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a recording (parcels/recording.h) while the run goes on.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORDER_H
#define HTMT_PARCELS_OBSERVE_RECORDER_H

#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/observe/record_block.h"
#include "parcels/observe/record_file.h"
#include "parcels/recording.h"

enum htmt__record_place {
    HTMT__RECORD_SERVED,
    HTMT__RECORD_SENT,
    HTMT__RECORD_RECEIVED,
    HTMT__RECORD_GATE,
    HTMT__RECORD_PAUSED,
    HTMT__RECORD_STALLED,                                       /* in layer 0, and so on */
    HTMT__RECORD_ROOM = HTMT__RECORD_STALLED + HTMT_LAYERS_MAX, /* these have no stage */
    HTMT__RECORD_AT_SECTION = HTMT__RECORD_ROOM + HTMT_LAYERS_MAX,
    HTMT__RECORD_PLACES
};

_Static_assert((unsigned)HTMT__RECORD_ROOM == HTMT__RECORDED_PLACES, "a stage has these places");

#define HTMT__RECORD_ORIGINS_FIRST 16u
#define HTMT__RECORD_ORIGINS       19u

/* What an interval is: where, of which stage. */
struct htmt__record_step {
    const struct htmt__stage_stats *stats; /* NULL: of a mailbox's room, or of a section */
    enum htmt__record_place place;
    uint32_t stage;             /* tells the stages apart */
    struct htmt__failure first; /* of a partition: when it was met */
    uint32_t number;            /* ...and its index among those of all */
};

/* Of a partition: an interval, or a change of a memory, and whose turn it was. */
struct htmt__record_note {
    struct htmt__failure turn;
    struct htmt__record_interval interval;
};

/* Of a partition: a full block, and whose turn filled it. */
struct htmt__record_closed {
    struct htmt__failure turn;
    struct htmt__record_entry entry;
    struct htmt__record_packed packed;
};

struct htmt__record_ports; /* record_ports.h */
struct htmt__port_note;

/* What was kept becomes sums where a run ends within a window. */
struct htmt__record_sums {
    htmt_wide *busy, *paused, *waited;  /* by resource */
    htmt_wide stalled[HTMT_LAYERS_MAX]; /* by layer */
};

/* Of the emulator; or of a partition's copy of it, which keeps what it hears in a window and writes
 * it when the next one is played (record_part.h). What belongs to slices is the same. */
struct htmt__recorder {
    struct htmt__recorder *whole;  /* itself, or whose part it is */
    struct htmt_recording options; /* with copies of what it points to */
    uint32_t layers;               /* bit of each that counts */
    bool part;
    bool windowed;
    struct htmt__record_file *file;   /* the whole's; NULL: writing has failed */
    size_t room;                      /* bytes of a block */
    struct htmt__record_ports *ports; /* the whole's; NULL: no network has any inside */
    struct htmt__record_slice {
        struct htmt__record_block block;
        const struct htmt__store *store; /* of each layer */
        bool left_out;
        htmt__record_ref given;          /* in partitions: the last interval of the slice */
        uint64_t level[HTMT_LAYERS_MAX]; /* words in use when its memories were looked at, */
        htmt_time touched;               /* which may have changed at that instant */
        uint32_t section;                /* the latest of those written, and from when on */
        htmt_time since;
    } * slice;
    struct htmt__record_origins {
        struct htmt__record_origin {
            htmt__record_ref stands;    /* the interval that brought the entity where it is now */
            htmt__record_ref before;    /* the one before it was called last */
            htmt__record_ref line;      /* the one that ended its wait in a line, */
            htmt_time wait;             /* of so long */
        } * part[HTMT__RECORD_ORIGINS]; /* by index, each part twice as long as the one before: no
                                           origin ever moves */
    } * origins;                        /* of each slice; then of its messages, in a guarded run */
    struct htmt__record_origin nobody;  /* after memory ran out */
    htmt__record_ref *channel;          /* last of each, by htmt__channel_of() */
    htmt__record_ref *used;             /* of the one to be occupied, if its link has several */
    size_t channels;                    /* of a slice */
    htmt__record_ref turn;              /* whose end let this event, or turn, come */
    htmt__record_ref now;               /* ...or what is done now */
    htmt__record_ref sent;              /* the last message's */
    htmt__record_ref last;              /* the last event of all comes from there */
    htmt_time latest;
    bool begun;
    uint32_t number[HTMT__RECORD_PLACES]; /* of places without a stage. As those of each stage
                                             (struct htmt__stage_stats): 0 not met yet, 1 left out,
                                             else twice the step's index plus 2 */
    struct htmt__record_step *step;
    uint32_t steps;
    size_t steps_room;
    /* Of a partition. */
    uint32_t numbered; /* steps */
    struct htmt__record_note *note;
    size_t notes, note_room;
    struct htmt__failure writing; /* whose turn it was: of the note that is written */
    struct htmt__record_closed *closed;
    size_t closed_count, closed_room, closed_taken;
    struct htmt__record_packer *packer;
    struct htmt__record_sums sums;
    uint32_t playing;            /* slice of the present turn, */
    struct htmt__failure turned; /* which is this one */
    bool broken;                 /* a note was lost: there will be no file */
    struct htmt__port_note *port_note;
    size_t port_notes, port_note_room;
    /* Of the whole, when a slice has failed within a window. */
    bool cut;
    uint32_t failed; /* slice */
};

/* The emulator has a recorder from now on. Errors: HTMT_EINVAL, HTMT_ENOMEM, those of opening the
 * file; latched in e->fault. */
int htmt__recorder_create(struct htmt_emulator *e, const struct htmt_recording *recording);
/* An unfinished file goes. */
void htmt__recorder_destroy(struct htmt_emulator *e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: events that an observer is to hear of (htmt_options.observe). A partition
 * keeps those of a window; when the window is over the thread of the run tells of those of all
 * partitions, in the order in which the sequential clock plays them (docs/architecture.md).
 */
#ifndef HTMT_PARCELS_CLOCK_EVENT_OBSERVERS_H
#define HTMT_PARCELS_CLOCK_EVENT_OBSERVERS_H

#include "parcels/clock/engine.h"

/* An event, and whose turn it was. */
struct htmt__observed {
    struct htmt_event event;
    struct htmt__failure turn;
};

/* Of a window, in order. */
struct htmt__observed_row {
    struct htmt__observed *at;
    size_t count, room;
    size_t told; /* of them */
};

/* Errors (latched): HTMT_ENOMEM. */
int htmt__observed_keep(struct htmt_emulator *e, const struct htmt_event *event);
/* The window is over: those of all partitions that this process plays, up to the failure, if there
 * is one. Errors (latched): HTMT_ENOMEM. */
int htmt__observed_tell(struct htmt_emulator *whole);
void htmt__observed_fini(struct htmt__observed_row *r);

#endif

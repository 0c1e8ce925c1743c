/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: slices are played one by one, in windows of virtual time.
 *
 * What a slice sends to another one at time t arrives at t + lookahead at the earliest. So within a
 * window that is no wider than the lookahead no slice hears of another: each may be played to the
 * window's end by itself, in any order, and meets the same events in the same order as when the
 * clock goes from event to event over all slices (docs/architecture.md).
 *
 * The calendar of slices has a list of slices for each of the next windows: each is in the list of
 * the window of its next event. Idle slices are in none, those of later windows in one more list.
 */
#ifndef HTMT_PARCELS_TIMING_WINDOW_H
#define HTMT_PARCELS_TIMING_WINDOW_H

#include "parcels/timing/lane.h"

#define HTMT__WINDOWS 1024u

/* Where a slice is, if not in the list of a window. */
enum htmt__whereabouts { HTMT__LATER = HTMT__WINDOWS, HTMT__IDLE, HTMT__PLAYING };

/* Of a slice in the calendar: small, so that those of all slices stay in the cache. */
struct htmt__due {
    uint32_t window;     /* or HTMT__LATER, HTMT__IDLE, HTMT__PLAYING */
    uint32_t next, prev; /* slices of the same window; HTMT__NOBODY */
};
#define HTMT__NOBODY UINT32_MAX

struct htmt__windows {
    htmt_time width;      /* HTMT_TIME_MAX: no slice hears of another */
    htmt_time from, last; /* first and last instant of the present window */
    htmt_time base;       /* first instant of window 0 */
    uint64_t per_fs;      /* windows, 2^-64 */
    uint32_t current;     /* window */
    uint32_t present;     /* slice that plays */
    uint32_t count;       /* slices that play in it, */
    uint32_t *slice;      /* these */
    uint64_t played;      /* windows */
    uint32_t list[HTMT__WINDOWS + 1];
    uint64_t busy[HTMT__WINDOWS / 64]; /* a bit for each list */
    uint32_t slices, lanes;
    size_t lines;             /* of a lane */
    struct htmt__due *due;    /* of each slice */
    struct htmt__lane *lane;  /* of each slice; one for all that are independent */
    struct htmt__delay *line; /* those of all lanes */
};

/* At the creation of the emulator: e->lookahead, and if it is 0 the reason in e->in_order. */
void htmt__windows_choose(struct htmt_emulator *e);
/* At the begin of the run: all types are known; all slices play. Errors: HTMT_ENOMEM. */
int htmt__windows_create(struct htmt_emulator *e);
void htmt__windows_destroy(struct htmt_emulator *e);

/* The next window in which slices have events: they play from now on. false: there is none. */
bool htmt__windows_next(struct htmt__windows *w);
/* The slice has played the present window. */
void htmt__windows_put(struct htmt__windows *w, uint32_t slice);
/* Its next event has become an earlier one, while another slice plays. */
void htmt__windows_earlier(struct htmt__windows *w, uint32_t slice);

static inline struct htmt__lane *htmt__lane_of(const struct htmt__windows *w, uint32_t slice)
{
    return &w->lane[w->lanes > 1 ? slice : 0];
}
/* It is that slice's turn. */
static inline void htmt__windows_play(struct htmt_emulator *e, uint32_t slice)
{
    e->windows->present = slice;
    e->lane = htmt__lane_of(e->windows, slice);
}

#endif

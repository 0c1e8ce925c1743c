/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The trail of a run: enough of its history to find the first event in which another run differs,
 * in bounded memory.
 *
 * A recording trail keeps a digest of all events so far after every `stride` events; when there are
 * too many it forgets every other one and doubles the stride. A comparing trail follows another run
 * and keeps that run's own events since the last mark that agreed, so that the first different
 * event is among at most `stride` of them. A witness keeps the same stretch of the recorded run
 * when that is run again.
 */
#ifndef HTMT_EMUL_QUESTIONS_EVENT_DIGEST_H
#define HTMT_EMUL_QUESTIONS_EVENT_DIGEST_H

#include "parcels/emulator.h"

#include <stdbool.h>

#define HTMT__TRAIL_MARKS (UINT64_C(1) << 22) /* at most: 32 MiB */

enum htmt__trail_kind { HTMT__TRAIL_RECORD, HTMT__TRAIL_COMPARE, HTMT__TRAIL_WITNESS };

struct htmt__trail {
    enum htmt__trail_kind kind;
    const struct htmt__trail *reference; /* of the other kinds; a finished recording */
    uint64_t most;                       /* marks, at most; even */
    uint64_t events, digest;             /* seen so far; of all of them */
    uint64_t stride, marks, room, *mark; /* recording */
    uint64_t first;                      /* number of window[0], from 0 */
    uint64_t kept;
    struct htmt_event *window; /* stride of the reference */
    bool differs;              /* the run may stop */
    bool failed;               /* out of memory: the trail is worthless, the run may stop */
};

/* Errors: HTMT_ENOMEM. On success the caller gives it to htmt__trail_clear(). */
int htmt__trail_record(struct htmt__trail *trail, uint64_t most);
int htmt__trail_compare(struct htmt__trail *trail, const struct htmt__trail *reference);
int htmt__trail_witness(struct htmt__trail *trail, const struct htmt__trail *compared);
void htmt__trail_clear(struct htmt__trail *trail);

/* Every event of the run, in order. */
void htmt__trail_add(struct htmt__trail *trail, const struct htmt_event *event);

/* Nothing that follows matters. */
bool htmt__trail_full(const struct htmt__trail *trail);

/* The run is over: does it differ from the reference, its length included? */
bool htmt__trail_differs(struct htmt__trail *trail);

/* Number of the first event in which the two windows differ (from 0); a window may end before it.
 * False: the repeated run does not show the difference. */
bool htmt__trail_first(const struct htmt__trail *compared, const struct htmt__trail *witness,
                       uint64_t *number);

/* Event of that number; NULL: the run has none. */
const struct htmt_event *htmt__trail_event(const struct htmt__trail *trail, uint64_t number);

#endif

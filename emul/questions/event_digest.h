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

#define HTMT__EVENT_DIGEST_MARKS (UINT64_C(1) << 22) /* at most: 32 MiB */

enum htmt__event_digest_kind { HTMT__DIGEST_RECORD, HTMT__DIGEST_COMPARE, HTMT__DIGEST_WITNESS };

struct htmt__event_digest {
    enum htmt__event_digest_kind kind;
    const struct htmt__event_digest *reference; /* of the other kinds; a finished recording */
    uint64_t most;                              /* marks, at most; even */
    uint64_t events, value;                     /* seen so far; of all of them */
    uint64_t stride, marks, room, *mark;        /* recording */
    uint64_t first;                             /* number of window[0], from 0 */
    uint64_t kept;
    struct htmt_event *window; /* stride of the reference */
    bool differs;              /* the run may stop */
    bool failed;               /* out of memory: the trail is worthless, the run may stop */
};

/* Errors: HTMT_ENOMEM. On success the caller gives it to htmt__event_digest_clear(). */
int htmt__event_digest_record(struct htmt__event_digest *digest, uint64_t most);
int htmt__event_digest_compare(struct htmt__event_digest *digest,
                               const struct htmt__event_digest *reference);
int htmt__event_digest_witness(struct htmt__event_digest *digest,
                               const struct htmt__event_digest *compared);
void htmt__event_digest_clear(struct htmt__event_digest *digest);

/* Every event of the run, in order. */
void htmt__event_digest_add(struct htmt__event_digest *digest, const struct htmt_event *event);

/* Nothing that follows matters. */
bool htmt__event_digest_full(const struct htmt__event_digest *digest);

/* The run is over: does it differ from the reference, its length included? */
bool htmt__event_digest_differs(struct htmt__event_digest *digest);

/* Number of the first event in which the two windows differ (from 0); a window may end before it.
 * False: the repeated run does not show the difference. */
bool htmt__event_digest_first(const struct htmt__event_digest *compared,
                              const struct htmt__event_digest *witness, uint64_t *number);

/* Event of that number; NULL: the run has none. */
const struct htmt_event *htmt__event_digest_event(const struct htmt__event_digest *digest,
                                                  uint64_t number);

#endif

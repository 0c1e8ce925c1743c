/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An event digest finds the first event in which two runs differ, in bounded memory. It has three
 * kinds:
 *
 * RECORD   saves a mark (the digest of all events so far) after every `stride` events. If the marks
 *          become too many, it drops every second one and doubles the stride.
 * COMPARE  follows another run. It keeps the events of that run since the last equal mark, so the
 *          first different event is among at most `stride` events.
 * WITNESS  follows a repetition of the recorded run, and keeps the same window of events.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_EVENT_DIGEST_H
#define HTMT_EMUL_LIB_QUESTIONS_EVENT_DIGEST_H

#include "parcels/emulator.h"

#include <stdbool.h>

#define HTMT__EVENT_DIGEST_MARKS (UINT64_C(1) << 22) /* at most; 32 MiB */

enum htmt__event_digest_kind { HTMT__DIGEST_RECORD, HTMT__DIGEST_COMPARE, HTMT__DIGEST_WITNESS };

struct htmt__event_digest {
    enum htmt__event_digest_kind kind;
    const struct htmt__event_digest *reference; /* of COMPARE and WITNESS: a complete recording */
    uint64_t most;                              /* marks at most; even */
    uint64_t events, value;                     /* so far; digest of all of them */
    uint64_t stride, marks, room, *mark;        /* of RECORD */
    uint64_t first;                             /* number of window[0], from 0 */
    uint64_t kept;
    struct htmt_event *window; /* room: the stride of the reference */
    bool differs;              /* the run may stop */
    bool failed;               /* out of memory: the digest is useless, the run may stop */
};

/* Errors: HTMT_ENOMEM. On success the caller calls htmt__event_digest_clear(). */
int htmt__event_digest_record(struct htmt__event_digest *digest, uint64_t most);
int htmt__event_digest_compare(struct htmt__event_digest *digest,
                               const struct htmt__event_digest *reference);
int htmt__event_digest_witness(struct htmt__event_digest *digest,
                               const struct htmt__event_digest *compared);
void htmt__event_digest_clear(struct htmt__event_digest *digest);

/* To be called with every event of the run, in order. */
void htmt__event_digest_add(struct htmt__event_digest *digest, const struct htmt_event *event);

/* Further events do not change the digest: the run may stop. */
bool htmt__event_digest_full(const struct htmt__event_digest *digest);

/* Whether the complete run differs from the reference, in its events or their number. */
bool htmt__event_digest_differs(struct htmt__event_digest *digest);

/* The number (from 0) of the first event in which the two windows differ; a window may end before
 * that event. False: the repeated run does not show the difference. */
bool htmt__event_digest_first(const struct htmt__event_digest *compared,
                              const struct htmt__event_digest *witness, uint64_t *number);

/* The event of that number; NULL: the window does not hold it. */
const struct htmt_event *htmt__event_digest_event(const struct htmt__event_digest *digest,
                                                  uint64_t number);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A team: threads that work side by side on the pieces of a round, round after round. A round ends
 * when its pieces are done: a thread that comes late finds nothing left, and nobody waits for it.
 */
#ifndef HTMT_RUNTIME_HOST_TEAM_H
#define HTMT_RUNTIME_HOST_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct htmt__team;
struct htmt__watchdog;

#define HTMT__TEAM_PIECES_MOST 65535u /* of one thread */

struct htmt__team_options {
    unsigned threads;    /* beside the caller's */
    unsigned processors; /* that they may use: htmt__team_processors() */
    uint32_t pieces;     /* of a round; of each thread, the caller included, at most
                         HTMT__TEAM_PIECES_MOST */
    /* One piece, on any of them. `helping`: not on the caller's. */
    void (*work)(void *whose, uint32_t piece, bool helping);
    void (*look)(void *whose); /* on the caller's, each millisecond or so of waiting */
    void *whose;
    bool diagnose;                   /* signals on stacks of their own (runtime/host/crash.h) */
    struct htmt__watchdog *watchdog; /* of the threads; outlives the team; NULL: none */
};

/* No thread is started yet. Errors: HTMT_ENOMEM. */
int htmt__team_create(struct htmt__team **team, const struct htmt__team_options *options);
/* Start its threads, if they are not yet. Errors: HTMT_ESYSTEM: one was refused; the others play.
 */
int htmt__team_start(struct htmt__team *team);
/* No round is on. Clears it; NULL accepted. */
void htmt__team_destroy(struct htmt__team **team);

struct htmt__team_round {
    bool invite;     /* in: the threads, at the begin; it is set when they were invited later */
    int64_t late;    /* in: else when the round lasts so many ns, between two pieces of the caller;
                        0: never */
    int64_t passed;  /* out: ns until there was nothing left that the caller could begin, */
    int64_t awaited; /* and ns in which the caller waited for pieces that others had begun */
};

/* One round: each piece is worked on once. What the caller did before is seen by the work, and what
 * the work did is seen by the caller and by the work of later rounds. The first invitation starts
 * the threads. Returns htmt__thread_ns() of the caller when there was nothing left to begin, if
 * `measured`, else 0. */
int64_t htmt__team_round(struct htmt__team *team, struct htmt__team_round *round, bool measured);

/* Processors that this process may use: those of its affinity, and no more than the quotas of its
 * control groups, rounded up. At least 1. */
unsigned htmt__team_processors(void);

#endif

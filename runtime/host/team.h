/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A team: threads that do the same work side by side, round after round. Rounds may be short: for a
 * while after each its threads look for the next one, then they sleep.
 */
#ifndef HTMT_RUNTIME_HOST_TEAM_H
#define HTMT_RUNTIME_HOST_TEAM_H

#include <stdbool.h>
#include <stdint.h>

struct htmt__team;
struct htmt__watchdog;

struct htmt__team_options {
    unsigned threads;          /* beside the caller's */
    void (*work)(void *whose); /* its part of a round, on each of them */
    void *whose;
    bool diagnose;                   /* signals on stacks of their own (runtime/host/crash.h) */
    struct htmt__watchdog *watchdog; /* of the threads; outlives the team; NULL: none */
};

/* Errors: HTMT_ENOMEM; HTMT_ESYSTEM: a thread is refused. */
int htmt__team_create(struct htmt__team **team, const struct htmt__team_options *options);
/* No round is on. Clears it; NULL accepted. */
void htmt__team_destroy(struct htmt__team **team);

/* A round begins on all threads of the team. What the caller did before is seen there. */
void htmt__team_begin(struct htmt__team *team);
/* Until it is over; what was done there is seen here. Calls look(whose) each millisecond or so.
 * Returns ns of waiting. */
int64_t htmt__team_await(struct htmt__team *team, void (*look)(void *whose));

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a parcel's or fiber's turn on a server of a bank, from its request on to the
 * end of its kernel and its log.
 */
#ifndef HTMT_PARCELS_WALK_SERVICE_H
#define HTMT_PARCELS_WALK_SERVICE_H

#include "parcels/clock/event.h"
#include "parcels/walk/log_replay.h"

/* p has a server from now on. */
void htmt__serve(struct htmt_emulator *e, struct htmt__entity *p);
/* Ask for a server of the bank of p's step. */
void htmt__request(struct htmt_emulator *e, struct htmt__entity *p);
/* Its service ends; the log's last lines take effect. Returns who has the server from now on, to be
 * given to htmt__serve_next() when p has gone on, or NULL. */
static inline struct htmt__waiter *htmt__service_end(struct htmt_emulator *e,
                                                     struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, step->at);
    htmt__record(e, p->slice, step->stats, p->serial, step->stage, 0);
    struct htmt__waiter *w = htmt__bank_leave(bank, step->stats->tally, p->service, e->now);
    if (p->log)
        htmt__log_finish(e, p);
    return w;
}
void htmt__serve_next(struct htmt_emulator *e, struct htmt__waiter *w, uint32_t resource);
/* A service whose kernel or control was put off to the end of this instant (e->kernels): its end
 * is known from now on. */
void htmt__kernel_resolve(struct htmt_emulator *e, struct htmt__entity *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/service_end.h"
#include "parcels/clock/event.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/log_replay.h"

/* The control charged something, or wrote a log, or the service is unlike the last one. */
void htmt__length_set(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work)
{
    struct htmt__stage_stats *stats = p->step->stats;
    p->service = p->before + work + p->after;
    stats->busy += p->before + p->after;
    if (p->service > stats->longest)
        stats->longest = p->service;
    if (p->log && (p->worked || p->after)) /* else all of it is for the end */
        htmt__log_unroll(e, p, began, work);
    htmt__schedule_line(e, p, p->step->line,
                        htmt__not_before(e->now, htmt__later(began, p->service)));
}

static htmt_time count_played(struct htmt__step const *step, const struct htmt_ops *ops,
                              htmt_time work)
{
    struct htmt__alike *last = step->alike;
    htmt__stage_stats_add(step->stats, last);
    last->ops = *ops;
    last->time = work;
    last->count = 1;
    htmt__stage_stats_add(step->stats, last);
    if (work > step->stats->longest)
        step->stats->longest = work;
    return work;
}

void htmt__length_played(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt_ops *ops, htmt_time began, htmt_time work)
{
    htmt__length_set(e, p, began, count_played(p->step, ops, work));
}

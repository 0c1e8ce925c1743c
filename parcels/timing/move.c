/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves of parcels. Most cross a network that has no model of its inside, and nobody watches: what
 * channel.c asks of each leg was found out when the type was compiled, so such a move goes a
 * shorter way here. The two ways charge the same; the others become legs.
 */
#include "parcels/timing/move.h"
#include "parcels/timing/channel.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/event.h"
#include "parcels/timing/move_cost.h"
#include "parcels/timing/probe.h"

static const struct htmt__passage *passage_of(const struct htmt__entity *p)
{
    return &p->cost->passage[p->step->passage];
}

static bool is_plain(const struct htmt_emulator *e, const struct htmt__step *s)
{
    return !htmt__explained(e) && __builtin_expect(s->end != HTMT__END_INSIDE, 1);
}

static struct htmt__leg leg_of(const struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    return (struct htmt__leg){
        .network = (uint32_t)s->network,
        .from = s->layer,
        .to = s->to,
        .source = p->slice,
        .target = p->slice,
        .words = w->words,
        .out_time = w->out_time,
        .in_time = w->in_time,
        .stats = s->stats,
    };
}

static __attribute__((cold, noinline)) void leg_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg leg = leg_of(p);
    htmt__channel_out(e, p, &leg);
}

static __attribute__((cold, noinline)) void leg_in(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg leg = leg_of(p);
    htmt__channel_in(e, p, &leg);
}

static __attribute__((cold, noinline)) void refuse(struct htmt_emulator *e, htmt_time start)
{
    htmt__fail(e, start < 0 ? HTMT_ENOMEM : HTMT_EOVERFLOW,
               start < 0 ? "no host memory for a queue" : "virtual time passes 2.56 hours");
}

/* ---- at the target --------------------------------------------------------------------------- */

static void queue_in(struct htmt_emulator *e, struct htmt__entity *p, htmt_time head)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    struct htmt__link *in = htmt__resource_at(e, p->slice, s->in_at);
    htmt_time start =
        htmt__link_enter(in, &e->tally[s->stats->in_resource], head, w->in_time, w->words);
    if (__builtin_expect(start < 0, 0)) {
        refuse(e, start);
        return;
    }
    p->start = start;
    s->stats->in_busy += w->in_time;
    if (start > head)
        s->stats->in_waited += start - head;
    htmt_time end = htmt__later(start, w->in_time);
    htmt__schedule(e, p, end >= 0 && end < p->tail ? p->tail : end);
}

void htmt__move_in(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (!is_plain(e, p->step)) {
        leg_in(e, p);
        return;
    }
    p->head = false;
    queue_in(e, p, e->now);
}

/* ---- at the source --------------------------------------------------------------------------- */

static __attribute__((noinline)) void count_other(const struct htmt__step *s,
                                                  const struct htmt__move_cost *cost)
{
    const struct htmt__passage *w = &cost->passage[s->passage];
    struct htmt__alike *last = s->alike;
    htmt__stage_stats_add(s->stats, last);
    last->cost = cost;
    last->words = w->words;
    last->time = w->out_time;
    last->count = 1;
    if (w->out_time > s->stats->longest)
        s->stats->longest = w->out_time;
}

static void count(const struct htmt__step *s, const struct htmt__move_cost *cost)
{
    if (s->alike->cost == cost)
        s->alike->count++;
    else
        count_other(s, cost);
}

static void send_head(struct htmt_emulator *e, struct htmt__entity *p, htmt_time start)
{
    const struct htmt__step *s = p->step;
    if (s->end == HTMT__END_FREE) {
        htmt__schedule(e, p, p->tail);
    } else if (s->end == HTMT__END_KNOWN) {
        queue_in(e, p, start + s->lead);
    } else {
        p->head = true;
        htmt__schedule(e, p, start + s->lead);
    }
}

void htmt__move_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    if (!is_plain(e, s)) {
        leg_out(e, p);
        return;
    }
    struct htmt__link *out = htmt__resource_at(e, p->slice, s->at);
    htmt_time start =
        htmt__link_enter(out, &e->tally[s->stats->resource], e->now, w->out_time, w->words);
    if (__builtin_expect(start < 0 || __builtin_add_overflow(start, w->out_time, &p->tail) ||
                             __builtin_add_overflow(p->tail, s->latency, &p->tail),
                         0)) {
        refuse(e, start);
        return;
    }
    count(s, p->cost);
    if (start > e->now)
        s->stats->waited += start - e->now;
    p->service = w->out_time;
    send_head(e, p, start);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves of parcels. Most cross a network that has no model of its inside, and nobody watches: what
 * channel.c asks of each leg was found out when the type was compiled, so such a move goes a
 * shorter way here. The two ways charge the same; the others become legs.
 */
#include "parcels/walk/move.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/channel.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/move_cost.h"

static const struct htmt__passage *passage_of(const struct htmt__entity *p)
{
    return &p->cost->passage[p->step->passage];
}

static bool is_plain(const struct htmt_emulator *e, const struct htmt__step *s)
{
    return !htmt__explained(e) && __builtin_expect(s->end != HTMT__END_INSIDE, 1);
}

static __attribute__((cold, noinline)) void leg_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg leg = htmt__leg_of_move(p);
    htmt__channel_out(e, p, &leg);
}

static __attribute__((cold, noinline)) void leg_in(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg leg = htmt__leg_of_move(p);
    htmt__channel_in(e, p, &leg);
}

/* A channel is free at `at`, and need not be looked for. */
static bool is_free(const struct htmt__link *l, htmt_time at)
{
    return l->channels == 1 && l->free <= at;
}

/* ---- at the target --------------------------------------------------------------------------- */

/* The functions without a wait call others only where they end, as those of walk.c do. */
#define APART static __attribute__((noinline))

static inline void start_in(struct htmt_emulator *e, struct htmt__entity *p, htmt_time start)
{
    htmt_time in_time = passage_of(p)->in_time, end = htmt__later(start, in_time);
    p->step->stats->in_busy += in_time;
    p->start = start;
    htmt__schedule_line(e, p, p->step->line, end >= 0 && end < p->tail ? p->tail : end);
}

APART void wait_in(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__link *in,
                   htmt_time head)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    htmt_time start = htmt__link_enter(in, s->stats->in_tally, head, w->in_time, w->words);
    if (start < 0) {
        htmt__channel_refuse(e, start);
        return;
    }
    s->stats->in_waited += start - head;
    start_in(e, p, start);
}

static inline void queue_in(struct htmt_emulator *e, struct htmt__entity *p, htmt_time head)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    struct htmt__link *in = htmt__resource_at(e, p->slice, s->in_at);
    if (!is_free(in, head)) {
        wait_in(e, p, in, head);
        return;
    }
    htmt__link_take(&in->free, s->stats->in_tally, head, w->in_time, w->words);
    start_in(e, p, head);
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

/* A move that costs other than the step's last one. */
APART void count_other(const struct htmt__step *s, const struct htmt__move_cost *cost)
{
    const struct htmt__passage *w = &cost->passage[s->passage];
    struct htmt__alike *last = s->alike;
    htmt__stage_stats_add(s->stats, last);
    last->cost = cost;
    last->words = w->words;
    last->time = w->out_time;
    if (w->out_time > s->stats->longest)
        s->stats->longest = w->out_time;
}

/* It has left the source: p->tail is known. */
APART void send_head(struct htmt_emulator *e, struct htmt__entity *p, htmt_time start)
{
    const struct htmt__step *s = p->step;
    p->service = passage_of(p)->out_time;
    s->alike->count++;
    if (s->end == HTMT__END_FREE) {
        htmt__schedule_line(e, p, s->line, p->tail);
    } else if (s->end == HTMT__END_KNOWN) {
        queue_in(e, p, start + s->lead);
    } else {
        p->head = true;
        htmt__schedule_line(e, p, s->line + 1u, start + s->lead);
    }
}

static inline bool arrives(struct htmt__entity *p, htmt_time start)
{
    htmt_time left;
    return !__builtin_add_overflow(start, passage_of(p)->out_time, &left) &&
           !__builtin_add_overflow(left, p->step->latency, &p->tail);
}

APART void wait_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    struct htmt__link *out = htmt__resource_at(e, p->slice, s->at);
    htmt_time start = htmt__link_enter(out, s->stats->tally, e->now, w->out_time, w->words);
    if (start < 0 || !arrives(p, start)) {
        htmt__channel_refuse(e, start);
        return;
    }
    if (s->alike->cost != p->cost)
        count_other(s, p->cost);
    s->stats->waited += start - e->now;
    send_head(e, p, start);
}

void htmt__move_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    struct htmt__link *out = htmt__resource_at(e, p->slice, s->at);
    if (!is_plain(e, s)) {
        leg_out(e, p);
    } else if (!is_free(out, e->now) || s->alike->cost != p->cost || !arrives(p, e->now)) {
        wait_out(e, p);
    } else {
        htmt__link_take(&out->free, s->stats->tally, e->now, w->out_time, w->words);
        send_head(e, p, e->now);
    }
}

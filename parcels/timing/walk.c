/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of a parcel along its steps, and the channels of a move.
 */
#include "parcels/timing/walk.h"
#include "parcels/data/closure.h"
#include "parcels/data/fused.h"
#include "parcels/data/kernel.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/clock.h"
#include "parcels/timing/message.h"
#include "parcels/timing/move_cost.h"
#include "parcels/timing/service.h"

#include <stdlib.h>

/* ---- memories -------------------------------------------------------------------------------- */

void htmt__store_release(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words)
{
    struct htmt__store *s = htmt__store_at(e, slice, layer);
    struct htmt__stock *k = &e->stock[layer];
    htmt__store_give(s, k, words);
    struct htmt__waiter *w;
    while ((w = htmt__store_next(s, k, e->now))) {
        struct htmt_parcel *p = (struct htmt_parcel *)w;
        /* the step after the space is the one that needed it, except an image's service */
        if (p->step[1].phase)
            p->step[1].phase->stalled += e->now - w->since;
        p->step++;
        htmt__ready(e, p);
        if (htmt__traced(e))
            htmt__trace_woken(e, p, HTMT__SPACE, layer);
    }
}

/* true: go on. */
static bool take(struct htmt_emulator *e, struct htmt_parcel *p)
{
    uint64_t words = p->shape->size[p->step->layer].space;
    if (!words)
        return true;
    p->waiter.amount = words;
    p->held |= (uint8_t)(1u << p->step->layer);
    uint32_t layer = p->step->layer;
    if (htmt__store_take(htmt__store_at(e, p->slice, layer), &e->stock[layer], &p->waiter, e->now))
        return true;
    p->state = HTMT__FOR_SPACE;
    return false;
}

static void give(struct htmt_emulator *e, struct htmt_parcel *p)
{
    uint64_t words = p->shape->size[p->step->layer].space;
    p->held &= (uint8_t) ~(1u << p->step->layer);
    if (words)
        htmt__store_release(e, p->slice, p->step->layer, words);
}

/* ---- channels -------------------------------------------------------------------------------- */

/* The channels at the target: from the arrival of the head, in the order of heads. */
static void queue_in(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *g,
                     htmt_time head)
{
    struct htmt__link *in = htmt__port_at(e, htmt__played(e, g->target), true, g->network, g->to);
    uint32_t *channel = htmt__traced(e) ? htmt__trace_channel(e, in) : NULL;
    htmt_time start =
        htmt__link_enter(in, &e->tally[g->phase->in_resource], head, g->in_time, g->words);
    if (start < 0) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a queue");
        return;
    }
    g->phase->in_busy += g->in_time;
    g->phase->in_waited += start - head;
    htmt_time end = htmt__later(start, g->in_time);
    end = end >= 0 && end < p->tail ? p->tail : end;
    if (htmt__traced(e) && end >= 0)
        htmt__trace_in(e, p, g, channel, head, start, end);
    htmt__schedule(e, p, end);
}

void htmt__channel_in(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *g)
{
    p->head = false;
    queue_in(e, p, g, e->now);
}

/* The head of the message is at the target's queue after the latency: an event of its own, unless
 * that queue has one source only, whose order is known beforehand. */
static void send_head(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *g,
                      htmt_time start)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    htmt_time head = start + n->startup + n->latency;
    if (g->phase->in_resource == UINT32_MAX) {
        htmt__schedule(e, p, p->tail);
    } else if (e->one_source[g->network]) {
        queue_in(e, p, g, head);
    } else {
        p->head = true;
        htmt__schedule(e, p, head);
    }
}

void htmt__channel(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *g)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    struct htmt__link *out =
        htmt__port_at(e, htmt__played(e, g->source), false, g->network, g->from);
    uint32_t *channel = htmt__traced(e) ? htmt__trace_channel(e, out) : NULL;
    htmt_time service = g->out_time; /* its start-up included */
    htmt_time start =
        htmt__link_enter(out, &e->tally[g->phase->resource], e->now, service, g->words);
    if (start < 0 || __builtin_add_overflow(start, service, &p->tail) ||
        __builtin_add_overflow(p->tail, n->latency, &p->tail)) {
        htmt__fail(e, start < 0 ? HTMT_ENOMEM : HTMT_EOVERFLOW,
                   start < 0 ? "no host memory for a queue" : "virtual time passes 2.56 hours");
        return;
    }
    g->phase->count++;
    g->phase->words += g->words;
    g->phase->busy += service;
    if (service > g->phase->longest)
        g->phase->longest = service;
    g->phase->waited += start - e->now;
    p->service = service;
    if (htmt__traced(e))
        htmt__trace_out(e, p, g, channel, start,
                        g->phase->in_resource == UINT32_MAX ? -1 : start + n->startup + n->latency);
    send_head(e, p, g, start);
}

/* ---- moves of a parcel ----------------------------------------------------------------------- */

static uint64_t words_of(const struct htmt_parcel *p)
{
    const struct htmt__step *s = p->step;
    return s->inward ? p->shape->size[s->to].in : p->shape->size[s->layer].out;
}

static struct htmt__leg leg_of(const struct htmt_parcel *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__shape *h = p->shape;
    return (struct htmt__leg){
        .network = (uint32_t)s->network,
        .from = s->layer,
        .to = s->to,
        .source = p->slice,
        .target = p->slice,
        .words = words_of(p),
        .out_time = s->inward ? h->in_time[s->to] : h->out_time[s->layer],
        .in_time = s->inward ? h->in_port[s->to] : h->out_port[s->layer],
        .phase = s->phase,
    };
}

/* true: nothing to move, go on. */
static bool move(struct htmt_emulator *e, struct htmt_parcel *p)
{
    if (!words_of(p))
        return true;
    struct htmt__leg leg = leg_of(p);
    htmt__channel(e, p, &leg);
    return false;
}

void htmt__move_event(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt__step *s = p->step;
    if (p->head) {
        struct htmt__leg leg = leg_of(p);
        htmt__channel_in(e, p, &leg);
        return;
    }
    htmt__record(e, p->slice, s->phase, p->serial, s->stage, words_of(p));
    p->step++;
    htmt__advance(e, p);
}

/* ---- gates, end ------------------------------------------------------------------------------ */

/* Fiber 0 has ended: those that were enabled before go on, in order. */
static void begin_fibers(struct htmt_emulator *e, struct htmt__body *b)
{
    struct htmt_parcel *f = b->early, *next;
    b->begun = true;
    b->early = NULL;
    for (; f; f = next) {
        next = f->queue;
        htmt__ready(e, f);
    }
}

static bool closed(struct htmt_emulator *e, struct htmt_parcel *p)
{
    uint32_t gate = HTMT_GATE(p->step->stage);
    if (p->step->stage == HTMT_RETIRE && !p->body->begun)
        begin_fibers(e, p->body);
    bool busy = p->step->stage == HTMT_RETIRE && p->body->live;
    if (p->discarded && !busy) {
        htmt__parcel_discard(e, p);
        return true;
    }
    if ((p->open & gate) && !busy)
        return false;
    p->state = HTMT__FOR_CALL;
    if (!(p->open & gate)) {
        struct htmt_slot slot = p->body->on_ready;
        p->body->on_ready = (struct htmt_slot){0};
        htmt__signal_from(e, p->slice, p->step->layer, slot);
    }
    return true;
}

void htmt__parcel_end(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt_slot done = p->body->on_done;
    uint32_t slice = p->slice, layer = p->type->home;
    if (p->body->live) {
        htmt__fail(e, HTMT_EINVAL, "a %s ends under %u of its fibers; give it the gate RETIRE",
                   p->type->name, p->body->live);
        return;
    }
    if (p->closure && p->closure->deferred)
        htmt__defer_end(e, p);
    htmt__closure_free(e, p->closure);
    htmt__body_free(p->type, p->body);
    htmt__entity_free(e, p);
    htmt__signal_from(e, slice, layer, done);
}

void htmt__parcel_discard(struct htmt_emulator *e, struct htmt_parcel *p)
{
    for (uint32_t l = 0; l < e->layers; l++)
        if (p->held >> l & 1)
            htmt__store_release(e, p->slice, l, p->shape->size[l].space);
    htmt__parcel_end(e, p);
}

/* ---- the walk -------------------------------------------------------------------------------- */

void htmt__advance(struct htmt_emulator *e, struct htmt_parcel *p)
{
    for (;; p->step++) {
        const struct htmt__step *s = p->step;
        switch ((enum htmt__op)s->op) {
        case HTMT__TAKE:
            if (!take(e, p))
                return;
            break;
        case HTMT__GIVE:
            give(e, p);
            break;
        case HTMT__SERVE:
            htmt__request(e, p);
            return;
        case HTMT__MOVE:
            if (!move(e, p))
                return;
            break;
        case HTMT__FETCH:
            htmt__closure_read(e, p, s->layer);
            break;
        case HTMT__LAND:
            htmt__closure_land(e, p);
            break;
        case HTMT__CLOSED:
            htmt__kernel_ahead(e, p);
            break;
        case HTMT__DEPART:
            htmt__closure_depart(e, p);
            break;
        case HTMT__STORE:
            htmt__closure_write(e, p, s->layer);
            break;
        case HTMT__GATE:
            if (closed(e, p))
                return;
            break;
        case HTMT__END:
            htmt__parcel_end(e, p);
            return;
        }
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves over one network without ports inside: channels at both ends, cut-through. A put over CNET
 * is charged here.
 *
 *     out channel   |start-up|words.........|
 *     in flight              |latency....|
 *     in channel                         |words.........|
 *                            ^ head leaves ^ head is there   ^ end
 *
 * A message occupies an out channel of the source's port for start-up and words (out_time), first
 * come first served. Its head leaves after the start-up, is in flight for the latency, and asks for
 * an in channel of the target's port in the order of heads; it occupies that for in_time. The last
 * word is there no sooner than it left plus the latency (p->tail): a slow in channel makes the end
 * later, a fast one does not make it sooner.
 *
 * How many events is that? Where the target has no in channels, one, the end. Where each queue at
 * the targets has one source, one, too: heads come in the order in which they leave, so the in
 * channel is taken at once, ahead of time. Otherwise the head has an event of its own (p->head).
 * With a model inside, the model says where the head is next and when.
 *
 * Between partitions the end is one half of the arrival; what the source has to be told, and when,
 * stands in remote_arrivals.c.
 *
 * By hand: start-up 100, latency 400, 10 words of 8 at either end; begun at 1,000. The out channel
 * is held until 1,180; the tail is at 1,580. The head is there at 1,500; if the in channel is free,
 * it is held until 1,580, which is the end. If it is free at 1,550 only, the end is 1,630.
 */
#include "parcels/message/channel.h"
#include "layers/model.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/remote_arrivals.h"
#include "parcels/message/message.h"
#include "parcels/message/outlet.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/type.h"

/* Functions of most moves call others only where they end, so that they keep nothing on the stack.
 */
#define APART static __attribute__((noinline))

/* Its next event may be one of another partition, and the source hears of the end. */
APART void end_parted(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                      htmt_time end, bool opened)
{
    if (htmt__leg_parted(e, g) && end >= 0)
        htmt__remote_arrival_add(e, p, g, end, opened);
    htmt__schedule(e, p, end);
}

/* The end of the move is known. */
static inline void end_at(struct htmt_emulator *e, struct htmt__entity *p,
                          const struct htmt__leg *g, htmt_time end, bool opened)
{
    if (__builtin_expect(e->partition != NULL, 0))
        end_parted(e, p, g, end, opened);
    else
        htmt__schedule_line(e, p, g->line, end);
}

/* The head has an event of its own. */
static void head_at(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                    htmt_time head)
{
    p->head = true;
    if (e->partition)
        htmt__schedule(e, p, head);
    else
        htmt__schedule_line(e, p, g->line + 1, head);
}

/* When the whole of it is there, if it occupies a channel at the target from `start` on. */
static inline htmt_time end_of(const struct htmt__entity *p, const struct htmt__leg *g,
                               htmt_time start)
{
    htmt_time end = htmt__later(start, g->in_time);
    return end >= 0 && end < p->tail ? p->tail : end;
}

static inline void begin_in(struct htmt_emulator *e, struct htmt__entity *p,
                            const struct htmt__leg *g, htmt_time start)
{
    p->start = start;
    g->stats->in_busy += g->in_time;
    end_at(e, p, g, end_of(p, g, start), true);
}

/* It may have to wait, and somebody may watch. */
APART void wait_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                   struct htmt__link *in, htmt_time head)
{
    if (htmt__explained(e))
        e->explain->channel(e, in);
    htmt_time start = htmt__link_enter(in, g->stats->in_tally, head, g->in_time, g->words);
    if (start < 0) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a queue");
        return;
    }
    g->stats->in_waited += start - head;
    if (htmt__explained(e) && end_of(p, g, start) >= 0)
        e->explain->in(e, p, g, head, start, end_of(p, g, start));
    begin_in(e, p, g, start);
}

/* The channels at the target: from the arrival of the head, in the order of heads. */
static void queue_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                     htmt_time head)
{
    struct htmt__link *in = htmt__port_at(e, htmt__played(e, g->target), true, g->network, g->to);
    htmt_time *channel = htmt__link_channel(in);
    if (*channel > head || htmt__explained(e)) {
        wait_in(e, p, g, in, head);
        return;
    }
    htmt__link_take(channel, g->stats->in_tally, head, g->in_time, g->words);
    begin_in(e, p, g, head);
}

/* Most networks have no model of their inside: the others' calls stay out of the way of all. */
#define COLD __attribute__((cold, noinline))

/* ---- inside a network ------------------------------------------------------------------------ */

static struct htmt__crossing crossing_of(const struct htmt_emulator *e, const struct htmt__leg *g,
                                         uint32_t slice, htmt_time now)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    return (struct htmt__crossing){.inside = n->inside,
                                   .state = e->inside[g->network] +
                                            htmt__played(e, slice) * n->model->state_bytes,
                                   .source = g->source,
                                   .target = g->target,
                                   .slice = slice,
                                   .slices = e->slices,
                                   .words = g->words,
                                   .now = now,
                                   .latency = n->latency};
}

/* The head of the message has an event where the model says. From place to place of two slices it
 * takes the latency at least (layers/model.h). */
static void go_to(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                  uint32_t from, struct htmt__place place)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    if (place.slice != from && place.at >= 0 && place.at - e->now < n->latency) {
        htmt__fail(e, HTMT_EPAST,
                   "network %s: its model takes a message to slice %u in less than the "
                   "latency",
                   n->name, place.slice);
        return;
    }
    p->inside = !place.there;
    p->place = place.slice;
    if (htmt__explained(e))
        e->explain->flying(e, g);
    head_at(e, p, g, place.at);
}

static COLD void come_to_place(struct htmt_emulator *e, struct htmt__entity *p,
                               const struct htmt__leg *g)
{
    struct htmt__crossing c = crossing_of(e, g, p->place, e->now);
    go_to(e, p, g, p->place, e->machine->network[g->network].model->arrive(&c));
}

/* The head has come through; the last word follows as far behind as it left. */
static COLD void come_out(const struct htmt_emulator *e, struct htmt__entity *p,
                          const struct htmt__leg *g)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    htmt_time last = htmt__later(e->now, g->out_time - n->startup);
    p->tail = last < 0 || last > p->tail ? last : p->tail;
    if (!n->model->release)
        return;
    struct htmt__crossing c = crossing_of(e, g, g->target, e->now);
    n->model->release(&c);
}

static COLD void send_inside(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, htmt_time at)
{
    struct htmt__crossing c = crossing_of(e, g, g->source, at);
    go_to(e, p, g, g->source, e->machine->network[g->network].model->send(&c));
}

void htmt__channel_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    if (__builtin_expect(e->net[g->network].modelled, 0)) {
        if (p->inside) {
            come_to_place(e, p, g);
            return;
        }
        come_out(e, p, g);
    }
    p->head = false;
    if (g->stats->in_tally) {
        queue_in(e, p, g, e->now);
        return;
    }
    if (htmt__explained(e))
        e->explain->flying(e, g);
    end_at(e, p, g, p->tail, true);
}

/* ---- at the source --------------------------------------------------------------------------- */

/* The head of the message is at the target's queue after the latency: an event of its own, unless
 * that queue has one source only, whose order is known beforehand. */
static inline void send_head(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, htmt_time start)
{
    const struct htmt__net *n = &e->net[g->network];
    if (__builtin_expect(n->modelled, 0))
        send_inside(e, p, g, start + n->startup);
    else if (!g->stats->in_tally)
        end_at(e, p, g, p->tail, false);
    else if (n->one_source)
        queue_in(e, p, g, start + n->startup + n->latency);
    else
        head_at(e, p, g, start + n->startup + n->latency);
}

/* Somebody is told first: who watches, with the last instant of the head's way that is known by now
 * (-1: the tail alone is timed), or the source, that the message is open. */
static COLD void tell_and_send(struct htmt_emulator *e, struct htmt__entity *p,
                               const struct htmt__leg *g, htmt_time start)
{
    const struct htmt__net *n = &e->net[g->network];
    htmt_time head = n->modelled          ? start + n->startup
                     : g->stats->in_tally ? start + n->startup + n->latency
                                          : -1;
    if (head >= 0 && htmt__leg_parted(e, g))
        htmt__remote_arrival_open(e, g->source);
    if (htmt__explained(e))
        e->explain->out(e, p, g, start, head);
    send_head(e, p, g, start);
}

COLD void htmt__channel_refuse(struct htmt_emulator *e, htmt_time start)
{
    htmt__fail(e, start < 0 ? HTMT_ENOMEM : HTMT_EOVERFLOW,
               start < 0 ? "no host memory for a queue" : "virtual time passes 2.56 hours");
}

/* It leaves the source from `start` on, over a channel that was taken for it. */
APART void leave(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                 htmt_time start)
{
    struct htmt__stage_stats *stats = g->stats;
    const htmt_time service = g->out_time; /* its start-up included */
    if (__builtin_add_overflow(start, service, &p->tail) ||
        __builtin_add_overflow(p->tail, e->net[g->network].latency, &p->tail)) {
        htmt__channel_refuse(e, start);
        return;
    }
    stats->count++;
    stats->words += g->words;
    stats->busy += service;
    if (service > stats->longest)
        stats->longest = service;
    p->service = service;
    if (htmt__goes_aside(e, HTMT__BY_PROBE | HTMT__BY_PARTITION))
        tell_and_send(e, p, g, start);
    else
        send_head(e, p, g, start);
}

/* The channel is not free yet. */
APART void wait_out(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                    struct htmt__link *out, htmt_time *channel)
{
    struct htmt__tally *tally = g->stats->tally;
    htmt_time start = *channel;
    if (htmt__link_wait(out, tally, e->now, start)) {
        htmt__channel_refuse(e, -1);
        return;
    }
    htmt__link_take(channel, tally, start, g->out_time, g->words);
    g->stats->waited += start - e->now;
    leave(e, p, g, start);
}

/* Ports are inside: it becomes packets. */
static COLD void send_packets(struct htmt_emulator *e, struct htmt__entity *p,
                              const struct htmt__leg *g)
{
    const struct htmt__message *m = p->kind == HTMT__MESSAGE ? p->message : NULL;
    bool put = m && m->kind == HTMT__MESSAGE_BYTES;
    uint64_t bytes = put && !m->put.words ? m->put.bytes : g->words * HTMT_WORD;
    htmt__outlet_send(e, p, g, bytes, put ? m->put.route : HTMT__NO_ROUTE);
}

/* Between bank and scratch memory of a slice: one engine serves both directions. The latency behind
 * it is the asking thread's alone. */
static COLD void copy_by_engine(struct htmt_emulator *e, struct htmt__entity *p,
                                const struct htmt__leg *g)
{
    const struct htmt__bank_host *b = e->banked->machine;
    const bool write = g->from == b->scratch;
    struct htmt__link *engine =
        htmt__port_at(e, htmt__played(e, g->source), false, g->network, b->scratch);
    struct htmt__stage_stats *stats = g->stats;
    if (htmt__explained(e))
        e->explain->channel(e, engine);
    htmt_time start = htmt__link_enter(engine, stats->tally, e->now, g->out_time, g->words);
    htmt_time latency = htmt_charge_time(write ? b->engine.write : b->engine.read, 1);
    if (start < 0 || latency < 0 || __builtin_add_overflow(start, g->out_time, &p->tail) ||
        __builtin_add_overflow(p->tail, latency, &p->tail)) {
        htmt__channel_refuse(e, start);
        return;
    }
    stats->count++;
    stats->words += g->words;
    stats->busy += g->out_time;
    stats->waited += start - e->now;
    stats->longest = g->out_time > stats->longest ? g->out_time : stats->longest;
    p->service = g->out_time;
    htmt__thread_copies(htmt__issuing_at(e, p->slice), p->message->thread, p->tail);
    if (htmt__explained(e))
        e->explain->out(e, p, g, start, -1);
    end_at(e, p, g, p->tail, false);
}

void htmt__channel_end(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                       htmt_time end)
{
    end_at(e, p, g, end, false);
}

static inline void enter_out(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, struct htmt__link *out)
{
    htmt_time *channel = htmt__link_channel(out);
    if (*channel > e->now) {
        wait_out(e, p, g, out, channel);
        return;
    }
    htmt__link_take(channel, g->stats->tally, e->now, g->out_time, g->words);
    leave(e, p, g, e->now);
}

static COLD void explain_out(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, struct htmt__link *out)
{
    e->explain->channel(e, out);
    enter_out(e, p, g, out);
}

void htmt__channel_out(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    if (__builtin_expect(e->net[g->network].fabric != NULL, 0)) {
        send_packets(e, p, g);
        return;
    }
    if (__builtin_expect(e->net[g->network].engine, 0)) {
        copy_by_engine(e, p, g);
        return;
    }
    struct htmt__link *out =
        htmt__port_at(e, htmt__played(e, g->source), false, g->network, g->from);
    if (htmt__explained(e))
        explain_out(e, p, g, out);
    else
        enter_out(e, p, g, out);
}

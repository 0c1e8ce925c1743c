/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages: made, sent over one network, and over.
 *
 * A message is an entity (walk/entity.h) with a record (struct htmt__message). It has a *leg*: from
 * which layer of which slice to which, over which network, and how long it occupies the channels at
 * both ends. Networks and times are the same for the next message between these layers with as many
 * words, so they are kept (struct htmt__way), and htmt__message_cross() in message.h mostly
 * compares three numbers. The rest of its way is below (channels), or in outlet.c (packets); what
 * it does where it arrives, its kind says (play.c: arrives[]).
 *
 * In a run a message carries bytes: those that lie at its source when its last word leaves, not
 * those of the call. So the leaving is an event of its own (or a moment of the source's slice, if
 * somebody waits for on_sent); there the bytes are captured. Four cases, where the last word
 * leaves:
 *
 *     on_sent is awaited           a moment of the source's slice captures, then signals
 *     to another partition         a planned capture stays here (capture.c), the message goes ahead
 *     ports inside                 the fabric says when (packet.c: left)
 *     else                         an event of the message itself (p->leaving)
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
 * By hand: start-up 100, latency 400, 10 words of 8 at either end; begun at 1,000. The out channel
 * is held until 1,180; the tail is at 1,580. The head is there at 1,500; if the in channel is free,
 * it is held until 1,580, which is the end. If it is free at 1,550 only, the end is 1,630.
 */
#include "parcels/message/message.h"
#include "layers/model.h"
#include "parcels/clock/event.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/capture.h"
#include "parcels/message/gather.h"
#include "parcels/message/inlet.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------ */

struct htmt__message *htmt__message_alloc(struct htmt_emulator *e)
{
    struct htmt__message *m = malloc(sizeof *m);
    if (!m)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a message");
    return m;
}

void htmt__messages_free(struct htmt_emulator *e)
{
    while (e->messages) {
        struct htmt__message *next = e->messages->next;
        free(e->messages);
        e->messages = next;
    }
}

void htmt__message_discard(struct htmt_emulator *e, struct htmt__message *m)
{
    if (!m) /* it is in another process */
        return;
    if (htmt__message_has_put((enum htmt__message_kind)m->kind) && m->held)
        htmt__data_drop(htmt__data_of(e, m->leg.source), m->held);
    if (m->kind == HTMT__MESSAGE_COLLECTIVE)
        free(m->slots);
    if (m->kind == HTMT__MESSAGE_POSTS)
        free(m->bundle);
    free(m);
}

struct htmt_mailbox *htmt__message_mailbox(const struct htmt__message *m)
{
    bool sent = m->kind == HTMT__MESSAGE_CREDIT || m->kind == HTMT__MESSAGE_GRANT ||
                m->kind == HTMT__MESSAGE_RECORDS;
    return sent ? m->mailbox : NULL;
}

/* ---- one leg --------------------------------------------------------------------------------- */

static int refuse_leg(struct htmt_emulator *e, const struct htmt__leg *g)
{
    bool across = g->source != g->target;
    if (across && e->options.symmetry == HTMT_INDEPENDENT)
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "slice %u sends to slice %u, though slices were said to be independent",
                          g->source, g->target);
    return htmt__fail(e, HTMT_EROUTE, "no network carries from %s to %s of %s slice",
                      e->machine->layer[g->from].name, e->machine->layer[g->to].name,
                      across ? "another" : "the same");
}

/* The times are kept in `w` for the next message, which is like this one. */
int htmt__message_time(struct htmt_emulator *e, struct htmt__message *message, struct htmt__way *w,
                       uint64_t from_pieces, uint64_t to_pieces)
{
    const struct htmt_machine *m = e->machine;
    struct htmt__leg *g = &message->leg;
    g->network = w->network;
    if (g->from == g->to && g->source == g->target)
        return 0;
    if (w->network == HTMT__NO_NETWORK)
        return refuse_leg(e, g);
    w->stats = htmt__message_stats(e, w->network, g->from, g->to, htmt__message_group_of(message));
    if (!w->stats)
        return HTMT_ENOMEM;
    htmt_time out_time =
        htmt_machine_out_time(m, w->network, g->from, g->to, g->words, from_pieces, to_pieces);
    htmt_time in_time = htmt_machine_in_time(m, w->network, g->to, g->words, to_pieces);
    if (e->net[w->network].engine) {
        out_time = htmt__dma_time(&e->banked->machine->engine, g->words * HTMT_WORD);
        in_time = 0;
    }
    if (htmt__too_long(out_time) || htmt__too_long(in_time))
        return htmt__fail(e, HTMT_EOVERFLOW, "the time of a put overflows");
    w->line = htmt__message_line(e, w->network, false);
    w->words = g->words;
    w->from_pieces = from_pieces;
    w->to_pieces = to_pieces;
    w->out_time = out_time;
    w->in_time = in_time;
    htmt__message_take(e, g, w);
    if (htmt__explained(e))
        e->explain->timed(e, g, from_pieces, to_pieces);
    return 0;
}

/* ---- channels at both ends ------------------------------------------------------------------- */

/* Functions of most moves call others only where they end, so that they keep nothing on the stack.
 */
#define APART static __attribute__((noinline))

/* Its next event may be in another partition; most messages stay in theirs. */
APART void schedule_parted(struct htmt_emulator *e, struct htmt__entity *p,
                           const struct htmt__leg *g, htmt_time at)
{
    const uint32_t line = g->line + p->head;
    if (htmt__elsewhere(e, p->head && p->inside ? p->place : g->target))
        htmt__schedule(e, p, at);
    else
        htmt__schedule_line(e, p, line, at);
}

/* The end of the move is known. */
static inline void end_at(struct htmt_emulator *e, struct htmt__entity *p,
                          const struct htmt__leg *g, htmt_time end)
{
    const unsigned reasons = HTMT__BY_PARTITION | HTMT__BY_CALENDAR | HTMT__BY_PROBE;
    if (__builtin_expect(!htmt__goes_aside(e, reasons) && htmt__lies_ahead(e, end), 1))
        htmt__schedule_ahead(e, p, g->line, end);
    else if (e->partition)
        schedule_parted(e, p, g, end);
    else
        htmt__schedule_apart(e, p, g->line, end);
}

/* The head has an event of its own. */
static void head_at(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                    htmt_time head)
{
    p->head = true;
    if (__builtin_expect(e->partition != NULL, 0))
        schedule_parted(e, p, g, head);
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
    htmt__wide_add((htmt_uwide *)&g->stats->in_busy, (uint64_t)g->in_time);
    end_at(e, p, g, end_of(p, g, start));
}

/* It may have to wait, and somebody may watch. */
APART void wait_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                   struct htmt__link *in, htmt_time head)
{
    if (htmt__explained(e))
        e->explain->channel(e, in, HTMT__FIRST_FREE);
    htmt_time start = htmt__link_enter(in, g->stats->in_tally, head, g->in_time, g->words);
    if (start < 0) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a queue");
        return;
    }
    htmt__wide_add((htmt_uwide *)&g->stats->in_waited, (uint64_t)(start - head));
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
    htmt__link_take(in, channel, g->stats->in_tally, head, g->in_time, g->words);
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
    g->stats->flight += e->now - (p->tail - g->out_time - n->latency + n->startup);
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

/* It has a channel of a port that full queues hold. */
void htmt__channel_begin(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    const htmt_time end = end_of(p, g, e->now);
    p->start = e->now;
    if (htmt__explained(e) && end >= 0)
        e->explain->in(e, p, g, e->now, e->now, end);
    end_at(e, p, g, end);
}

/* true: no more is to be done here. */
static COLD bool come_aside(struct htmt_emulator *e, struct htmt__entity *p,
                            const struct htmt__leg *g)
{
    if (e->net[g->network].modelled && p->inside) {
        come_to_place(e, p, g);
        return true;
    }
    if (e->net[g->network].modelled)
        come_out(e, p, g);
    if (!htmt__inlet_holds(e, g))
        return false;
    p->head = false;
    if (!htmt__inlet_takes(e, p, g)) {
        htmt__inlet_pass(e, g);
        if (htmt__explained(e))
            e->explain->flying(e, g);
        end_at(e, p, g, p->tail);
    } else if (htmt__inlet_enter(e, p, g)) {
        htmt__channel_begin(e, p, g);
    }
    return true;
}

void htmt__channel_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    if (__builtin_expect(e->net[g->network].in_aside, 0) && come_aside(e, p, g))
        return;
    p->head = false;
    if (g->stats->in_tally) {
        queue_in(e, p, g, e->now);
        return;
    }
    if (htmt__explained(e))
        e->explain->flying(e, g);
    end_at(e, p, g, p->tail);
}

/* ---- at the source --------------------------------------------------------------------------- */

/* The head of the message is at the target's queue after the latency: an event of its own, unless
 * that queue has one source only, whose order is known beforehand. */
static inline void send_head(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, const struct htmt__net *n, htmt_time start)
{
    if (__builtin_expect(n->modelled, 0))
        send_inside(e, p, g, start + n->startup);
    else if (!g->stats->in_tally)
        end_at(e, p, g, p->tail);
    else if (n->one_source)
        queue_in(e, p, g, start + n->startup + n->latency);
    else
        head_at(e, p, g, start + n->startup + n->latency);
}

/* Who watches is told first, with the last instant of the head's way that is known by now (-1: the
 * tail alone is timed). */
static COLD void tell_and_send(struct htmt_emulator *e, struct htmt__entity *p,
                               const struct htmt__leg *g, htmt_time start)
{
    const struct htmt__net *n = &e->net[g->network];
    htmt_time head = n->modelled          ? start + n->startup
                     : g->stats->in_tally ? start + n->startup + n->latency
                                          : -1;
    e->explain->out(e, p, g, start, head);
    send_head(e, p, g, n, start);
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
    const struct htmt__net *n = &e->net[g->network];
    const htmt_time service = g->out_time; /* its start-up included */
    htmt_time tail;
    if (__builtin_add_overflow(start, service, &tail) ||
        __builtin_add_overflow(tail, n->latency, &tail)) {
        htmt__channel_refuse(e, start);
        return;
    }
    p->tail = tail;
    stats->count++;
    htmt__wide_add(&stats->words, g->words);
    htmt__wide_add((htmt_uwide *)&stats->busy, (uint64_t)service);
    if (service > stats->longest)
        stats->longest = service;
    p->service = service;
    if (htmt__goes_aside(e, HTMT__BY_PROBE))
        tell_and_send(e, p, g, start);
    else
        send_head(e, p, g, n, start);
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
    htmt__link_take(out, channel, tally, start, g->out_time, g->words);
    htmt__wide_add((htmt_uwide *)&g->stats->waited, (uint64_t)(start - e->now));
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
    const struct htmt__bank_machine *b = e->banked->machine;
    const bool write = g->from == b->scratch;
    struct htmt__link *engine =
        htmt__port_at(e, htmt__played(e, g->source), false, g->network, b->scratch);
    struct htmt__stage_stats *stats = g->stats;
    if (htmt__explained(e))
        e->explain->channel(e, engine, HTMT__FIRST_FREE);
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
    end_at(e, p, g, p->tail);
}

void htmt__channel_end(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                       htmt_time end)
{
    end_at(e, p, g, end);
}

static inline void enter_out(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, struct htmt__link *out)
{
    htmt_time *channel = htmt__link_channel(out);
    if (*channel > e->now) {
        wait_out(e, p, g, out, channel);
        return;
    }
    htmt__link_take(out, channel, g->stats->tally, e->now, g->out_time, g->words);
    leave(e, p, g, e->now);
}

static COLD void explain_out(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g, struct htmt__link *out)
{
    e->explain->channel(e, out, HTMT__FIRST_FREE);
    enter_out(e, p, g, out);
}

void htmt__channel_out(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    if (__builtin_expect(!e->net[g->network].plain, 0)) {
        if (e->net[g->network].fabric)
            send_packets(e, p, g);
        else
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

void htmt__channel_out_plain(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt__leg *g)
{
    enter_out(e, p, g, htmt__port_at(e, g->source, false, g->network, g->from));
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void htmt__message_capture(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    if (e->data && htmt__leg_parted(e, &m->leg)) {
        struct htmt__capture *c = htmt__capture_create(e, p);
        if (c)
            htmt__capture_make(e, c);
    } else if (e->data) {
        m->held = htmt__data_capture(e->data, &m->put, m->leg.from);
        if (htmt__explained(e))
            e->explain->captured(e, p);
    }
}

void htmt__message_deliver_bytes(struct htmt_emulator *e, struct htmt__message *m)
{
    if (htmt__residency_matters(e))
        htmt__delivered(e, m->put.dst.object);
    if (e->data && htmt__explained(e))
        e->explain->delivered(e, m);
    if (e->data)
        htmt__data_deliver(e->data, &m->put, m->leg.to, m->held);
    m->held = NULL;
}

/* Nobody waits for on_sent. The event of the message at its source takes no number of the slice.
 * The message may be in another partition when its last word leaves: inside a network, too. */
static void capture_when_sent(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    const struct htmt__net *n = &e->net[m->leg.network];
    const bool parted = htmt__leg_parted(e, &m->leg);
    htmt_time at = p->tail - n->latency;
    if (n->fabric) {
        struct htmt__sending *s = htmt__outlet_sending(e, p, &m->leg);
        if (parted)
            s->capture = htmt__capture_create(e, p);
        else
            s->captured = true;
        return;
    }
    if (parted || (e->partition && n->modelled)) {
        htmt__capture_plan(e, p, at);
        return;
    }
    p->leaving = true;
    m->sent_at = at;
    if (htmt__pending_push(&e->pending, (struct htmt__event){at, p->key}))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

/* Who waits for the source is signalled when the last word has left: at a moment of the source's
 * slice, even when the message arrives at that very instant, for an event touches one slice only.
 */
static void tell_when_sent(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    if (htmt_ref_none(m->put.on_sent.owner) && !m->returns) {
        if (e->data)
            capture_when_sent(e, p);
        return;
    }
    struct htmt__entity *moment = htmt__entity_create(e, m->leg.source, HTMT__MOMENT);
    struct htmt__entry *entry = moment ? htmt__entry_create(e, HTMT__SENT) : NULL;
    if (!entry)
        return;
    entry->message = (struct htmt__sent){p->serial, p->slice, p->index};
    if (e->data && htmt__leg_parted(e, &m->leg)) {
        entry->capture = htmt__capture_create(e, p);
        entry->line.captured = entry->capture != NULL;
    }
    entry->line.returns = m->returns && m->collective;
    if (entry->line.returns)
        entry->collective = m->collective;
    else
        entry->slot = m->put.on_sent;
    m->put.on_sent = (struct htmt_slot){0};
    entry->line.stage = (uint8_t)(m->round ? htmt__innermost(e) : m->leg.from);
    entry->line.slice = m->leg.source;
    moment->log = &entry->line;
    if (e->net[m->leg.network].fabric) {
        moment->state = HTMT__MADE;
        htmt__outlet_sending(e, p, &m->leg)->moment = moment;
        return;
    }
    if (htmt__explained(e))
        e->explain->sent(e, p, moment);
    htmt__schedule_line(e, moment, htmt__moment_line(e), p->tail - e->net[m->leg.network].latency);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Within one memory of one slice a message takes no time. A post that is gathered knows no network
 * yet. */
void htmt__message_start(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    if (m->leg.network == HTMT__NO_NETWORK && htmt__gather_takes(m)) {
        e->posts->calls->gather(e, p);
        return;
    }
    if (m->leg.network == HTMT__NO_NETWORK) {
        p->tail = e->now;
        htmt__schedule(e, p, e->now);
        return;
    }
    htmt__channel_out(e, p, &m->leg);
    bool leaves =
        (m->kind == HTMT__MESSAGE_BYTES || m->kind == HTMT__MESSAGE_RECORDS || m->returns) &&
        (!m->round || m->leg.source != m->leg.target);
    if (!e->fault.code && leaves && !e->net[m->leg.network].engine)
        tell_when_sent(e, p);
}

uint32_t htmt__message_slice(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    if (htmt__message_leaves(e, p))
        return g->source;
    return p->head && p->inside ? p->place : g->target;
}

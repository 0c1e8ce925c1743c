/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages: made, sent over one network, and over.
 *
 * A message is an entity (walk/entity.h) with a record (struct htmt__message). It has a *leg*: from
 * which layer of which slice to which, over which network, and how long it occupies the channels at
 * both ends. Networks and times are the same for the next message between these layers with as many
 * words, so they are kept (struct htmt__way), and htmt__message_cross() in message.h mostly
 * compares three numbers. The rest of its way is in channel.c or outlet.c; what it does where it
 * arrives, its kind says (play.c: arrives[]).
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
 */
#include "parcels/message/message.h"
#include "parcels/clock/event.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/capture.h"
#include "parcels/message/outlet.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
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
    bool bytes = m->kind != HTMT__MESSAGE_SIGNAL && m->kind != HTMT__MESSAGE_STATE;
    if (bytes && m->held)
        htmt__data_drop(htmt__data_of(e, m->leg.source), m->held);
    if (m->kind == HTMT__MESSAGE_COLLECTIVE)
        free(m->slots);
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
    return 0;
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
    }
}

void htmt__message_deliver_bytes(struct htmt_emulator *e, struct htmt__message *m)
{
    if (htmt__residency_matters(e))
        htmt__delivered(e, m->put.dst.object);
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
    if (e->data && htmt__leg_parted(e, &m->leg))
        entry->capture = htmt__capture_create(e, p);
    else if (e->data)
        entry->message = (struct htmt__sent){p->serial, p->slice, p->index};
    entry->collective = m->returns ? m->collective : NULL;
    entry->slot = m->put.on_sent;
    m->put.on_sent = (struct htmt_slot){0};
    entry->stage = m->round ? htmt__innermost(e) : m->leg.from;
    entry->amount = m->leg.source;
    moment->log = entry;
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

/* Within one memory of one slice a message takes no time. */
void htmt__message_start(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages: made, sent over one network, and over.
 */
#include "parcels/timing/message.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/event.h"
#include "parcels/timing/log.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/residency.h"
#include "parcels/timing/statistics.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

struct htmt__message *htmt__message_create(struct htmt_emulator *e, enum htmt__message_kind kind)
{
    struct htmt__message *m = e->messages;
    if (m)
        e->messages = m->next;
    else if (!(m = malloc(sizeof *m))) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a message");
        return NULL;
    }
    memset(m, 0, offsetof(struct htmt__message, put));
    m->kind = kind;
    return m;
}

void htmt__message_free(struct htmt_emulator *e, struct htmt__message *m)
{
    m->next = e->messages;
    e->messages = m;
}

struct htmt__entity *htmt__message_entity(struct htmt_emulator *e, uint32_t slice,
                                          enum htmt__message_kind kind)
{
    struct htmt__entity *p = htmt__entity_create(e, slice, HTMT__MESSAGE);
    if (p && !(p->message = htmt__message_create(e, kind))) {
        htmt__entity_free(e, p);
        return NULL;
    }
    return p;
}

void htmt__message_end(struct htmt_emulator *e, struct htmt__entity *p)
{
    htmt__message_free(e, p->message);
    p->message = NULL;
    p->state = HTMT__OVER;
    p->queue = e->over;
    e->over = p;
}

/* ---- one leg --------------------------------------------------------------------------------- */

/* Most messages are like the one before. */
static void time_leg(const struct htmt_machine *m, struct htmt__message_stats *s,
                     struct htmt__leg *g, uint64_t from_pieces, uint64_t to_pieces)
{
    if (s->words != g->words || s->from_pieces != from_pieces || s->to_pieces != to_pieces) {
        s->words = g->words;
        s->from_pieces = from_pieces;
        s->to_pieces = to_pieces;
        s->out_time =
            htmt_machine_out_time(m, g->network, g->from, g->to, g->words, from_pieces, to_pieces);
        s->in_time = htmt_machine_in_time(m, g->network, g->to, g->words, to_pieces);
    }
    g->stats = s->stats;
    g->out_time = s->out_time;
    g->in_time = s->in_time;
}

static int find_network(struct htmt_emulator *e, const struct htmt__leg *way, uint32_t *network)
{
    const struct htmt_machine *m = e->machine;
    bool across = way->source != way->target;
    if (across && e->options.symmetry == HTMT_INDEPENDENT)
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "slice %u sends to slice %u, though slices were said to be independent",
                          way->source, way->target);
    int n = htmt_machine_route(m, way->from, way->to, across);
    if (n < 0)
        return htmt__fail(e, HTMT_EROUTE, "no network carries from %s to %s of %s slice",
                          m->layer[way->from].name, m->layer[way->to].name,
                          across ? "another" : "the same");
    *network = (uint32_t)n;
    return 0;
}

int htmt__message_cross(struct htmt_emulator *e, struct htmt__entity *p,
                        const struct htmt__leg *way, uint64_t from_pieces, uint64_t to_pieces)
{
    struct htmt__leg *g = &p->message->leg;
    *g = *way;
    g->network = HTMT__NO_NETWORK;
    if (way->from == way->to && way->source == way->target)
        return 0;
    int rc = find_network(e, way, &g->network);
    if (rc)
        return rc;
    struct htmt__message_stats *s = htmt__message_stats(e, g->network, g->from, g->to,
                                                        htmt__message_one_word(p->message->kind));
    if (!s->stats)
        return HTMT_ENOMEM;
    time_leg(e->machine, s, g, from_pieces, to_pieces);
    if (htmt__too_long(g->out_time) || htmt__too_long(g->in_time))
        return htmt__fail(e, HTMT_EOVERFLOW, "the time of a put overflows");
    return 0;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void htmt__message_capture(struct htmt_emulator *e, struct htmt__message *m)
{
    if (e->data)
        m->held = htmt__data_capture(e->data, &m->put, m->leg.from);
}

void htmt__message_deliver(struct htmt_emulator *e, struct htmt__message *m)
{
    if (htmt__residency_matters(e))
        htmt__delivered(e, m->put.dst.object);
    if (e->data)
        htmt__data_deliver(e->data, &m->put, m->leg.to, m->held);
    m->held = NULL;
}

/* Bytes leave the slice of their source. */
static bool leaves(const struct htmt__message *m)
{
    return (m->kind == HTMT__MESSAGE_BYTES || m->kind == HTMT__MESSAGE_RECORDS || m->returns) &&
           (!m->detour.on || m->leg.source != m->leg.target);
}

/* Nobody is told, but the bytes are those of the moment at which the last word has left: an event
 * of the message at its source, which takes no number of the slice. */
static void capture_when_sent(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    p->leaving = true;
    m->sent_at = p->tail - e->machine->network[m->leg.network].latency;
    if (htmt__pending_push(&e->pending, (struct htmt__event){m->sent_at, p->key}))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

/* Who waits for the source is signalled when the last word has left: at a moment of the source's
 * slice, even when the message arrives at that very instant, for an event touches one slice only.
 */
static void tell_when_sent(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    struct htmt_slot sent = m->put.on_sent;
    m->put.on_sent = (struct htmt_slot){0};
    if (htmt_ref_none(sent.owner) && !m->returns) {
        if (e->data)
            capture_when_sent(e, p);
        return;
    }
    struct htmt__entity *moment = htmt__entity_create(e, m->leg.source, HTMT__MOMENT);
    struct htmt__entry *entry = moment ? htmt__entry_create(e, HTMT__SENT) : NULL;
    if (!entry)
        return;
    entry->message = (struct htmt__sent){p->serial, p->slice, p->index};
    entry->collective = m->returns ? m->collective : NULL;
    entry->slot = sent;
    entry->stage = m->detour.on ? htmt__innermost(e) : m->leg.from;
    entry->amount = m->leg.source;
    moment->log = entry;
    if (htmt__explained(e))
        e->explain->sent(e, p, moment);
    htmt__schedule(e, moment, p->tail - e->machine->network[m->leg.network].latency);
}

/* ---- events ---------------------------------------------------------------------------------- */

void htmt__message_start(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->message->leg.network == HTMT__NO_NETWORK) {
        p->tail = e->now;
        htmt__schedule(e, p, e->now);
        return;
    }
    htmt__channel_out(e, p, &p->message->leg);
    if (!e->fault.code && leaves(p->message))
        tell_when_sent(e, p);
}

uint32_t htmt__message_slice(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    if (htmt__message_leaves(e, p))
        return g->source;
    return p->head && p->inside ? p->place : g->target;
}

struct htmt__booking htmt__message_booking(const struct htmt_emulator *e,
                                           const struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    bool booked = e->windows && htmt__leg_apart(e, g); /* its own turn, in its slice */
    return (struct htmt__booking){.due = g->network != HTMT__NO_NETWORK && !booked,
                                  .slice = g->source,
                                  .serial = p->serial,
                                  .words = g->words,
                                  .stats = g->stats};
}

void htmt__message_book(struct htmt_emulator *e, const struct htmt__booking *b)
{
    htmt__record(e, htmt__played(e, b->slice), b->stats, b->serial, HTMT_PUT, b->words);
}

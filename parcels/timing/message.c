/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Carriers: puts, gets and signals on their way.
 *
 * A put crosses one network. A signal may need several hops (from a DPIM to a SPELL, say): it takes
 * the shortest chain of them, one word each. Within one memory of one slice nothing is charged.
 *
 * With htmt_options.carry what one SPELL sends another goes round: down from CRAM, over a network
 * between outer memories, up to the other CRAM. In the memories on the way lie copies of the
 * objects at its ends: room for each is taken once, before the first word moves, so no message
 * waits for room while it holds some. The copy at the source is the sender's until the last word
 * has left the slice, the one at the target was granted with the target itself.
 */
#include "parcels/timing/message.h"
#include "parcels/data/closure.h"
#include "parcels/data/fused.h"
#include "parcels/data/object.h"
#include "parcels/observe/departure.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/clock.h"
#include "parcels/timing/collective.h"
#include "parcels/timing/context.h"
#include "parcels/timing/log.h"
#include "parcels/timing/mailbox.h"
#include "parcels/timing/route.h"
#include "parcels/timing/walk.h"
#include "parcels/timing/what_if.h"
#include "runtime/host/host.h"

#include <stdlib.h>
#include <string.h>

#define NO_NETWORK UINT32_MAX

/* ---- carriers -------------------------------------------------------------------------------- */

struct htmt__carry *htmt__carry_create(struct htmt_emulator *e, enum htmt__carry_kind kind)
{
    struct htmt__carry *c = e->carries;
    if (c)
        e->carries = c->next;
    else if (!(c = malloc(sizeof *c))) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a message");
        return NULL;
    }
    memset(c, 0, offsetof(struct htmt__carry, put));
    c->kind = kind;
    return c;
}

void htmt__carry_free(struct htmt_emulator *e, struct htmt__carry *c)
{
    c->next = e->carries;
    e->carries = c;
}

struct htmt_parcel *htmt__carrier_create(struct htmt_emulator *e, uint32_t slice,
                                         enum htmt__carry_kind kind)
{
    struct htmt_parcel *p = htmt__entity_create(e, slice, HTMT__CARRIER);
    if (p && !(p->carry = htmt__carry_create(e, kind))) {
        htmt__entity_free(e, p);
        return NULL;
    }
    return p;
}

void htmt__carrier_free(struct htmt_emulator *e, struct htmt_parcel *p)
{
    htmt__carry_free(e, p->carry);
    htmt__entity_free(e, p);
}

static struct htmt__lane *lane_of(struct htmt_emulator *e, uint32_t network, uint32_t from,
                                  uint32_t to, bool signal)
{
    size_t at = ((size_t)(signal * e->networks + network) * e->layers + from) * e->layers + to;
    struct htmt__lane *lane = &e->lane[at];
    if (!lane->phase)
        *lane = (struct htmt__lane){
            .phase = htmt__phase_create(e, signal ? "(signal)" : "(put)", HTMT_PUT,
                                        htmt__out_resource(e, network, from),
                                        htmt__in_resource(e, network, to)),
            .words = UINT64_MAX};
    return lane;
}

/* Most messages are like the one before. */
static void time_leg(const struct htmt_machine *m, struct htmt__lane *l, struct htmt__leg *g,
                     uint64_t from_pieces, uint64_t to_pieces)
{
    if (l->words != g->words || l->from_pieces != from_pieces || l->to_pieces != to_pieces) {
        l->words = g->words;
        l->from_pieces = from_pieces;
        l->to_pieces = to_pieces;
        l->out_time =
            htmt_machine_out_time(m, g->network, g->from, g->to, g->words, from_pieces, to_pieces);
        l->in_time = htmt_machine_in_time(m, g->network, g->to, g->words, to_pieces);
    }
    g->phase = l->phase;
    g->out_time = l->out_time;
    g->in_time = l->in_time;
}

static bool one_word(enum htmt__carry_kind kind)
{
    return kind == HTMT__CARRY_SIGNAL || kind == HTMT__CARRY_REQUEST ||
           kind == HTMT__CARRY_CREDIT || kind == HTMT__CARRY_GRANT;
}

/* Over one network. */
static int cross(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *way,
                 uint64_t from_pieces, uint64_t to_pieces)
{
    const struct htmt_machine *m = e->machine;
    bool across = way->source != way->target;
    struct htmt__leg *g = &p->carry->leg;
    *g = *way;
    g->network = NO_NETWORK;
    if (way->from == way->to && !across)
        return 0;
    if (across && e->options.symmetry == HTMT_INDEPENDENT)
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "slice %u sends to slice %u, though slices were said to be independent",
                          way->source, way->target);
    int n = htmt_machine_route(m, way->from, way->to, across);
    if (n < 0)
        return htmt__fail(e, HTMT_EROUTE, "no network carries from %s to %s of %s slice",
                          m->layer[way->from].name, m->layer[way->to].name,
                          across ? "another" : "the same");
    g->network = (uint32_t)n;
    struct htmt__lane *lane = lane_of(e, g->network, g->from, g->to, one_word(p->carry->kind));
    if (!lane->phase)
        return HTMT_ENOMEM;
    time_leg(m, lane, g, from_pieces, to_pieces);
    if (htmt__too_long(g->out_time) || htmt__too_long(g->in_time))
        return htmt__fail(e, HTMT_EOVERFLOW, "the time of a put overflows");
    return 0;
}

/* ---- the way round --------------------------------------------------------------------------- */

static bool detour_ended(const struct htmt_emulator *e, const struct htmt__carry *c)
{
    return c->leg.to == htmt__innermost(e) && c->leg.target == c->detour.target;
}

static int next_stop(struct htmt_emulator *e, const struct htmt__carry *c, uint32_t *slice,
                     uint32_t *layer)
{
    if (htmt__detour_next(e, c->detour.target, slice, layer))
        return 0;
    return htmt__fail(e, HTMT_EROUTE,
                      "no chain of networks but its own joins %s to that of another"
                      " slice",
                      e->machine->layer[htmt__innermost(e)].name);
}

/* Of the two ends' objects, in the memories between. */
static int take_room(struct htmt_emulator *e, const struct htmt__carry *c)
{
    uint32_t slice = c->detour.source, layer = htmt__innermost(e);
    int rc = next_stop(e, c, &slice, &layer);
    while (!rc && layer != htmt__innermost(e)) {
        bool left = slice == c->detour.target;
        rc = htmt__object_copy(e, (left ? c->put.dst : c->put.src).object, layer);
        if (!rc)
            rc = next_stop(e, c, &slice, &layer);
    }
    return rc;
}

static int next_detour(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t source,
                       uint32_t from, uint64_t words)
{
    const struct htmt__carry *c = p->carry;
    bool pieces = c->kind == HTMT__CARRY_BYTES;
    struct htmt__leg way = {
        .from = from, .to = from, .source = source, .target = source, .words = words};
    int rc = next_stop(e, c, &way.target, &way.to);
    if (rc)
        return rc;
    return cross(e, p, &way, pieces && from == htmt__innermost(e) ? c->put.src_pieces.count : 1,
                 pieces && way.to == htmt__innermost(e) ? c->put.dst_pieces.count : 1);
}

int htmt__carrier_route(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__leg way,
                        uint64_t from_pieces, uint64_t to_pieces)
{
    struct htmt__carry *c = p->carry;
    c->detour.on = (e->options.carry & HTMT_DEPARTS_EXCHANGE) && htmt__exchanges(e, &way);
    if (!c->detour.on)
        return cross(e, p, &way, from_pieces, to_pieces);
    c->detour.source = way.source;
    c->detour.target = way.target;
    int rc = one_word(c->kind) ? 0 : take_room(e, c);
    return rc ? rc : next_detour(e, p, way.source, way.from, way.words);
}

/* The leg is over; true: so is the way. */
static bool came_round(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    if (!detour_ended(e, c)) {
        if (!next_detour(e, p, c->leg.target, c->leg.to, c->leg.words))
            htmt__carrier_start(e, p);
        return false;
    }
    c->leg.source = c->detour.source;
    c->leg.from = htmt__innermost(e);
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool whole(struct htmt_addr at, uint64_t bytes, struct htmt_pieces pieces)
{
    return !at.offset && !pieces.count && at.object->bytes == bytes && !at.object->wrapped;
}

static bool swaps(const struct htmt_put *put)
{
    return put->handover && whole(put->src, put->bytes, put->src_pieces) &&
           whole(put->dst, put->bytes, put->dst_pieces);
}

static struct htmt__storage *take_spare(struct htmt_emulator *e, uint64_t bytes)
{
    if (e->spares && htmt__storage_size(e->spare[e->spares - 1]) == bytes)
        return e->spare[--e->spares];
    return htmt__storage_create(e->host, bytes, false, false);
}

static void keep_spare(struct htmt_emulator *e, struct htmt__storage *storage)
{
    if (e->spares < HTMT__SPARES_MAX)
        e->spare[e->spares++] = storage;
    else
        htmt__storage_drop(e->host, storage);
}

/* The last word has left: what the source holds from now on is the sender's business. */
void htmt__carry_capture(struct htmt_emulator *e, struct htmt__carry *c)
{
    static const struct htmt_pieces one = {0};
    const struct htmt_put *put = &c->put;
    struct htmt_object *src = put->src.object;
    if (!e->host)
        return;
    struct htmt__storage *fresh = swaps(put)
                                      ? take_spare(e, put->bytes)
                                      : htmt__storage_create(e->host, put->bytes, false, true);
    if (!fresh) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a put");
        return;
    }
    if (swaps(put)) {
        c->held = src->storage;
        src->storage = fresh;
        return;
    }
    struct htmt__end to = {fresh, 0, one}, from = {src->storage, put->src.offset, put->src_pieces};
    c->held = fresh;
    htmt__copy(e, c->leg.from, &to, &from, put->bytes);
}

void htmt__carry_put_down(struct htmt_emulator *e, struct htmt__carry *c)
{
    static const struct htmt_pieces one = {0};
    const struct htmt_put *put = &c->put;
    struct htmt_object *src = put->src.object, *dst = put->dst.object;
    if (htmt__departures_matter(e))
        htmt__delivered(e, dst);
    if (!e->host)
        return;
    if (swaps(put)) {
        struct htmt__storage *old = dst->storage;
        dst->storage = c->held ? c->held : src->storage;
        if (c->held) {
            htmt__defer_force(e, old, (struct htmt__extent){0});
            keep_spare(e, old);
        } else {
            src->storage = old;
        }
        c->held = NULL;
        return;
    }
    struct htmt__end to = {dst->storage, put->dst.offset, put->dst_pieces};
    struct htmt__end from = {src->storage, put->src.offset, put->src_pieces};
    if (c->held)
        from = (struct htmt__end){c->held, 0, one};
    htmt__copy(e, c->leg.to, &to, &from, put->bytes);
    if (c->held)
        htmt__storage_drop(e->host, c->held);
    c->held = NULL;
}

/* Who is told that the source is free is told when the last word has left: at a moment of its own
 * even when it arrives at that very instant, for an event touches one slice only. */
static void tell_when_sent(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    struct htmt_slot sent = c->put.on_sent;
    c->put.on_sent = (struct htmt_slot){0};
    struct htmt_parcel *moment =
        sent.owner.parcel ? htmt__entity_create(e, p->slice, HTMT__MOMENT) : NULL;
    struct htmt__entry *entry = moment ? htmt__entry_create(e, HTMT__SENT) : NULL;
    if (!entry)
        return;
    entry->parcel = htmt__ref(p);
    entry->slot = sent;
    entry->stage = c->detour.on ? htmt__innermost(e) : c->leg.from;
    entry->amount = c->leg.source;
    moment->log = entry;
    if (htmt__traced(e))
        htmt__trace_sent(e, p);
    htmt__schedule(e, moment, p->tail - e->machine->network[c->leg.network].latency);
}

void htmt__carrier_sent(struct htmt_emulator *e, const struct htmt__entry *entry)
{
    if (htmt__alive(entry->parcel)) /* else it arrived at this very instant */
        htmt__carry_capture(e, entry->parcel.parcel->carry);
    htmt__signal_from(e, (uint32_t)entry->amount, entry->stage, entry->slot);
}

/* ---- signals --------------------------------------------------------------------------------- */

void htmt__count_down(struct htmt_emulator *e, struct htmt_slot slot)
{
    struct htmt_parcel *owner = slot.owner.parcel;
    if (!htmt__alive(slot.owner) || !slot.fiber || slot.fiber > owner->type->fiber_count) {
        htmt__fail(e, HTMT_EINVAL, "a signal to fiber %u of a parcel that is gone or has none",
                   slot.fiber);
        return;
    }
    struct htmt__fiber_slot *s = &owner->body->slot[slot.fiber - 1];
    if (!s->count) {
        htmt__fail(e, HTMT_EINVAL, "a signal to fiber %u of %s, whose slot is not set", slot.fiber,
                   owner->type->name);
        return;
    }
    if (--s->count)
        return;
    s->count = s->reset;
    struct htmt_parcel *f = htmt__entity_create(e, owner->slice, HTMT__FIBER);
    if (!f)
        return;
    f->owner = owner;
    f->type = owner->type;
    f->step = &owner->type->fiber_step[slot.fiber - 1];
    if (e->options.lint)
        htmt__departs_fiber(e, f);
    owner->body->live++;
    if (owner->body->begun) {
        htmt__ready(e, f);
    } else {
        struct htmt_parcel **last = &owner->body->early;
        while (*last)
            last = &(*last)->queue;
        *last = f;
    }
}

/* The next leg of a signal from its present place to its owner's. */
static int next_leg(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t slice, uint32_t layer)
{
    struct htmt_ref ref = p->carry->slot.owner;
    const struct htmt_parcel *owner = ref.parcel;
    bool across = slice != htmt__ref_slice(ref),
         round =
             (e->options.carry & HTMT_DEPARTS_EXCHANGE) && owner->type->exec == htmt__innermost(e);
    struct htmt__hop hop =
        round ? e->detour[across][layer] : e->hop[across][layer][owner->type->exec];
    if (!hop.there)
        return htmt__fail(e, HTMT_EROUTE, "no chain of networks carries a signal from %s to %s",
                          e->machine->layer[layer].name, e->machine->layer[owner->type->exec].name);
    return htmt__carrier_route(
        e, p,
        (struct htmt__leg){.from = layer,
                           .to = hop.next,
                           .source = slice,
                           .target = hop.across ? htmt__ref_slice(ref) : slice,
                           .words = 1},
        1, 1);
}

void htmt__signal_from(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                       struct htmt_slot slot)
{
    if (!slot.owner.parcel)
        return;
    if (!htmt__alive(slot.owner)) {
        htmt__fail(e, HTMT_EINVAL, "a signal to fiber %u of a parcel that is gone", slot.fiber);
        return;
    }
    if (htmt__ref_slice(slot.owner) == slice && slot.owner.parcel->type->exec == layer) {
        htmt__count_down(e, slot);
        return;
    }
    struct htmt_parcel *p = htmt__carrier_create(e, slice, HTMT__CARRY_SIGNAL);
    if (!p)
        return;
    p->carry->slot = slot;
    if (!next_leg(e, p, slice, layer))
        htmt__carrier_start(e, p);
}

static void signal_arrives(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt__leg *g = &p->carry->leg;
    struct htmt_slot slot = p->carry->slot;
    if (!htmt__alive(slot.owner)) {
        htmt__fail(e, HTMT_EINVAL, "a signal to fiber %u of a parcel that is gone", slot.fiber);
    } else if (g->target == htmt__ref_slice(slot.owner) && g->to == slot.owner.parcel->type->exec) {
        htmt__carrier_free(e, p);
        htmt__count_down(e, slot);
    } else if (!next_leg(e, p, g->target, g->to)) {
        htmt__carrier_start(e, p);
    }
}

/* ---- start and arrival ------------------------------------------------------------------------*/

/* Bytes leave the slice of their source. */
static bool leaves(const struct htmt__carry *c)
{
    return (c->kind == HTMT__CARRY_BYTES || c->kind == HTMT__CARRY_RECORDS) &&
           (!c->detour.on || c->leg.source != c->leg.target);
}

void htmt__carrier_start(struct htmt_emulator *e, struct htmt_parcel *p)
{
    if (p->carry->leg.network == NO_NETWORK) {
        p->tail = e->now;
        htmt__schedule(e, p, e->now);
        return;
    }
    htmt__channel(e, p, &p->carry->leg);
    if (!e->fault.code && leaves(p->carry))
        tell_when_sent(e, p);
}

static void bytes_arrive(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    struct htmt__leg leg = c->leg;
    struct htmt_slot sent = c->put.on_sent, arrived = c->put.on_arrived;
    htmt__carry_put_down(e, c);
    htmt__carrier_free(e, p);
    htmt__signal_from(e, leg.source, leg.from, sent);
    htmt__signal_from(e, leg.target, leg.to, arrived);
}

/* The word that asks for a get is there: the bytes go the other way. */
static void request_arrives(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    struct htmt__leg g = c->leg;
    c->kind = HTMT__CARRY_BYTES;
    struct htmt__leg way = {.from = g.to,
                            .to = g.from,
                            .source = g.target,
                            .target = g.source,
                            .words = htmt__put_words(&c->put)};
    if (!htmt__carrier_route(e, p, way, c->put.src_pieces.count, c->put.dst_pieces.count))
        htmt__carrier_start(e, p);
}

void htmt__carrier_event(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt__leg *g = &p->carry->leg;
    if (p->head) {
        htmt__channel_in(e, p, g);
        return;
    }
    if (g->network != NO_NETWORK)
        htmt__record(e, htmt__played(e, g->source), g->phase, p->serial, HTMT_PUT, g->words);
    if (p->carry->detour.on && !came_round(e, p))
        return;
    switch (p->carry->kind) {
    case HTMT__CARRY_BYTES:
        bytes_arrive(e, p);
        break;
    case HTMT__CARRY_SIGNAL:
        signal_arrives(e, p);
        break;
    case HTMT__CARRY_REQUEST:
        request_arrives(e, p);
        break;
    case HTMT__CARRY_CREDIT:
    case HTMT__CARRY_GRANT:
    case HTMT__CARRY_RECORDS:
        htmt__mailbox_arrive(e, p);
        break;
    case HTMT__CARRY_COLLECTIVE:
        p->carry->collective->ways->arrive(p->carry->collective, p);
        break;
    case HTMT__CARRY_STATE:
        htmt__state_arrives(e, p);
        break;
    }
}

/* ---- the calls ------------------------------------------------------------------------------- */

int htmt__log_start(struct htmt_context *c, struct htmt_parcel *p)
{
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__START);
    if (!entry)
        return HTMT_ENOMEM;
    entry->start = p;
    htmt__log_write(c, entry);
    return 0;
}

static int check_put(struct htmt_context *c, const struct htmt_put *put)
{
    if (!c->p)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_put() outside a service");
    int rc = htmt__bounds(c->e, put->src, put->bytes, put->src_pieces, "a put comes from");
    if (!rc)
        rc = htmt__bounds(c->e, put->dst, put->bytes, put->dst_pieces, "a put goes to");
    return rc;
}

int htmt_put(struct htmt_context *c, const struct htmt_put *put)
{
    struct htmt_emulator *e = c->e;
    int rc = check_put(c, put);
    if (rc)
        return rc;
    const struct htmt_object *src = put->src.object, *dst = put->dst.object;
    bool get = put->ask || src->slice != c->p->slice;
    if (get && dst->slice != c->p->slice)
        return htmt__fail(e, HTMT_EROUTE, "htmt_put() between two other slices");
    struct htmt_parcel *p =
        htmt__carrier_create(e, c->p->slice, get ? HTMT__CARRY_REQUEST : HTMT__CARRY_BYTES);
    if (!p)
        return HTMT_ENOMEM;
    p->carry->put = *put;
    struct htmt__leg way = {.from = src->layer,
                            .to = dst->layer,
                            .source = src->slice,
                            .target = dst->slice,
                            .words = htmt__put_words(put)};
    struct htmt__leg ask = {.from = dst->layer,
                            .to = src->layer,
                            .source = dst->slice,
                            .target = src->slice,
                            .words = 1};
    if (e->options.lint)
        htmt__departs_message(e, c->self->type, &way);
    rc = get ? htmt__carrier_route(e, p, ask, 1, 1)
             : htmt__carrier_route(e, p, way, put->src_pieces.count, put->dst_pieces.count);
    return rc ? rc : htmt__log_start(c, p);
}

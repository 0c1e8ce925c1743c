/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts and gets: the calls, what they check, what they make, and what happens where they arrive.
 *
 * htmt_put() checks that both ends lie in objects, makes a message of the control's slice, finds
 * the network and the times of its leg, and writes a line into the control's log: the message
 * starts when that line has its turn, after or before the kernel (walk/log_replay.c). From there it
 * goes by htmt__message_start(): channels (message.c) or packets (outlet.c), and its event, which
 * calls htmt__put_arrives(). A put whose source is another slice is a get: a word goes there and
 * asks.
 *
 * A model run keeps of the description only what is needed behind the call: the slots.
 */
#include "parcels/clock/probe.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/what_if.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

/* The message is there: its bytes, then its slots, in the order in which the program may rely on
 * them. on_sent is signalled here only within a slice; between slices it was when the last word
 * left. Records of a mailbox arrive here, too. */
static void deliver(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    const struct htmt__leg *g = &m->leg;
    htmt__message_deliver(e, m);
    htmt__signal_from(e, g->source, g->from, &m->put.on_sent);
    htmt__signal_from(e, g->target, g->to, &m->put.on_arrived);
}

__attribute__((noinline)) static void deliver_to_two(struct htmt_emulator *e,
                                                     struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    struct htmt_slot too = p->message->put.on_arrived;
    too.fiber = p->message->put.on_arrived_too;
    deliver(e, p);
    if (htmt_ref_none(too.owner))
        htmt__refuse(e, HTMT_EINVAL, "a put with on_arrived_too (fiber %u) and no on_arrived",
                     too.fiber);
    htmt__signal_from(e, g->target, g->to, &too);
}

void htmt__put_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (htmt__goes_aside(e, HTMT__BY_GUARD) && e->banked)
        htmt__dma_release(e, p);
    if (__builtin_expect(!p->message->put.on_arrived_too, 1))
        deliver(e, p);
    else
        deliver_to_two(e, p);
    htmt__message_end(e, p);
}

/* Of a get: the bytes go the other way. */
void htmt__request_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    struct htmt__leg *g = &m->leg;
    if (g->network != HTMT__NO_NETWORK && __builtin_expect(e->net[g->network].bus, 0)) {
        htmt__pull_arrives(e, p);
        return;
    }
    m->kind = HTMT__MESSAGE_BYTES;
    htmt__leg_set(g, g->to, g->from, g->target, g->source, htmt__put_words(&m->put));
    if (!htmt__message_route(e, m, false, htmt__pieces_count(&m->put.src_pieces),
                             htmt__pieces_count(&m->put.dst_pieces)))
        htmt__message_start(e, p);
}

/* ---- the call -------------------------------------------------------------------------------- */

/* The first layout, that of size 0, ends there: what is behind is not the caller's. */
#define FIRST offsetof(struct htmt_put, route)

static const struct htmt__sized sized = {.name = "htmt_put",
                                         .known = sizeof(struct htmt_put),
                                         .first = FIRST,
                                         .least = offsetof(struct htmt_put, dst_pieces)};

/* It is read where it is, but for what the first layout lacks. */
static inline bool is_read_in_place(const struct htmt_put *put)
{
    return !put->size || put->size == sizeof *put;
}

static inline uint32_t route_of(const struct htmt_put *put)
{
    return put->size ? put->route : 0;
}

static inline void copy(struct htmt_put *to, const struct htmt_put *put)
{
    memcpy(to, put, FIRST);
    to->route = route_of(put);
    to->name = put->size ? put->name : NULL;
}

int htmt__put_whole(struct htmt_emulator *e, const struct htmt_put *put, struct htmt_put *whole,
                    const char *call)
{
    return htmt__sized_take(e, &sized, put, whole, call);
}

/* Both ends lie within objects: nearly always. */
static inline bool ends_inside(const struct htmt_emulator *e, const struct htmt_put *put)
{
    return htmt__inside(e, put->src, put->bytes, &put->src_pieces) &&
           htmt__inside(e, put->dst, put->bytes, &put->dst_pieces);
}

/* A put of no bytes is a message without words, whose ends are the bytes where others would begin.
 * Where nothing takes words in, the words are what keeps arrivals apart from departures (window.c),
 * so there it is refused. */
static bool may_be_empty(const struct htmt_emulator *e, const struct htmt_put *put)
{
    const struct htmt_object *from = put->src.object, *to = put->dst.object;
    if (put->bytes || put->words || !from || !to || from->slice == to->slice)
        return false;
    const int n = htmt_machine_route(e->machine, from->layer, to->layer, true);
    return n >= 0 && !e->net[n].bus &&
           (e->net[n].fabric || e->machine->network[n].port[to->layer].in);
}

__attribute__((noinline)) static int check_ends(struct htmt_emulator *e, const struct htmt_put *put)
{
    const uint64_t bytes = may_be_empty(e, put) ? 1 : put->bytes;
    int rc = htmt__bounds(e, put->src, bytes, put->src_pieces, "a put comes from");
    if (!rc)
        rc = htmt__bounds(e, put->dst, bytes, put->dst_pieces, "a put goes to");
    return rc;
}

__attribute__((cold, noinline)) static int put_resized(struct htmt_context *c,
                                                       const struct htmt_put *put)
{
    struct htmt_put whole;
    int rc = htmt__given(c->e, put, "htmt_put()", "description");
    rc = rc ? rc : htmt__put_whole(c->e, put, &whole, "htmt_put()");
    return rc ? rc : htmt_put(c, &whole);
}

static inline void set_ends(struct htmt__leg *g, const struct htmt_object *from,
                            const struct htmt_object *to, uint64_t words)
{
    htmt__leg_set(g, from->layer, to->layer, from->slice, to->slice, words);
}

__attribute__((cold, noinline)) static void tell_lint(struct htmt_context *c,
                                                      const struct htmt_put *put)
{
    struct htmt__leg way;
    set_ends(&way, put->src.object, put->dst.object, htmt__put_words(put));
    c->e->lint->message(c->e, c->self->type, &way);
}

/* The route leads from the source to the destination, over the network that carries the bytes. */
__attribute__((cold, noinline)) static int check_route(struct htmt_emulator *e,
                                                       const struct htmt_put *put)
{
    const struct htmt_object *from = put->src.object, *to = put->dst.object;
    int n = htmt_machine_route(e->machine, from->layer, to->layer, from->slice != to->slice);
    const struct htmt__routes *routes = &e->whole->routes;
    const struct htmt__put_route *r =
        put->route <= routes->count ? &routes->at[put->route - 1] : NULL;
    struct htmt_fault fault = {0};
    const char *why = NULL;
    if (!r) {
        why = "there is no such route: htmt_route_create() makes them";
    } else if (n < 0 || r->network != (uint32_t)n) {
        why = "it is of another network than the one that carries the bytes";
    } else {
        const struct htmt__topology *t = e->net[n].fabric->topology;
        if (htmt__route_check(t, t->end_of[from->slice], t->end_of[to->slice], r->port, r->count,
                              &fault))
            why = fault.text;
    }
    return why ? htmt__refuse(e, HTMT_EROUTE, "htmt_put() by route %u: %s", put->route, why) : 0;
}

/* A word asks for the bytes. */
__attribute__((noinline)) static int get(struct htmt_context *c, const struct htmt_put *put)
{
    struct htmt_emulator *e = c->e;
    const struct htmt_object *src = put->src.object, *dst = put->dst.object;
    if (dst->slice != c->p->slice)
        return htmt__fail(e, HTMT_EROUTE, "htmt_put() between two other slices");
    struct htmt__entity *p = htmt__message_entity(e, c->p->slice, HTMT__MESSAGE_REQUEST);
    if (!p)
        return HTMT_ENOMEM;
    copy(&p->message->put, put);
    p->message->thread = HTMT__NO_THREAD;
    if (htmt__linted(e))
        tell_lint(c, put);
    set_ends(&p->message->leg, dst, src, 1);
    int rc = htmt__message_route(e, p->message, true, 1, 1);
    if (!rc && route_of(put))
        rc = check_route(e, put);
    if (!rc)
        htmt__log_start(c, p);
    return rc;
}

/* What is needed when it leaves and arrives: in a model run the slots. */
static inline void keep(const struct htmt_emulator *e, struct htmt_put *kept,
                        const struct htmt_put *put)
{
    const unsigned reasons = HTMT__BY_BYTES | HTMT__BY_RESIDENCY | HTMT__BY_ISSUE;
    if (htmt__goes_aside(e, reasons)) {
        copy(kept, put);
        return;
    }
    kept->on_sent = put->on_sent;
    kept->on_arrived = put->on_arrived;
    kept->on_arrived_too = put->on_arrived_too;
    if (__builtin_expect(e->has_fabric, 0)) {
        kept->bytes = put->bytes;
        kept->words = put->words;
        kept->route = route_of(put);
    }
}

/* Of a type that sends nowhere. */
__attribute__((noinline)) static int check_sends(struct htmt_context *c, const struct htmt_put *put)
{
    static const char call[] = "htmt_put()";
    int rc = htmt__may_send(c, put->src.object->slice, call);
    rc = rc ? rc : htmt__may_send(c, put->dst.object->slice, call);
    rc = rc ? rc : htmt__may_signal(c, put->on_sent, call);
    return rc ? rc : htmt__may_signal(c, put->on_arrived, call);
}

int htmt_put(struct htmt_context *c, const struct htmt_put *put)
{
    if (!htmt__permit(c, "htmt_put()"))
        return HTMT_EINVAL;
    if (__builtin_expect(!put, 0) || __builtin_expect(!is_read_in_place(put), 0))
        return put_resized(c, put);
    struct htmt_emulator *e = c->e;
    int rc = __builtin_expect(ends_inside(e, put), 1) ? 0 : check_ends(e, put);
    if (!rc && __builtin_expect(c->self->type->sends_nowhere, 0))
        rc = check_sends(c, put);
    if (rc)
        return rc;
    if (put->ask || put->src.object->slice != c->p->slice)
        return get(c, put);
    struct htmt__entity *p = htmt__message_entity(e, c->p->slice, HTMT__MESSAGE_BYTES);
    if (!p)
        return HTMT_ENOMEM;
    keep(e, &p->message->put, put);
    if (htmt__linted(e))
        tell_lint(c, put);
    set_ends(&p->message->leg, put->src.object, put->dst.object, htmt__put_words(put));
    rc = htmt__message_route(e, p->message, false, htmt__pieces_count(&put->src_pieces),
                             htmt__pieces_count(&put->dst_pieces));
    if (!rc && __builtin_expect(route_of(put), 0))
        rc = check_route(e, put);
    if (!rc && htmt__goes_aside(e, HTMT__BY_ISSUE))
        rc = htmt__dma_check(e, p, c->p);
    if (!rc)
        htmt__log_start(c, p);
    return rc;
}

/* ---- ways inside networks that a program makes for its puts ---------------------------------- */

int htmt_route_create(struct htmt_emulator *e, uint32_t network, const uint16_t *ports,
                      uint32_t count, uint32_t *route)
{
    const char *why = NULL;
    if (htmt__permit_setup(e, "htmt_route_create()"))
        return HTMT_EINVAL;
    if (network >= e->networks || !e->net[network].fabric)
        why = "the network has no ports inside";
    else if (!route || (count && !ports))
        why = "no place for its number, or no ports (NULL)";
    if (why)
        return htmt__refuse(e, HTMT_EINVAL, "htmt_route_create(): %s", why);
    struct htmt__routes *all = &e->routes;
    struct htmt__put_route new = {network, count, calloc(count + 1, sizeof *new.port)};
    if (!new.port || !htmt__array_fits(&all->at, &all->room, all->count + 1, sizeof *all->at)) {
        free(new.port);
        return htmt__refuse(e, HTMT_ENOMEM, "no host memory for a route");
    }
    if (count)
        memcpy(new.port, ports, count * sizeof *ports);
    all->at[all->count++] = new;
    e->net[network].fabric->reorders = true;
    *route = all->count;
    return 0;
}

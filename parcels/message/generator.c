/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators: a post whose control says how many messages it sends, and makes each when its turn to
 * leave has come (parcels/post.h: htmt_each()).
 *
 * The idea. A vertex of 10^5 edges would make 10^5 messages at once, each of which then waits for
 * the port. A generator is one parcel that holds its processor and a number: which message is next.
 * Its turns are moments, events of its slice without an entry in the history. In a turn,
 *
 *     the last one has left         the service ends, when `stage` time has passed
 *     the port is taken             the turn comes again when it is free
 *     else                          `next` runs, and its post leaves now, or later by what it
 * charged
 *
 * Where the network has no ports inside, the instant at which a channel is free is known, and the
 * next turn is an event at it. Another message may have taken the channel by then; so a turn looks
 * again. With ports inside a channel is held for as long as the network says, so the generator is
 * told when one is free (htmt__post_port_free()). In either case nothing polls.
 *
 * Full queues. A generator also waits while it knows that a post of its slice holds an in channel
 * elsewhere (post.c). A message to its own slice, once it is made, is staged until the own queue
 * has room.
 *
 * Overlap. Where the layer's `queues` say so, a generator that waits gives its processor up, and
 * others are served. When it may go on it stands in line for a processor as they do. Its service
 * has taken the time in which it had one.
 *
 * By hand: three messages of 2 words over a port of start-up 10 and 1 a word, from 0 on, `stage` 5.
 * Message 0 is made and leaves at 0, and holds the port until 12. At 5 the next turn finds it
 * taken; message 1 is made at 12, message 2 at 24. The service ends at 29, and has taken 29.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/post.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"

/* ---- the port -------------------------------------------------------------------------------- */

/* Until when it is taken; -1: nobody knows; the present instant, or earlier: it is free. */
static htmt_time port_taken(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const uint32_t layer = p->type->home, network = e->way[0][1][layer][layer].network;
    if (__builtin_expect(htmt__post_box_at(e, layer, p->slice)->stopped != 0, 0))
        return -1;
    if (network == HTMT__NO_NETWORK)
        return e->now;
    const struct htmt__fabric_net *fabric = e->net[network].fabric;
    if (!fabric)
        return *htmt__link_channel(htmt__port_at(e, p->slice, false, network, layer));
    const struct htmt__sendings *end = fabric->end[p->slice];
    const struct htmt__bank *bank = end ? &end->outlet[layer].bank : NULL;
    return !bank || (bank->busy < bank->servers && !bank->line.head) ? e->now : -1;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void turn_at(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    struct htmt__entity *moment = htmt__entity_create(e, p->slice, HTMT__MOMENT);
    if (!moment)
        return;
    moment->owner = p;
    if (htmt__explained(e))
        e->explain->within(e, moment, p->step->stats);
    htmt__schedule_line(e, moment, htmt__moment_line(e), at);
}

/* The service ends at `end`. What its operations took by the cost function is counted already. */
static void finish(struct htmt_emulator *e, struct htmt__entity *p, htmt_time end)
{
    const struct htmt__each each = p->body->each;
    p->worked = false;
    p->after = 0;
    p->before = end < 0 ? HTMT_TIME_MAX / 4 : end - each.began - each.work;
    htmt__length_set(e, p, each.began, each.work);
}

/* Message i is made. Returns it, or NULL; *charged: by `next`. */
static struct htmt__entity *make(struct htmt_emulator *e, struct htmt__entity *p, uint64_t i,
                                 htmt_time *charged)
{
    struct htmt_context *c = e->control;
    htmt__control_begin(p);
    c->p = c->self = p;
    c->layer = p->step->layer;
    c->result = NULL;
    c->uses = 0;
    c->turn = true;
    c->sent = NULL;
    struct htmt__log_line *kept = p->log;
    p->log = NULL;
    c->log_end = &p->log;
    htmt__caller.control = c;
    if (htmt__explained(e))
        e->explain->controls(e, p, false);
    htmt__control_says(&e->controls, p);
    p->body->each.next(c, i);
    htmt__control_says(&e->controls, NULL);
    if (htmt__explained(e))
        e->explain->controls(e, p, true);
    htmt__caller.control = HTMT__NO_CONTROL;
    c->turn = false;
    *charged = p->before + p->after;
    if (p->log)
        htmt__fail(e, HTMT_EINVAL, "type %s: its generator does more than charge and post once",
                   p->type->code.name);
    htmt__log_finish(e, p);
    p->log = kept;
    return e->fault.code ? NULL : c->sent;
}

static void leave(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__entity *message,
                  htmt_time charged)
{
    if (charged) {
        message->line = (struct htmt__log_line){.kind = HTMT__START};
        htmt__log_place(e, p, &message->line, htmt__later(e->now, charged));
        return;
    }
    if (htmt__explained(e)) {
        e->explain->called(e, message);
        e->explain->turn(e, message);
    }
    htmt__message_start(e, message);
}

/* The processor is the next one's. */
static void give_up(struct htmt_emulator *e, struct htmt__entity *p)
{
    const uint32_t slice = p->slice, layer = p->type->home, resource = p->step->stats->resource;
    struct htmt__bank *bank = htmt__resource_at(e, slice, p->step->at);
    p->leaving = true;
    p->body->each.began -= e->now; /* it begins as much later as it is away */
    bank->busy--;
    if (bank->line.head) {
        bank->busy++;
        e->posts->calls->serve_next(e, htmt__line_leave(&bank->line, &e->tally[layer], e->now),
                                    resource);
    }
    e->posts->calls->follow(e, slice, layer);
}

static void wait(struct htmt_emulator *e, struct htmt__entity *p, enum htmt__state state)
{
    p->state = (uint8_t)state;
    htmt__post_list_add(&htmt__post_box_at(e, p->type->home, p->slice)->generators, p);
    if (e->posts->layer[p->type->home].overlap)
        give_up(e, p);
}

/* Message i - 1 leaves. Returns when the next one may be made; -1: it has to wait for room. */
static htmt_time send(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__entity *message,
                      htmt_time charged)
{
    const htmt_time stage = e->posts->layer[p->type->home].stage;
    if (message && !htmt__post_reserve(e, message)) {
        message->tail = charged;
        p->body->each.staged = message;
        return -1;
    }
    p->body->each.staged = NULL;
    if (message)
        leave(e, p, message, charged);
    return htmt__later(e->now, charged > stage ? charged : stage);
}

/* Whatever can leave now leaves. */
static void go_on(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__each *each = &p->body->each;
    while (!e->fault.code) {
        struct htmt__entity *message = each->staged;
        const htmt_time taken = message ? e->now : port_taken(e, p);
        if (taken < 0) {
            wait(e, p, HTMT__FOR_PORT);
            return;
        }
        if (taken > e->now) {
            turn_at(e, p, taken);
            if (e->posts->layer[p->type->home].overlap)
                give_up(e, p);
            return;
        }
        htmt_time charged = message ? message->tail : 0;
        if (!message)
            message = make(e, p, each->i++, &charged);
        const htmt_time at = send(e, p, message, charged);
        if (each->staged) {
            wait(e, p, HTMT__FOR_QUEUE);
            return;
        }
        if (each->i == each->count) {
            finish(e, p, at);
            return;
        }
        if (at != e->now) {
            turn_at(e, p, at);
            return;
        }
    }
}

void htmt__generator_begin(struct htmt_emulator *e, struct htmt__entity *p, htmt_time work)
{
    struct htmt_context *c = e->control;
    const htmt_time said = p->before + p->after, begins = htmt__later(e->now, said + work);
    p->body->each =
        (struct htmt__each){.next = c->next, .count = c->each, .began = e->now, .work = work};
    c->each = 0;
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    if (p->log)
        htmt__log_unroll(e, p, e->now, work);
    if (begins == e->now)
        go_on(e, p);
    else
        turn_at(e, p, begins);
}

static bool may(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__entity *message = p->body->each.staged;
    return message ? htmt__post_room(e, message) : port_taken(e, p) >= 0;
}

static void wake(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    if (!p->leaving) {
        go_on(e, p);
        return;
    }
    htmt__post_box_at(e, p->type->home, p->slice)->serving++;
    if (htmt__bank_enter(bank)) {
        htmt__generator_again(e, p);
        return;
    }
    p->state = HTMT__IN_LINE;
    htmt__line_join(&bank->line, &e->tally[p->step->layer], &p->waiter, e->now);
}

void htmt__generator_again(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->leaving = false;
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    p->body->each.began += e->now;
    go_on(e, p);
}

void htmt__generator_turn(struct htmt_emulator *e, struct htmt__entity *moment)
{
    struct htmt__entity *p = moment->owner;
    moment->owner = NULL;
    wake(e, p);
    htmt__entity_free(e, moment, HTMT__MOMENT);
}

/* ---- those that wait --------------------------------------------------------------------------
 */

/* Those that may go on do, in the order in which they came. If the first one had only messages to
 * its own slice left, the channel is still free, and the next one has it. Who waits again stands
 * behind those that still wait. */
void htmt__post_port_free(struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    struct htmt__post_box *box =
        e->posts->layer[layer].box ? htmt__post_box_at(e, layer, slice) : NULL;
    if (!box || !box->generators.head)
        return;
    struct htmt__list rest = {NULL, NULL}, again;
    struct htmt__entity *p = box->generators.head, *next;
    box->generators = rest;
    for (; p; p = next) {
        next = p->queue;
        if (may(e, p))
            wake(e, p);
        else
            htmt__post_list_add(&rest, p);
    }
    again = box->generators;
    if (rest.head) {
        rest.tail->queue = again.head;
        box->generators = (struct htmt__list){rest.head, again.head ? again.tail : rest.tail};
    }
}

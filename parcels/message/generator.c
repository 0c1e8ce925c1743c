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

static void wait(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__list *list = &htmt__post_box_at(e, p->type->home, p->slice)->generators;
    p->queue = NULL;
    if (list->tail)
        list->tail->queue = p;
    else
        list->head = p;
    list->tail = p;
}

/* Whatever can leave now leaves. */
static void go_on(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__each *each = &p->body->each;
    const htmt_time stage = e->posts->layer[p->type->home].stage;
    while (!e->fault.code) {
        const htmt_time taken = port_taken(e, p);
        if (taken < 0) {
            p->state = HTMT__FOR_PORT;
            wait(e, p);
            return;
        }
        if (taken > e->now) {
            turn_at(e, p, taken);
            return;
        }
        htmt_time charged = 0;
        struct htmt__entity *message = make(e, p, each->i++, &charged);
        if (message)
            leave(e, p, message, charged);
        const htmt_time at = htmt__later(e->now, charged > stage ? charged : stage);
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

void htmt__generator_turn(struct htmt_emulator *e, struct htmt__entity *moment)
{
    struct htmt__entity *p = moment->owner;
    moment->owner = NULL;
    go_on(e, p);
    htmt__entity_free(e, moment, HTMT__MOMENT);
}

static bool may(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return port_taken(e, p) >= 0;
}

static void wake(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    go_on(e, p);
}

/* ---- those that wait ----------------------------------------------------------------------------
 */

/* One channel is free: the first of them has it. If that one had only messages to its own slice
 * left, the channel is still free, and the next one has it. */
void htmt__post_port_free(struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    struct htmt__post_box *box =
        e->posts->layer[layer].box ? htmt__post_box_at(e, layer, slice) : NULL;
    struct htmt__entity *p;
    while (box && (p = box->generators.head) && may(e, p)) {
        box->generators.head = p->queue;
        if (!p->queue)
            box->generators.tail = NULL;
        wake(e, p);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In channels that are held.
 *
 * The idea. A link (runtime/sim/link.h) knows when a channel will be free as soon as it is taken.
 * Where a full queue may hold a post in its channel (post.c), nobody knows that. So a port that
 * leads to a layer with limited queues counts its channels: a head takes a free one, or stands in
 * line; who has come to its end lets its channel go, and the first in line begins at that instant.
 * A link lets a channel go `in_time` after the head, even if the last word comes later, from a slow
 * sender; here it is held until the last word. Where the in channel is no faster than the out
 * channel, and no queue is full, all begins and ends when it would on a link.
 *
 * What is in the line is under way, so its own words for waiting may be in use (struct
 * htmt__flight): the line is an array of entities.
 *
 * By hand, one channel, 2 ns for each message: heads at 0 and 1. The first one has the channel
 * until 2, and would have left it then; its queue has room at 50 only. So the second begins at 50
 * and is there at 52. It has waited for 49 ns, and the channel was held for 48 ns without use.
 */
#include "parcels/message/inlet.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

struct inlet {
    uint32_t busy, first, length, room; /* the line: a ring */
    struct waiting {
        struct htmt__entity *p;
        htmt_time since;
    } * line;
};

struct htmt__inlets {
    htmt__inlet_begin *channel_begin, *packets_begin;
    struct inlet *of[HTMT_NETWORKS_MAX][HTMT_LAYERS_MAX]; /* of each played slice; NULL: a link */
};

/* ---- life ------------------------------------------------------------------------------------ */

/* Its parcels move into the layer as legs of message.c. Into others on the same networks they take
 * their channels no longer ahead: messages there have an event when their heads come, and the heads
 * of both go by their times. */
static void go_by_legs(struct htmt_emulator *e, uint32_t layer)
{
    for (struct htmt_type *t = e->types; t; t = t->next)
        for (uint32_t i = 0; i < t->steps; i++) {
            struct htmt__step *s = &t->step[i];
            if (s->op == HTMT__MOVE && s->to == layer)
                s->end = HTMT__END_INSIDE;
            else if (s->op == HTMT__MOVE && s->end == HTMT__END_KNOWN &&
                     !e->net[s->network].one_source)
                s->end = HTMT__END_HEAD;
        }
}

int htmt__inlets_create(struct htmt_emulator *e, uint32_t layer)
{
    if (!e->inlets && !(e->inlets = calloc(1, sizeof *e->inlets)))
        return HTMT_ENOMEM;
    for (uint32_t n = 0; n < e->networks; n++) {
        if (!e->machine->network[n].port[layer].in)
            continue;
        e->net[n].holds |= (uint8_t)(1u << layer);
        e->net[n].in_aside = true;
        e->net[n].one_source = false; /* nothing is known ahead */
        if (!(e->inlets->of[n][layer] = calloc(e->played, sizeof(struct inlet))))
            return HTMT_ENOMEM;
    }
    go_by_legs(e, layer);
    return 0;
}

void htmt__inlets_begin(struct htmt_emulator *e, htmt__inlet_begin *channel,
                        htmt__inlet_begin *packets)
{
    if (!e->inlets)
        return;
    e->inlets->channel_begin = channel;
    e->inlets->packets_begin = packets;
}

void htmt__inlets_destroy(struct htmt_emulator *e)
{
    for (uint32_t n = 0; e->inlets && n < e->networks; n++)
        for (uint32_t l = 0; l < e->layers; l++) {
            struct inlet *all = e->inlets->of[n][l];
            for (uint32_t i = 0; all && i < e->played; i++)
                free(all[i].line);
            free(all);
        }
    free(e->inlets);
    e->inlets = NULL;
}

/* ---- channels -------------------------------------------------------------------------------- */

static struct inlet *inlet_of(const struct htmt_emulator *e, const struct htmt__leg *g)
{
    return &e->inlets->of[g->network][g->to][htmt__played(e, g->target)];
}

static struct htmt__link *link_of(struct htmt_emulator *e, const struct htmt__leg *g)
{
    return htmt__port_at(e, htmt__played(e, g->target), true, g->network, g->to);
}

/* The link keeps the accounts. Its channels are told apart for those who watch. */
static void take(struct htmt_emulator *e, const struct htmt__leg *g, htmt_time head)
{
    struct htmt__tally *t = &e->tally[g->stats->in_resource];
    struct htmt__link *link = link_of(e, g);
    if (htmt__explained(e))
        e->explain->channel(e, link, HTMT__FIRST_FREE);
    htmt__link_take(link, htmt__link_channel(link), t, e->now, g->in_time, g->words);
    inlet_of(e, g)->busy++;
    g->stats->in_waited += e->now - head;
    g->stats->in_busy += g->in_time;
}

void htmt__inlet_pass(struct htmt_emulator *e, const struct htmt__leg *g)
{
    struct htmt__tally *t = &e->tally[g->stats->in_resource];
    t->served++;
    t->words += g->words;
}

static bool more_room(struct inlet *in)
{
    const uint32_t room = in->room ? 2 * in->room : 8;
    struct waiting *line = malloc(room * sizeof *line);
    if (!line)
        return false;
    for (uint32_t i = 0; i < in->length; i++)
        line[i] = in->line[(in->first + i) & (in->room - 1)];
    free(in->line);
    in->line = line;
    in->first = 0;
    in->room = room;
    return true;
}

bool htmt__inlet_enter(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    struct inlet *in = inlet_of(e, g);
    struct htmt__tally *t = &e->tally[g->stats->in_resource];
    if (in->busy < e->machine->network[g->network].port[g->to].in) {
        take(e, g, e->now);
        return true;
    }
    if (in->length == in->room && !more_room(in)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a queue");
        return false;
    }
    in->line[(in->first + in->length++) & (in->room - 1)] = (struct waiting){p, e->now};
    t->integral -= e->now;
    t->longest = in->length > t->longest ? in->length : t->longest;
    return false;
}

void htmt__inlet_leave(struct htmt_emulator *e, const struct htmt__leg *g)
{
    struct inlet *in = inlet_of(e, g);
    in->busy--;
    if (!in->length)
        return;
    const struct waiting w = in->line[in->first];
    in->first = (in->first + 1) & (in->room - 1);
    in->length--;
    const struct htmt__leg next =
        w.p->kind == HTMT__MESSAGE ? w.p->message->leg : htmt__leg_of_move(w.p);
    struct htmt__tally *t = &e->tally[next.stats->in_resource];
    t->integral += e->now;
    t->waited += e->now - w.since;
    link_of(e, &next)->waited += e->now - w.since;
    if (htmt__explained(e)) { /* it begins as this turn lets the channel go */
        e->explain->why(e, HTMT__LINE, next.stats->in_resource);
        e->explain->stood(e, w.p, &next, w.since);
    }
    take(e, &next, w.since);
    if (e->net[next.network].fabric)
        e->inlets->packets_begin(e, w.p, &next);
    else
        e->inlets->channel_begin(e, w.p, &next);
}

htmt_time htmt__inlets_since(const struct htmt_emulator *e, uint32_t slice)
{
    htmt_time since = e->now;
    for (uint32_t n = 0; e->inlets && n < e->networks; n++)
        for (uint32_t l = 0; l < e->layers; l++) {
            const struct inlet *in = e->inlets->of[n][l];
            if (in && in[slice].length && in[slice].line[in[slice].first].since < since)
                since = in[slice].line[in[slice].first].since;
        }
    return since;
}

void htmt__inlets_settle(struct htmt_emulator *e)
{
    for (uint32_t n = 0; e->inlets && n < e->networks; n++)
        for (uint32_t l = 0; l < e->layers; l++)
            for (uint32_t i = 0; e->inlets->of[n][l] && i < e->played; i++) {
                struct inlet *in = &e->inlets->of[n][l][i];
                e->tally[htmt__in_resource(e, n, l)].integral += (htmt_wide)in->length * e->now;
                in->length = 0;
            }
}

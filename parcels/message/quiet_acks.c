/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quiet, found out by messages (htmt_options.quiet_by: HTMT_QUIET_ACKS).
 *
 * The idea is that of Dijkstra and Scholten (Termination detection for diffusing computations,
 * Information Processing Letters 11, 1980). Each post to another slice is answered by a word. A
 * slice that has nothing to do and gets a post becomes the child of its sender, and owes it that
 * answer; each other post it answers as it comes. A slice counts its own posts that are not
 * answered. Once there is none, and all that came to it is over, it answers its parent, and is
 * nobody's child any more. So a slice without a parent, which has posts of the host or of another
 * control, knows when all that came of it anywhere is over.
 *
 * Posts that came together (gather.c) are one message, with one answer.
 *
 * What it costs. A word back for each message of posts to another slice: it occupies an out
 * channel, crosses the network that leads back, and takes an in channel, but it never waits behind
 * a held post (inlet.c). All is quiet when the last answer is there, which the clock sees as it
 * sees it without answers: no event is left.
 *
 * By hand: start-ups of 10 ns, a latency of 100, words of 1. Slice 0 has a post of the host, whose
 * control posts 2 words to slice 1 at 0: they are there at 112. Slice 1 becomes a child of slice 0.
 * Its control takes 50, until 162; then slice 1 has nothing left, and answers: 162 + 10 + 1 + 100
 * is 273, when all is quiet.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/message.h"
#include "parcels/message/post.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX

struct htmt__acks {
    uint32_t slices;
    struct member {
        uint64_t work, owed;    /* posts that came and are not over; own ones, not answered */
        uint32_t parent, layer; /* where it sent from; NOBODY */
        uint32_t posts;         /* that came from there at once */
        uint32_t home;          /* the layer to which that post came */
    } of[];                     /* each slice */
};

int htmt__acks_create(struct htmt_emulator *e)
{
    struct htmt__acks *all = calloc(1, sizeof *all + e->slices * sizeof *all->of);
    e->posts->acks = all;
    if (all)
        all->slices = e->slices;
    for (uint32_t i = 0; all && i < all->slices; i++)
        all->of[i].parent = NOBODY;
    return all ? 0 : HTMT_ENOMEM;
}

static void answer(struct htmt_emulator *e, uint32_t slice, uint32_t from, uint32_t target,
                   uint32_t to, uint32_t posts)
{
    struct htmt__entity *p = htmt__message_entity(e, slice, HTMT__MESSAGE_ACK);
    if (!p)
        return;
    p->message->posts = posts;
    htmt__leg_set(&p->message->leg, from, to, slice, target, 1);
    if (htmt__linted(e))
        e->lint->message(e, e->posts->type[0], &p->message->leg);
    if (htmt__message_route(e, p->message, false, 1, 1))
        return;
    if (htmt__explained(e)) {
        e->explain->called(e, p);
        e->explain->turn(e, p);
    }
    htmt__message_start(e, p);
}

/* It may have come to its end. */
static void look(struct htmt_emulator *e, uint32_t slice)
{
    struct member *m = &e->posts->acks->of[slice];
    const uint32_t parent = m->parent;
    if (m->work || m->owed || parent == NOBODY)
        return;
    m->parent = NOBODY;
    answer(e, slice, m->home, parent, m->layer, m->posts);
}

void htmt__acks_sent(struct htmt_emulator *e, uint32_t slice, uint32_t target)
{
    struct member *m = &e->posts->acks->of[slice];
    if (slice == target)
        m->work++;
    else
        m->owed++;
}

void htmt__acks_came(struct htmt_emulator *e, const struct htmt__leg *g, uint32_t posts)
{
    struct member *m = &e->posts->acks->of[g->target];
    const bool idle = !m->work && !m->owed;
    if (g->source == g->target) /* counted when it was sent */
        return;
    m->work += posts;
    if (idle) {
        m->parent = g->source;
        m->posts = posts;
        m->layer = g->from;
        m->home = g->to;
    } else {
        answer(e, g->target, g->to, g->source, g->from, posts);
    }
}

void htmt__acks_over(struct htmt_emulator *e, uint32_t slice)
{
    e->posts->acks->of[slice].work--;
    look(e, slice);
}

void htmt__acks_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    const uint32_t slice = p->message->leg.target;
    e->posts->acks->of[slice].owed -= p->message->posts;
    htmt__message_end(e, p);
    look(e, slice);
}

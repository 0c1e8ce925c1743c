/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Room in queues of posts: what is full, who waits for whom.
 *
 * A queue with a limit. Its room is for what waits; what is served has left it. A post that comes
 * to a full queue asks for room: `wanted` is asked of itself, then of those that wait, in their
 * order, until one is not. What asking charges, the next service takes. If all are wanted the post
 * holds the in channel by which it came, and what follows there waits behind it. As soon as there
 * is room, those that hold channels have it in the order in which they came: each has its event
 * again, at that instant, and the room is kept until then (`coming`).
 *
 * The sender. A slice hears that a post of its own holds a channel when a word would be back, a
 * start-up and a latency later (or `control` where ports are inside), and in the same way that it
 * does so no more. This news crosses no channel. Until then its generators go on; what they send
 * meanwhile is under way. While they know of such a post, they make no message.
 *
 * The own slice has no channel in between. A generator waits until its own queue has room; a plain
 * htmt_post() cannot wait, so it ends the run if there is none (HTMT_ECAPACITY).
 *
 * By hand: room for one, controls of 50 ns, a latency of 100, start-ups of 10, two words of 1 ns.
 * Posts come at 112, 124 and 136. The first is served until 162, the second waits, and the third
 * holds the channel. At 162 the second is served and the third is in the queue. Its sender knows of
 * it from 246 to 272.
 */
#include "parcels/clock/event.h"
#include "parcels/message/gather.h"
#include "parcels/message/message.h"
#include "parcels/message/post.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- room ------------------------------------------------------------------------------------ */

/* There is room in the queue for one more, of the own slice or of others. */
static bool lies_free(const struct htmt_emulator *e, const struct htmt__post_box *box,
                      const struct htmt_type *t, bool own)
{
    const uint32_t queue = t->post->queue;
    return (uint64_t)box->line[queue].count + box->coming <
           e->posts->layer[t->home].limit[queue][own];
}

bool htmt__post_fits(const struct htmt_emulator *e, const struct htmt__post_box *box,
                     uint32_t slice, const struct htmt_type *t, bool own)
{
    return (!box->coming && htmt__post_free(e, box, slice, t->home)) || lies_free(e, box, t, own);
}

bool htmt__post_room(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    const struct htmt_type *t = e->posts->type[m->post.type];
    return lies_free(e, htmt__post_box_at(e, t->home, m->leg.target), t, true);
}

bool htmt__post_reserve(const struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    const struct htmt_type *t = e->posts->type[m->post.type];
    struct htmt__post_box *box = htmt__post_box_at(e, t->home, m->leg.target);
    if (m->leg.network != HTMT__NO_NETWORK || htmt__gather_takes(m) ||
        !e->posts->layer[t->home].limited)
        return true;
    if (!htmt__post_fits(e, box, m->leg.target, t, true))
        return false;
    m->down = true;
    box->coming++;
    return true;
}

/* ---- those that wait for each other ---------------------------------------------------------- */

/* A generator of the slice that waits, and holds a processor meanwhile. */
static const struct htmt__entity *blocked(const struct htmt__post_box *box)
{
    const struct htmt__entity *p = box->generators.head;
    while (p && p->leaving)
        p = p->queue;
    return p;
}

void htmt__posts_waits(const struct htmt_emulator *e, uint32_t layer, struct htmt__post_wait *waits)
{
    for (uint32_t i = 0; i < e->played; i++) {
        const struct htmt__entity *p = blocked(htmt__post_box_at(e, layer, i));
        waits[i] = (struct htmt__post_wait){!p                            ? HTMT__POST_GOES
                                            : p->state == HTMT__FOR_QUEUE ? HTMT__POST_OWN
                                                                          : HTMT__POST_PORT,
                                            UINT32_MAX};
    }
    for (uint32_t i = 0; i < e->played; i++)
        for (const struct htmt__entity *p = htmt__post_box_at(e, layer, i)->held.head; p;
             p = p->queue) {
            const struct htmt__leg *g = &p->message->leg;
            if (g->from == layer && i < waits[g->source].target)
                waits[g->source].target = i;
        }
}

static void join_waits(struct htmt__post_wait *waits, const struct htmt__post_wait *others,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (others[i].what != HTMT__POST_GOES)
            waits[i].what = others[i].what;
        if (others[i].target < waits[i].target)
            waits[i].target = others[i].target;
    }
}

int htmt__posts_hear_waits(struct htmt_emulator *e, uint32_t layer,
                           const struct htmt__post_wait *waits)
{
    struct htmt__post_layer *l = &e->posts->layer[layer];
    if (!l->others) {
        l->others = malloc(e->played * sizeof *l->others);
        for (uint32_t i = 0; l->others && i < e->played; i++)
            l->others[i] = (struct htmt__post_wait){HTMT__POST_GOES, UINT32_MAX};
    }
    if (!l->others)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < e->played; i++)
        if (waits[i].what > HTMT__POST_PORT ||
            (waits[i].target >= e->played && waits[i].target != UINT32_MAX))
            return HTMT_ESYSTEM;
    join_waits(l->others, waits, e->played);
    return 0;
}

/* Where the generators of that slice are kept out; UINT32_MAX: nowhere. */
static uint32_t kept_out(const struct htmt__post_wait *waits, uint32_t slice)
{
    return waits[slice].what == HTMT__POST_GOES  ? UINT32_MAX
           : waits[slice].what == HTMT__POST_OWN ? slice
                                                 : waits[slice].target;
}

#define CIRCLE_NAMED 8u

static bool find_circle(const struct htmt_emulator *e, uint32_t layer,
                        const struct htmt__post_wait *waits, char *text, size_t room)
{
    for (uint32_t first = 0; first < e->played; first++) {
        uint32_t at = first, length = 0;
        do
            at = kept_out(waits, at);
        while (at != UINT32_MAX && at != first && ++length < e->played);
        if (at != first)
            continue;
        size_t used = (size_t)snprintf(text, room, "layer %s, slice %u",
                                       e->machine->layer[layer].name, first);
        for (uint32_t i = 0; i <= length && used < room; i++) {
            at = kept_out(waits, at);
            if (i < CIRCLE_NAMED || i == length)
                used += (size_t)snprintf(text + used, room - used, " -> %u", at);
            else if (i == CIRCLE_NAMED)
                used += (size_t)snprintf(text + used, room - used, " -> ...");
        }
        return true;
    }
    return false;
}

/* Without memory of the host no circle is named. */
bool htmt__posts_stuck_text(const struct htmt_emulator *e, char *text, size_t room)
{
    bool found = false;
    struct htmt__post_wait *waits = e->posts ? calloc(e->played, sizeof *waits) : NULL;
    for (uint32_t l = 0; waits && l < e->layers && !found; l++) {
        const struct htmt__post_layer *layer = &e->posts->layer[l];
        if (!layer->box || !layer->limited)
            continue;
        htmt__posts_waits(e, l, waits);
        if (layer->others)
            join_waits(waits, layer->others, e->played);
        found = find_circle(e, l, waits, text, room);
    }
    free(waits);
    return found;
}

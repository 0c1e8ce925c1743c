/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathering: posts for one slice leave together, behind one header.
 *
 * The idea. A post of two words of arguments takes a third word, and a start-up, for itself. Where
 * a type or a layer says `aggregate`, a post that would leave is held back at its source, in a
 * *bundle* for its target. The bundle leaves as one message, of a word and the words of all
 * arguments, when `bytes` of them are there, or when its oldest post has waited for `wait`.
 *
 * A bundle is the message of its first post: that keeps its key, so at one instant it has the turn
 * that its first post would have had. Each further post is copied behind the others, and its
 * message is over. At the target all of them arrive in one event, in the order in which they were
 * posted.
 *
 * Order. There is one bundle for each pair of slices and layers, whatever the types: a type with
 * figures of its own makes the bundle leave sooner, and a post of a type that is not gathered takes
 * what waits for its target along before itself. So no post of a pair passes another one before
 * they leave; behind that it is as with other messages: over one channel they stay in order.
 *
 * What is held back must leave at an instant that may come to nothing, since the bundle may be full
 * before. The clock's calendar has no way to take an event out, and an event that does nothing
 * would make a run longer. So bundles stand in a heap of their own, by (time, key), from which any
 * of them can go; the clock plays its first when that comes before all other events (play.c).
 * Nothing is quiet while one is there, and slices that owe answers know of each post since it was
 * made (quiet_acks.c).
 *
 * By hand: ten posts of 16 bytes to one slice, `bytes` 256. Each alone is a word of 8 and two of
 * arguments: 240 bytes. Together they are 8 + 160 = 168. With `bytes` 64, four are full at once:
 * two bundles of 72 bytes leave, and one of 40 when its first post has waited.
 */
#include "parcels/message/gather.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "runtime/base/array.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_LEAST 16u
#define BUNDLE_LEAST 256u /* bytes */

static int no_room(struct htmt_emulator *e)
{
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for posts that are held back");
}

/* ---- which bundle ---------------------------------------------------------------------------- */

static uint32_t hash(const struct htmt__leg *g)
{
    uint64_t h = (uint64_t)g->source << 32 | g->target;
    h = (h ^ (uint64_t)g->from << 28 ^ (uint64_t)g->to << 60) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static bool same_ends(const struct htmt__leg *a, const struct htmt__leg *b)
{
    return a->source == b->source && a->target == b->target && a->from == b->from && a->to == b->to;
}

/* Where the bundle of that leg is, or would be. */
static uint32_t place_of(const struct htmt__gather *g, const struct htmt__leg *leg)
{
    uint32_t i = hash(leg) & (g->places - 1);
    while (g->open[i] && !same_ends(&g->open[i]->message->leg, leg))
        i = (i + 1) & (g->places - 1);
    return i;
}

/* There is a place for one more. */
static bool has_places(struct htmt__gather *g)
{
    if (2 * (g->count + 1) <= g->places)
        return true;
    struct htmt__gather more = {.places = g->places ? 2 * g->places : PLACES_LEAST};
    more.open = calloc(more.places, sizeof(struct htmt__entity *));
    if (!more.open)
        return false;
    for (uint32_t i = 0; i < g->places; i++)
        if (g->open[i])
            more.open[place_of(&more, &g->open[i]->message->leg)] = g->open[i];
    free(g->open);
    g->open = more.open;
    g->places = more.places;
    return true;
}

/* The place is free: those behind it that would be nearer to their own move up (Knuth, volume 3,
 * section 6.4, algorithm R). */
static void close_place(struct htmt__gather *g, uint32_t free)
{
    const uint32_t mask = g->places - 1;
    for (uint32_t i = (free + 1) & mask; g->open[i]; i = (i + 1) & mask) {
        const uint32_t own = hash(&g->open[i]->message->leg) & mask;
        if (((i - own) & mask) < ((i - free) & mask))
            continue;
        g->open[free] = g->open[i];
        free = i;
    }
    g->open[free] = NULL;
}

/* ---- who leaves first ------------------------------------------------------------------------ */

static bool before(struct htmt__head a, struct htmt__head b)
{
    return a.at != b.at ? a.at < b.at : a.p->key < b.p->key;
}

static void stand(struct htmt__gather *g, uint32_t i, struct htmt__head h)
{
    g->due[i] = h;
    h.p->message->bundle->place = i;
}

/* h belongs at i, or nearer to the front. */
static void sift_up(struct htmt__gather *g, uint32_t i, struct htmt__head h)
{
    for (; i && before(h, g->due[(i - 1) / 2]); i = (i - 1) / 2)
        stand(g, i, g->due[(i - 1) / 2]);
    stand(g, i, h);
}

static void take_out(struct htmt__gather *g, uint32_t i)
{
    const struct htmt__head h = g->due[--g->count];
    if (i == g->count)
        return;
    for (uint32_t child; (child = 2 * i + 1) < g->count; i = child) {
        child += child + 1 < g->count && before(g->due[child + 1], g->due[child]);
        if (before(h, g->due[child]))
            break;
        stand(g, i, g->due[child]);
    }
    sift_up(g, i, h);
}

/* ---- bundles --------------------------------------------------------------------------------- */

static bool add(struct htmt__bundle **bundle, const struct htmt__post *post)
{
    struct htmt__bundle *b = *bundle;
    const size_t size = htmt__post_size(post);
    if (!b || b->used + size > b->room) {
        const uint32_t room = b ? 2 * b->room : BUNDLE_LEAST;
        b = htmt__fault_injected() ? NULL : realloc(b, sizeof *b + room + HTMT_WORD);
        if (!b)
            return false;
        if (!*bundle)
            *b = (struct htmt__bundle){.most = UINT64_MAX};
        b->room = room;
        *bundle = b;
    }
    memcpy(b->at + b->used, post, HTMT__POST_HEAD + post->bytes);
    b->used += (uint32_t)size;
    b->count++;
    return true;
}

/* It is held back no more, and leaves now. */
static void leave(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__gather *g = e->gather;
    struct htmt__message *m = p->message;
    close_place(g, place_of(g, &m->leg));
    take_out(g, m->bundle->place);
    m->leg.words = 1 + m->bundle->bytes / HTMT_WORD;
    if (!htmt__message_route(e, m, false, 1, 1))
        htmt__message_start(e, p);
}

/* A bundle begins with p. NULL: no host memory (latched). */
static struct htmt__bundle *open(struct htmt_emulator *e, struct htmt__entity *p, htmt_time due)
{
    struct htmt__gather *g = e->gather;
    struct htmt__message *m = p->message;
    struct htmt__bundle *b = NULL;
    if (!has_places(g) || !htmt__array_fits(&g->due, &g->room, g->count + 1, sizeof *g->due) ||
        !add(&b, &m->post)) {
        no_room(e);
        return NULL;
    }
    m->kind = HTMT__MESSAGE_POSTS;
    m->bundle = b;
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    g->open[place_of(g, &m->leg)] = p;
    sift_up(g, g->count++, (struct htmt__head){due, p});
    return b;
}

/* p joins the bundle that is open. */
static struct htmt__bundle *join(struct htmt_emulator *e, struct htmt__entity *first,
                                 struct htmt__entity *p, htmt_time due)
{
    struct htmt__gather *g = e->gather;
    const bool added = add(&first->message->bundle, &p->message->post);
    struct htmt__bundle *b = first->message->bundle;
    if (due < g->due[b->place].at)
        sift_up(g, b->place, (struct htmt__head){due, first});
    htmt__message_end(e, p);
    if (!added)
        no_room(e);
    return added ? b : NULL;
}

void htmt__gather_join(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    const struct htmt__post_type *t = e->posts->type[m->post.type]->post;
    const uint64_t bytes = (t->words - 1) * HTMT_WORD; /* of the arguments */
    const htmt_time due = htmt__later(e->now, t->aggregate.wait);
    if (!e->gather && !(e->gather = calloc(1, sizeof *e->gather))) {
        no_room(e);
        return;
    }
    struct htmt__gather *g = e->gather;
    struct htmt__entity *first = g->places ? g->open[place_of(g, &m->leg)] : NULL;
    const uint64_t most = t->aggregate.bytes;
    if (first && (!most || first->message->bundle->bytes + bytes > most ||
                  first->message->bundle->bytes + bytes > first->message->bundle->most)) {
        leave(e, first);
        first = NULL;
    }
    if (!most) { /* it is not gathered */
        if (!e->fault.code && !htmt__message_route(e, m, false, 1, 1))
            htmt__channel_out(e, p, &m->leg);
        return;
    }
    if (due < 0) {
        htmt__channel_refuse(e, 0);
        return;
    }
    struct htmt__bundle *b = first ? join(e, first, p, due) : open(e, p, due);
    if (!b)
        return;
    first = first ? first : p;
    if (htmt__explained(e))
        e->explain->leaves(e, first);
    b->bytes += bytes;
    b->most = most < b->most ? most : b->most;
    if (b->bytes >= b->most) {
        leave(e, first);
    } else if (due == e->now) { /* its turn follows, and may have a lesser key */
        e->followed = htmt__order(e);
        e->followed_at = e->now;
    }
}

/* What was held back for longer than any other cause is the way of its network. */
void htmt__gather_turn(struct htmt_emulator *e)
{
    const struct htmt__head h = e->gather->due[0];
    e->now = h.at;
    e->turn = h.p->key;
    if (e->guard)
        htmt__guard_enter(e->guard, htmt__played(e, h.p->message->leg.source));
    if (htmt__explained(e)) {
        struct htmt__message *m = h.p->message;
        m->leg.words = 1 + m->bundle->bytes / HTMT_WORD;
        if (htmt__message_route(e, m, false, 1, 1))
            return;
        e->explain->landed(e, h.p, &m->leg);
    }
    leave(e, h.p);
}

void htmt__gather_destroy(struct htmt_emulator *e)
{
    if (e->gather) {
        free(e->gather->due);
        free(e->gather->open);
    }
    free(e->gather);
    e->gather = NULL;
}

/* ---- from rank to rank ----------------------------------------------------------------------- */

void htmt__bundle_pack(struct htmt__buffer *buffer, const struct htmt__bundle *b)
{
    htmt__buffer_add(buffer, &b->used, sizeof b->used);
    htmt__buffer_add(buffer, b->at, b->used);
}

/* Payload by payload, as what is not trusted. */
int htmt__bundle_unpack(const struct htmt_emulator *e, struct htmt__cursor *c,
                        struct htmt__bundle **b)
{
    uint32_t used, at = 0;
    *b = NULL;
    htmt__cursor_take(c, &used, sizeof used);
    if (c->broken || !used || used > (uint64_t)(c->end - c->at))
        return HTMT_ESYSTEM;
    struct htmt__bundle *made = calloc(1, sizeof *made + used + HTMT_WORD);
    if (!made)
        return HTMT_ENOMEM;
    htmt__cursor_take(c, made->at, used);
    made->used = made->room = used;
    while (at < used) {
        const struct htmt__post *post = (const struct htmt__post *)(const void *)(made->at + at);
        if (used - at < HTMT__POST_HEAD || !htmt__post_known(e, post) ||
            used - at < htmt__post_size(post)) {
            free(made);
            return HTMT_ESYSTEM;
        }
        at += (uint32_t)htmt__post_size(post);
        made->count++;
    }
    *b = made;
    return 0;
}

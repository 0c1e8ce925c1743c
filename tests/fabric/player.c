/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fabric/player.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* ---- Events in order ----------------------------------------------------------------------------
 */

static int compare(const struct htmt__fabric_event *a, const struct htmt__fabric_event *b)
{
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->packet.key != b->packet.key)
        return a->packet.key < b->packet.key ? -1 : 1;
    if (a->packet.number != b->packet.number)
        return a->packet.number < b->packet.number ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

static void swap(struct htmt__fabric_event *a, struct htmt__fabric_event *b)
{
    const struct htmt__fabric_event c = *a;
    *a = *b;
    *b = c;
}

static void push(struct heap *h, const struct htmt__fabric_event *e)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 64;
        h->event = realloc(h->event, h->room * sizeof *h->event);
        cr_assert_not_null(h->event);
    }
    size_t i = h->count++;
    h->event[i] = *e;
    for (; i && compare(&h->event[i], &h->event[(i - 1) / 2]) < 0; i = (i - 1) / 2)
        swap(&h->event[i], &h->event[(i - 1) / 2]);
}

static struct htmt__fabric_event pop(struct heap *h)
{
    const struct htmt__fabric_event e = *h->event;
    h->event[0] = h->event[--h->count];
    for (size_t i = 0, next; (next = 2 * i + 1) < h->count; i = next) {
        if (next + 1 < h->count && compare(&h->event[next + 1], &h->event[next]) < 0)
            next++;
        if (compare(&h->event[i], &h->event[next]) <= 0)
            break;
        swap(&h->event[i], &h->event[next]);
    }
    return e;
}

/* ---- What the fabric tells
 * ------------------------------------------------------------------------ */

static void post(void *user, const struct htmt__fabric_event *e)
{
    struct player *p = user;
    cr_assert_geq(e->at, p->now, "an event of kind %u in the past", e->kind);
    push(&p->heap[p->heaps == 1 ? 0 : e->slice], e);
}

static void left(void *user, const struct htmt__packet *packet, htmt_time now)
{
    struct player *p = user;
    cr_assert_eq(p->sent[(uint32_t)packet->whose].left, -1, "packet %lu left twice", packet->whose);
    p->sent[(uint32_t)packet->whose].left = now;
    if (p->left)
        p->left(p, (uint32_t)packet->whose);
}

static void arrives(struct player *p, uint64_t whose, htmt_time tail)
{
    cr_assert_eq(p->sent[whose].tail, -1, "packet %lu arrived twice", whose);
    p->sent[whose].tail = tail;
    p->last = tail > p->last ? tail : p->last;
}

static void head(void *user, const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                 bool sure)
{
    struct player *p = user;
    struct sent *s = &p->sent[(uint32_t)packet->whose];
    cr_assert_eq(s->head, -1);
    s->head = now;
    s->hops = packet->hops;
    s->plane = packet->plane;
    if (sure)
        arrives(p, (uint32_t)packet->whose, tail);
}

static void arrived(void *user, const struct htmt__packet *packet, htmt_time now)
{
    arrives(user, (uint32_t)packet->whose, now);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

/* The order of slices does not matter. */
static void hop(void *user, const struct htmt__packet *packet, uint32_t channel, htmt_time now)
{
    struct player *p = user;
    p->hops++;
    p->digest += mix(mix(mix((uint64_t)now) + packet->key) + channel);
}

static void fail(void *user, int code, const char *what)
{
    struct player *p = user;
    (void)what;
    p->failed = code;
}

static struct htmt__fabric_sink sink(struct player *p)
{
    return (struct htmt__fabric_sink){.user = p,
                                      .post = post,
                                      .left = left,
                                      .head = head,
                                      .arrived = arrived,
                                      .hop = hop,
                                      .fail = fail};
}

/* ---- Runs
 * ----------------------------------------------------------------------------------------- */

enum { SEND = 255 };

void player_options(struct player *p, const struct htmt__fabric_options *options)
{
    p->options = options;
    htmt__fabric_destroy(&p->f);
    cr_assert_eq(htmt__fabric_create(&p->g->t, options, &p->f), 0);
}

void player_create(struct player *p, struct graph *g, struct sent *sent, uint32_t count)
{
    *p = (struct player){.g = g, .sent = sent, .count = count};
    player_options(p, NULL);
    p->place = calloc(g->t.ends, sizeof *p->place);
    p->heap = calloc(g->t.ends, sizeof *p->heap);
    cr_assert(p->place && p->heap);
    for (uint32_t i = 0; i < count; i++)
        sent[i].left = sent[i].head = sent[i].tail = -1;
}

void player_destroy(struct player *p)
{
    for (uint32_t i = 0; i < p->g->t.ends; i++) {
        htmt__fabric_place_destroy(&p->place[i]);
        free(p->heap[i].event);
    }
    free(p->place);
    free(p->heap);
    htmt__fabric_destroy(&p->f);
}

static uint64_t key(const struct player *p, uint32_t number)
{
    const struct sent *s = &p->sent[number % p->count];
    return s->key ? s->key : number + 1;
}

static void inject(struct player *p, uint32_t number, htmt_time now)
{
    struct sent *s = &p->sent[number % p->count];
    const struct htmt__fabric_sink to = sink(p);
    s->left = s->head = s->tail = -1;
    if (p->sends)
        p->sends(p, number);
    const struct htmt__packet packet = {.key = key(p, number),
                                        .whose = (uint64_t)number << 32 | number % p->count,
                                        .source = s->source,
                                        .target = s->target,
                                        .count = 1,
                                        .bytes = s->bytes,
                                        .route = s->route,
                                        .channel = UINT32_MAX};
    htmt__fabric_inject(p->f, p->place[s->source], &packet, now, now, &to);
}

void player_send(struct player *p, uint32_t number, htmt_time now)
{
    const struct htmt__fabric_event e = {.at = now,
                                         .packet = {.key = key(p, number), .whose = number},
                                         .slice = p->sent[number % p->count].source,
                                         .kind = SEND};
    post(p, &e);
}

static void begin(struct player *p)
{
    for (uint32_t i = 0; i < p->g->t.ends; i++)
        cr_assert_not_null(p->place[i] = htmt__fabric_place_create(p->f, i));
    for (uint32_t i = 0; i < p->count; i++)
        if (p->sent[i].at >= 0)
            player_send(p, i, p->sent[i].at);
}

static void play(struct player *p, struct heap *h)
{
    struct htmt__fabric_event e = pop(h);
    const struct htmt__fabric_sink to = sink(p);
    p->now = e.at;
    p->events++;
    if (e.kind == SEND)
        inject(p, (uint32_t)e.packet.whose, e.at);
    else if (htmt__fabric_play(p->f, p->place[e.slice], &e, &to))
        post(p, &e);
}

void player_run(struct player *p)
{
    p->heaps = 1;
    begin(p);
    while (p->heap->count && !p->failed && (!p->until || p->heap->event->at < p->until))
        play(p, p->heap);
}

static htmt_time earliest(const struct player *p)
{
    htmt_time at = HTMT_TIME_MAX;
    for (uint32_t i = 0; i < p->heaps; i++)
        if (p->heap[i].count && p->heap[i].event->at < at)
            at = p->heap[i].event->at;
    return at;
}

void player_run_in_windows(struct player *p)
{
    p->heaps = p->g->t.ends;
    begin(p);
    for (htmt_time from; (from = earliest(p)) < HTMT_TIME_MAX;) {
        const htmt_time until = from + htmt__fabric_lookahead(p->f);
        for (uint32_t i = p->heaps; i-- > 0;)
            for (p->now = from; p->heap[i].count && p->heap[i].event->at < until;)
                play(p, &p->heap[i]);
    }
}

uint32_t player_missing(const struct player *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->count; i++)
        n += p->sent[i].tail < 0;
    return n;
}

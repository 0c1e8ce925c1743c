/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit.
 * The Data Vortex by events against a simulator of whole slots, an example by hand, and the
 * identity that every packet obeys. Events are played from one heap, or slice after slice in
 * windows of the lookahead.
 */
#include "layers/network/fabric.h"
#include "layers/network/vortex.h"
#include "tests/network/plain_vortex.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SEND = 255 };

struct heap {
    struct htmt__fabric_event *at;
    size_t count, room;
};

/* A packet as the model plays it. */
struct seen {
    htmt_time sent, left, head, tail;
    uint32_t deflections, hops;
};

struct player {
    struct htmt__topology *t;
    struct htmt__fabric *f;
    struct htmt__fabric_place **place;
    struct heap *heap; /* one, or one of each slice */
    bool windows;
    htmt_time now;
    const struct plain_packet *packet;
    struct seen *seen;
    uint32_t count;
};

/* ---- events ---------------------------------------------------------------------------------- */

static bool before(const struct htmt__fabric_event *a, const struct htmt__fabric_event *b)
{
    return a->at != b->at                         ? a->at < b->at
           : a->packet.key != b->packet.key       ? a->packet.key < b->packet.key
           : a->packet.number != b->packet.number ? a->packet.number < b->packet.number
           : a->kind != b->kind                   ? a->kind < b->kind
                                                  : a->channel < b->channel;
}

static void push(struct heap *h, struct htmt__fabric_event e)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 64;
        h->at = realloc(h->at, h->room * sizeof *h->at);
        cr_assert_not_null(h->at);
    }
    size_t i = h->count++;
    for (; i && before(&e, &h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = e;
}

static struct htmt__fabric_event pop(struct heap *h)
{
    const struct htmt__fabric_event first = *h->at, last = h->at[--h->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
        child += child + 1 < h->count && before(&h->at[child + 1], &h->at[child]);
        if (!before(&h->at[child], &last))
            break;
        h->at[i] = h->at[child];
    }
    h->at[i] = last;
    return first;
}

static void post(void *user, const struct htmt__fabric_event *e)
{
    struct player *p = user;
    cr_assert_geq(e->at, p->now);
    push(&p->heap[p->windows ? e->slice : 0], *e);
}

static void left(void *user, const struct htmt__packet *packet, htmt_time now)
{
    ((struct player *)user)->seen[packet->whose].left = now;
}

static void head(void *user, const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                 bool sure)
{
    struct seen *s = &((struct player *)user)->seen[packet->whose];
    cr_assert(sure && s->tail == -1);
    s->head = now;
    s->tail = tail;
    s->hops = packet->hops;
}

/* Around, though the bit of this cylinder is right. */
static void hop(void *user, const struct htmt__packet *packet, uint32_t channel, htmt_time now)
{
    struct player *p = user;
    const struct htmt__inside *in = &p->t->inside;
    const struct htmt__vortex_channel c = htmt__vortex_channel(in, channel);
    const uint32_t innermost = htmt__vortex_cylinders(in) - 1;
    cr_assert_eq(htmt__vortex_channel_of(in, c), channel);
    if (c.cylinder == UINT32_MAX)
        p->seen[packet->whose].sent = now;
    else if (!c.inward && c.cylinder < innermost)
        p->seen[packet->whose].deflections +=
            !((c.height ^ packet->target) >> (innermost - 1 - c.cylinder) & 1);
}

static void fail(void *user, int code, const char *what)
{
    (void)user;
    cr_assert_fail("%d: %s", code, what);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void play(struct player *p, struct heap *h)
{
    const struct htmt__fabric_sink sink = {
        .user = p, .post = post, .left = left, .head = head, .hop = hop, .fail = fail};
    struct htmt__fabric_event e = pop(h);
    p->now = e.at;
    if (e.kind != SEND) {
        if (htmt__fabric_play(p->f, p->place[e.slice], &e, &sink))
            post(p, &e);
        return;
    }
    const struct plain_packet *one = &p->packet[e.packet.whose];
    const struct htmt__packet packet = {.key = e.packet.key,
                                        .whose = e.packet.whose,
                                        .source = one->source,
                                        .target = one->target,
                                        .count = 1,
                                        .bytes = 64,
                                        .channel = UINT32_MAX,
                                        .from = (uint8_t)one->source_angle,
                                        .to = (uint8_t)one->target_angle};
    htmt__fabric_inject(p->f, p->place[one->source], &packet, e.at, e.at, &sink);
}

static void play_in_windows(struct player *p)
{
    for (;;) {
        htmt_time from = HTMT_TIME_MAX;
        for (uint32_t i = 0; i < p->t->slices; i++)
            if (p->heap[i].count && p->heap[i].at->at < from)
                from = p->heap[i].at->at;
        if (from == HTMT_TIME_MAX)
            return;
        const htmt_time lookahead = htmt__fabric_lookahead(p->f);
        const htmt_time until = lookahead < HTMT_TIME_MAX ? from + lookahead : HTMT_TIME_MAX;
        for (uint32_t i = p->t->slices; i-- > 0;)
            for (p->now = from; p->heap[i].count && p->heap[i].at->at < until;)
                play(p, &p->heap[i]);
    }
}

/* A layer for each angle; heights that have no slice of their own are others'. */
static void create(struct player *p, uint32_t bits, uint32_t angles, uint32_t slices,
                   htmt_time slot, htmt_time signal)
{
    struct htmt__inside in = {.topology = HTMT__DATA_VORTEX,
                              .routing = HTMT__ROUTE_DEFLECTION,
                              .dimensions = 2,
                              .shape = {UINT32_C(1) << bits, angles},
                              .packet = 64,
                              .slot = slot,
                              .signal = signal,
                              .router = -1};
    struct htmt_fault fault = {0};
    cr_assert_leq(angles, HTMT_LAYERS_MAX);
    for (uint32_t a = 0; a < angles; a++)
        in.enters[a] = in.leaves[a] = (struct htmt__vortex_angles){(uint8_t)a, 1};
    *p = (struct player){.now = 0};
    cr_assert_eq(htmt__topology_create(&in, NULL, slices, NULL, &p->t, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt__fabric_create(p->t, NULL, &p->f), 0);
    p->place = calloc(slices, sizeof(struct htmt__fabric_place *));
    p->heap = calloc(slices, sizeof *p->heap);
    cr_assert(p->place && p->heap);
    for (uint32_t i = 0; i < slices; i++)
        cr_assert_not_null(p->place[i] = htmt__fabric_place_create(p->f, i));
}

/* Each packet is sent within the slot before the one in which it wants to enter. */
static void run(struct player *p, const struct plain_packet *packet, struct seen *seen,
                uint32_t count, bool windows, uint64_t seed)
{
    const struct htmt__inside *in = &p->t->inside;
    const htmt_time phase = (htmt_time)(htmt__vortex_cylinders(in) - 1) * in->signal;
    p->packet = packet;
    p->seen = seen;
    p->count = count;
    p->windows = windows;
    for (uint32_t i = 0; i < count; i++) {
        const htmt_time at = packet[i].wants * in->slot + phase;
        seen[i] = (struct seen){.sent = -1, .left = -1, .head = -1, .tail = -1};
        push(&p->heap[windows ? packet[i].source : 0],
             (struct htmt__fabric_event){
                 .at = at < in->slot ? at : at - (htmt_time)(seed % (uint64_t)in->slot),
                 .packet = {.key = i + 1, .whose = i},
                 .slice = packet[i].source,
                 .kind = SEND});
    }
    if (windows)
        play_in_windows(p);
    while (!windows && p->heap->count)
        play(p, p->heap);
}

static void destroy(struct player *p)
{
    for (uint32_t i = 0; i < p->t->slices; i++) {
        htmt__fabric_place_destroy(&p->place[i]);
        free(p->heap[i].at);
    }
    free(p->place);
    free(p->heap);
    htmt__fabric_destroy(&p->f);
    htmt__topology_release(&p->t);
}

/* ---- by hand --------------------------------------------------------------------------------- */

enum { T = 1000, D = 130 };

/* H = 4, A = 3: P alone; then P, which Q deflects once, and R, which waits for P. */
Test(vortex, the_example_by_hand)
{
    const struct plain_packet packet[] = {
        {0, 0, 3, 2, .wants = 0}, {3, 0, 2, 0, .wants = 0}, {0, 2, 0, 2, .wants = 2}};
    static const struct {
        htmt_time enters, exits;
        uint32_t deflections;
    } alone = {0, 5, 0}, all[] = {{0, 8, 1}, {0, 3, 0}, {3, 6, 0}};
    struct seen seen[3];
    struct player p;
    create(&p, 2, 3, 4, T, D);
    run(&p, packet, seen, 1, false, 0);
    cr_assert_eq(seen[0].sent, alone.enters * T + 2 * D);
    cr_assert_eq(seen[0].left, seen[0].sent + T);
    cr_assert_eq(seen[0].tail, (alone.exits + 1) * T);
    destroy(&p);
    create(&p, 2, 3, 4, T, D);
    run(&p, packet, seen, 3, false, 0);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(seen[i].sent, all[i].enters * T + 2 * D, "%u", i);
        cr_assert_eq(seen[i].head, all[i].exits * T, "%u", i);
        cr_assert_eq(seen[i].tail, (all[i].exits + 1) * T, "%u", i);
        cr_assert_eq(seen[i].deflections, all[i].deflections, "%u", i);
    }
    destroy(&p);
}

/* ---- at random ------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* Traffic of some pattern and load: packets in the order of their slots. */
static void make(struct plain_packet *packet, uint32_t count, uint32_t slices, uint32_t angles,
                 uint64_t *seed)
{
    const uint64_t pattern = draw(seed, 5), ports = (uint64_t)slices * angles;
    const uint64_t load = 1 + draw(seed, 100), shift = draw(seed, slices); /* % of all ports */
    const uint64_t slots = 1 + count * 100 / (ports * load);
    int64_t slot = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t source = (uint32_t)draw(seed, slices);
        slot = (int64_t)((uint64_t)i * slots / count);
        packet[i] = (struct plain_packet){
            .source = source,
            .source_angle = (uint32_t)draw(seed, angles),
            .target = (uint32_t)(pattern == 0   ? draw(seed, slices)
                                 : pattern == 1 ? slices - 1 - source
                                 : pattern == 2 ? (source + shift) % slices
                                 : pattern == 3 ? (draw(seed, 2) ? 0 : draw(seed, slices))
                                                : shift),
            .target_angle = (uint32_t)(pattern == 4 ? 0 : draw(seed, angles)),
            .wants = slot};
    }
}

/* exit = entry + k + (target angle - source angle - k mod A), k = cylinders + bits + 2 each. */
static void obeys(const struct plain_packet *p, const struct seen *s, uint32_t bits,
                  uint32_t angles, htmt_time slot, htmt_time signal)
{
    const htmt_time entry = (s->sent - bits * signal) / slot, exit = s->head / slot;
    const int64_t k =
        (int64_t)bits + __builtin_popcount(p->source ^ p->target) + 2 * (int64_t)s->deflections;
    int64_t rest = ((int64_t)p->target_angle - p->source_angle - k) % angles;
    rest += rest < 0 ? angles : 0;
    cr_assert_eq(exit, entry + k + rest);
    cr_assert_eq(s->tail, (exit + 1) * slot);
    cr_assert_eq(s->hops, exit - entry + 2); /* in, and one each slot */
}

static void compare_counts(const struct player *p, const struct plain_vortex *v)
{
    uint64_t moves[32] = {0}, deflections[32] = {0};
    htmt_uwide waited = 0;
    for (uint32_t c = 0; c < p->t->channels; c++) {
        const struct htmt__vortex_channel at = htmt__vortex_channel(&p->t->inside, c);
        const uint32_t owner = p->t->owner[htmt__wire(p->t, c)->from];
        struct htmt__port_account a;
        cr_assert(htmt__fabric_account(p->f, p->place[owner], c, 0, p->now, &a));
        if (at.cylinder == UINT32_MAX) {
            waited += a.queued;
            continue;
        }
        moves[at.cylinder] += a.packets;
        deflections[at.cylinder] += a.contentions;
    }
    cr_assert_eq(memcmp(moves, v->moves, sizeof moves), 0);
    cr_assert_eq(memcmp(deflections, v->deflections, sizeof deflections), 0);
    cr_assert(waited == (htmt_uwide)v->waited * (uint64_t)p->t->inside.slot);
}

/* One size, load and pattern: entries, exits, deflections and sums. */
static void compare(uint64_t seed, uint32_t count, bool exactly)
{
    const uint32_t bits = (uint32_t)draw(&seed, 7), angles = 1 + (uint32_t)draw(&seed, 7);
    const uint32_t heights = UINT32_C(1) << bits;
    const uint32_t slices = 1 + (uint32_t)draw(&seed, heights); /* others have no packets */
    const htmt_time slot = 10 + (htmt_time)draw(&seed, 5000);
    const htmt_time signal = 1 + (htmt_time)draw(&seed, (uint64_t)slot - 1);
    struct plain_packet *packet = calloc(count, sizeof *packet);
    struct seen *seen = calloc(count, sizeof *seen);
    struct plain_vortex v = {.bits = bits, .angles = angles};
    struct player p;
    cr_assert(packet && seen);
    make(packet, count, slices, angles, &seed);
    if (exactly)
        plain_vortex_play(&v, packet, count);
    create(&p, bits, angles, slices, slot, signal);
    run(&p, packet, seen, count, draw(&seed, 2), draw(&seed, 10));
    for (uint32_t i = 0; i < count; i++) {
        obeys(&packet[i], &seen[i], bits, angles, slot, signal);
        cr_assert_eq(seen[i].left, seen[i].sent + slot);
        if (!exactly)
            continue;
        cr_assert_eq(seen[i].sent, packet[i].enters * slot + bits * signal, "packet %u", i);
        cr_assert_eq(seen[i].head, packet[i].exits * slot, "packet %u", i);
        cr_assert_eq(seen[i].deflections, packet[i].deflections, "packet %u", i);
    }
    if (exactly)
        compare_counts(&p, &v);
    destroy(&p);
    free(packet);
    free(seen);
}

Test(vortex, five_hundred_sizes_loads_and_patterns_are_those_of_whole_slots)
{
    for (uint64_t seed = 1; seed <= share_of(500); seed++)
        compare(seed, 400, true);
}

/* With HTMT_LONG a million. */
Test(vortex, every_packet_obeys_the_identity)
{
    const uint32_t runs = getenv("HTMT_LONG") ? 100 : share_of(10);
    for (uint64_t seed = 1; seed <= runs; seed++)
        compare(1000 + seed, 10000, false);
}

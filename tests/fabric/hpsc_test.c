/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The examples of Pauer's paper on Myrinet: packets of 100 us, 1 us from element to element, for
 * heads and for Stop and Go; 10 us before each packet at its sender.
 */
#include "tests/fabric/player.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define US INT64_C(1000000000)

static const struct htmt__inside myrinet = {.switching = HTMT__WORMHOLE,
                                            .byte = {US, 1},
                                            .wire = US,
                                            .control = US,
                                            .lanes = 1,
                                            .planes = 1,
                                            .from_source = true};

/* What each sender sends, in order; a packet that left starts the next one. Keys are those of the
 * clock: the first packets of all senders, then the second ones. */
struct table {
    struct graph *g;
    struct sent sent[64];
    uint32_t count;
    uint16_t ports[64][12]; /* of a packet, at its switches */
};

static const uint16_t *ports(void *user, uint32_t route)
{
    const struct table *t = user;
    return t->ports[route - 1];
}

static void next(struct player *p, uint32_t number)
{
    const uint32_t after = number + 1;
    if (after < p->count && p->sent[after].source == p->sent[number].source)
        player_send(p, after, p->now + 10 * US);
}

static void send(struct table *t, uint32_t source, uint32_t target)
{
    const struct sent *last = t->count ? &t->sent[t->count - 1] : NULL;
    const bool first = !last || last->source != source;
    t->sent[t->count++] = (struct sent){.source = source,
                                        .target = target,
                                        .bytes = 100,
                                        .at = first ? 10 * US : -1,
                                        .key = first ? source + 1 : last->key + 16};
}

/* By switches, the first one first; 0 ends the list. */
static void send_by(struct table *t, uint32_t source, uint32_t target, const uint32_t *way)
{
    send(t, source, target);
    t->sent[t->count - 1].route = t->count;
    for (uint32_t i = 0; way[i]; i++) {
        const uint32_t to = way[i + 1] ? way[i + 1] : target;
        t->ports[t->count - 1][i] =
            (uint16_t)(graph_channel(t->g, way[i], to) - t->g->t.first[way[i]]);
    }
}

static uint64_t contentions(const struct player *p, uint32_t channel)
{
    struct htmt__port_account a;
    const uint32_t slice = p->g->t.owner[p->g->t.wire[channel].from];
    cr_assert(htmt__fabric_account(p->f, p->place[slice], channel, 0, p->last, &a));
    return a.contentions;
}

static uint64_t all_contentions(const struct player *p)
{
    uint64_t n = 0;
    for (uint32_t c = p->g->t.ends; c < p->g->t.channels; c++)
        n += contentions(p, c);
    return n;
}

static void run(struct table *t, struct player *p)
{
    static struct htmt__fabric_options options;
    options = (struct htmt__fabric_options){.user = t, .ports = ports};
    player_create(p, t->g, t->sent, t->count);
    player_options(p, &options);
    p->left = next;
    player_run(p);
}

/* ---- Example 1
 * ------------------------------------------------------------------------------------ */

enum { TOP, MIDDLE, BOTTOM, NODE_1, NODE_2, NODE_3, S1, S2, S3, S4 };

static struct graph *grid(void)
{
    struct graph *g = graph_create(6, 4, &myrinet);
    graph_join(g, TOP, S1);
    graph_join(g, MIDDLE, S2);
    graph_join(g, BOTTOM, S2);
    graph_join(g, NODE_1, S3);
    graph_join(g, NODE_2, S4);
    graph_join(g, NODE_3, S4);
    graph_join(g, S1, S3);
    graph_join(g, S2, S4);
    graph_join(g, S1, S2);
    graph_join(g, S3, S4);
    graph_done(g);
    return g;
}

static void fill(struct table *t)
{
    send_by(t, TOP, NODE_3, (uint32_t[]){S1, S3, S4, 0});
    send_by(t, TOP, NODE_1, (uint32_t[]){S1, S3, 0});
    send_by(t, TOP, NODE_3, (uint32_t[]){S1, S2, S4, 0});
    send_by(t, TOP, NODE_1, (uint32_t[]){S1, S2, S4, S3, 0});
    send_by(t, MIDDLE, NODE_2, (uint32_t[]){S2, S4, 0});
    send_by(t, BOTTOM, NODE_3, (uint32_t[]){S2, S1, S3, S4, 0});
    send_by(t, BOTTOM, NODE_1, (uint32_t[]){S2, S1, S3, 0});
    send_by(t, BOTTOM, NODE_3, (uint32_t[]){S2, S4, 0});
    send_by(t, BOTTOM, NODE_1, (uint32_t[]){S2, S4, S3, 0});
}

Test(hpsc, example_1_keeps_every_instant_and_blocks_where_the_paper_says)
{
    static const htmt_time at[] = {114, 319, 430, 637, 113, 218, 423, 532, 739};
    struct table t = {.g = grid()};
    struct player p;
    fill(&t);
    run(&t, &p);
    for (uint32_t i = 0; i < t.count; i++)
        cr_expect_eq(t.sent[i].tail, at[i] * US, "packet %u: %ld", i, t.sent[i].tail / US);
    cr_expect_eq(contentions(&p, graph_channel(t.g, S1, S3)), 3);
    cr_expect_eq(contentions(&p, graph_channel(t.g, S2, S4)), 2);
    cr_expect_eq(all_contentions(&p), 5);
    player_destroy(&p);
    graph_destroy(t.g);
}

/* ---- Example 2
 * ------------------------------------------------------------------------------------ */

/* 8 rows and 2 columns; sources 0 to 7 at the left, nodes 8 to 15 at the right. */
static struct graph *columns(bool wraps)
{
    struct graph *g = graph_create(16, 16, &myrinet);
    for (uint32_t i = 0; i < 16; i++)
        graph_join(g, i, 16 + i);
    for (uint32_t i = 0; i < 8; i++)
        graph_join(g, 16 + i, 24 + i);
    for (uint32_t i = 0; i < (wraps ? 8 : 7); i++) {
        graph_join(g, 16 + i, 16 + (i + 1) % 8);
        graph_join(g, 24 + i, 24 + (i + 1) % 8);
    }
    graph_done(g);
    return g;
}

static uint32_t row_step(uint32_t row, uint32_t to, bool wraps)
{
    const uint32_t down = (to + 8 - row) % 8;
    const bool goes_down = wraps ? down <= 4 : to > row;
    return (row + (goes_down ? 1 : 7)) % 8;
}

static void send_row(struct table *t, uint32_t source, uint32_t node, bool wraps)
{
    uint32_t way[16] = {16 + source, 24 + source}, n = 2;
    for (uint32_t row = source; row != node; n++)
        way[n] = 24 + (row = row_step(row, node, wraps));
    way[n] = 0;
    send_by(t, source, 8 + node, way);
}

struct outcome {
    uint64_t contentions;
    htmt_time last;
    uint32_t missing;
    unsigned stuck;
};

static void nothing(void *user, const struct htmt__packet *p, uint32_t held, uint32_t wanted)
{
    (void)user, (void)p, (void)held, (void)wanted;
}

static struct outcome finish(struct table *t)
{
    struct player p;
    struct htmt__blocked_edges edges = {0};
    run(t, &p);
    cr_assert_eq(htmt__blocked_edges_find(p.f, p.place, &edges), 0);
    const struct outcome o = {all_contentions(&p), p.last, player_missing(&p),
                              htmt__fabric_stuck(p.f, &edges, nothing, NULL)};
    htmt__blocked_edges_clear(&edges);
    player_destroy(&p);
    graph_destroy(t->g);
    return o;
}

static struct outcome example_2(bool rotated, bool wraps)
{
    struct table t = {.g = columns(wraps)};
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < 8; j++)
            send_row(&t, i, rotated ? (i + j) % 8 : j, wraps);
    return finish(&t);
}

Test(hpsc, example_2_blocks_as_often_as_reckoned)
{
    struct outcome o = example_2(false, false);
    cr_expect_eq(o.contentions, 73, "%lu", o.contentions);
    cr_expect_eq(o.last, 3186 * US, "%ld", o.last / US);
    o = example_2(true, false);
    cr_expect_eq(o.contentions, 55, "%lu", o.contentions);
    cr_expect_eq(o.last, 2660 * US, "%ld", o.last / US);
}

Test(hpsc, the_wrap_of_example_2_is_a_deadlock)
{
    const struct outcome o = example_2(false, true);
    cr_expect_gt(o.missing, 0);
    cr_expect_geq(o.stuck, 2);
}

/* Four switches, each with two sources and two nodes, joined all to all. */
static struct outcome four_switches(bool rotated)
{
    struct table t = {.g = graph_create(16, 4, &myrinet)};
    for (uint32_t i = 0; i < 16; i++)
        graph_join(t.g, i, 16 + i % 8 / 2);
    for (uint32_t a = 16; a < 20; a++)
        for (uint32_t b = a + 1; b < 20; b++)
            graph_join(t.g, a, b);
    graph_done(t.g);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < 8; j++)
            send(&t, i, 8 + (rotated ? (i + j) % 8 : j));
    return finish(&t);
}

Test(hpsc, four_switches_of_eight_ports_are_faster)
{
    struct outcome o = four_switches(false);
    cr_expect_eq(o.contentions, 40, "%lu", o.contentions);
    cr_expect_eq(o.last, 2100 * US, "%ld", o.last / US);
    o = four_switches(true);
    cr_expect_eq(o.contentions, 24, "%lu", o.contentions);
    cr_expect_eq(o.last, 1172 * US, "%ld", o.last / US);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ports count agrees with what packets do, and nothing depends on which slice plays what.
 */
#include "tests/fabric/player.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NS INT64_C(1000000)

enum { PACKETS = 400 };

struct sort {
    const char *name;
    enum htmt__switching switching;
    uint32_t lanes, planes;
    uint64_t buffer;
    bool from_source;
    htmt_time route;
};

static const struct sort sorts[] = {
    {"stored", HTMT__STORE_AND_FORWARD, 1, 1, 0, false, 0},
    {"stored, with room for two", HTMT__STORE_AND_FORWARD, 1, 1, 200, false, 0},
    {"stored, two lanes", HTMT__STORE_AND_FORWARD, 2, 1, 200, false, 0},
    {"routed, four planes", HTMT__STORE_AND_FORWARD, 1, 4, 0, false, 30 * NS},
    {"cut through", HTMT__CUT_THROUGH, 1, 1, 0, false, 0},
    {"cut through, two lanes", HTMT__CUT_THROUGH, 2, 1, 100, false, 0},
    {"wormhole", HTMT__WORMHOLE, 1, 1, 30, false, 0},
    {"wormhole, two lanes", HTMT__WORMHOLE, 2, 1, 40, false, 0},
    {"from the source", HTMT__WORMHOLE, 1, 1, 0, true, 0},
};
enum { SORTS = sizeof sorts / sizeof *sorts };

static struct htmt__inside inside_of(const struct sort *s)
{
    return (struct htmt__inside){.switching = s->switching,
                                 .byte = {NS, 1},
                                 .wire = (s->from_source ? 1 : 5) * NS,
                                 .turn = (s->from_source ? 0 : 7) * NS,
                                 .control = (s->from_source ? 2 : 4) * NS,
                                 .lanes = s->lanes,
                                 .planes = s->planes,
                                 .buffer = s->buffer,
                                 .from_source = s->from_source,
                                 .route = s->route,
                                 .copy = {0, 1}};
}

/* A mesh, or a torus if there are two lanes; switches belong to slices `step` apart. */
static struct graph *network(const struct sort *s, uint32_t step)
{
    const struct htmt__inside inside = inside_of(s);
    struct graph *g = s->lanes > 1 ? graph_torus(4, 4, &inside) : graph_mesh(4, 4, &inside);
    graph_deal(g, step);
    return g;
}

static void fill(struct sent *sent)
{
    uint64_t seed = 11;
    memset(sent, 0, PACKETS * sizeof *sent);
    for (uint32_t i = 0; i < PACKETS; i++) {
        const uint32_t source = draw_below(&seed, 16);
        sent[i] = (struct sent){.source = source,
                                .target = (source + 1 + draw_below(&seed, 15)) % 16,
                                .bytes = 60 + draw_below(&seed, 41),
                                .at = draw_below(&seed, 8000) * NS};
    }
}

/* ---- Slices
 * --------------------------------------------------------------------------------------- */

static uint64_t digest(const struct sort *s, uint32_t step, bool windows, htmt_time *tail)
{
    static struct sent sent[PACKETS];
    struct player p;
    struct graph *g = network(s, step);
    fill(sent);
    player_create(&p, g, sent, PACKETS);
    if (windows)
        player_run_in_windows(&p);
    else
        player_run(&p);
    cr_expect_eq(player_missing(&p), 0, "%s: %u", s->name, player_missing(&p));
    for (uint32_t i = 0; i < PACKETS; i++)
        tail[i] = sent[i].tail;
    const uint64_t all = p.digest;
    player_destroy(&p);
    graph_destroy(g);
    return all;
}

Test(accounts, every_way_to_deal_slices_makes_the_same_hops)
{
    static htmt_time tail[PACKETS], other[PACKETS];
    for (int i = 0; i < SORTS; i++) {
        const uint64_t all = digest(&sorts[i], 0, false, tail);
        for (uint32_t step = 0; step < 6; step++) {
            cr_expect_eq(digest(&sorts[i], step, true, other), all, "%s, %u", sorts[i].name, step);
            cr_expect_arr_eq(tail, other, sizeof tail, "%s", sorts[i].name);
        }
    }
}

/* ---- Accounts
 * ------------------------------------------------------------------------------------- */

static struct htmt__port_account account(const struct player *p, uint32_t channel)
{
    struct htmt__port_account sum = {0}, a;
    const struct htmt__topology *t = &p->g->t;
    for (uint32_t plane = 0; plane < t->inside.planes; plane++) {
        const uint32_t slice = t->owner[t->wire[channel].from];
        cr_assert(htmt__fabric_account(p->f, p->place[slice], channel, plane, p->last, &a));
        sum.packets += a.packets;
        sum.bytes += a.bytes;
        sum.busy += a.busy;
        sum.blocked += a.blocked;
        sum.waiting += a.waiting;
        sum.queued += a.queued;
        sum.contentions += a.contentions;
    }
    return sum;
}

/* Into an element, less what left it. */
static int64_t inside_element(const struct player *p, uint32_t element)
{
    int64_t bytes = 0;
    for (uint32_t c = 0; c < p->g->t.channels; c++) {
        const struct htmt__wire *w = &p->g->t.wire[c];
        if (w->to == element)
            bytes += (int64_t)account(p, c).bytes;
        if (w->from == element)
            bytes -= (int64_t)account(p, c).bytes;
    }
    return bytes;
}

static void hold_accounts(const struct sort *s)
{
    static struct sent sent[PACKETS];
    struct player p;
    struct graph *g = network(s, 1);
    uint64_t came[16] = {0};
    fill(sent);
    player_create(&p, g, sent, PACKETS);
    player_run(&p);
    for (uint32_t i = 0; i < PACKETS; i++)
        came[sent[i].target] += sent[i].bytes;
    for (uint32_t e = 16; e < 32; e++)
        cr_expect_eq(inside_element(&p, e), 0, "%s: %ld bytes stay in %u", s->name,
                     inside_element(&p, e), e);
    for (uint32_t e = 0; e < 16; e++)
        cr_expect_eq(account(&p, g->t.into[e]).bytes, came[e], "%s", s->name);
    for (uint32_t c = 0; c < g->t.channels; c++) {
        const struct htmt__port_account a = account(&p, c);
        const htmt_time work = (htmt_time)a.bytes * NS;
        cr_expect(s->from_source ? a.busy >= work : a.busy == work, "%s: busy %ld of %ld", s->name,
                  a.busy, work);
        if (s->planes == 1 && s->lanes == 1)
            cr_expect_leq(a.busy + a.blocked + a.waiting, p.last);
    }
    player_destroy(&p);
    graph_destroy(g);
}

Test(accounts, words_that_enter_an_element_leave_it)
{
    for (int i = 0; i < SORTS; i++)
        hold_accounts(&sorts[i]);
}

/* Where only queues delay packets, their integral is what packets waited. */
Test(accounts, queues_hold_what_packets_wait)
{
    static struct sent sent[PACKETS];
    struct player p;
    struct graph *g = network(&sorts[0], 1);
    uint64_t queued = 0, waited = 0;
    fill(sent);
    player_create(&p, g, sent, PACKETS);
    player_run(&p);
    for (uint32_t c = 0; c < g->t.channels; c++)
        queued += (uint64_t)account(&p, c).queued;
    for (uint32_t i = 0; i < PACKETS; i++) {
        const htmt_time hop = (htmt_time)sent[i].bytes * NS + 5 * NS;
        const htmt_time alone = sent[i].hops * hop + (sent[i].hops - 1) * 7 * NS;
        waited += (uint64_t)(sent[i].tail - sent[i].at - alone);
    }
    cr_expect_gt(waited, 0);
    cr_expect_eq(queued, waited);
    player_destroy(&p);
    graph_destroy(g);
}

/* ---- Lanes
 * ---------------------------------------------------------------------------------------- */

/* By the lane of its source's number. */
static struct htmt__next by_source(const struct graph *g, uint32_t element,
                                   const struct htmt__bound *bound)
{
    const uint32_t channel = g->t.into[bound->target];
    cr_assert_eq(g->t.wire[channel].from, element);
    return (struct htmt__next){channel, bound->source};
}

Test(accounts, lanes_share_a_wire_in_equal_parts)
{
    struct sent sent[] = {{.source = 0, .target = 2, .bytes = 100},
                          {.source = 1, .target = 2, .bytes = 100, .at = 40 * NS},
                          {.source = 0, .target = 2, .bytes = 50, .at = 300 * NS}};
    const struct htmt__inside inside = {
        .switching = HTMT__STORE_AND_FORWARD, .byte = {NS, 1}, .lanes = 2, .planes = 1};
    struct graph *g = graph_star(3, &inside);
    struct player p;
    g->next = by_source;
    player_create(&p, g, sent, 3);
    player_run(&p);
    /* The first alone from 100 to 140, both until the first ends, the second alone. */
    cr_expect_eq(sent[0].tail, 260 * NS, "%ld", sent[0].tail / NS);
    cr_expect_eq(sent[1].tail, 300 * NS, "%ld", sent[1].tail / NS);
    cr_expect_eq(sent[2].tail, 400 * NS, "%ld", sent[2].tail / NS);
    const struct htmt__port_account a = account(&p, g->t.into[2]);
    cr_expect_eq(a.busy, 250 * NS);
    player_destroy(&p);
    graph_destroy(g);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/network/offered_load.h"

#include "tests/fabric/player.h"

#define CYCLE INT64_C(1000)
enum { FLITS = 4 };

static double unit(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

static uint32_t target_of(enum pattern pattern, uint32_t source, uint32_t ends, uint64_t *seed)
{
    uint32_t to;
    if (pattern == COMPLEMENT)
        return ends - 1 - source;
    if (pattern == TRANSPOSE)
        return source % 8 * 8 + source / 8;
    if (pattern == NEXT_GROUP)
        return ((source / 8 + 1) * 8 + (uint32_t)(unit(seed) * 8)) % ends;
    do
        to = (uint32_t)(unit(seed) * ends);
    while (to == source);
    return to;
}

/* The flit simulator joins groups in the order of their numbers, goes by switches of other groups,
 * and keeps to a half of the lanes round a ring. */
struct htmt__inside offered_inside(const struct network *n)
{
    struct htmt__inside in = t_inside(n->topology, n->routing, n->shape, 1);
    in.switching = n->speedup ? HTMT__WORMHOLE : HTMT__CUT_THROUGH;
    in.byte = (struct htmt_ratio){CYCLE, 1};
    in.wire = CYCLE;
    in.local_wire = 10 * CYCLE;
    in.global_wire = 100 * CYCLE;
    in.turn = 2 * CYCLE;
    in.control = 2 * CYCLE;
    in.buffer = n->buffer ? n->buffer : 16;
    in.lanes = n->lanes;
    in.dynamic = n->dynamic;
    in.bias = n->bias;
    in.ties = HTMT__TIES_HASH;
    if (!n->speedup)
        return in;
    in.per_flit = true;
    in.flit = 1;
    in.input_speedup = n->speedup;
    in.oldest = n->oldest;
    in.urgent = n->urgent;
    in.by_switch = in.by_number = n->topology == HTMT__DRAGONFLY;
    in.keep_class = n->topology == HTMT__TORUS;
    return in;
}

/* Packets in the order of their times; *senders: ends that send at all. */
static struct sent *packets_of(const struct load *l, uint32_t ends, uint32_t *count,
                               uint32_t *senders)
{
    const uint32_t cycles = l->warm + l->window;
    struct sent *sent = calloc((size_t)cycles * ends, sizeof *sent);
    uint64_t seed = 7;
    cr_assert_not_null(sent);
    *count = *senders = 0;
    for (uint32_t e = 0; e < ends; e++)
        *senders += l->pattern != TRANSPOSE || e / 8 != e % 8;
    for (uint32_t cycle = 0; cycle < cycles; cycle++)
        for (uint32_t e = 0; e < ends; e++) {
            if (unit(&seed) >= l->offered / FLITS)
                continue;
            const uint32_t target = target_of(l->pattern, e, ends, &seed);
            if (target != e)
                sent[(*count)++] = (struct sent){
                    .source = e, .target = target, .bytes = FLITS, .at = cycle * CYCLE};
        }
    return sent;
}

struct found offered_load(const struct load *l)
{
    const struct htmt__inside in = offered_inside(l->of);
    const htmt_time warm = l->warm * CYCLE, over = warm + l->window * CYCLE;
    struct htmt__topology *t = t_make(&in, NULL, htmt__topology_ends(&in));
    struct graph g = {.t = *t};
    struct found f = {.accepted = 0};
    uint32_t n, senders, counted = 0;
    struct sent *sent = packets_of(l, t->ends, &n, &senders);
    struct player p;
    player_create(&p, &g, sent, n);
    p.until = l->drains ? 0 : over;
    if (l->in_windows)
        player_run_in_windows(&p);
    else
        player_run(&p);
    f.digest = p.digest;
    f.missing = player_missing(&p);
    for (uint32_t i = 0; i < n; i++) {
        f.accepted += sent[i].tail >= warm && sent[i].tail < over;
        if (sent[i].at < warm || sent[i].tail < 0)
            continue;
        f.latency += (double)(sent[i].tail - sent[i].at) / CYCLE;
        counted++;
    }
    f.accepted = f.accepted * FLITS / l->window / senders;
    f.latency /= counted;
    player_destroy(&p);
    free(sent);
    htmt__topology_release(&t);
    return f;
}

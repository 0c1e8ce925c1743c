/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of a message that meets nobody. Its packets follow each other through one stage after
 * another: the router of an element, then the link behind it. Packet i of equal ones leaves a stage
 * (i - 1) times the longest service so far behind packet 1; the last packet may be shorter. So two
 * packets tell the time of all: the first one, and the last one behind those between.
 *
 * Example: stages of 3, 5 and 4 us, no wires, store and forward, three equal packets. Packet 1 is
 * through at 12. Behind the first stage the gap is 3 us, behind the second one 5, for packet 2
 * waits there; behind the third it stays 5. So packet 3 is through at 12 + 2 * 5 = 22.
 */
#include "layers/network/routing.h"
#include "layers/network/vortex.h"

#include <stdbool.h>

/* Where a packet is. */
struct front {
    uint64_t payload;
    htmt_time head, tail; /* at the element where it is */
    htmt_time freed;      /* the last stage, by this packet */
};

struct run {
    const struct htmt__topology *t;
    uint32_t switches, passed; /* on the path; of them behind */
    uint64_t before;           /* full packets between the first one and the last one */
    struct front first, last;
    htmt_time longest; /* service of a full packet so far */
    bool overflow;
};

static htmt_time sum(struct run *r, htmt_time a, htmt_time b)
{
    htmt_time all = -1;
    if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &all))
        r->overflow = true;
    return all;
}

static htmt_time later(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

static htmt_time charge(struct run *r, struct htmt_ratio byte, uint64_t bytes)
{
    return byte.num ? sum(r, htmt_charge_time(byte, bytes), 0) : 0;
}

/* With the header that is left, of which a switch strips its part; in whole flits, if any. */
static uint64_t bytes_of(const struct run *r, const struct front *p)
{
    const struct htmt__inside *in = &r->t->inside;
    const uint64_t bytes = p->payload + in->header + in->header_hop * (r->switches - r->passed);
    if (!in->per_flit)
        return bytes;
    return (bytes / in->flit + (bytes % in->flit != 0)) * in->flit;
}

/* When the packet before the last one leaves a stage that the first one leaves then. */
static htmt_time freed_before_last(struct run *r, htmt_time first)
{
    htmt_time gap;
    if (__builtin_mul_overflow(r->longest, r->before, &gap))
        r->overflow = true;
    return r->overflow ? 0 : sum(r, first, gap);
}

/* The router decides, and copies what comes from another one. */
static htmt_time route(struct run *r, struct front *p, bool copies, htmt_time free)
{
    const struct htmt__inside *in = &r->t->inside;
    htmt_time asked = in->switching == HTMT__STORE_AND_FORWARD ? p->tail : p->head;
    htmt_time service = in->route, turn = copies ? in->turn : 0;
    if (copies)
        service = sum(r, service, charge(r, in->copy, bytes_of(r, p)));
    p->freed = sum(r, later(sum(r, asked, turn), free), service);
    return service;
}

/* The link: the head may not leave so early that a faster channel runs dry. */
static htmt_time send(struct run *r, struct front *p, const struct htmt__wire *w, htmt_time free)
{
    htmt_time setup = r->t->inside.setup, time = charge(r, w->byte, bytes_of(r, p));
    htmt_time start = later(p->freed, free), dry = p->tail - time - setup;
    start = later(start, dry);
    p->freed = sum(r, sum(r, start, setup), time);
    p->head = sum(r, sum(r, start, setup), w->wire);
    p->tail = sum(r, p->freed, w->wire);
    return sum(r, setup, time);
}

/* All packets of a plane: `full` ones, then one of `rest` bytes. */
static htmt_time pass(const struct htmt__topology *t, uint32_t source, uint32_t target,
                      uint64_t full, uint64_t rest)
{
    struct htmt__bound b = {.source = source, .target = target, .channel = UINT32_MAX};
    struct run r = {.t = t, .switches = htmt__route_path(t, source, target, NULL, NULL, 0)};
    r.first.payload = full ? t->inside.packet : rest;
    r.last.payload = rest;
    r.before = full ? full - 1 : 0;
    for (uint32_t at = source; !r.overflow; at = htmt__wire(t, b.channel)->to, b.hops++) {
        struct htmt__next next = htmt__route_next(t, at, &b);
        if (next.channel == UINT32_MAX)
            return full ? r.last.tail : r.first.tail;
        r.passed = b.hops;
        const struct htmt__wire *w = htmt__wire(t, next.channel);
        r.longest = later(r.longest, route(&r, &r.first, b.hops > 0, 0));
        (void)route(&r, &r.last, b.hops > 0, freed_before_last(&r, r.first.freed));
        r.longest = later(r.longest, send(&r, &r.first, w, 0));
        (void)send(&r, &r.last, w, freed_before_last(&r, r.first.freed));
        b.channel = next.channel;
        b.lane = next.lane;
    }
    return -1;
}

/* Packets are dealt to the planes in turn, the first one to plane 0. */
htmt_time htmt__route_alone(const struct htmt__topology *t, uint32_t source, uint32_t target,
                            uint64_t bytes)
{
    uint64_t size = t->inside.packet ? t->inside.packet : bytes;
    uint64_t packets = bytes ? (bytes - 1) / size + 1 : 1, rest = bytes - (packets - 1) * size;
    htmt_time longest = 0;
    if (t->inside.topology == HTMT__DATA_VORTEX)
        return htmt__vortex_alone(&t->inside, source, target, packets);
    for (uint32_t plane = 0; plane < t->inside.planes && plane < packets; plane++) {
        uint64_t here = (packets - 1 - plane) / t->inside.planes + 1;
        bool has_last = (packets - 1) % t->inside.planes == plane;
        htmt_time time = pass(t, source, target, here - 1, has_last ? rest : size);
        if (time < 0)
            return -1;
        longest = later(longest, time);
    }
    return longest;
}

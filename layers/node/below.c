/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Beyond the first cache: the second one or stream buffers, the bus, DRAM.
 */
#include "layers/node/parts.h"

#include <string.h>

/* ---- what is under way ------------------------------------------------------------------------
 */

/* The processor waits for the end of the trip. Of a trip that began before, the last legs count. */
static void wait_for(struct htmt__node *n, const struct htmt__node_trip *trip)
{
    htmt_time left = trip->now - n->t;
    if (left <= 0)
        return;
    n->t = trip->now;
    for (int leg = HTMT__LEGS - 1; leg >= 0 && left > 0; leg--) {
        htmt_time part = trip->leg[leg] < left ? trip->leg[leg] : left;
        n->stall[leg] += part;
        left -= part;
    }
    n->stall[HTMT__LEG_DATA] += left;
}

static struct htmt__node_trip *earliest(struct htmt__node_slot *slot, uint32_t most, htmt_time now,
                                        uint32_t *busy)
{
    struct htmt__node_trip *first = NULL;
    *busy = 0;
    for (uint32_t i = 0; i < most; i++) {
        if (slot[i].trip.now <= now)
            continue;
        ++*busy;
        if (!first || slot[i].trip.now < first->now)
            first = &slot[i].trip;
    }
    return first;
}

/* The trip was sent. The processor goes on once fewer than `most` are under way, of which there
 * were fewer before. */
static void send(struct htmt__node *n, struct htmt__node_slot *slot, uint32_t most,
                 const struct htmt__node_trip *trip)
{
    uint32_t busy, free = 0;
    if (most <= 1) {
        wait_for(n, trip);
        return;
    }
    while (slot[free].trip.now > n->t)
        free++;
    slot[free].trip = *trip;
    const struct htmt__node_trip *first = earliest(slot, most, n->t, &busy);
    if (busy == most)
        wait_for(n, first);
}

static void drain(struct htmt__node *n, struct htmt__node_slot *slot, uint32_t most)
{
    uint32_t busy;
    const struct htmt__node_trip *first;
    while ((first = earliest(slot, most, n->t, &busy)))
        wait_for(n, first);
}

void htmt__node_drain(struct htmt__node *n)
{
    drain(n, n->miss, HTMT__NODE_OUTSTANDING_MOST);
    drain(n, n->put, HTMT__NODE_BUFFER_MOST + 1);
}

static void send_miss(struct htmt__node *n, const struct htmt__node_trip *trip)
{
    send(n, n->miss, n->figures->outstanding, trip);
}

/* ---- legs --------------------------------------------------------------------------------------
 */

static bool has_bus(const struct htmt__node *n, enum htmt__node_bus_place at)
{
    return n->figures->bus.width && n->figures->bus.at == at;
}

/* The only bus that a request for DRAM itself passes. */
static bool bus_at_dram(const struct htmt__node *n)
{
    return has_bus(n, HTMT__NODE_L2_DRAM) ||
           (has_bus(n, HTMT__NODE_L1_L2) && n->figures->l2.kind != HTMT__NODE_CACHE);
}

static void dram(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                 uint64_t bytes)
{
    bool bus = bus_at_dram(n);
    if (bus)
        htmt__memory_request(n->memory, trip);
    if (n->figures->dram.given)
        htmt__memory_dram(n->memory, address, trip);
    if (bus)
        htmt__memory_transfer(n->memory, bytes, trip);
}

/* ---- fetching ahead ----------------------------------------------------------------------------
 */

static bool into_l2(const struct htmt__node *n)
{
    return n->figures->l2.kind == HTMT__NODE_CACHE;
}

/* Behind what was sent at `now`. */
static void put_back(struct htmt__node *n, struct htmt__node_tags *tags, uint64_t old,
                     htmt_time now)
{
    struct htmt__node_trip trip = {.now = now};
    if (old == HTMT__TAG_NONE || !(old & HTMT__TAG_DIRTY))
        return;
    n->sum.write_backs++;
    dram(n, &trip, (old & ~HTMT__TAG_PENDING) >> 1 << tags->shift, UINT64_C(1) << tags->shift);
}

static void fetch_ahead(struct htmt__node *n, struct htmt__node_stream *s, htmt_time now)
{
    struct htmt__node_tags *tags = into_l2(n) ? &n->l2 : &n->data;
    struct htmt__node_trip trip = {.now = now};
    uint64_t line = s->end++;
    s->ready[line % HTMT__AHEAD_LINES] = 0;
    if (htmt__tags_have(tags, line))
        return;
    dram(n, &trip, line << tags->shift, UINT64_C(1) << tags->shift);
    s->ready[line % HTMT__AHEAD_LINES] = trip.now;
    put_back(n, tags, htmt__tags_put(tags, line, HTMT__TAG_PENDING), now);
}

/* The prefetcher sees a miss, or the first use of a line that it has fetched. */
static void follow(struct htmt__node *n, uint64_t address, htmt_time now)
{
    uint64_t line = address >> (into_l2(n) ? n->l2.shift : n->data.shift);
    if (!n->figures->prefetch_streams || htmt__ahead_find(&n->ahead, line + 1))
        return;
    struct htmt__node_stream *s = htmt__ahead_find(&n->ahead, line);
    if (!s) {
        htmt__ahead_begin(&n->ahead, line);
        return;
    }
    s->next = line + 1;
    while (s->end < s->next + n->ahead.lines)
        fetch_ahead(n, s, now);
}

void htmt__node_meet(struct htmt__node *n, uint64_t line, uint64_t *tag)
{
    struct htmt__node_trip trip = {.now = n->t};
    htmt_time ready = htmt__ahead_ready(&n->ahead, line), now = n->t;
    *tag &= ~HTMT__TAG_PENDING;
    if (ready > n->t) {
        htmt__trip_to(&trip, HTMT__LEG_DATA, ready);
        send_miss(n, &trip);
    }
    follow(n, line << n->data.shift, now);
}

/* ---- the second level --------------------------------------------------------------------------
 */

static void fill_l2(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t line)
{
    htmt_time now = trip->now;
    uint64_t bytes = UINT64_C(1) << n->l2.shift;
    uint64_t old = htmt__tags_put(&n->l2, line, 0);
    bool dirty = old != HTMT__TAG_NONE && old & HTMT__TAG_DIRTY;
    n->sum.l2_misses++;
    if (dirty && n->figures->outstanding <= 1) {
        n->sum.write_backs++;
        dram(n, trip, (old & ~HTMT__TAG_PENDING) >> 1 << n->l2.shift, bytes);
    }
    dram(n, trip, line << n->l2.shift, bytes);
    if (n->figures->outstanding > 1)
        put_back(n, &n->l2, old, now);
}

/* A line that the first cache puts back passes by a second one that does not hold it. */
static void pass_l2(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                    uint64_t bytes, bool write)
{
    uint64_t line = address >> n->l2.shift;
    uint64_t *tag = htmt__tags_find(&n->l2, line);
    htmt__trip_to(trip, HTMT__LEG_L2, trip->now + n->l2_hit);
    if (tag && *tag & HTMT__TAG_PENDING) {
        htmt_time ready = htmt__ahead_ready(&n->ahead, line);
        *tag &= ~HTMT__TAG_PENDING;
        if (ready > trip->now)
            htmt__trip_to(trip, HTMT__LEG_L2, ready);
    }
    if (tag && write && n->figures->l2.write == HTMT__NODE_BACK)
        *tag |= HTMT__TAG_DIRTY;
    else if (write && (!tag || n->figures->l2.write == HTMT__NODE_THROUGH))
        dram(n, trip, address, bytes);
    else if (!tag)
        fill_l2(n, trip, line);
}

/* Stream buffers: a line that one of them has next comes from there, and one more is asked for. */
static void pass_streams(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                         uint64_t bytes, bool write)
{
    htmt_time now = trip->now;
    uint64_t line = address >> n->data.shift;
    struct htmt__node_stream *s = write ? NULL : htmt__ahead_find(&n->ahead, line);
    if (s) {
        htmt_time ready = s->ready[line % HTMT__AHEAD_LINES];
        htmt_time there = trip->now + n->l2_hit;
        htmt__trip_to(trip, HTMT__LEG_L2, ready > there ? ready : there);
        s->next++;
    } else {
        dram(n, trip, address, bytes);
        n->sum.l2_misses += !write;
    }
    if (!s && !write)
        s = htmt__ahead_begin(&n->ahead, line);
    while (s && s->end < s->next + n->ahead.lines) {
        struct htmt__node_trip ahead = {.now = now};
        dram(n, &ahead, s->end << n->data.shift, bytes);
        s->ready[s->end++ % HTMT__AHEAD_LINES] = ahead.now;
    }
}

static void pass(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                 uint64_t bytes, bool write)
{
    bool cache = n->figures->l2.kind == HTMT__NODE_CACHE,
         bus = cache && has_bus(n, HTMT__NODE_L1_L2);
    if (bus)
        htmt__memory_request(n->memory, trip);
    if (cache)
        pass_l2(n, trip, address, bytes, write);
    else if (n->figures->l2.kind == HTMT__NODE_STREAMS)
        pass_streams(n, trip, address, bytes, write);
    else
        dram(n, trip, address, bytes);
    if (bus)
        htmt__memory_transfer(n->memory, bytes, trip);
}

/* ---- what the processor sends ------------------------------------------------------------------
 */

static void count_region(struct htmt__node *n, uint64_t address)
{
    const struct htmt__tape_region *r = n->regions;
    size_t i = n->region_last;
    if (!n->region_count)
        return;
    if (address - r[i].at >= r[i].bytes)
        for (i = 0; i < n->region_count && address - r[i].at >= r[i].bytes; i++)
            ;
    n->region_misses[i]++;
    n->region_last = i < n->region_count ? i : 0;
}

void htmt__node_count_miss(struct htmt__node *n, uint64_t address, bool code)
{
    n->sum.l1_misses += !code;
    n->sum.l1_code_misses += code;
    count_region(n, address);
}

/* With one miss at a time the old line goes first; with more it follows the new one. */
void htmt__node_fetch_line(struct htmt__node *n, uint64_t line, bool code, bool dirty)
{
    struct htmt__node_tags *tags = code && n->figures->l1.split ? &n->code : &n->data;
    uint64_t bytes = UINT64_C(1) << tags->shift, address = line << tags->shift;
    uint64_t old = htmt__tags_put(tags, line, dirty ? HTMT__TAG_DIRTY : 0);
    bool back = old != HTMT__TAG_NONE && old & HTMT__TAG_DIRTY, late = n->figures->outstanding > 1;
    uint64_t victim = (old & ~HTMT__TAG_PENDING) >> 1 << tags->shift;
    struct htmt__node_trip trip = {.now = n->t}, behind = {.now = n->t};
    htmt_time now = n->t;
    n->sum.write_backs += back;
    if (back && !late)
        pass(n, &trip, victim, bytes, true);
    pass(n, &trip, address, bytes, false);
    if (back && late)
        pass(n, &behind, victim, bytes, true);
    if (code) {
        wait_for(n, &trip);
        return;
    }
    send_miss(n, &trip);
    n->extra = trip.now - now > n->extra ? trip.now - now : n->extra;
    follow(n, address, now);
}

void htmt__node_store_through(struct htmt__node *n, uint64_t address, unsigned width)
{
    struct htmt__node_trip trip = {.now = n->t};
    pass(n, &trip, address, width, true);
    send(n, n->put, n->figures->l1.buffer + 1, &trip);
}

void htmt__node_reach(struct htmt__node *n, uint64_t address, unsigned width)
{
    struct htmt__node_trip trip = {.now = n->t};
    htmt_time now = n->t;
    htmt__node_count_miss(n, address, false);
    dram(n, &trip, address, width);
    send_miss(n, &trip);
    n->extra = trip.now - now;
}

void htmt__node_pass_bus(struct htmt__node *n, unsigned width)
{
    struct htmt__node_trip trip = {.now = n->t};
    htmt__memory_request(n->memory, &trip);
    htmt__memory_transfer(n->memory, width, &trip);
    wait_for(n, &trip);
}

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

static struct htmt__node_trip *at(struct htmt__node_flight *f, uint32_t i)
{
    return &f->trip[(f->first + i) % HTMT__NODE_FLIGHT];
}

/* What has arrived leaves. */
static inline void land(struct htmt__node_flight *f, htmt_time now)
{
    while (f->count && f->trip[f->first].now <= now) {
        f->first = (f->first + 1) % HTMT__NODE_FLIGHT;
        f->count--;
    }
}

/* The trip was sent. The processor goes on once fewer than `most` are under way, of which there
 * were fewer before. */
static inline void send(struct htmt__node *n, struct htmt__node_flight *f, uint32_t most,
                        const struct htmt__node_trip *trip)
{
    if (most <= 1) {
        wait_for(n, trip);
        return;
    }
    land(f, n->t);
    uint32_t i = f->count++;
    for (; i > 0 && at(f, i - 1)->now > trip->now; i--)
        *at(f, i) = *at(f, i - 1);
    *at(f, i) = *trip;
    if (f->count == most)
        wait_for(n, at(f, 0));
}

static void drain(struct htmt__node *n, struct htmt__node_flight *f)
{
    for (land(f, n->t); f->count; land(f, n->t))
        wait_for(n, at(f, 0));
}

void htmt__node_drain(struct htmt__node *n)
{
    drain(n, &n->misses);
    drain(n, &n->stores);
}

static void send_miss(struct htmt__node *n, const struct htmt__node_trip *trip)
{
    send(n, &n->misses, n->figures->outstanding, trip);
}

/* ---- legs --------------------------------------------------------------------------------------
 */

static inline void request(struct htmt__node *n, struct htmt__node_trip *trip)
{
    trip->now += n->late;
    htmt__memory_request(n->memory, trip);
    trip->now -= n->late;
}

static inline void transfer(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t bytes,
                            bool back)
{
    trip->now += n->late;
    htmt__memory_transfer(n->memory, bytes, back, trip);
    trip->now -= n->late;
}

static inline void dram(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                        uint64_t bytes, bool write)
{
    if (n->bus_at_dram)
        request(n, trip);
    if (n->figures->dram.given) {
        trip->now += n->late;
        bool hit = htmt__memory_dram(n->memory, address, trip);
        trip->now -= n->late;
        n->sum.page_hits += hit;
        n->sum.page_misses += !hit;
    }
    if (n->bus_at_dram)
        transfer(n, trip, bytes, write);
}

/* ---- the levels --------------------------------------------------------------------------------
 */

static void pass_level(struct htmt__node *n, struct htmt__node_trip *trip, uint32_t level,
                       uint64_t address, uint64_t bytes, bool write);

/* The dirty line that had to go: with one miss at a time before the new one, else behind it. */
static void put_back(struct htmt__node *n, struct htmt__node_trip *trip, uint32_t level,
                     const struct htmt__node_tags *tags, uint64_t old)
{
    n->sum.write_backs++;
    pass_level(n, trip, level, (old & ~HTMT__TAG_PENDING) >> 1 << tags->shift,
               UINT64_C(1) << tags->shift, true);
}

static bool is_dirty(uint64_t tag)
{
    return tag != HTMT__TAG_NONE && tag & HTMT__TAG_DIRTY;
}

/* The line into these tags, from `level` on. */
static void fill(struct htmt__node *n, struct htmt__node_trip *trip, uint32_t level,
                 struct htmt__node_tags *tags, uint64_t line, uint64_t bits)
{
    bool late = n->figures->outstanding > 1;
    struct htmt__node_trip behind = {.now = trip->now};
    uint64_t old = htmt__tags_put(tags, line, bits);
    if (is_dirty(old) && !late)
        put_back(n, trip, level, tags, old);
    pass_level(n, trip, level, line << tags->shift, UINT64_C(1) << tags->shift, false);
    if (is_dirty(old) && late)
        put_back(n, &behind, level, tags, old);
}

static void meet_level(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t *tag,
                       uint64_t line)
{
    htmt_time ready = htmt__ahead_ready(&n->ahead, line);
    *tag &= ~HTMT__TAG_PENDING;
    if (ready > trip->now)
        htmt__trip_to(trip, HTMT__LEG_L2, ready);
}

/* A line that comes back passes by a cache that does not hold it. */
static void pass_level(struct htmt__node *n, struct htmt__node_trip *trip, uint32_t level,
                       uint64_t address, uint64_t bytes, bool write)
{
    if (level == n->levels) {
        dram(n, trip, address, bytes, write);
        return;
    }
    struct htmt__node_beyond *l = &n->level[level];
    uint64_t line = address >> l->tags.shift;
    uint64_t *tag = htmt__tags_find(&l->tags, line);
    bool keep = l->figures->write == HTMT__NODE_BACK;
    htmt__trip_to(trip, HTMT__LEG_L2, trip->now + l->hit);
    if (tag && *tag & HTMT__TAG_PENDING)
        meet_level(n, trip, tag, line);
    if (tag && write && keep)
        *tag |= HTMT__TAG_DIRTY;
    if (write && (!tag || l->figures->write == HTMT__NODE_THROUGH))
        pass_level(n, trip, level + 1, address, bytes, true);
    if (tag || write)
        return;
    n->sum.l2_misses += level + 1 == n->levels;
    fill(n, trip, level + 1, &l->tags, line, 0);
}

/* ---- fetching ahead ----------------------------------------------------------------------------
 */

static struct htmt__node_tags *target(struct htmt__node *n)
{
    return n->levels ? &n->level[0].tags : &n->data;
}

static void fetch_ahead(struct htmt__node *n, struct htmt__node_stream *s, uint64_t line,
                        htmt_time now)
{
    struct htmt__node_tags *tags = target(n);
    struct htmt__node_trip trip = {.now = now};
    s->ready[line % HTMT__AHEAD_LINES] = 0;
    if (htmt__tags_have(tags, line))
        return;
    fill(n, &trip, n->levels ? 1 : 0, tags, line, HTMT__TAG_PENDING);
    s->ready[line % HTMT__AHEAD_LINES] = trip.now;
}

/* The prefetcher sees a miss, or the first use of a line that it has fetched. */
static void follow(struct htmt__node *n, uint64_t address, htmt_time now)
{
    uint64_t line = address >> target(n)->shift;
    struct htmt__node_stream *s = htmt__ahead_touch(&n->ahead, line);
    while (s && s->ahead < n->ahead.lines) {
        s->ahead++;
        fetch_ahead(n, s, s->down ? line - s->ahead : line + s->ahead, now);
    }
}

void htmt__node_meet(struct htmt__node *n, uint64_t line, uint64_t *tag)
{
    struct htmt__node_trip trip = {.now = n->t};
    htmt_time ready = htmt__ahead_ready(&n->ahead, line), now = n->t;
    *tag &= ~HTMT__TAG_PENDING;
    if (ready > n->t) {
        n->extra = ready - n->t;
        htmt__trip_to(&trip, HTMT__LEG_DATA, ready);
        send_miss(n, &trip);
    }
    if (n->figures->prefetch_streams)
        follow(n, line << n->data.shift, now);
}

/* ---- stream buffers ----------------------------------------------------------------------------
 */

/* A line that one of them has next comes from there, and one more is asked for. */
static void pass_streams(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                         uint64_t bytes, bool write)
{
    htmt_time now = trip->now;
    uint64_t line = address >> n->data.shift;
    struct htmt__node_stream *s = write ? NULL : htmt__ahead_find(&n->ahead, line);
    if (s) {
        htmt_time ready = s->ready[line % HTMT__AHEAD_LINES], there = trip->now + n->level[0].hit;
        htmt__trip_to(trip, HTMT__LEG_L2, ready > there ? ready : there);
        s->next++;
        s->ahead--;
    } else {
        dram(n, trip, address, bytes, write);
        n->sum.l2_misses += !write;
    }
    if (!s && !write)
        s = htmt__ahead_begin(&n->ahead, line);
    for (; s && s->ahead < n->ahead.lines; s->ahead++) {
        struct htmt__node_trip ahead = {.now = now};
        uint64_t more = s->next + s->ahead;
        dram(n, &ahead, more << n->data.shift, bytes, false);
        s->ready[more % HTMT__AHEAD_LINES] = ahead.now;
    }
}

static void pass_levels(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                        uint64_t bytes, bool write)
{
    if (n->bus_at_l2)
        request(n, trip);
    if (n->figures->l2.kind == HTMT__NODE_STREAMS)
        pass_streams(n, trip, address, bytes, write);
    else
        pass_level(n, trip, 0, address, bytes, write);
    if (n->bus_at_l2)
        transfer(n, trip, bytes, write);
}

static inline void pass(struct htmt__node *n, struct htmt__node_trip *trip, uint64_t address,
                        uint64_t bytes, bool write)
{
    if (n->figures->l2.kind == HTMT__NODE_NO_LEVEL)
        dram(n, trip, address, bytes, write);
    else
        pass_levels(n, trip, address, bytes, write);
}

/* ---- what the processor sends ------------------------------------------------------------------
 */

static void count_region(struct htmt__node *n, uint64_t address)
{
    const struct htmt__tape_region *r = n->regions;
    size_t i = n->region_last;
    if (!n->region_misses)
        return;
    if (i == n->region_count || address - r[i].at >= r[i].bytes)
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

/* The old line moves at the trip's time. */
static __attribute__((noinline)) void move_back(struct htmt__node *n, struct htmt__node_trip *trip,
                                                const struct htmt__node_tags *tags, uint64_t old)
{
    n->sum.write_backs++;
    pass(n, trip, (old & ~HTMT__TAG_PENDING) >> 1 << tags->shift, UINT64_C(1) << tags->shift, true);
}

/* With one miss at a time the old line goes first; with more it follows the new one. */
static inline __attribute__((always_inline)) void bring(struct htmt__node *n,
                                                        struct htmt__node_trip *trip, uint64_t line,
                                                        uint64_t old,
                                                        const struct htmt__node_tags *tags)
{
    bool late = n->figures->outstanding > 1;
    if (is_dirty(old) && !late)
        move_back(n, trip, tags, old);
    pass(n, trip, line << tags->shift, UINT64_C(1) << tags->shift, false);
    if (is_dirty(old) && late)
        move_back(n, &(struct htmt__node_trip){.now = n->t}, tags, old);
}

void htmt__node_replace(struct htmt__node *n, uint64_t line, uint64_t old)
{
    htmt_time now = n->t;
    struct htmt__node_trip trip = {.now = now};
    bring(n, &trip, line, old, &n->data);
    send_miss(n, &trip);
    n->extra = trip.now - now > n->extra ? trip.now - now : n->extra;
    if (n->figures->prefetch_streams)
        follow(n, line << n->data.shift, now);
}

void htmt__node_fetch_line(struct htmt__node *n, uint64_t line, bool code, bool dirty)
{
    struct htmt__node_tags *tags = code && n->figures->l1.split ? &n->code : &n->data;
    uint64_t old = htmt__tags_put(tags, line, dirty ? HTMT__TAG_DIRTY : 0);
    struct htmt__node_trip trip = {.now = n->t};
    if (!code) {
        htmt__node_replace(n, line, old);
        return;
    }
    bring(n, &trip, line, old, tags);
    wait_for(n, &trip);
}

void htmt__node_store_through(struct htmt__node *n, uint64_t address, unsigned width)
{
    struct htmt__node_trip trip = {.now = n->t};
    pass(n, &trip, address, width, true);
    send(n, &n->stores, n->figures->l1.buffer + 1, &trip);
}

void htmt__node_reach(struct htmt__node *n, uint64_t address, unsigned width, bool write)
{
    struct htmt__node_trip trip = {.now = n->t};
    htmt_time now = n->t;
    htmt__node_count_miss(n, address, false);
    dram(n, &trip, address, width, write);
    send_miss(n, &trip);
    n->extra = trip.now - now;
}

void htmt__node_fetch_code(struct htmt__node *n, uint64_t address, uint64_t bytes)
{
    if (n->bus_first)
        htmt__node_pass_bus(n, bytes);
    struct htmt__node_trip trip = {.now = n->t};
    dram(n, &trip, address, bytes, false);
    wait_for(n, &trip);
}

void htmt__node_pass_bus(struct htmt__node *n, uint64_t bytes)
{
    struct htmt__node_trip trip = {.now = n->t};
    request(n, &trip);
    transfer(n, &trip, bytes, false);
    wait_for(n, &trip);
}

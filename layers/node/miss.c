/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Beyond the first cache: the second and third one or stream buffers, the bus, DRAM.
 *
 * A miss is played when it is sent, to its end: the request goes from level to level, each of which
 * says when it can take it, and its path notes what each leg took. So the time at which the line
 * will be there is known at once, before anything later was played. That is right because
 * levels, bus and banks serve in the order of requests: a later request cannot change an earlier
 * one.
 *
 * The processor does not wait for that time. A miss under way stands in a ring, the earliest end
 * first. Up to `outstanding` misses are under way; the one that fills the ring makes the processor
 * wait for the earliest to end. Stores of a cache that writes through stand in a ring of their own,
 * of the write buffer's size. What is waited for is shared out to the legs from the end: a miss
 * that began before the wait has its first legs behind it. By hand, outstanding 2, each miss 60 ns,
 * sent at 0, 10 and 20 ns: the second one fills the ring, so that the processor waits from 10 to
 * 60 ns and sends the third one at 70 ns; without overlap the three would take 180 ns and more.
 *
 * A dirty line that has to go is written back before the new one is asked for if there is only one
 * miss at a time (the line needs the place), and behind it if there are more (a buffer holds it).
 *
 * A line that was fetched ahead has a tag at once, with HTMT__TAG_PENDING, since it takes a place
 * in its set from then on. The first access that asks for it waits for its arrival and removes the
 * mark; this use also tells the prefetcher to go on.
 *
 * A prefetcher has a few streams, each of which follows a row of lines. A miss that is no stream's
 * next line begins a new one in the place of the one that was used least recently. The next miss
 * tells its direction: behind line 7, line 8 makes it go up and line 6 down; then it asks for
 * `lines` lines beyond, and one more at each use, so that it stays that far ahead. Stream buffers
 * go up alone, and hold the lines themselves.
 *
 * A level may have banks, of lines that have the same last bits in their numbers. A bank gives a
 * line every `bank-every`, all of them one every `every`. By hand, two banks of 12 cycles, `every`
 * 6: lines side by side take 6 cycles each, lines two apart, all even, 12. Lines at random take
 * more than 6, since at times several in a row are of one bank, while few can wait.
 */
#include "layers/node/parts.h"

#include "runtime/base/error.h"

#include <stdlib.h>

#define NO_LINE UINT64_MAX

/* It comes to `until`, and all the time since now was spent on this leg. */
static inline void htmt__miss_path_to(struct htmt__miss_path *path, enum htmt__miss_leg leg,
                                      htmt_time until)
{
    path->leg[leg] += until - path->now;
    path->now = until;
}

/* ---- bus and DRAM ---------------------------------------------------------------------------- */

/* 0 where nothing is given. */
static uint32_t shift_of(uint64_t power)
{
    return power ? (uint32_t)__builtin_ctzll(power) : 0;
}

int htmt__memory_new(struct htmt__node_memory **memory, const struct htmt__node_figures *f,
                     uint64_t scale)
{
    struct htmt__node_memory *m = calloc(1, sizeof *m);
    if (!m)
        return HTMT_ENOMEM;
    m->figures = f;
    m->cycle = htmt__ticks(f->bus.cycle, 1, scale);
    m->arbitration = htmt__ticks(f->bus.arbitration, 1, scale);
    m->hit = htmt__ticks(f->dram.hit, 1, scale);
    m->miss = htmt__ticks(f->dram.miss, 1, scale);
    m->latency = htmt__ticks(f->dram.latency, 1, scale);
    m->refresh = htmt__ticks(f->dram.refresh, 1, scale);
    m->busy = htmt__ticks(f->dram.busy, 1, scale);
    m->width_shift = shift_of(f->bus.width);
    m->page_shift = shift_of(f->dram.page);
    m->inside_shift = f->dram.interleave ? shift_of(f->dram.interleave) : m->page_shift;
    m->banks_shift = shift_of(f->dram.banks);
    m->bank_mask = f->dram.banks ? f->dram.banks - 1 : 0;
    m->closed = f->dram.closed;
    m->duplex = f->bus.duplex;
    m->width_rest = f->bus.width ? f->bus.width - 1 : 0;
    htmt__memory_start(m);
    *memory = m;
    return 0;
}

void htmt__memory_free(struct htmt__node_memory *m)
{
    free(m);
}

static void close_pages(struct htmt__node_memory *m)
{
    for (uint32_t i = 0; i < m->figures->dram.banks; i++)
        m->bank[i].page = UINT64_MAX;
}

void htmt__memory_start(struct htmt__node_memory *m)
{
    close_pages(m);
    for (uint32_t i = 0; i < m->figures->dram.banks; i++)
        m->bank[i].free = 0;
    m->request_free = m->data_free = m->back_free = 0;
    m->refresh_from = m->refresh_end = -1;
    m->refresh_next = m->refresh ? m->refresh : HTMT_TIME_MAX;
    m->refreshes = 0;
}

/* Refreshes have no events: the first access behind one finds that it has begun. Of several that
 * passed since the last access only the latest can make it wait; all of them are counted, and
 * closed all pages. */
static __attribute__((noinline)) void refresh(struct htmt__node_memory *m,
                                              struct htmt__miss_path *path)
{
    if (path->now >= m->refresh_next) {
        htmt_time more = (path->now - m->refresh_next) / m->refresh;
        m->refreshes += (uint64_t)more + 1;
        m->refresh_from = m->refresh_next + more * m->refresh;
        m->refresh_end = m->refresh_from + m->busy;
        m->refresh_next = m->refresh_from + m->refresh;
        close_pages(m);
    }
    if (path->now >= m->refresh_from && path->now < m->refresh_end)
        htmt__miss_path_to(path, HTMT__MISS_REFRESH, m->refresh_end);
}

/* Returns whether the page was open. Pages are those of a bank: of the address without the bits
 * that name the bank. A request waits for its bank and for a refresh; then the bank is busy for a
 * hit or a miss of the page, and the line leaves it after the latency, in which the bank is free
 * again. */
static inline bool memory_dram(struct htmt__node_memory *m, uint64_t address,
                               struct htmt__miss_path *path)
{
    const uint64_t low = address & ((UINT64_C(1) << m->inside_shift) - 1);
    const uint64_t high = address >> (m->inside_shift + m->banks_shift);
    const uint64_t page = (high << m->inside_shift | low) >> m->page_shift;
    struct htmt__node_bank *bank = &m->bank[address >> m->inside_shift & m->bank_mask];
    if (bank->free > path->now)
        htmt__miss_path_to(path, HTMT__MISS_PAGES, bank->free);
    if (path->now >= m->refresh_next || path->now < m->refresh_end)
        refresh(m, path);
    bool hit = bank->page == page;
    bank->page = m->closed ? UINT64_MAX : page;
    bank->free = path->now + (hit ? m->hit : m->miss);
    htmt__miss_path_to(path, HTMT__MISS_PAGES, bank->free + m->latency);
    return hit;
}

/* ---- streams --------------------------------------------------------------------------------- */

void htmt__prefetch_start(struct htmt__prefetch *a, uint32_t streams, uint32_t lines)
{
    a->streams = streams;
    a->lines = lines;
    a->uses = 0;
    for (uint32_t i = 0; i < streams; i++)
        a->stream[i] = (struct htmt__prefetch_stream){.next = NO_LINE};
}

/* The stream whose next line this is; NULL: none. It counts as used. */
static struct htmt__prefetch_stream *stream_find(struct htmt__prefetch *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->streams; i++)
        if (a->stream[i].next == line) {
            a->stream[i].used = ++a->uses;
            return &a->stream[i];
        }
    return NULL;
}

/* The stream that was not used for longest begins anew behind this line. */
static struct htmt__prefetch_stream *stream_begin(struct htmt__prefetch *a, uint64_t line)
{
    struct htmt__prefetch_stream *oldest = &a->stream[0];
    for (uint32_t i = 1; i < a->streams; i++)
        if (a->stream[i].used < oldest->used)
            oldest = &a->stream[i];
    *oldest = (struct htmt__prefetch_stream){.next = line + 1, .used = ++a->uses, .both = true};
    return oldest;
}

/* A prefetcher's: the stream that this line continues, or NULL: a new one began there, or the line
 * was the last one of its stream too. */
static struct htmt__prefetch_stream *stream_touch(struct htmt__prefetch *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->streams; i++) {
        struct htmt__prefetch_stream *s = &a->stream[i];
        const uint64_t last = s->down ? s->next + 1 : s->next - 1;
        const bool turns = s->both && line + 1 == last; /* it turns out to go downward */
        if (s->next == NO_LINE || (line != s->next && line != last && !turns))
            continue;
        s->used = ++a->uses;
        if (line == last && line != s->next)
            return NULL;
        s->ahead -= s->ahead > 0;
        s->down = s->down || (turns && line != s->next);
        s->both = false;
        s->next = s->down ? line - 1 : line + 1;
        return s;
    }
    stream_begin(a, line);
    return NULL;
}

/* When a line is there that was asked for ahead; 0: long ago. */
static htmt_time stream_ready(const struct htmt__prefetch *a, uint64_t line)
{
    htmt_time ready = 0;
    for (uint32_t i = 0; i < a->streams; i++) {
        const struct htmt__prefetch_stream *s = &a->stream[i];
        const uint64_t far = s->down ? s->next - line : line - s->next;
        if (s->next != NO_LINE && far < s->ahead && s->ready[line % HTMT__PREFETCH_LINES] > ready)
            ready = s->ready[line % HTMT__PREFETCH_LINES];
    }
    return ready;
}

/* ---- what is under way ----------------------------------------------------------------------- */

/* The processor waits until the end of the path. Where that began before, its last legs count. */
static void wait_for(struct htmt__node *n, const struct htmt__miss_path *path)
{
    htmt_time left = path->now - n->t;
    if (left <= 0)
        return;
    n->t = path->now;
    for (int leg = HTMT__MISS_LEGS - 1; leg >= 0 && left > 0; leg--) {
        htmt_time part = path->leg[leg] < left ? path->leg[leg] : left;
        n->stall[leg] += part;
        left -= part;
    }
    n->stall[HTMT__MISS_DATA] += left;
}

static struct htmt__miss_path *at(struct htmt__node_flight *f, uint32_t i)
{
    return &f->path[(f->first + i) % HTMT__NODE_FLIGHT];
}

/* What has arrived leaves. */
static inline void land(struct htmt__node_flight *f, htmt_time now)
{
    while (f->count && f->path[f->first].now <= now) {
        f->first = (f->first + 1) % HTMT__NODE_FLIGHT;
        f->count--;
    }
}

/* A window sends misses when it may, and shares out what they make late (window.c). The service
 * ends no sooner than the last of them. */
static void keep_last(struct htmt__node *n, struct htmt__node_flight *f,
                      const struct htmt__miss_path *path)
{
    for (int leg = 0; leg < HTMT__MISS_LEGS; leg++)
        n->stall[leg] += path->leg[leg];
    if (!f->count || path->now > at(f, 0)->now)
        *at(f, 0) = *path;
    f->count = 1;
}

/* The request was sent. The processor goes on once fewer than `most` are under way, of which there
 * were fewer before. */
static inline void send(struct htmt__node *n, struct htmt__node_flight *f, uint32_t most,
                        const struct htmt__miss_path *path)
{
    if (n->windowed && f == &n->misses) {
        keep_last(n, f, path);
        return;
    }
    if (most <= 1) {
        wait_for(n, path);
        return;
    }
    land(f, n->t);
    uint32_t i = f->count++;
    for (; i > 0 && at(f, i - 1)->now > path->now; i--)
        *at(f, i) = *at(f, i - 1);
    *at(f, i) = *path;
    if (f->count == most)
        wait_for(n, at(f, 0));
}

void htmt__node_drain(struct htmt__node *n)
{
    struct htmt__node_flight *const all[] = {&n->misses, &n->stores};
    for (int i = 0; i < 2; i++)
        for (land(all[i], n->t); all[i]->count; land(all[i], n->t))
            wait_for(n, at(all[i], 0));
}

static void send_miss(struct htmt__node *n, const struct htmt__miss_path *path)
{
    send(n, &n->misses, n->figures->outstanding, path);
}

/* ---- legs --------------------------------------------------------------------------------------
 * Bus and DRAM may belong to several processors and have the time of the slice; a tape that stood
 * still is `late` behind it. */

/* The request on the bus, which is arbitrated one at a time. */
static inline void request(struct htmt__node *n, struct htmt__miss_path *path)
{
    struct htmt__node_memory *m = n->memory;
    path->now += n->late;
    htmt_time start = m->request_free > path->now ? m->request_free : path->now;
    m->request_free = start + m->arbitration;
    htmt__miss_path_to(path, HTMT__MISS_REQUEST, m->request_free);
    path->now -= n->late;
}

/* `back`: away from the processor. */
static inline void transfer(struct htmt__node *n, struct htmt__miss_path *path, uint64_t bytes,
                            bool back)
{
    struct htmt__node_memory *m = n->memory;
    htmt_time *free = back && m->duplex ? &m->back_free : &m->data_free;
    uint64_t cycles = (bytes + m->width_rest) >> m->width_shift;
    path->now += n->late;
    htmt_time start = *free > path->now ? *free : path->now;
    *free = start + (htmt_time)cycles * m->cycle;
    htmt__miss_path_to(path, HTMT__MISS_DATA, *free);
    path->now -= n->late;
}

static inline void dram(struct htmt__node *n, struct htmt__miss_path *path, uint64_t address,
                        uint64_t bytes, bool write)
{
    if (n->bus_at_dram)
        request(n, path);
    if (n->figures->dram.given) {
        path->now += n->late;
        bool hit = memory_dram(n->memory, address, path);
        path->now -= n->late;
        n->sum.page_hits += hit;
        n->sum.page_misses += !hit;
    }
    if (n->bus_at_dram)
        transfer(n, path, bytes, write);
}

/* ---- the levels ------------------------------------------------------------------------------ */

static void pass_level(struct htmt__node *n, struct htmt__miss_path *path, uint32_t level,
                       uint64_t address, uint64_t bytes, bool write);

/* The dirty line that had to go: with one miss at a time before the new one, else behind it. */
static void put_back(struct htmt__node *n, struct htmt__miss_path *path, uint32_t level,
                     const struct htmt__node_tags *tags, uint64_t old)
{
    n->sum.write_backs++;
    pass_level(n, path, level, (old & ~HTMT__TAG_PENDING) >> 1 << tags->shift,
               UINT64_C(1) << tags->shift, true);
}

static bool is_dirty(uint64_t tag)
{
    return tag != HTMT__TAG_NONE && tag & HTMT__TAG_DIRTY;
}

/* The line comes from `level` on, in whose place `old` was. */
static void fill(struct htmt__node *n, struct htmt__miss_path *path, uint32_t level,
                 struct htmt__node_tags *tags, uint64_t line, uint64_t old)
{
    bool late = n->figures->outstanding > 1;
    struct htmt__miss_path behind = {.now = path->now};
    if (is_dirty(old) && !late)
        put_back(n, path, level, tags, old);
    pass_level(n, path, level, line << tags->shift, UINT64_C(1) << tags->shift, false);
    if (is_dirty(old) && late)
        put_back(n, &behind, level, tags, old);
}

/* Parts of slots are summed up. */
static void hold(struct htmt__port *s, htmt_time from, htmt_time time)
{
    for (s->owed += time; s->owed >= s->every; s->owed -= s->every)
        htmt__port_take(s, from);
}

/* Lines leave a level in slots, the last part of its latency: `every` where they are asked for
 * faster. By hand, hit 10, every 3, asked for at 0, 0 and 1: there at 10, 12 (slot 3 from 9 on) and
 * 15. A dirty line that comes takes as many slots as `back` holds, of its bank, too. */
static inline void pass_port(struct htmt__node_level_state *l, struct htmt__miss_path *path,
                             uint64_t line, bool write)
{
    struct htmt__port *bank = l->bank ? &l->bank[line & (l->figures->banks - 1)] : NULL;
    if (write) {
        hold(&l->port, path->now, l->back);
        if (bank)
            hold(bank, path->now, l->back);
        return;
    }
    const htmt_time last = path->now > l->port.every ? path->now - l->port.every : 0;
    htmt_time start = htmt__port_take(&l->port, last);
    start = bank ? htmt__port_take(bank, start) : start;
    htmt__miss_path_to(path, HTMT__MISS_L2, start + l->port.every);
}

/* What keeps lines of the last cache apart are the lines that a core can have on their way, and
 * those of memory are among them. So a line of memory takes slots as long as the bus has it: of
 * lines in turns from both each takes its own time, not all together the longer of the two. */
static void share_port(struct htmt__node *n, struct htmt__node_level_state *l, htmt_time from,
                       uint64_t bytes)
{
    const struct htmt__node_memory *m = n->memory;
    if (l->ported && n->bus_at_dram)
        hold(&l->port, from, (htmt_time)((bytes + m->width_rest) >> m->width_shift) * m->cycle);
}

/* A line that comes back passes by a cache that does not hold it; what a level that writes through
 * gets, goes on in any case. */
static void pass_level(struct htmt__node *n, struct htmt__miss_path *path, uint32_t level,
                       uint64_t address, uint64_t bytes, bool write)
{
    if (level == n->levels) {
        dram(n, path, address, bytes, write);
        return;
    }
    struct htmt__node_level_state *l = &n->level[level];
    uint64_t line = address >> l->tags.shift;
    uint64_t *tag = htmt__tags_find(&l->tags, line);
    bool keep = l->figures->write == HTMT__NODE_BACK;
    htmt__miss_path_to(path, HTMT__MISS_L2, path->now + l->hit);
    path->behind = l->behind;
    if (l->ported && (tag || write))
        pass_port(l, path, line, write);
    if (tag && *tag & HTMT__TAG_PENDING) {
        htmt_time ready = stream_ready(&n->ahead, line);
        *tag &= ~HTMT__TAG_PENDING;
        if (ready > path->now)
            htmt__miss_path_to(path, HTMT__MISS_L2, ready);
    }
    if (tag && write && keep)
        *tag |= HTMT__TAG_DIRTY;
    if (write && (!tag || l->figures->write == HTMT__NODE_THROUGH))
        pass_level(n, path, level + 1, address, bytes, true);
    if (tag || write)
        return;
    n->sum.l2_misses += level + 1 == n->levels;
    if (level + 1 == n->levels)
        share_port(n, l, path->now, bytes);
    fill(n, path, level + 1, &l->tags, line, htmt__tags_put(&l->tags, line, 0));
}

/* ---- prefetching ----------------------------------------------------------------------------- */

/* The prefetcher sees a miss, or the first use of a line that it has fetched. It brings the lines
 * that follow into the second cache, or into the first one where there is no second. */
static void follow(struct htmt__node *n, uint64_t address, htmt_time now)
{
    struct htmt__node_tags *tags = n->levels ? &n->level[0].tags : &n->data;
    uint64_t line = address >> tags->shift;
    struct htmt__prefetch_stream *s = stream_touch(&n->ahead, line);
    while (s && s->ahead < n->ahead.lines) {
        struct htmt__miss_path path = {.now = now};
        s->ahead++;
        uint64_t more = s->down ? line - s->ahead : line + s->ahead;
        s->ready[more % HTMT__PREFETCH_LINES] = 0;
        if (htmt__tags_have(tags, more))
            continue;
        fill(n, &path, n->levels ? 1 : 0, tags, more,
             htmt__tags_put(tags, more, HTMT__TAG_PENDING));
        s->ready[more % HTMT__PREFETCH_LINES] = path.now;
    }
}

void htmt__node_meet(struct htmt__node *n, uint64_t line, uint64_t *tag)
{
    struct htmt__miss_path path = {.now = n->t};
    htmt_time ready = stream_ready(&n->ahead, line), now = n->t;
    *tag &= ~HTMT__TAG_PENDING;
    if (ready > n->t) {
        n->extra = ready - n->t;
        htmt__miss_path_to(&path, HTMT__MISS_DATA, ready);
        send_miss(n, &path);
    }
    if (n->figures->prefetch_streams)
        follow(n, line << n->data.shift, now);
}

/* Stream buffers in the second cache's place. A line that one of them has next comes from there,
 * and one more is asked for; a line that none has begins a new one. Lines that go back pass by. */
static void pass_streams(struct htmt__node *n, struct htmt__miss_path *path, uint64_t address,
                         uint64_t bytes, bool write)
{
    htmt_time now = path->now;
    uint64_t line = address >> n->data.shift;
    struct htmt__prefetch_stream *s = write ? NULL : stream_find(&n->ahead, line);
    if (s) {
        htmt_time ready = s->ready[line % HTMT__PREFETCH_LINES],
                  there = path->now + n->level[0].hit;
        htmt__miss_path_to(path, HTMT__MISS_L2, ready > there ? ready : there);
        s->next++;
        s->ahead--;
    } else {
        dram(n, path, address, bytes, write);
        n->sum.l2_misses += !write;
    }
    if (!s && !write)
        s = stream_begin(&n->ahead, line);
    for (; s && s->ahead < n->ahead.lines; s->ahead++) {
        struct htmt__miss_path ahead = {.now = now};
        uint64_t more = s->next + s->ahead;
        dram(n, &ahead, more << n->data.shift, bytes, false);
        s->ready[more % HTMT__PREFETCH_LINES] = ahead.now;
    }
}

static void pass(struct htmt__node *n, struct htmt__miss_path *path, uint64_t address,
                 uint64_t bytes, bool write)
{
    if (n->figures->l2.kind == HTMT__NODE_NO_LEVEL) {
        dram(n, path, address, bytes, write);
        return;
    }
    if (n->bus_at_l2)
        request(n, path);
    if (n->figures->l2.kind == HTMT__NODE_STREAMS)
        pass_streams(n, path, address, bytes, write);
    else
        pass_level(n, path, 0, address, bytes, write);
    if (n->bus_at_l2)
        transfer(n, path, bytes, write);
}

/* ---- what the processor sends ---------------------------------------------------------------- */

void htmt__node_count_miss(struct htmt__node *n, uint64_t address, bool code)
{
    const struct htmt__tape_region *r = n->regions;
    size_t i = n->region_last; /* most misses are where the last one was */
    n->sum.l1_misses += !code;
    n->sum.l1_code_misses += code;
    if (!n->region_misses)
        return;
    if (i == n->region_count || address - r[i].at >= r[i].bytes)
        for (i = 0; i < n->region_count && address - r[i].at >= r[i].bytes; i++)
            ;
    n->region_misses[i]++;
    n->region_last = i < n->region_count ? i : 0;
}

/* The old line moves when the path has come to. */
static __attribute__((noinline)) void move_back(struct htmt__node *n, struct htmt__miss_path *path,
                                                const struct htmt__node_tags *tags, uint64_t old)
{
    n->sum.write_backs++;
    n->spilled++;
    pass(n, path, (old & ~HTMT__TAG_PENDING) >> 1 << tags->shift, UINT64_C(1) << tags->shift, true);
}

/* With one miss at a time the old line goes first; with more it follows the new one. */
static inline __attribute__((always_inline)) void bring(struct htmt__node *n,
                                                        struct htmt__miss_path *path, uint64_t line,
                                                        uint64_t old,
                                                        const struct htmt__node_tags *tags)
{
    bool late = n->figures->outstanding > 1;
    if (is_dirty(old) && !late)
        move_back(n, path, tags, old);
    pass(n, path, line << tags->shift, UINT64_C(1) << tags->shift, false);
    if (is_dirty(old) && late)
        move_back(n, &(struct htmt__miss_path){.now = n->t}, tags, old);
}

void htmt__node_replace(struct htmt__node *n, uint64_t line, uint64_t old)
{
    htmt_time now = n->t;
    struct htmt__miss_path path = {.now = now};
    bring(n, &path, line, old, &n->data);
    send_miss(n, &path);
    n->extra = path.now - now > n->extra ? path.now - now : n->extra;
    n->behind = path.behind;
    if (n->figures->prefetch_streams)
        follow(n, line << n->data.shift, now);
}

void htmt__node_fetch_line(struct htmt__node *n, uint64_t line, bool code, bool dirty)
{
    struct htmt__node_tags *tags = code && n->figures->l1.split ? &n->code : &n->data;
    uint64_t old = htmt__tags_put(tags, line, dirty ? HTMT__TAG_DIRTY : 0);
    struct htmt__miss_path path = {.now = n->t};
    if (!code) {
        htmt__node_replace(n, line, old);
        return;
    }
    bring(n, &path, line, old, tags);
    wait_for(n, &path);
}

htmt_time htmt__node_read_table(struct htmt__node *n, uint64_t address, htmt_time when)
{
    struct htmt__miss_path path = {.now = when};
    if (!n->levels || n->figures->shared)
        return when;
    pass_level(n, &path, 0, address, sizeof(uint64_t), false);
    return path.now - n->level[0].hit;
}

void htmt__node_store_through(struct htmt__node *n, uint64_t address, unsigned width)
{
    struct htmt__miss_path path = {.now = n->t};
    pass(n, &path, address, width, true);
    send(n, &n->stores, n->figures->l1.buffer + 1, &path);
}

void htmt__node_reach(struct htmt__node *n, uint64_t address, unsigned width, bool write)
{
    struct htmt__miss_path path = {.now = n->t};
    htmt_time now = n->t;
    htmt__node_count_miss(n, address, false);
    dram(n, &path, address, width, write);
    send_miss(n, &path);
    n->extra = path.now - now;
}

void htmt__node_fetch_code(struct htmt__node *n, uint64_t address, uint64_t bytes)
{
    if (n->bus_first)
        htmt__node_pass_bus(n, bytes);
    struct htmt__miss_path path = {.now = n->t};
    dram(n, &path, address, bytes, false);
    wait_for(n, &path);
}

void htmt__node_pass_bus(struct htmt__node *n, uint64_t bytes)
{
    struct htmt__miss_path path = {.now = n->t};
    request(n, &path);
    transfer(n, &path, bytes, false);
    wait_for(n, &path);
}

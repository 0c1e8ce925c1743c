/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pending event set, its slower parts.
 *
 * A pop must find the earliest of n events. A heap does it in O(log n) with a cache miss or two a
 * level. A calendar does it in O(1): time is cut into days of equal width, an event is put on the
 * list of its day, unsorted, and only today's list is sorted. That is fast as long as a day holds a
 * few events, whatever the number of days. Three things go wrong with a plain calendar, and each
 * has its answer here:
 *
 *   - The density changes, and days are too long or too short. The window of days is laid anew
 *     when it is used up, and when today is crowded (more than DAY_CROWDED events that are no ties)
 *     although as many events have passed as are pending: such a pass over n events is paid by n
 *     pops.
 *   - Some events are far in the future. They stand in an array, `far`, until a window reaches
 *     them, so that few far events cost no empty days.
 *   - Events are pushed into today, which is sorted already. Near the front of the run they are
 *     inserted; else they go to a heap beside the run, and a pop takes the lesser of both firsts.
 *
 * The order of pops is that of (time, key) whatever the days are: all that is due until
 * `today_last` is in run or heap, and all else is later. So width and number of days, which come
 * from a sample, change speed alone, never a result.
 *
 * By hand, days of 10 fs from base 100: pushes at 103, 125, 101, 400 give day 0 {103, 101}, day 2
 * {125}, far {400}. The first pop sorts day 0 into the run 101, 103; a push at 102 is inserted
 * between them. When the run is empty, day 2 becomes today, and then a window is laid over {400}.
 *
 * Chunks of a day's list have two cache lines; the next busy day's first chunk is prefetched while
 * today is sorted.
 */
#include "runtime/sim/pending.h"

#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST  256
#define ROOM_MOST   ((size_t)1 << 31) /* chunk numbers have 29 bits */
#define DAYS_LEAST  64
#define DAY_EVENTS  8   /* wanted on a day */
#define DAY_CROWDED 128 /* with more the days are too wide */
#define NEAR        16  /* places of the run into which an event is inserted */
#define HEAP_MOST   8   /* beside the run; above, a calendar is faster */
#define FEW         16  /* below, a run is faster; apart, so that one event does not flip it */
#define INSERTION   16  /* longest array sorted by insertion */
#define SAMPLE      16

static bool before(struct htmt__event a, struct htmt__event b)
{
    return htmt__event_before(a, b);
}

/* ---- today ----------------------------------------------------------------------------------- */

/* The last of the heap, of four children to a parent, sinks from the top to its place. */
struct htmt__event htmt__pending_pop_heap(struct htmt__pending *p)
{
    struct htmt__event *heap = p->heap, first = heap[0];
    const size_t count = --p->heap_count;
    if (!count)
        return first;
    const struct htmt__event e = heap[count];
    size_t i = 0;
    for (size_t child; (child = 4 * i + 1) < count; i = child) {
        size_t end = child + 4 < count ? child + 4 : count;
        for (size_t other = child + 1; other < end; other++)
            child = before(heap[other], heap[child]) ? other : child;
        if (!before(heap[child], e))
            break;
        heap[i] = heap[child];
    }
    heap[i] = e;
    return first;
}

/* There is room before the run for as many events as are not in it: the earlier ones move there. */
void htmt__pending_push_today(struct htmt__pending *p, struct htmt__event e)
{
    p->since++;
    if (p->run_end - p->run <= NEAR || before(e, p->run[NEAR])) {
        struct htmt__event *at = p->run--;
        for (; at != p->run_end && before(*at, e); at++)
            at[-1] = *at;
        at[-1] = e;
        return;
    }
    size_t i = p->heap_count++;
    for (size_t parent; i && before(e, p->heap[parent = (i - 1) / 4]); i = parent)
        p->heap[i] = p->heap[parent];
    p->heap[i] = e;
    if (p->heap_count > HEAP_MOST && p->since >= p->count)
        htmt__pending_lay_window(p);
}

/* ---- sorting a day --------------------------------------------------------------------------- */

static void sort_by_insertion(struct htmt__event *at, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct htmt__event e = at[i];
        size_t j = i;
        for (; j && before(e, at[j - 1]); j--)
            at[j] = at[j - 1];
        at[j] = e;
    }
}

/* Two sorted neighbours, [a, b) and [b, end). */
static void merge(const struct htmt__event *a, const struct htmt__event *b,
                  const struct htmt__event *end, struct htmt__event *out)
{
    const struct htmt__event *mid = b;
    if (b == end || !before(*b, b[-1])) {
        memcpy(out, a, (size_t)(end - a) * sizeof *a);
        return;
    }
    while (a != mid && b != end) {
        bool second = before(*b, *a);
        *out++ = second ? *b : *a;
        b += second;
        a += !second;
    }
    memcpy(out, a, (size_t)(mid - a) * sizeof *a);
    memcpy(out + (mid - a), b, (size_t)(end - b) * sizeof *b);
}

/* Short days by insertion, long ones by merging runs of insertion. The heap has room for all
 * events, so behind those in it there is room for these. */
static void sort(const struct htmt__pending *p, struct htmt__event *at, size_t count)
{
    struct htmt__event *from = at, *to = p->heap + p->heap_count, *swap;
    if (count <= 2 * INSERTION) {
        sort_by_insertion(at, count);
        return;
    }
    size_t sorted = 1;
    while (sorted < count && !before(at[sorted], at[sorted - 1]))
        sorted++;
    if (sorted == count)
        return;
    for (size_t i = 0; i < count; i += INSERTION)
        sort_by_insertion(at + i, count - i < INSERTION ? count - i : INSERTION);
    for (size_t width = INSERTION; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t mid = i + width < count ? i + width : count;
            size_t end = mid + width < count ? mid + width : count;
            merge(from + i, from + mid, from + end, to + i);
        }
        swap = from, from = to, to = swap;
    }
    if (from != at)
        memcpy(at, from, count * sizeof *at);
}

/* ---- days ------------------------------------------------------------------------------------ */

/* Empties the day's list into the places before `end`, in the order in which events came; returns
 * the first of them. */
static struct htmt__event *take_day(struct htmt__pending *p, size_t day, struct htmt__event *end)
{
    uint32_t next, c = p->day[day] >> 3;
    size_t count = p->day[day] & 7;
    for (; c; c = next, count = HTMT__CHUNK_EVENTS) {
        end -= count;
        memcpy(end, p->chunk[c].at, count * sizeof *end);
        next = p->chunk[c].next;
        p->chunk[c].next = p->free_chunk;
        p->free_chunk = c;
    }
    p->day[day] = 0;
    p->busy[day / 64] &= ~(UINT64_C(1) << day % 64);
    return end;
}

/* The first day with events from `day` on; p->days when there is none. */
static size_t find_busy(const struct htmt__pending *p, size_t day)
{
    if (day >= p->days)
        return p->days;
    size_t word = day / 64;
    uint64_t bits = p->busy[word] >> day % 64 << day % 64;
    while (!bits && ++word < p->days / 64)
        bits = p->busy[word];
    return bits ? word * 64 + (size_t)__builtin_ctzll(bits) : p->days;
}

size_t htmt__pending_tomorrow(const struct htmt__pending *p, const struct htmt__event **events)
{
    size_t day = find_busy(p, p->next_day);
    if (day >= p->days)
        return 0;
    *events = p->chunk[p->day[day] >> 3].at;
    return p->day[day] & 7;
}

static void each_of(const struct htmt__event *event, size_t count,
                    void (*tell)(void *whom, struct htmt__event event), void *whom)
{
    for (size_t i = 0; i < count; i++)
        tell(whom, event[i]);
}

void htmt__pending_each(const struct htmt__pending *p,
                        void (*tell)(void *whom, struct htmt__event event), void *whom)
{
    each_of(p->run, (size_t)(p->run_end - p->run), tell, whom);
    each_of(p->heap, p->heap_count, tell, whom);
    each_of(p->far, p->far_count, tell, whom);
    for (size_t day = p->next_day; (day = find_busy(p, day)) < p->days; day++) {
        uint32_t count = p->day[day] & 7;
        for (uint32_t i = p->day[day] >> 3; i; i = p->chunk[i].next, count = HTMT__CHUNK_EVENTS)
            each_of(p->chunk[i].at, count, tell, whom);
    }
}

/* There is one. Today was empty. */
void htmt__pending_next_day(struct htmt__pending *p)
{
    const size_t day = find_busy(p, p->next_day), next = day + 1;
    p->run_end = p->run_room + p->room;
    p->run = take_day(p, day, p->run_end);
    const uint64_t bits = next < p->days ? p->busy[next / 64] >> next % 64 : 0;
    if (bits) {
        const struct htmt__pending_chunk *c =
            &p->chunk[p->day[next + (size_t)__builtin_ctzll(bits)] >> 3];
        __builtin_prefetch(c);
        __builtin_prefetch((const char *)c + 64);
    }
    const size_t count = (size_t)(p->run_end - p->run);
    sort(p, p->run, count);
    p->most = p->count > p->most ? p->count : p->most;
    p->next_day = next;
    const htmt_uwide end = (htmt_uwide)next << p->shift;
    const htmt_wide last = (htmt_wide)p->base + (htmt_wide)end - 1;
    p->today_last = last < HTMT_TIME_MAX ? (htmt_time)last : HTMT_TIME_MAX;
    /* Crowded, not because of ties, and as many events as are pending have passed since the window
     * was laid: the density has changed. */
    if (count > DAY_CROWDED && p->since >= p->count && p->run->time != p->run_end[-1].time)
        htmt__pending_lay_window(p);
    else
        p->since += count;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Every event becomes a far one. */
static void gather(struct htmt__pending *p)
{
    size_t heap = p->heap_count, run = (size_t)(p->run_end - p->run);
    struct htmt__event *end = p->far + p->count;
    if (run)
        memcpy(p->far + p->far_count, p->run, run * sizeof *p->far);
    if (heap)
        memcpy(p->far + p->far_count + run, p->heap, heap * sizeof *p->far);
    for (size_t day = p->next_day; (day = find_busy(p, day)) < p->days; day++)
        end = take_day(p, day, end);
    p->far_count = p->count;
    p->run = p->run_end;
    p->heap_count = 0;
}

static size_t days_of(size_t room)
{
    return room / DAY_EVENTS > DAYS_LEAST ? room / DAY_EVENTS : DAYS_LEAST;
}

/* Days as wide as the next events ask for, by a fixed sample of the far events: the times by which
 * a quarter and a half of them are due. But in lockstep many are due at one instant, and a window
 * must reach half of all events, or it would be laid again for every instant. */
static void choose_days(struct htmt__pending *p)
{
    const size_t most = days_of(p->room);
    struct htmt__event sample[SAMPLE];
    p->base = HTMT_TIME_MAX;
    for (size_t i = 0; i < p->far_count; i++)
        p->base = p->far[i].time < p->base ? p->far[i].time : p->base;
    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = p->far[(i * 0x9e3779b1 + i * i) % p->far_count];
    sort_by_insertion(sample, SAMPLE);
    const htmt_time quarter = sample[SAMPLE / 4].time, half = sample[SAMPLE / 2].time;
    for (p->days = DAYS_LEAST; p->days < most && p->days * DAY_EVENTS < p->far_count;)
        p->days *= 2;
    uint64_t width = ((uint64_t)quarter - (uint64_t)p->base) / (p->far_count / 4) * DAY_EVENTS;
    const uint64_t reach = ((uint64_t)half - (uint64_t)p->base) / p->days + 1;
    width = width > reach ? width : reach;
    p->shift = width > 1 ? 64u - (unsigned)__builtin_clzll(width - 1) : 0;
}

/* All events become far ones; few of them are one sorted run, more are dealt out to new days. What
 * is beyond the window stays far, in place. */
void htmt__pending_lay_window(struct htmt__pending *p)
{
    gather(p);
    const size_t count = p->far_count;
    if (count < FEW) {
        p->run_end = p->run_room + p->room;
        p->run = p->run_end - count;
        if (count)
            memcpy(p->run, p->far, count * sizeof *p->run);
        sort(p, p->run, count);
        p->far_count = p->days = p->next_day = 0;
        p->far_min = p->today_last = HTMT_TIME_MAX;
        p->since = 0;
        return;
    }
    choose_days(p);
    memset(p->day, 0, p->days * sizeof *p->day);
    memset(p->busy, 0, p->days / 64 * sizeof *p->busy);
    p->free_chunk = 0;
    p->fresh_chunk = 1;
    p->next_day = 0;
    p->far_count = 0;
    p->far_min = HTMT_TIME_MAX;
    for (size_t i = 0; i < count; i++)
        htmt__pending_push_later(p, p->far[i]);
    p->since = 0; /* its first day is not crowded yet, however long */
    htmt__pending_next_day(p);
    p->since = 0;
}

uint64_t htmt__pending_next_key(struct htmt__pending *p)
{
    if (htmt__pending_today_empty(p))
        htmt__pending_lay_window(p);
    if (p->run == p->run_end || (p->heap_count && before(*p->heap, *p->run)))
        return p->heap->key;
    return p->run->key;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* All arrays in one block; every array of events has room for all of them, so only a growing push
 * can fail. Returns the block's size; sets the arrays when there is a block. */
static size_t lay_out(struct htmt__pending *p, char *block, size_t room)
{
    size_t days = days_of(room), events = (room + 4) * sizeof *p->far;
    size_t chunks = (room / HTMT__CHUNK_EVENTS + days + 2) * sizeof *p->chunk;
    if (block) {
        p->chunk = (void *)block;
        p->run_room = (void *)(block + chunks);
        p->heap = (void *)(block + chunks + events);
        p->far = (void *)(block + chunks + 2 * events);
        p->busy = (void *)(block + chunks + 3 * events);
        p->day = (void *)(block + chunks + 3 * events + days / 8);
    }
    return chunks + 3 * events + days / 8 + days * sizeof *p->day;
}

int htmt__pending_grow(struct htmt__pending *p)
{
    size_t room = p->room ? 2 * p->room : ROOM_LEAST;
    size_t size = (lay_out(p, NULL, room) + 63) & ~(size_t)63;
    bool refused = room > ROOM_MOST || htmt__fault_injected();
    char *block = refused ? NULL : aligned_alloc(64, size);
    if (!block)
        return HTMT_ENOMEM;
    gather(p);
    struct htmt__event *far = p->far;
    lay_out(p, block, room);
    if (p->far_count)
        memcpy(p->far, far, p->far_count * sizeof *far);
    free(p->block);
    p->block = block;
    p->most = p->room;
    p->room = room;
    p->run = p->run_end = p->run_room + room;
    p->days = p->next_day = 0;
    htmt__pending_lay_window(p);
    return 0;
}

/* It is empty. What a burst left is given back when fewer than an eighth of it were in use since it
 * was empty before, so that bursts that come again and again find their memory. */
void htmt__pending_rest(struct htmt__pending *p)
{
    if (p->most < p->room / 8)
        htmt__pending_fini(p);
    p->most = 0;
}

void htmt__pending_init(struct htmt__pending *p)
{
    memset(p, 0, sizeof *p);
    p->today_last = p->far_min = HTMT_TIME_MAX;
}

void htmt__pending_fini(struct htmt__pending *p)
{
    free(p->block);
    htmt__pending_init(p);
}

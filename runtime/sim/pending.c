/* SPDX-License-Identifier: BSD-3-Clause */
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

/* ---- the heap ---- */

static size_t least_child(const struct htmt__event *heap, size_t first, size_t count)
{
    size_t least = first, end = first + 4 < count ? first + 4 : count;
    for (size_t i = first + 1; i < end; i++)
        least = before(heap[i], heap[least]) ? i : least;
    return least;
}

static void sift_down(struct htmt__event *heap, size_t count, size_t i, struct htmt__event e)
{
    for (size_t child; (child = 4 * i + 1) < count; i = child) {
        child = least_child(heap, child, count);
        if (!before(heap[child], e))
            break;
        heap[i] = heap[child];
    }
    heap[i] = e;
}

static void sift_up(struct htmt__event *heap, size_t i, struct htmt__event e)
{
    for (size_t parent; i && before(e, heap[parent = (i - 1) / 4]); i = parent)
        heap[i] = heap[parent];
    heap[i] = e;
}

struct htmt__event htmt__pending_pop_heap(struct htmt__pending *p)
{
    struct htmt__event first = p->heap[0];
    if (--p->heap_count)
        sift_down(p->heap, p->heap_count, 0, p->heap[p->heap_count]);
    return first;
}

/* There is room before the run for as many as are not in it. */
static void insert(struct htmt__pending *p, struct htmt__event e)
{
    struct htmt__event *at = p->run--;
    for (; at != p->run_end && before(*at, e); at++)
        at[-1] = *at;
    at[-1] = e;
}

void htmt__pending_push_today(struct htmt__pending *p, struct htmt__event e)
{
    p->since++;
    if (p->run_end - p->run <= NEAR || before(e, p->run[NEAR])) {
        insert(p, e);
        return;
    }
    sift_up(p->heap, p->heap_count++, e);
    if (p->heap_count > HEAP_MOST && p->since >= p->count)
        htmt__pending_lay_window(p);
}

/* ---- sorting a day ---- */

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

static void merge_all(const struct htmt__event *from, struct htmt__event *to, size_t count,
                      size_t width)
{
    for (size_t i = 0; i < count; i += 2 * width) {
        size_t mid = i + width < count ? i + width : count;
        size_t end = mid + width < count ? mid + width : count;
        merge(from + i, from + mid, from + end, to + i);
    }
}

static bool is_sorted(const struct htmt__event *at, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (before(at[i], at[i - 1]))
            return false;
    return true;
}

static void sort_long(struct htmt__event *at, size_t count, struct htmt__event *spare)
{
    struct htmt__event *from = at, *to = spare, *swap;
    if (is_sorted(at, count))
        return;
    for (size_t i = 0; i < count; i += INSERTION)
        sort_by_insertion(at + i, count - i < INSERTION ? count - i : INSERTION);
    for (size_t width = INSERTION; width < count; width *= 2) {
        merge_all(from, to, count, width);
        swap = from, from = to, to = swap;
    }
    if (from != at)
        memcpy(at, from, count * sizeof *at);
}

/* The heap has room for all events, so behind those in it there is room for these. */
static void sort(struct htmt__pending *p, struct htmt__event *at, size_t count)
{
    if (count <= 2 * INSERTION)
        sort_by_insertion(at, count);
    else
        sort_long(at, count, p->heap + p->heap_count);
}

/* ---- days ---- */

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

static htmt_time last_of(const struct htmt__pending *p, size_t day)
{
    htmt_uwide end = ((htmt_uwide)day + 1) << p->shift;
    htmt_wide last = (htmt_wide)p->base + (htmt_wide)end - 1;
    return last < HTMT_TIME_MAX ? (htmt_time)last : HTMT_TIME_MAX;
}

static void prefetch_day(const struct htmt__pending *p, size_t day)
{
    uint64_t bits = day < p->days ? p->busy[day / 64] >> day % 64 : 0;
    if (!bits)
        return;
    const struct htmt__pending_chunk *c =
        &p->chunk[p->day[day + (size_t)__builtin_ctzll(bits)] >> 3];
    __builtin_prefetch(c);
    __builtin_prefetch((const char *)c + 64);
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

/* Too many on one day and not because of ties, while as many events as are pending have passed
 * since the window was laid: the density has changed. */
static bool crowded(const struct htmt__pending *p)
{
    return p->run_end - p->run > DAY_CROWDED && p->since >= p->count &&
           p->run->time != p->run_end[-1].time;
}

/* There is one. Today was empty. */
void htmt__pending_next_day(struct htmt__pending *p)
{
    size_t day = find_busy(p, p->next_day);
    p->run_end = p->run_room + p->room;
    p->run = take_day(p, day, p->run_end);
    prefetch_day(p, day + 1);
    sort(p, p->run, (size_t)(p->run_end - p->run));
    p->next_day = day + 1;
    p->today_last = last_of(p, day);
    if (crowded(p))
        htmt__pending_lay_window(p);
    else
        p->since += (size_t)(p->run_end - p->run);
}

/* ---- windows ---- */

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

/* Times by which a quarter and a half of the far events are due, by a fixed sample. */
static void sample_far(const struct htmt__pending *p, htmt_time *quarter, htmt_time *half)
{
    struct htmt__event sample[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = p->far[(i * 0x9e3779b1 + i * i) % p->far_count];
    sort_by_insertion(sample, SAMPLE);
    *quarter = sample[SAMPLE / 4].time;
    *half = sample[SAMPLE / 2].time;
}

static htmt_time least_far(const struct htmt__pending *p)
{
    htmt_time least = HTMT_TIME_MAX;
    for (size_t i = 0; i < p->far_count; i++)
        least = p->far[i].time < least ? p->far[i].time : least;
    return least;
}

static size_t days_of(size_t room)
{
    return room / DAY_EVENTS > DAYS_LEAST ? room / DAY_EVENTS : DAYS_LEAST;
}

/* Days as wide as the next events ask for; but in lockstep many are due at one instant, and a
 * window must reach half of all events, or it would be laid again for every instant. */
static void choose_days(struct htmt__pending *p)
{
    size_t most = days_of(p->room);
    htmt_time quarter, half;
    p->base = least_far(p);
    sample_far(p, &quarter, &half);
    for (p->days = DAYS_LEAST; p->days < most && p->days * DAY_EVENTS < p->far_count;)
        p->days *= 2;
    uint64_t width = ((uint64_t)quarter - (uint64_t)p->base) / (p->far_count / 4) * DAY_EVENTS;
    uint64_t reach = ((uint64_t)half - (uint64_t)p->base) / p->days + 1;
    width = width > reach ? width : reach;
    p->shift = width > 1 ? 64u - (unsigned)__builtin_clzll(width - 1) : 0;
}

static void clear_days(struct htmt__pending *p)
{
    memset(p->day, 0, p->days * sizeof *p->day);
    memset(p->busy, 0, p->days / 64 * sizeof *p->busy);
    p->free_chunk = 0;
    p->fresh_chunk = 1;
    p->next_day = 0;
}

/* What is beyond the window stays far, in place. */
static void deal_out(struct htmt__pending *p)
{
    size_t count = p->far_count;
    p->far_count = 0;
    p->far_min = HTMT_TIME_MAX;
    for (size_t i = 0; i < count; i++)
        htmt__pending_push_later(p, p->far[i]);
}

static void all_to_run(struct htmt__pending *p)
{
    p->run_end = p->run_room + p->room;
    p->run = p->run_end - p->far_count;
    if (p->far_count)
        memcpy(p->run, p->far, p->far_count * sizeof *p->run);
    sort(p, p->run, p->far_count);
    p->far_count = p->days = p->next_day = 0;
    p->far_min = p->today_last = HTMT_TIME_MAX;
}

void htmt__pending_lay_window(struct htmt__pending *p)
{
    gather(p);
    if (p->far_count < FEW) {
        all_to_run(p);
    } else {
        choose_days(p);
        clear_days(p);
        deal_out(p);
        p->since = 0; /* its first day is not crowded yet, however long */
        htmt__pending_next_day(p);
    }
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

/* ---- memory ---- */

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
    p->room = room;
    p->run = p->run_end = p->run_room + room;
    p->days = p->next_day = 0;
    htmt__pending_lay_window(p);
    return 0;
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

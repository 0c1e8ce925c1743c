/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/play.h"
#include "parcels/clock/event.h"
#include "parcels/clock/turn.h"
#include "parcels/message/capture.h"
#include "parcels/message/message.h"
#include "parcels/message/packet.h"

#define LINE   64u /* bytes of a cache line */
#define INLINE static inline __attribute__((always_inline))

/* ---- what comes next ------------------------------------------------------------------------- */

#define FAR_AHEAD 12 /* events: an entity comes from memory meanwhile */
#define NEXT      4  /* it is there: the resources of its slice can be fetched */

static void fetch_entity(const struct htmt_emulator *e, uint64_t key)
{
    const char *p = (const char *)htmt__entity_at(e, key);
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p + LINE, 1);
}

static void fetch_tomorrow(const struct htmt_emulator *e)
{
    const struct htmt__event *event;
    size_t count = htmt__pending_tomorrow(&e->pending, &event);
    for (size_t i = 0; i < count; i++)
        fetch_entity(e, event[i].key);
}

/* What the event's step and those up to the next that takes time will touch. */
static void fetch_steps(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    uint32_t slice = p->slice;
    bool alone = step && step->stage == HTMT_FIBER; /* nothing is behind a fiber's step */
    for (unsigned timed = 0; step && timed < (alone ? 1 : 2) && step->op != HTMT__END; step++) {
        timed += step->op == HTMT__SERVE || step->op == HTMT__MOVE;
        if (step->op == HTMT__SERVE)
            __builtin_prefetch(htmt__bank_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__TAKE || step->op == HTMT__GIVE)
            __builtin_prefetch(htmt__store_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__MOVE && timed == 2)
            __builtin_prefetch(htmt__port_at(e, slice, false, (uint32_t)step->network, step->layer),
                               1);
    }
    if (step && !alone && step->op == HTMT__END)
        __builtin_prefetch(p->body, 1);
}

static void fetch_resources(const struct htmt_emulator *e, size_t after)
{
    uint64_t key;
    if (htmt__pending_ahead(&e->pending, after, &key))
        fetch_steps(e, htmt__entity_at(e, key));
}

#define FETCHING 8192 /* pending events from which on a cache does not hold what they touch */

/* On a large machine nearly all that an event touches is out of the cache. Events become known a
 * day at a time (runtime/sim/pending.h): some of the next day's are fetched when a day begins, and
 * on a long day those some events further. */
static void fetch_ahead(struct htmt_emulator *e)
{
    uint64_t key;
    bool new_day = e->pending.run < e->fetched; /* it moves up within a day */
    e->fetched = e->pending.run;
    if (new_day)
        fetch_tomorrow(e);
    if (htmt__pending_ahead(&e->pending, FAR_AHEAD, &key))
        fetch_entity(e, key);
    for (size_t i = new_day ? 0 : NEXT; i <= NEXT; i++)
        fetch_resources(e, i);
}

/* The calendar has the next event. */
INLINE struct htmt__entity *next_later(struct htmt_emulator *e)
{
    struct htmt__event event = {0, 0};
    htmt__pending_pop(&e->pending, &event);
    e->now = event.time;
    e->turn = event.key;
    if (e->pending.count >= FETCHING && !e->guard)
        fetch_ahead(e);
    htmt__turn_place(e, event.key);
    return htmt__entity_at(e, event.key);
}

#define LONG_LINE 4097u /* events: what they touch is more than a cache holds */

/* Those behind the head of a long line come from memory, the nearer ones' resources, too. */
static void fetch_line(const struct htmt_emulator *e, const struct htmt__delay *line)
{
    const char *far = (const char *)htmt__delay_at(line, FAR_AHEAD)->p;
    const struct htmt__entity *near = htmt__delay_at(line, NEXT)->p;
    __builtin_prefetch(far, 1);
    __builtin_prefetch(far + LINE, 1);
    fetch_steps(e, near);
}

INLINE struct htmt__entity *next_in_line(struct htmt_emulator *e)
{
    struct htmt__lane *l = e->lane;
    const struct htmt__delay *line = l->front->line;
    e->now = l->front->at;
    struct htmt__entity *p = htmt__lane_pop(l);
    if (line->count >= LONG_LINE)
        fetch_line(e, line);
    e->turn = p->key;
    return p;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The bytes of a message to another partition are captured before the next event, and kernels that
 * services wait for come before that. false: an event comes first, or nothing up to `last`. */
static bool captures(struct htmt_emulator *e, htmt_time last)
{
    htmt_time at = htmt__capture_time(e), event = htmt__event_next(e);
    uint64_t key = event < HTMT_TIME_MAX ? htmt__event_next_key(e) : 0;
    htmt_time packet = htmt__fabric_next(e);
    if (packet < event ||
        (packet == event && packet < HTMT_TIME_MAX && htmt__fabric_next_key(e) < key)) {
        event = packet;
        key = htmt__fabric_next_key(e);
    }
    if (at > last || !htmt__capture_before(e, event, key))
        return false;
    if (e->kernel_count && at > e->now)
        htmt__turn_kernels(e);
    else
        htmt__capture_turn(e);
    return true;
}

/* Of an event inside a network the turn comes before that of an entity of the same instant and key.
 * false: it is not a packet's turn, or not up to `last`. */
static bool packets(struct htmt_emulator *e, htmt_time last)
{
    htmt_time at = htmt__fabric_next(e), event = htmt__event_next(e);
    if (at > last || at > event ||
        (at == event && htmt__fabric_next_key(e) > htmt__event_next_key(e)))
        return false;
    if (e->kernel_count && at > e->now)
        htmt__turn_kernels(e);
    else
        htmt__packet_turn(e);
    return true;
}

/* A run has kernels, a partition of it captures, and a clock of networks with ports inside packets;
 * nothing else looks for them. */
INLINE uint32_t play(struct htmt_emulator *e, htmt_time last, bool has_kernels, bool has_captures,
                     bool has_packets)
{
    uint32_t turns = htmt__look_interval(e), left = turns;
    while (!e->fault.code) {
        if (has_captures && e->captures.count && captures(e, last))
            continue;
        if (has_packets && e->packets->queue.count && packets(e, last)) {
            if (--left)
                continue;
            left = turns;
            if (htmt__look_around(e))
                break;
            continue;
        }
        bool in_line = htmt__event_in_line(e);
        htmt_time next = in_line ? e->lane->front->at : htmt__pending_next(&e->pending);
        if (has_kernels && e->kernel_count && next > e->now) {
            htmt__turn_kernels(e);
            continue;
        }
        if (next > last)
            break;
        htmt__turn_event(e, in_line ? next_in_line(e) : next_later(e));
        if (--left)
            continue;
        left = turns;
        if (htmt__look_around(e))
            break;
    }
    return turns - left;
}

uint32_t htmt__play(struct htmt_emulator *e, htmt_time last)
{
    bool captures_too = e->partition && e->data;
    if (__builtin_expect(e->packets != NULL, 0))
        return play(e, last, e->data != NULL, captures_too, true);
    if (!e->data)
        return play(e, last, false, false, false);
    return captures_too ? play(e, last, true, true, false) : play(e, last, true, false, false);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Playing events: which is next, what happens at it, and what follows at once.
 *
 * One turn of the loop takes the event with the least (time, key) from the lane or the calendar,
 * and the entity whose event it is goes on: a parcel or fiber along its walk, a message to the next
 * part of its way, a moment to its line of a log. Whoever becomes ready by that (made, called,
 * enabled) goes into the ready list and has its turn before the next event, first come first
 * served. So when the loop looks for the next event nothing is under way: all that is alive is
 * pending or waits.
 *
 * In a run a service may wait for its kernel, whose operations say how long it is. The kernels of
 * one instant are awaited together, when no other event of this instant is left: meanwhile their
 * jobs run side by side on the host's threads. This divides an instant into phases: events;
 * kernels, in the order in which their services began; what becomes ready by them, generation by
 * generation; and events again, if these cause some at this very instant. htmt__order() makes of
 * phase and key the number by which turns of different partitions are compared.
 *
 * An arrival of a message is an event of the target's slice: it enters the history as one that this
 * slice has played, and delivers. A message that is over (e->over) belongs to the slice that made
 * it, and goes back there. Nothing that is timed depends on when it comes: so between partitions it
 * may come later (outbox.c).
 */
#include "parcels/clock/play.h"
#include "parcels/clock/event.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/window.h"
#include "parcels/message/capture.h"
#include "parcels/message/collective.h"
#include "parcels/message/gather.h"
#include "parcels/message/inlet.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/service.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/walk.h"
#include "parcels/walk/what_if.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))
#define APART  static __attribute__((noinline))

/* ---- whose turn it is ------------------------------------------------------------------------ */

/* Guarded: the slice may be touched from now on. */
static inline void enter(struct htmt_emulator *e, uint32_t slice)
{
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__guard_enter(e->guard, htmt__played(e, slice));
}

void htmt__turn_over(struct htmt_emulator *e)
{
    while (e->over) {
        struct htmt__entity *p = e->over;
        e->over = p->queue;
        enter(e, p->slice);
        if (__builtin_expect(e->partition && htmt__elsewhere(e, p->slice), 0))
            htmt__outbox_return(e, p);
        else
            htmt__message_over(e, p);
    }
}

/* ---- what becomes ready ---------------------------------------------------------------------- */

/* Somebody hears of it, or shuts the pages of other slices: a message that its slice is about to
 * start is in none, but at its source. */
APART void begin_aside(struct htmt_emulator *e, const struct htmt__entity *p)
{
    uint32_t slice;
    if (e->guard)
        enter(e, htmt__guard_slice(e->guard, p, &slice) ? slice : p->message->leg.source);
    if (htmt__explained(e))
        e->explain->turn(e, p);
}

/* The first of those that are ready: it was made, called or enabled, and goes on at this instant.
 */
INLINE void go_on_first(struct htmt_emulator *e)
{
    struct htmt__entity *p = e->ready.head;
    if (__builtin_expect(htmt__goes_aside(e, HTMT__BY_PROBE | HTMT__BY_GUARD), 0))
        begin_aside(e, p);
    e->ready.head = p->queue;
    if (!e->ready.head)
        e->ready.tail = NULL;
    switch ((enum htmt__kind)p->kind) {
    case HTMT__PARCEL:
        htmt__walk(e, p);
        break;
    case HTMT__FIBER:
        htmt__request(e, p);
        break;
    case HTMT__MESSAGE:
        htmt__message_start(e, p);
        break;
    case HTMT__MOMENT:
    case HTMT__ISSUE:
    case HTMT__BUS:
        break;
    }
}

/* All, and those that become ready meanwhile. */
APART void go_on_all(struct htmt_emulator *e)
{
    while (e->ready.head)
        go_on_first(e);
}

/* A partition stops where it failed, for its turn is compared with those of others. */
static bool stops(const struct htmt_emulator *e)
{
    return e->partition && e->fault.code;
}

/* Those that became ready behind `last` (NULL: all) have the present turn. Their number stands in a
 * word that who is ready does not use. */
static void pass_turn(struct htmt_emulator *e, struct htmt__entity *last)
{
    for (struct htmt__entity *p = last ? last->queue : e->ready.head; p; p = p->queue)
        p->service = (htmt_time)e->turn;
}

/* Those that are ready, each in the turn that was passed to it, and no others. */
static void go_on_generation(struct htmt_emulator *e)
{
    const struct htmt__entity *end = e->ready.tail;
    for (bool more = end != NULL; more && !stops(e);) {
        struct htmt__entity *last = e->ready.tail;
        more = e->ready.head != end;
        e->turn = (uint64_t)e->ready.head->service;
        bool only = e->ready.head == last;
        go_on_first(e);
        pass_turn(e, only ? NULL : last);
    }
}

/* Nothing else happens at this instant: the kernels that services wait for are awaited. */
APART void resolve_kernels(struct htmt_emulator *e)
{
    uint32_t count = e->kernel_count;
    e->kernel_count = 0;
    e->phase = e->now == e->phased_at ? (e->phase | HTMT__EVENTS) + 1 : HTMT__ROUND;
    e->phased_at = e->now;
    for (uint32_t i = 0; i < count && !e->fault.code; i++) {
        struct htmt__entity *last = e->ready.tail, *p = e->kernels[i].p;
        e->turn = e->kernels[i].key;
        begin_aside(e, p);
        htmt__kernel_resolve(e, p, e->kernels[i].reply);
        pass_turn(e, last);
    }
    while (e->ready.head && !stops(e)) {
        e->phase++;
        go_on_generation(e);
    }
    if (!stops(e))
        e->phase |= HTMT__EVENTS;
}

/* ---- a message or a moment has its event ----------------------------------------------------- */

static void collective_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__collective *t = p->message->collective;
    const uint32_t slice = p->message->leg.target;
    htmt__collective_turn(e, t, slice, false);
    t->operations->arrive(e, t, p);
    htmt__collective_turn(e, t, slice, true);
}

static void state_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__entity *served = htmt__what_if_arrives(e, p);
    if (served)
        htmt__request(e, served);
}

/* What a message does where it arrives. */
static void (*const arrives[HTMT__MESSAGE_KINDS])(struct htmt_emulator *, struct htmt__entity *) = {
    [HTMT__MESSAGE_BYTES] = htmt__put_arrives,       [HTMT__MESSAGE_SIGNAL] = htmt__signal_arrives,
    [HTMT__MESSAGE_REQUEST] = htmt__request_arrives, [HTMT__MESSAGE_CREDIT] = htmt__mailbox_asked,
    [HTMT__MESSAGE_GRANT] = htmt__mailbox_granted,   [HTMT__MESSAGE_RECORDS] = htmt__mailbox_arrive,
    [HTMT__MESSAGE_COLLECTIVE] = collective_arrives, [HTMT__MESSAGE_STATE] = state_arrives,
    [HTMT__MESSAGE_POST] = htmt__post_arrives,       [HTMT__MESSAGE_LAUNCH] = htmt__launch_arrives,
    [HTMT__MESSAGE_ENDED] = htmt__ended_arrives,     [HTMT__MESSAGE_HOLD] = htmt__post_hold_arrives,
    [HTMT__MESSAGE_ACK] = htmt__acks_arrives,        [HTMT__MESSAGE_POSTS] = htmt__posts_arrive,
};

static inline bool is_posts(const struct htmt__message *m)
{
    return m->kind == HTMT__MESSAGE_POST || m->kind == HTMT__MESSAGE_POSTS;
}

/* It delivers, unless a full queue keeps it in its in channel, which it lets go else. */
static void deliver(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    const bool holds = htmt__inlet_takes(e, p, g), posts = is_posts(p->message);
    if (!posts || !htmt__goes_aside(e, HTMT__BY_QUEUES))
        arrives[p->message->kind](e, p);
    else if (!htmt__post_enters(e, p))
        return;
    if (holds)
        htmt__inlet_leave(e, g);
}

/* Somebody observes, the way goes round, or a full queue may hold what comes. Each leg of a way
 * round is counted, but only the last one delivers. Within one memory there is no leg to count, and
 * what was held was counted when it came. */
APART void arrive_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__leg g = p->message->leg;
    const uint32_t source = htmt__played(e, g.source), target = htmt__played(e, g.target);
    const bool came = is_posts(p->message) && p->message->down;
    if (g.network != HTMT__NO_NETWORK && !came && htmt__records_at_once(e))
        htmt__record_at_once(e, target, g.stats, p->serial, g.words);
    else if (g.network != HTMT__NO_NETWORK && !came)
        htmt__record_aside(e, target, source, g.stats, p->serial, g.words);
    if (htmt__what_if_arrived(e, p))
        deliver(e, p, &g);
}

static inline void arrive(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    const unsigned reasons = HTMT__BY_OBSERVER | HTMT__BY_QUEUES | HTMT__BY_RESIDENCY;
    const bool aside = htmt__goes_aside(e, reasons); /* what goes round does */
    if (__builtin_expect(aside || g->network == HTMT__NO_NETWORK, 0)) {
        arrive_aside(e, p);
        return;
    }
    htmt__record_at_once(e, htmt__played(e, g->target), g->stats, p->serial, g->words);
    arrives[p->message->kind](e, p);
}

/* In a run: the last word of the message leaves its source. */
APART void leave(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->leaving = false;
    htmt__message_capture(e, p);
}

/* The event of an issue port, in which a service may end. */
APART void issue(struct htmt_emulator *e, struct htmt__entity *event)
{
    struct htmt__entity *p = htmt__issue_turn(e, event);
    if (p)
        htmt__walk_issued(e, p);
}

static inline void go_between(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->kind != HTMT__MESSAGE && !p->log)
        htmt__generator_turn(e, p);
    else if (p->kind != HTMT__MESSAGE)
        htmt__log_moment(e, p);
    else if (p->head)
        htmt__channel_in(e, p, &p->message->leg);
    else
        arrive(e, p);
}

static __attribute__((cold, noinline)) void explain_between(struct htmt_emulator *e,
                                                            struct htmt__entity *p)
{
    e->explain->turn(e, p);
    go_between(e, p);
}

/* What is not a message on its way, or somebody watches. */
APART void turn_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->kind == HTMT__ISSUE)
        issue(e, p);
    else if (p->kind == HTMT__BUS)
        htmt__nodes_turn(e, p);
    else if (p->leaving && htmt__message_leaves(e, p))
        leave(e, p);
    else if (htmt__explained(e))
        explain_between(e, p);
    else
        go_between(e, p);
}

APART void turn_between(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (__builtin_expect(p->kind != HTMT__MESSAGE || p->leaving || htmt__explained(e), 0))
        turn_other(e, p);
    else if (p->head)
        htmt__channel_in(e, p, &p->message->leg);
    else
        arrive(e, p);
}

/* ---- an event -------------------------------------------------------------------------------- */

/* Somebody hears of it, processors route packets, or services depend on each other. false: p's
 * service goes on. */
APART bool turn_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    const bool served = p->step->op == HTMT__SERVE;
    if (served && htmt__goes_aside(e, HTMT__BY_ROUTER) && !htmt__router_ends(e, p))
        return false;
    if (served && htmt__goes_aside(e, HTMT__BY_NODES))
        htmt__nodes_end(e, p);
    if (htmt__explained(e))
        e->explain->turn(e, p);
    return true;
}

/* A parcel or fiber has its event. */
INLINE void turn_own(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons = HTMT__BY_PROBE | HTMT__BY_ROUTER | HTMT__BY_NODES;
    if (__builtin_expect(htmt__goes_aside(e, reasons), 0) && !turn_aside(e, p))
        return;
    if (p->step->op == HTMT__SERVE)
        htmt__walk_served(e, p);
    else
        htmt__walk_moved(e, p);
}

/* p's event has come. Only what arrives can end a message. */
INLINE void turn_event(struct htmt_emulator *e, struct htmt__entity *p)
{
    bool between = p->kind > HTMT__FIBER;
    if (between)
        turn_between(e, p);
    else
        turn_own(e, p);
    if (e->ready.head)
        go_on_all(e);
    if (between && e->over)
        htmt__turn_over(e);
}

/* ---- what comes next ------------------------------------------------------------------------- */

/* On a large machine nearly all that an event touches is out of the cache, but which entities come
 * soon is known: those of a day of the calendar, those in a line of the lane. So an entity is
 * fetched FAR_AHEAD events before its turn, and when it is there, at NEXT, the banks, stores and
 * links that its steps will touch. */
#define LINE      64u  /* bytes of a cache line */
#define FAR_AHEAD 12   /* events: an entity comes from memory meanwhile */
#define NEXT      4    /* it is there: the resources of its slice can be fetched */
#define FETCHING  1024 /* pending events of a partition from which on caches miss */
#define LONG_LINE 4097u

static void fetch_entity(const struct htmt__entity *entity)
{
    const char *p = (const char *)entity;
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p + LINE, 1);
}

/* What the event's step and those up to the next that takes time will touch; of a message its
 * record. Nothing is behind a fiber's step. */
static void fetch_steps(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    uint32_t slice = p->slice;
    if (p->kind == HTMT__MESSAGE && p->message) {
        htmt__message_fetch(p->message);
        return;
    }
    bool alone = step && step->stage == HTMT_FIBER;
    for (unsigned timed = 0; step && timed < (alone ? 1 : 2) && step->op < HTMT__END; step++) {
        timed += step->op == HTMT__SERVE || step->op == HTMT__MOVE;
        if (step->op == HTMT__SERVE)
            __builtin_prefetch(htmt__bank_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__TAKE || step->op == HTMT__GIVE)
            __builtin_prefetch(htmt__store_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__MOVE && timed == 2)
            __builtin_prefetch(htmt__port_at(e, slice, false, (uint32_t)step->network, step->layer),
                               1);
    }
    if (step && !alone && step->op >= HTMT__END)
        __builtin_prefetch(p->body, 1);
}

/* Where the message ends: the link at its target, and who waits there. */
static void fetch_end(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (p->kind != HTMT__MESSAGE || !p->message || p->message->leg.network >= e->networks)
        return;
    const struct htmt__leg *g = &p->message->leg;
    __builtin_prefetch(htmt__port_at(e, htmt__played(e, g->target), true, g->network, g->to), 1);
}

/* Events of the calendar become known a day at a time (runtime/sim/pending.h): some of the next
 * day's are fetched when a day begins, and on a long day those some events further. */
static void fetch_ahead(struct htmt_emulator *e)
{
    uint64_t key;
    bool new_day = e->pending.run < e->fetched; /* it moves up within a day */
    e->fetched = e->pending.run;
    if (new_day) {
        const struct htmt__event *event;
        size_t count = htmt__pending_tomorrow(&e->pending, &event);
        for (size_t i = 0; i < count; i++)
            fetch_entity(htmt__entity_at(e, event[i].key));
    }
    if (htmt__pending_ahead(&e->pending, FAR_AHEAD, &key))
        fetch_entity(htmt__entity_at(e, key));
    for (size_t i = new_day ? 0 : NEXT; i <= NEXT; i++)
        if (htmt__pending_ahead(&e->pending, i, &key))
            fetch_steps(e, htmt__entity_at(e, key));
    if (htmt__pending_ahead(&e->pending, 1, &key))
        fetch_end(e, htmt__entity_at(e, key));
}

/* The calendar has the next event. Guarded: its slice is entered, that of a message where its event
 * is. */
INLINE struct htmt__entity *next_later(struct htmt_emulator *e)
{
    struct htmt__event event = {0, 0};
    htmt__pending_pop(&e->pending, &event);
    e->now = event.time;
    e->turn = event.key;
    if (e->pending.count >= FETCHING && !e->guard)
        fetch_ahead(e);
    if (__builtin_expect(e->guard != NULL, 0))
        enter(e, event.key & HTMT__BETWEEN ? htmt__message_slice(e, htmt__entity_at(e, event.key))
                                           : htmt__key_slice(event.key));
    return htmt__entity_at(e, event.key);
}

INLINE struct htmt__entity *next_in_line(struct htmt_emulator *e)
{
    struct htmt__lane *l = e->lane;
    const struct htmt__delay *line = l->front->line;
    e->now = l->front->at;
    struct htmt__entity *p = htmt__lane_pop(l);
    if (line->count >= LONG_LINE) {
        fetch_entity(htmt__delay_at(line, FAR_AHEAD)->p);
        fetch_steps(e, htmt__delay_at(line, NEXT)->p);
    }
    e->turn = p->key;
    return p;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Posts that are held back leave before that event. */
static bool comes_before(const struct htmt_emulator *e, htmt_time event, uint64_t key)
{
    uint64_t posts;
    const htmt_time at = htmt__gather_next(e, &posts);
    return at < event || (at == event && at < HTMT_TIME_MAX && posts < key);
}

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
    if (comes_before(e, event, key))
        event = htmt__gather_next(e, &key);
    if (at > last || !htmt__capture_before(e, event, key))
        return false;
    if (e->kernel_count && at > e->now)
        resolve_kernels(e);
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
        resolve_kernels(e);
    else
        htmt__packet_turn(e);
    return true;
}

/* Posts that are held back leave as the first event of all. false: another one is first, or nothing
 * up to `last`. */
static bool gathered(struct htmt_emulator *e, htmt_time last)
{
    uint64_t key;
    const htmt_time at = htmt__gather_next(e, &key), event = htmt__event_next(e);
    const htmt_time packet = htmt__fabric_next(e);
    if (at > last || at > event || at > packet || (at == event && key > htmt__event_next_key(e)) ||
        (at == packet && key > htmt__fabric_next_key(e)))
        return false;
    if (e->kernel_count && at > e->now)
        resolve_kernels(e);
    else
        htmt__gather_turn(e);
    return true;
}

/* Events between two looks at the host's wishes: a run may have a long kernel behind each. */
static uint32_t look_interval(const struct htmt_emulator *e)
{
    return e->data ? 256u : 65536u;
}

/* A run has kernels, a captured one that is played their replies, a model steered posts, a
 * partition of it captures, and a clock of networks with ports inside packets, and where posts are
 * gathered they are held back; nothing else looks for them: there is one loop for each of these
 * cases. */
INLINE uint32_t play(struct htmt_emulator *e, htmt_time last, bool has_kernels, bool has_captures,
                     bool has_packets, bool has_gathered)
{
    uint32_t turns = look_interval(e), left = turns;
    while (!e->fault.code) {
        if (has_captures && e->captures.count && captures(e, last))
            continue;
        if (has_gathered && e->gather && e->gather->count && gathered(e, last))
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
            resolve_kernels(e);
            continue;
        }
        if (next > last)
            break;
        turn_event(e, in_line ? next_in_line(e) : next_later(e));
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
    bool captures_too = e->partition && e->data,
         has_kernels = e->data || e->replies || e->steered_posts;
    if (__builtin_expect(e->posts && e->posts->gathers, 0))
        return play(e, last, has_kernels, captures_too, e->packets != NULL, true);
    if (__builtin_expect(e->packets != NULL, 0))
        return play(e, last, has_kernels, captures_too, true, false);
    if (!has_kernels)
        return play(e, last, false, false, false, false);
    return captures_too ? play(e, last, true, true, false, false)
                        : play(e, last, true, false, false, false);
}

/* ---- roots ----------------------------------------------------------------------------------- */

void htmt__roots_number(struct htmt_emulator *e)
{
    htmt_time number = 0;
    for (struct htmt__entity *p = e->ready.head; p; p = p->queue)
        p->service = ++number;
}

struct htmt__list *htmt__roots_sort(struct htmt_emulator *e)
{
    struct htmt__list *of = calloc(e->played, sizeof *of);
    if (!of) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the lists of %u slices", e->played);
        return NULL;
    }
    for (struct htmt__entity *p = e->ready.head, *next; p; p = next) {
        next = p->queue;
        p->queue = NULL;
        if (of[p->slice].tail)
            of[p->slice].tail->queue = p;
        else
            of[p->slice].head = p;
        of[p->slice].tail = p;
    }
    return of;
}

/* Before the first event the turns of different partitions are compared: roots go by their numbers;
 * behind all of them those that they made ready, generation after generation, by the numbers of who
 * did. Events come behind all. */
static void run_roots(struct htmt_emulator *e)
{
    e->phased_at = e->now;
    e->phase = 0;
    while (e->ready.head && !stops(e)) {
        go_on_generation(e);
        e->phase += !stops(e);
    }
    if (!stops(e))
        e->phase = HTMT__EVENTS;
}

/* Guarded: nothing may link one slice's roots to another's while it plays. Each slice meets its own
 * in the same order. */
void htmt__roots_run(struct htmt_emulator *e)
{
    struct htmt__list *roots = NULL;
    if (e->guard && e->ready.head) {
        htmt__guard_open(e->guard);
        roots = htmt__roots_sort(e);
    }
    for (uint32_t i = 0; roots && i < e->played && !e->fault.code; i++) {
        enter(e, i);
        e->ready = roots[i];
        e->followed_at = e->phased_at = -1;
        run_roots(e);
    }
    free(roots);
    run_roots(e);
}

/* ---- when all is quiet ------------------------------------------------------------------------
 */

/* The phase of a round is behind all phases of kernels at this instant. */
void htmt__quiet_round(struct htmt_emulator *e, htmt_time latest, uint64_t round)
{
    const struct htmt__partition *own = e->partition;
    e->now = latest;
    e->phased_at = latest;
    e->phase = round << 48;
    e->came = false;
    for (uint32_t i = 0; i < (own ? own->slices : e->slices) && !e->fault.code; i++) {
        const uint32_t slice = own ? own->slice[i] : i;
        if (slice >= e->slices)
            continue;
        enter(e, slice);
        e->turn = htmt__entity_key(slice, 0);
        htmt__quiet_parcel(e, slice);
        go_on_all(e);
    }
    if (!stops(e))
        e->phase |= HTMT__EVENTS;
}

/* ---- slices one by one ----------------------------------------------------------------------- */

void htmt__alone_once(struct htmt_emulator *e, struct htmt__list roots, htmt_time last)
{
    e->now = 0;
    e->followed_at = e->phased_at = -1;
    e->ready = roots;
    if (htmt__explained(e))
        e->explain->begin(e);
    htmt__roots_run(e);
    htmt__play(e, last);
    htmt__turn_over(e);
    for (bool more = e->quiet != NULL; more && !e->fault.code; more = e->came) {
        htmt__quiet_round(e, e->now, ++e->quiet_rounds);
        htmt__play(e, last);
        htmt__turn_over(e);
    }
    if (e->guard)
        htmt__guard_open(e->guard);
    if (htmt__explained(e))
        e->explain->end(e);
}

/* The slice failed; what it left pending goes. */
static void clear_pending(struct htmt_emulator *e)
{
    e->fault.code = 0;
    e->ready = (struct htmt__list){0};
    htmt__pending_fini(&e->pending);
    htmt__pending_init(&e->pending);
    if (e->lane)
        htmt__lane_clear(e);
    if (e->packets)
        htmt__packet_queue_clear(&e->packets->queue);
}

/* Where the first failure in time counts, the other slices play on to its instant: one of them may
 * fail before. */
void htmt__alone_run(struct htmt_emulator *e, const uint32_t *slices, uint32_t count,
                     const struct htmt__list *roots)
{
    const bool independent = e->options.symmetry == HTMT_INDEPENDENT;
    const struct htmt__windows *w = e->windows;
    struct htmt_fault first = {.code = 0};
    struct htmt__failure failure = {0, 0};
    htmt_time latest = 0;
    for (uint32_t i = 0; i < count && !(w && atomic_load(&w->stop)) && !e->fault.code; i++) {
        uint32_t slice = slices ? slices[i] : i;
        e->present = slice;
        htmt__alone_once(e, roots[slice], first.code ? failure.at : HTMT_TIME_MAX - 1);
        latest = e->now > latest ? e->now : latest;
        if (!e->fault.code) {
            if (!e->data && !e->guard)
                htmt__slice_rest(htmt__slice_at(e, slice));
            if (htmt__explained(e))
                e->explain->rest(e, slice);
        } else if (independent || e->fault.code == HTMT_ECANCELLED) {
            e->failure = (struct htmt__failure){0, slice};
        } else {
            const struct htmt__failure this = {e->now, htmt__order(e)};
            if (!first.code || htmt__fails_before(this, failure)) {
                first = e->fault;
                failure = this;
            }
            clear_pending(e);
        }
    }
    e->now = first.code ? failure.at : latest;
    if (first.code && !e->fault.code) {
        e->fault = first;
        e->failure = failure;
    }
}

/* ---- the host -------------------------------------------------------------------------------- */

static int look(struct htmt_emulator *e)
{
    if (e->options.progress)
        e->options.progress(e->options.user, e->now,
                            e->windows ? atomic_load(&e->windows->events) : htmt_event_count(e));
    if (e->options.cancelled && e->options.cancelled(e->options.user))
        return htmt__fail(e, HTMT_ECANCELLED, "interrupted by the user");
    return htmt__diagnostics_look(e->diagnostics, &e->fault) ? e->fault.code : 0;
}

/* The host's functions are called on the thread of the run alone. A window of which somebody hears
 * is played to its end: then what was heard is what one clock plays up to there. */
bool htmt__look_around(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    bool mine = pthread_equal(e->whole->clock, pthread_self());
    if (!w)
        return look(e);
    if (e->partition) {
        const uint32_t more = look_interval(e);
        e->partition->events += more;
        atomic_fetch_add(&w->events, more);
    }
    if (mine && !e->whole->fault.code && look(e->whole))
        atomic_store(&w->stop, !htmt__watched(e));
    return atomic_load(&w->stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/turn.h"
#include "parcels/clock/event.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/probe.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/packet_router.h"
#include "parcels/message/put.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/service.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/walk.h"
#include "parcels/walk/what_if.h"

#include <stdlib.h>

/* ---- by kind --------------------------------------------------------------------------------- */

/* p was made, called or enabled, and goes on at this instant. */
static void go_on(struct htmt_emulator *e, struct htmt__entity *p)
{
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

static void collective_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->message->collective->ways->arrive(e, p->message->collective, p);
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
    [HTMT__MESSAGE_LAUNCH] = htmt__launch_arrives,   [HTMT__MESSAGE_ENDED] = htmt__ended_arrives,
};

/* ---- whose turn it is ------------------------------------------------------------------------ */

void htmt__turn_slice(struct htmt_emulator *e, uint32_t slice)
{
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__guard_enter(e->guard, htmt__played(e, slice));
}

/* An entity of a slice, or a message that its slice is about to start. */
static void play_entity(struct htmt_emulator *e, const struct htmt__entity *p)
{
    uint32_t slice;
    if (__builtin_expect(e->guard == NULL, 1))
        return;
    htmt__turn_slice(e, htmt__guard_slice(e->guard, p, &slice) ? slice : p->message->leg.source);
}

void htmt__turn_place(struct htmt_emulator *e, uint64_t key)
{
    if (__builtin_expect(e->guard == NULL, 1))
        return;
    bool between = key & HTMT__BETWEEN;
    htmt__turn_slice(e, between ? htmt__message_slice(e, htmt__entity_at(e, key))
                                : htmt__key_slice(key));
}

void htmt__turn_over(struct htmt_emulator *e)
{
    while (e->over) {
        struct htmt__entity *p = e->over;
        e->over = p->queue;
        htmt__turn_slice(e, p->slice);
        if (__builtin_expect(e->partition && htmt__elsewhere(e, p->slice), 0))
            htmt__outbox_return(e, p);
        else
            htmt__message_over(e, p);
    }
}

/* An arrival is one event in two halves. The half of the source books: the leg enters the history
 * (in another partition by itself: booking.h), and a message that is over (e->over) is freed. The
 * half of the target delivers. Booking neither takes a number of a slice nor reads the other's
 * slice, and nothing that is timed depends on it. */
static inline void deliver(struct htmt_emulator *e, struct htmt__entity *p)
{
    arrives[p->message->kind](e, p);
}

static void record(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g)
{
    const uint32_t source = htmt__played(e, g->source);
    if (htmt__records_at_once(e))
        htmt__record_at_once(e, source, g->stats, p->serial, HTMT_PUT, g->words);
    else
        htmt__record_aside(e, source, htmt__played(e, g->target), g->stats, p->serial, HTMT_PUT,
                           g->words);
}

/* Guarded or by windows, or the history is not as near as for most. Where the source's partition
 * books the leg, perhaps later, who observes hears of it here. */
static __attribute__((noinline)) void arrive_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    bool parted = htmt__leg_parted(e, g);
    if (g->network != HTMT__NO_NETWORK && !parted) {
        htmt__turn_slice(e, g->source);
        record(e, p, g);
        htmt__turn_slice(e, g->target);
    } else if (parted && e->options.observe) {
        htmt__observe(e, g->source, g->target, g->stats, p->serial, HTMT_PUT, g->words);
    }
    if (htmt__what_if_arrived(e, p))
        deliver(e, p);
}

static inline void arrive(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    const unsigned reasons = HTMT__BY_GUARD | HTMT__BY_PARTITION | HTMT__BY_OBSERVER;
    bool aside = htmt__goes_aside(e, reasons) || p->message->round;
    if (__builtin_expect(aside || g->network == HTMT__NO_NETWORK, 0)) {
        arrive_aside(e, p);
        return;
    }
    htmt__record_at_once(e, htmt__played(e, g->source), g->stats, p->serial, HTMT_PUT, g->words);
    deliver(e, p);
}

static __attribute__((noinline)) void leave(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->leaving = false;
    htmt__message_capture(e, p);
}

/* The event of an issue port, in which a service may end. */
static __attribute__((noinline)) void issue(struct htmt_emulator *e, struct htmt__entity *event)
{
    struct htmt__entity *p = htmt__issue_turn(e, event);
    if (p)
        htmt__walk_issued(e, p);
}

static inline void go_between(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->kind != HTMT__MESSAGE)
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

void htmt__turn_between(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (__builtin_expect(p->kind == HTMT__ISSUE, 0))
        issue(e, p);
    else if (__builtin_expect(p->kind == HTMT__BUS, 0))
        htmt__nodes_turn(e, p);
    else if (__builtin_expect(p->leaving, 0) && htmt__message_leaves(e, p))
        leave(e, p);
    else if (htmt__explained(e))
        explain_between(e, p);
    else
        go_between(e, p);
}

bool htmt__turn_aside(struct htmt_emulator *e, struct htmt__entity *p)
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

/* ---- turns ----------------------------------------------------------------------------------- */

/* Somebody hears of it, or shuts the pages of other slices. */
static __attribute__((noinline)) void begin_aside(struct htmt_emulator *e,
                                                  const struct htmt__entity *p)
{
    play_entity(e, p);
    if (htmt__explained(e))
        e->explain->turn(e, p);
}

static void turn_first(struct htmt_emulator *e)
{
    struct htmt__entity *p = e->ready.head;
    if (__builtin_expect(htmt__goes_aside(e, HTMT__BY_PROBE | HTMT__BY_GUARD), 0))
        begin_aside(e, p);
    e->ready.head = p->queue;
    if (!e->ready.head)
        e->ready.tail = NULL;
    go_on(e, p);
}

void htmt__turn_ready(struct htmt_emulator *e)
{
    while (e->ready.head)
        turn_first(e);
}

/* Those that became ready behind `last` (NULL: all) have the present turn. Their number stands in a
 * word that who is ready does not use. */
static void pass_turn(struct htmt_emulator *e, struct htmt__entity *last)
{
    for (struct htmt__entity *p = last ? last->queue : e->ready.head; p; p = p->queue)
        p->service = (htmt_time)e->turn;
}

static void turn_kernel(struct htmt_emulator *e, const struct htmt__awaiting *a)
{
    struct htmt__entity *last = e->ready.tail;
    e->turn = a->key;
    play_entity(e, a->p);
    if (htmt__explained(e))
        e->explain->turn(e, a->p);
    htmt__kernel_resolve(e, a->p);
    pass_turn(e, last);
}

/* A partition stops where it failed, for its turn is compared with those of others. */
static bool stops(const struct htmt_emulator *e)
{
    return e->partition && e->fault.code;
}

/* Those that are ready, and no others. */
static void turn_generation(struct htmt_emulator *e)
{
    const struct htmt__entity *end = e->ready.tail;
    for (bool more = end != NULL; more && !stops(e);) {
        struct htmt__entity *last = e->ready.tail;
        more = e->ready.head != end;
        e->turn = (uint64_t)e->ready.head->service;
        bool only = e->ready.head == last;
        turn_first(e);
        pass_turn(e, only ? NULL : last);
    }
}

void htmt__turn_kernels(struct htmt_emulator *e)
{
    uint32_t count = e->kernel_count;
    e->kernel_count = 0;
    e->phase = e->now == e->phased_at ? (e->phase | HTMT__EVENTS) + 1 : HTMT__ROUND;
    e->phased_at = e->now;
    for (uint32_t i = 0; i < count && !e->fault.code; i++)
        turn_kernel(e, &e->kernels[i]);
    while (e->ready.head && !stops(e)) {
        e->phase++;
        turn_generation(e);
    }
    if (!stops(e))
        e->phase |= HTMT__EVENTS;
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
        turn_generation(e);
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
        htmt__turn_slice(e, i);
        e->ready = roots[i];
        e->followed_at = e->phased_at = -1;
        run_roots(e);
    }
    free(roots);
    run_roots(e);
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
    if (e->partition)
        atomic_fetch_add(&w->events, htmt__look_interval(e));
    if (mine && !e->whole->fault.code && look(e->whole))
        atomic_store(&w->stop, !htmt__watched(e));
    return atomic_load(&w->stop);
}

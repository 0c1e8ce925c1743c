/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The walk of a parcel.
 *
 * A type is compiled into an array of steps (type.c). A parcel has a pointer to its present step,
 * and htmt__walk() advances it. A step either takes no virtual time, and the loop goes on to the
 * next one, or it makes the parcel wait, and the function returns. A parcel waits in one of four
 * ways, and whoever ends the wait calls the walk again:
 *
 *   TAKE   The layer's store has too few free words: the parcel joins the store's line (memory.c).
 *          When words come back, it is advanced behind the step and put on the ready list.
 *   SERVE  It asks for a server of a bank (service.c). Its event is the end of the service:
 *          htmt__walk_served().
 *   MOVE   It occupies channels of a network. Its event is the arrival of the last word, or before
 *          that of the head: htmt__walk_moved().
 *   GATE   It waits for a call such as htmt_dispatch() (fiber.c), which puts it on the ready list.
 *
 * So a parcel has at most one pending event, and nothing polls. A parcel that need not wait passes
 * its steps within one event: the end of a gather, for example, gives the image in DRAM back and
 * asks for a SPIM in the same call.
 *
 * A move is cut-through. The channel at the source is occupied for `out_time`. The head needs the
 * network's start-up and latency to the target, and occupies a channel there for `in_time`. The
 * move ends when both the target's channel has served it and the last word can have arrived
 * (p->tail). An example: 75 words leave over a network with a latency of 85 ns, out_time 10 ns and
 * in_time 8 ns. The source's channel is free at t = 0. It is occupied until 10 ns, the head arrives
 * at 85 ns, and the last word at 95 ns at the earliest. If the target's channel is free at 85 ns,
 * it is occupied until 93 ns and the move ends at 95 ns. If it is free at 90 ns only, it is
 * occupied until 98 ns, when the move ends.
 *
 * Whether the head needs an event of its own was decided when the type was compiled (enum
 * htmt__end_queue): the queue at a target is in the order of arrival. If one port feeds it,
 * messages arrive in the order in which they left, and so the whole move is computed when it
 * starts. If several ports feed it, the head has an event when it arrives.
 *
 * Two ways of a move charge the same. Most networks have no model of their inside, and mostly no
 * probe watches; what message.c would ask of each leg was then found when the type was compiled,
 * and the move takes the short way below. All others become legs of message.c. Most moves cost what
 * the step's last one did (struct htmt__alike). Since only moves that have words and take the short
 * way are remembered there, one comparison of costs answers for both, and words and times are read
 * where the count is.
 *
 * Where events go is a pointer of the step, too: its line of the lane (event.h). Who watches, or
 * must do without a lane, finds a closed line there, which takes nothing; so the common way does
 * not ask.
 *
 * The cost. Every event of a parcel passes here; a stage takes some 290 instructions of the host in
 * all, its event, history and statistics included (make bench-instructions). Functions of every
 * event therefore call others only where they end: a tail call needs no stack frame and saves no
 * registers. What must go on after a call is a function APART, which the compiler must not inline
 * into the common way.
 */
#include "parcels/walk/walk.h"
#include "parcels/clock/event.h"
#include "parcels/message/inlet.h"
#include "parcels/message/message.h"
#include "parcels/message/post.h"
#include "parcels/walk/context.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/service.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/type.h"

#define APART static __attribute__((noinline))

static const struct htmt__passage *passage_of(const struct htmt__entity *p)
{
    return &p->cost->passage[p->step->passage];
}

/* p goes on behind its step. */
static void step_on(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->step++;
    htmt__walk(e, p);
}

/* ---- moves, at the target ---------------------------------------------------------------------*/

/* The short way is open to this step. */
static bool is_plain(const struct htmt_emulator *e, const struct htmt__step *s)
{
    return !htmt__explained(e) && __builtin_expect(s->end != HTMT__END_INSIDE, 1);
}

/* A channel is free at `at`, and need not be looked for. */
static bool is_free(const struct htmt__link *l, htmt_time at)
{
    return l->channels == 1 && l->free <= at;
}

static inline void start_in(struct htmt_emulator *e, struct htmt__entity *p, htmt_time start)
{
    htmt_time in_time = passage_of(p)->in_time, end = htmt__later(start, in_time);
    htmt__wide_add((htmt_uwide *)&p->step->stats->in_busy, (uint64_t)in_time);
    p->start = start;
    htmt__schedule_step(e, p, 0, end >= 0 && end < p->tail ? p->tail : end);
}

APART void wait_in(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__link *in,
                   htmt_time head)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    htmt_time start = htmt__link_enter(in, s->stats->in_tally, head, w->in_time, w->words);
    if (start < 0) {
        htmt__channel_refuse(e, start);
        return;
    }
    htmt__wide_add((htmt_uwide *)&s->stats->in_waited, (uint64_t)(start - head));
    start_in(e, p, start);
}

/* p's head is at the target at `head`. */
static inline void queue_in(struct htmt_emulator *e, struct htmt__entity *p, htmt_time head)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    struct htmt__link *in = htmt__resource_at(e, p->slice, s->in_at);
    if (!is_free(in, head)) {
        wait_in(e, p, in, head);
        return;
    }
    htmt__link_take(in, &in->free, s->stats->in_tally, head, w->in_time, w->words);
    start_in(e, p, head);
}

static __attribute__((cold, noinline)) void leg_in(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg leg = htmt__leg_of_move(p);
    htmt__channel_in(e, p, &leg);
}

/* The event of a head: p queues at the target and gets another event. */
APART void move_in(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (!is_plain(e, p->step)) {
        leg_in(e, p);
        return;
    }
    p->head = false;
    queue_in(e, p, e->now);
}

/* ---- moves, at the source -------------------------------------------------------------------- */

/* A move that costs other than the step's last one: the statistics begin to count anew. */
APART void count_other(const struct htmt__step *s, const struct htmt__move_cost *cost)
{
    const struct htmt__passage *w = &cost->passage[s->passage];
    struct htmt__alike *last = s->alike;
    htmt__stage_stats_add(s->stats, last);
    last->cost = cost;
    last->words = w->words;
    last->time = w->out_time;
    if (w->out_time > s->stats->longest)
        s->stats->longest = w->out_time;
}

/* The move starts at `start`, p->tail is known, and something queues at its end. */
APART void send_head(struct htmt_emulator *e, struct htmt__entity *p, htmt_time start)
{
    const struct htmt__step *s = p->step;
    if (s->end == HTMT__END_KNOWN) {
        queue_in(e, p, start + s->lead);
        return;
    }
    p->head = true;
    htmt__schedule_step(e, p, 1, start + s->lead);
}

static inline void send(struct htmt_emulator *e, struct htmt__entity *p, htmt_time start)
{
    struct htmt__alike *last = p->step->alike;
    p->service = last->time;
    last->count++;
    if (p->step->end == HTMT__END_FREE)
        htmt__schedule_step(e, p, 0, p->tail);
    else
        send_head(e, p, start);
}

/* Sets p->tail. false: that is later than there is time. */
static inline bool set_tail(struct htmt__entity *p, htmt_time start, htmt_time out_time)
{
    htmt_time left;
    return !__builtin_add_overflow(start, out_time, &left) &&
           !__builtin_add_overflow(left, p->step->latency, &p->tail);
}

static __attribute__((cold, noinline)) void leg_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg leg = htmt__leg_of_move(p);
    htmt__channel_out(e, p, &leg);
}

/* The channel is not free, or has to be looked for, or the move is unlike the step's last one, or
 * it does not take the short way. */
APART void move_out_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = passage_of(p);
    if (!w->words) {
        step_on(e, p);
        return;
    }
    if (!is_plain(e, s)) {
        leg_out(e, p);
        return;
    }
    struct htmt__link *out = htmt__resource_at(e, p->slice, s->at);
    htmt_time start = htmt__link_enter(out, s->stats->tally, e->now, w->out_time, w->words);
    if (start < 0 || !set_tail(p, start, w->out_time)) {
        htmt__channel_refuse(e, start);
        return;
    }
    if (s->alike->cost != p->cost)
        count_other(s, p->cost);
    htmt__wide_add((htmt_uwide *)&s->stats->waited, (uint64_t)(start - e->now));
    send(e, p, start);
}

/* p, at a move, occupies a channel at the source and gets an event. Nothing is asked of a move like
 * the step's last one: that one had words, and took the short way. */
static inline void move_out(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__alike *last = s->alike;
    struct htmt__link *out = htmt__resource_at(e, p->slice, s->at);
    if (last->cost != p->cost || !is_free(out, e->now) || !set_tail(p, e->now, last->time)) {
        move_out_other(e, p);
        return;
    }
    htmt__link_take(out, &out->free, s->stats->tally, e->now, last->time, last->words);
    send(e, p, e->now);
}

/* ---- gates, bytes, the end ------------------------------------------------------------------- */

static inline void give_up(struct htmt_emulator *e, struct htmt__entity *p)
{
    htmt__body_free(e, p->type, p->body);
    htmt__entity_free(e, p, HTMT__PARCEL);
}

/* p is freed before its `on_done` is signalled and its thread is given on: both may make another
 * parcel, which then takes p's place. */
APART void end_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt_slot done = p->body->on_done;
    uint32_t slice = p->slice, layer = p->type->home;
    if (p->body->live) {
        htmt__fail(e, HTMT_EINVAL, "a %s ends under %u of its fibers; give it the gate RETIRE",
                   p->type->code.name, p->body->live);
        return;
    }
    if (p->type->fiber_count && !p->discarded)
        htmt__slots_end(e, p);
    if (e->data)
        htmt__data_end(e->data, p->closure);
    struct htmt__waiter *next =
        p->body->thread == HTMT__NO_THREAD ? NULL : htmt__issue_release(e, p);
    give_up(e, p);
    htmt__signal_from(e, slice, layer, &done);
    if (__builtin_expect(next != NULL, 0))
        htmt__serve_next(e, next, layer);
}

/* What was made of a post has fibers and slots of nobody. The next post begins. */
static __attribute__((noinline)) void over(struct htmt_emulator *e, struct htmt__entity *p)
{
    const uint32_t slice = p->slice, layer = p->type->home;
    struct htmt__waiter *next = NULL;
    if (p->closure && e->data)
        htmt__data_end(e->data, p->closure);
    if (p->body->thread != HTMT__NO_THREAD)
        next = htmt__issue_release(e, p);
    htmt__body_free(e, p->type, p->body);
    htmt__entity_free(e, p, HTMT__PARCEL);
    if (next)
        htmt__serve_next(e, next, layer);
    htmt__post_over(e, slice, layer);
}

/* Its service took no time. */
static __attribute__((noinline)) void served_at_once(struct htmt_emulator *e,
                                                     struct htmt__entity *p)
{
    p->step -= 2;
    const struct htmt__step *s = p->step;
    const uint32_t resource = s->stats->resource;
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, s->at);
    htmt__record(e, p->slice, s->stats, p->serial, 0);
    struct htmt__waiter *next = htmt__bank_leave(bank, s->stats->tally, 0, e->now);
    if (p->log)
        htmt__log_finish(e, p);
    over(e, p);
    if (next)
        htmt__serve_next(e, next, resource);
}

/* Mostly nobody hears of it, and p has no bytes, no fibers and no thread. */
APART void end(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons = HTMT__BY_BYTES | HTMT__BY_ISSUE;
    if (p->type->fiber_count || htmt__goes_aside(e, reasons) ||
        !htmt_ref_none(p->body->on_done.owner))
        end_other(e, p);
    else
        give_up(e, p);
}

/* A gate, or the end of what was posted. The gate RETIRE has two conditions: its call, and that no
 * enabled fiber is left. Passing it for the first time also releases the fibers that were enabled
 * before fiber 0, the stage execute, had ended. A discarded parcel gives back what it holds and
 * ends here. */
APART void take_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    if (s->op == HTMT__POST_END) {
        over(e, p);
        return;
    }
    if (s->op == HTMT__POST_ZERO) {
        served_at_once(e, p);
        return;
    }
    const bool retires = s->stage == HTMT_RETIRE;
    if (retires && !p->body->begun)
        htmt__fibers_begin(e, p->body);
    const bool called = p->open & HTMT_GATE(s->stage), busy = retires && p->body->live;
    if (p->discarded && !busy) {
        for (uint32_t l = 0; l < e->layers; l++)
            if (htmt__memory_held(p, l))
                htmt__memory_give(e, htmt__store_at(e, p->slice, l), l, p->cost->space[l]);
        end(e, p);
        return;
    }
    if (called && !busy) {
        step_on(e, p);
        return;
    }
    p->state = HTMT__FOR_CALL;
    p->waiter.since = e->now;
    if (!called) {
        struct htmt_slot slot = p->body->on_ready;
        p->body->on_ready = (struct htmt_slot){0};
        htmt__signal_from(e, p->slice, s->layer, &slot);
    }
}

/* In a run: bytes of the closure move on, or its kernel may start on the host. */
APART void take_bytes(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    if (htmt__explained(e))
        e->explain->moves(e, p);
    if (s->op == HTMT__FETCH)
        htmt__data_fetch(e->data, p->closure, s->layer);
    else if (s->op == HTMT__LAND)
        htmt__data_land(e->data, p->closure);
    else if (s->op == HTMT__DEPART)
        htmt__data_depart(e->data, p->closure);
    else if (s->op == HTMT__STORE)
        htmt__data_store(e->data, p->closure, s->layer);
    else
        htmt__data_closed(e->data, p->closure, s->stage == HTMT_EXECUTE);
    step_on(e, p);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Those who waited for the words that p gave back go on before p does. */
APART void wake_before(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__store *store)
{
    htmt__memory_wake(e, store, p->step->layer);
    step_on(e, p);
}

/* Whose words came back, if somebody waits for them. */
static inline struct htmt__store *give(struct htmt_emulator *e, struct htmt__entity *p,
                                       const struct htmt__step *s)
{
    uint64_t words = p->cost->space[s->layer];
    struct htmt__store *store = htmt__resource_at(e, p->slice, s->at);
    if (!words)
        return NULL;
    htmt__store_give(store, s->class, words);
    return store->line.head ? store : NULL;
}

/* The operations are tested one after the other, the commonest first: a table of addresses costs
 * more, since its jump is predicted badly. Each case ends the loop or continues it; written as a
 * chain of `else`, the loop had 18 % more instructions. */
void htmt__walk(struct htmt_emulator *e, struct htmt__entity *p)
{
    for (const struct htmt__step *s = p->step;; s++) {
        const uint8_t op = s->op;
        if (op == HTMT__MOVE) {
            p->step = s;
            move_out(e, p);
            return;
        }
        if (op == HTMT__SERVE) {
            p->step = s;
            htmt__request(e, p);
            return;
        }
        if (op == HTMT__GIVE) {
            struct htmt__store *wanted = give(e, p, s);
            if (!wanted)
                continue;
            p->step = s;
            wake_before(e, p, wanted);
            return;
        }
        if (op == HTMT__TAKE) {
            uint64_t words = p->cost->space[s->layer];
            if (words && !htmt__memory_take(e, p, s, words))
                return;
            continue;
        }
        p->step = s;
        if (op == HTMT__END) {
            end(e, p);
            return;
        }
        if (op > HTMT__CLOSED) {
            take_other(e, p);
            return;
        }
        if (op == HTMT__CLOSED || (op <= HTMT__LAND ? p->ways.comes : p->ways.goes) & s->bit) {
            take_bytes(e, p); /* the closure has bytes for the layer */
            return;
        }
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

APART void moved_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__leg leg = htmt__leg_of_move(p);
    htmt__record(e, p->slice, s->stats, p->serial, passage_of(p)->words);
    step_on(e, p);
    if (htmt__inlet_holds(e, &leg))
        htmt__inlet_leave(e, &leg);
}

void htmt__walk_moved(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    if (p->head) {
        move_in(e, p);
        return;
    }
    if (htmt__goes_aside(e, HTMT__BY_OBSERVER | HTMT__BY_QUEUES)) {
        moved_aside(e, p);
        return;
    }
    htmt__record_at_once(e, p->slice, s->stats, p->serial, passage_of(p)->words);
    step_on(e, p);
}

/* With a log, whose last lines take effect now; recorded aside; or with somebody in line, who
 * begins when p has gone on. */
APART void served_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const uint32_t resource = s->stats->resource;
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, s->at);
    htmt__record(e, p->slice, s->stats, p->serial, 0);
    struct htmt__waiter *next = htmt__bank_leave(bank, s->stats->tally, p->service, e->now);
    if (p->log)
        htmt__log_finish(e, p);
    if (p->kind == HTMT__FIBER)
        htmt__fiber_end(e, p);
    else
        step_on(e, p);
    if (next)
        htmt__serve_next(e, next, resource);
}

void htmt__walk_served(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, s->at);
    if (bank->line.head || p->log || p->kind == HTMT__FIBER || !htmt__records_at_once(e)) {
        served_other(e, p);
        return;
    }
    htmt__record_at_once(e, p->slice, s->stats, p->serial, 0);
    htmt__bank_free(bank, s->stats->tally, p->service);
    step_on(e, p);
}

void htmt__walk_issued(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->log)
        htmt__log_finish(e, p);
    if (p->kind == HTMT__FIBER)
        htmt__fiber_end(e, p);
    else
        step_on(e, p);
}

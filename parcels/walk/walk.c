/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The walk of a parcel along the steps of its type until it has to wait.
 */
#include "parcels/walk/walk.h"
#include "parcels/clock/event.h"
#include "parcels/walk/fiber.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/move.h"
#include "parcels/walk/move_cost.h"
#include "parcels/walk/service.h"
#include "parcels/walk/signal.h"

/* ---- moves --------------------------------------------------------------------------------- */

static uint64_t words_of(const struct htmt__entity *p)
{
    return p->cost->passage[p->step->passage].words;
}

/* ---- gates, end ------------------------------------------------------------------------------ */

static void end(struct htmt_emulator *e, struct htmt__entity *p)
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
    htmt__body_free(e, p->type, p->body);
    htmt__entity_free(e, p, HTMT__PARCEL);
    htmt__signal_from(e, slice, layer, &done);
    if (__builtin_expect(next != NULL, 0))
        htmt__serve_next(e, next, layer);
}

/* A parcel at a gate gives back what it holds and ends. */
static __attribute__((cold, noinline)) void discard(struct htmt_emulator *e, struct htmt__entity *p)
{
    for (uint32_t l = 0; l < e->layers; l++)
        if (p->held >> l & 1)
            htmt__memory_give(e, htmt__store_at(e, p->slice, l), l, p->cost->space[l]);
    end(e, p);
}

static bool closed(struct htmt_emulator *e, struct htmt__entity *p)
{
    uint32_t gate = HTMT_GATE(p->step->stage);
    if (p->step->stage == HTMT_RETIRE && !p->body->begun)
        htmt__fibers_begin(e, p->body);
    bool busy = p->step->stage == HTMT_RETIRE && p->body->live;
    if (p->discarded && !busy) {
        discard(e, p);
        return true;
    }
    if ((p->open & gate) && !busy)
        return false;
    p->state = HTMT__FOR_CALL;
    p->waiter.since = e->now;
    if (!(p->open & gate)) {
        struct htmt_slot slot = p->body->on_ready;
        p->body->on_ready = (struct htmt_slot){0};
        htmt__signal_from(e, p->slice, p->step->layer, &slot);
    }
    return true;
}

/* ---- the walk --------------------------------------------------------------------------------
 *
 * Functions of every event call others only where they end, so that they keep nothing on the stack.
 * What must go on after another call does so in a function apart, which is out of their way.
 */

#define APART static __attribute__((noinline))

static void step_on(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->step++;
    htmt__walk(e, p);
}

/* A gate, or the end. */
APART void take_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->step->op != HTMT__GATE)
        end(e, p);
    else if (!closed(e, p))
        step_on(e, p);
}

/* Bytes of the closure move on, or its kernel may start: in a run. */
APART void take_bytes(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
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

/* No bytes of the closure come from there, or go there. */
static inline bool moves_nothing(const struct htmt__entity *p, const struct htmt__step *s)
{
    if (s->op > HTMT__STORE)
        return false;
    uint8_t ways = s->op <= HTMT__LAND ? p->ways.comes : p->ways.goes;
    return !(ways & s->bit);
}

APART void wake_before(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__store *store)
{
    htmt__memory_wake(e, store, p->step->layer);
    step_on(e, p);
}

/* true: p waits. */
static inline bool lacks_space(struct htmt_emulator *e, struct htmt__entity *p,
                               const struct htmt__step *s)
{
    uint64_t words = p->cost->space[s->layer];
    return words && !htmt__memory_take(e, p, s, words);
}

/* Whose words came back, if somebody waits for them. */
static inline struct htmt__store *give(struct htmt_emulator *e, struct htmt__entity *p,
                                       const struct htmt__step *s)
{
    uint64_t words = p->cost->space[s->layer];
    struct htmt__store *store = htmt__resource_at(e, p->slice, s->at);
    p->held &= (uint8_t)~s->bit;
    if (!words)
        return NULL;
    htmt__store_give(store, &e->stock[s->layer], words);
    return store->line.head ? store : NULL;
}

/* One test after the other: the commonest steps come first, and a table costs more. */
void htmt__walk(struct htmt_emulator *e, struct htmt__entity *p)
{
    for (const struct htmt__step *s = p->step;; s++) {
        const uint8_t op = s->op;
        p->step = s;
        if (op == HTMT__MOVE) {
            if (!words_of(p))
                continue;
            htmt__move_out(e, p);
            return;
        }
        if (op == HTMT__SERVE) {
            htmt__request(e, p);
            return;
        }
        if (op == HTMT__GIVE) {
            struct htmt__store *wanted = give(e, p, s);
            if (!wanted)
                continue;
            wake_before(e, p, wanted);
            return;
        }
        if (op == HTMT__TAKE) {
            if (lacks_space(e, p, s))
                return;
            continue;
        }
        if (op > HTMT__CLOSED) {
            take_other(e, p);
            return;
        }
        if (!moves_nothing(p, s)) {
            take_bytes(e, p);
            return;
        }
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

APART void moved_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    htmt__record(e, p->slice, s->stats, p->serial, s->stage, words_of(p));
    step_on(e, p);
}

void htmt__walk_moved(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    if (p->head) {
        htmt__move_in(e, p);
        return;
    }
    if (!htmt__records_at_once(e)) {
        moved_aside(e, p);
        return;
    }
    htmt__record_at_once(e, p->slice, s->stats, p->serial, s->stage, words_of(p));
    step_on(e, p);
}

/* With a log, recorded aside, or with somebody in line, who begins when p has gone on. */
APART void served_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    uint32_t resource = p->step->stats->resource;
    struct htmt__waiter *next = htmt__service_end(e, p);
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
    htmt__record_at_once(e, p->slice, s->stats, p->serial, s->stage, 0);
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

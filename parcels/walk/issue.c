/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services at an issue port.
 *
 * A processor in a bank has many hardware threads and issues one instruction a cycle, in turn, of
 * those threads that are ready. So a service has no length of its own: it takes a number of
 * instructions, and how long they take depends on who else issues meanwhile. The port says after
 * each enter and leave which thread is done next, and when, provided that nobody else comes
 * (layers/bank/issue_port.h).
 *
 * A parcel takes a thread with its first service and holds it until it ends; its fibers are served
 * on that thread. The bank has as many servers as the processor has threads, so who finds no thread
 * waits in the bank's line.
 *
 * The port has one event, that of its next completion. When another service enters, the completions
 * that were expected come later; the pending event is left where it is, and when it comes it finds
 * that nothing is done and asks again. When a service leaves, completions come sooner: another
 * event is made, and the former one is outdated (s->event names the one that counts). These events
 * are in no history and no count. An example: two services of 100 instructions at slots = 1, cycle
 * 1 ns. The first one enters at 0, its event is at 100 ns. The second one enters at 50 ns; both now
 * advance by half an instruction a cycle, so the first one is done at 150 ns. The event at 100 ns
 * finds that out and is made again at 150 ns. The second one is done at 200 ns.
 *
 * What a control charges are instructions, and a line of its log stands at a count of them. So a
 * service is issued in runs, from line to line: p->before counts what was issued, p->after all.
 * When a run is done, the lines up to there take effect and the next run enters.
 */
#include "parcels/walk/issue.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/walk/context.h"

/* ---- threads --------------------------------------------------------------------------------- */

void htmt__issue_take(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__issuing *s = htmt__issuing_at(e, p->slice);
    uint32_t thread = (uint32_t)__builtin_ctz(~s->taken);
    s->taken |= UINT32_C(1) << thread;
    p->body->thread = (uint8_t)thread;
}

struct htmt__waiter *htmt__issue_release(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__issuing *s = htmt__issuing_at(e, p->slice);
    const uint32_t layer = e->banked->machine->scratch;
    struct htmt__bank *bank = htmt__bank_at(e, p->slice, layer);
    s->taken &= ~(UINT32_C(1) << p->body->thread);
    p->body->thread = HTMT__NO_THREAD;
    bank->busy--;
    if (!bank->line.head)
        return NULL;
    bank->busy++;
    return htmt__line_leave(&bank->line, &e->tally[layer], e->now);
}

/* ---- runs of instructions -------------------------------------------------------------------- */

/* The port gets an event at its next completion, unless one that counts comes before. */
static void look_ahead(struct htmt_emulator *e, struct htmt__issuing *s, uint32_t slice)
{
    uint32_t thread;
    if (!s->port.inside)
        return;
    htmt_time at = htmt__issue_earliest(&e->banked->machine->issue, &s->port, &thread);
    if (s->event && at >= 0 && s->event_at <= at)
        return;
    s->event = htmt__entity_create(e, slice, HTMT__ISSUE);
    s->event_at = at;
    if (s->event)
        htmt__schedule_unheard(e, s->event, at);
}

/* Lines up to here take effect, and p issues up to its next line, or to its end. */
static void issue_on(struct htmt_emulator *e, struct htmt__issuing *s, struct htmt__entity *p)
{
    uint32_t thread = htmt__self(p)->body->thread;
    htmt__log_pass(e, p);
    htmt_time to = p->log && p->log->at < p->after ? p->log->at : p->after;
    s->on[thread] = p;
    if (htmt__issue_enter(&e->banked->machine->issue, &s->port, e->now, thread,
                          (uint64_t)(to - p->before)))
        htmt__fail(e, HTMT_EOVERFLOW, "type %s: the instructions of a service overflow",
                   p->type->code.name);
    p->before = to;
    look_ahead(e, s, p->slice);
}

/* Behind the kernel lines count from the beginning of the service from now on. */
void htmt__issue_begin(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt_ops *ops)
{
    const htmt_time most = HTMT_TIME_MAX / 4;
    uint64_t sum = 0;
    bool overflows = false;
    for (int i = 0; i < HTMT_OP_CLASSES && !overflows; i++)
        overflows = __builtin_add_overflow(sum, ops->n[i], &sum) || sum > (uint64_t)most;
    const htmt_time work = (htmt_time)sum;
    if (overflows || p->before + work + p->after > most) {
        htmt__fail(e, HTMT_EOVERFLOW, "type %s: the instructions of a service overflow",
                   p->type->code.name);
        return;
    }
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        p->step->stats->ops[i] += ops->n[i];
    for (struct htmt__log_line *line = p->log; line; line = line->next)
        if (line->after)
            line->at += p->before + work;
    p->after = p->before + work + p->after; /* all */
    p->before = 0;                          /* up to where it issues */
    p->service = e->now;                    /* when it began */
    htmt__thread_serves(htmt__issuing_at(e, p->slice), htmt__self(p)->body->thread, e->now);
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    issue_on(e, htmt__issuing_at(e, p->slice), p);
}

/* All instructions of p's service are issued. Who watches hears of the service's interval as if its
 * end had been known. */
static void end(struct htmt_emulator *e, struct htmt__issuing *s, struct htmt__entity *p)
{
    struct htmt__stage_stats *stats = p->step->stats;
    htmt_time busy = htmt_charge_time(e->banked->machine->issue.cycle, (uint64_t)p->after);
    s->issued += (uint64_t)p->after;
    stats->count++;
    stats->busy += busy;
    stats->tally->served++;
    stats->tally->busy += busy;
    htmt__bank_at(e, p->slice, e->banked->machine->scratch)->in_use += (uint64_t)busy;
    p->service = e->now - p->service;
    s->inside += p->service;
    s->between[htmt__self(p)->body->thread].free = e->now;
    if (p->service > stats->longest)
        stats->longest = p->service;
    if (htmt__explained(e)) {
        e->explain->turn(e, p);
        e->explain->event(e, p, e->now);
        p->state = HTMT__PENDING;
        e->explain->turn(e, p);
    }
    p->state = HTMT__PENDING;
    htmt__record(e, p->slice, stats, p->serial, 0);
}

struct htmt__entity *htmt__issue_turn(struct htmt_emulator *e, struct htmt__entity *event)
{
    const struct htmt__issue_figures *f = &e->banked->machine->issue;
    const uint32_t slice = event->slice;
    struct htmt__issuing *s = htmt__issuing_at(e, slice);
    uint32_t thread;
    bool current = s->event == event;
    htmt__entity_free(e, event, HTMT__ISSUE);
    if (!current)
        return NULL;
    s->event = NULL;
    htmt_time at = htmt__issue_earliest(f, &s->port, &thread);
    if (at != e->now) {
        look_ahead(e, s, slice);
        return NULL;
    }
    htmt__issue_leave(f, &s->port, e->now, thread);
    struct htmt__entity *p = s->on[thread];
    s->on[thread] = NULL;
    look_ahead(e, s, slice);
    if (p->before < p->after) {
        issue_on(e, s, p);
        return NULL;
    }
    end(e, s, p);
    return p;
}

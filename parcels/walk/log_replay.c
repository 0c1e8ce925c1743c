/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The length of a service becomes known, and its operation log takes effect.
 *
 * A control has charged `before` up to its htmt_work() and `after` behind it; the kernel takes
 * `work`. So a service that began at t ends at t + before + work + after. Each line of the log
 * stands at a time: those before the kernel at t + at, those behind it at t + before + work + at.
 *
 *     t          t + before              t + before + work      t + before + work + after
 *     |--control-|--------kernel---------|--------control-------|
 *     start      line 1                  line 2                 line 3
 *
 * When the length is known, htmt__length_set() goes through the log once. A line at the present
 * instant takes effect at once. One at the end of the service stays in p->log until the event of
 * the service: htmt__log_finish(). Each line between gets an entity of its own with an event, a
 * moment. In the picture, with before = 0, line 1 takes effect now, line 2 becomes a moment and
 * line 3 stays. Most logs have lines at the start and the end only, so moments are few. A line of
 * HTMT__TAKEN, which frees records of a mailbox, always waits for the end: the kernel reads them.
 *
 * A pause, which is behind all other time, is a line at the end, too. Its server is held until then
 * as by any service, and the line takes the pause out of its time in use.
 *
 * Why moments are scheduled one by one, not when the former one has come: an entity takes its key
 * from its birth, and ties between events go by keys. All moments of a log are born together, in
 * the order of the lines, whatever happens in between; so the history does not depend on it.
 *
 * The length may be learnt long after the service began, where services depend on each other
 * (node_services.c). htmt__log_begin() then takes the lines before the kernel at the start, and
 * htmt__length_set() gets the rest with `began` in the past. At an issue port time is no linear
 * function of instructions; there htmt__log_pass() takes lines when the port has issued up to them.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/capture.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/type.h"

static void collective_turn(struct htmt_emulator *e, struct htmt__collective *t, uint32_t slice,
                            void (*operation)(struct htmt_emulator *e, struct htmt__collective *t,
                                              uint32_t slice))
{
    htmt__collective_turn(e, t, slice, false);
    operation(e, t, slice);
    htmt__collective_turn(e, t, slice, true);
}

/* The last word of a message has left: its bytes are captured, in a run, unless it has arrived at
 * this very instant, and its source may be used again. */
static void sent(struct htmt_emulator *e, const struct htmt__entry *entry)
{
    const struct htmt__log_line *line = &entry->line;
    if (line->captured) {
        htmt__capture_make(e, entry->capture);
    } else if (e->data) {
        const struct htmt__sent *s = &entry->message;
        struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(s->slice, s->index));
        if (p->serial == s->serial)
            htmt__message_capture(e, p);
    }
    if (line->returns)
        collective_turn(e, entry->collective, line->slice, entry->collective->operations->sent);
    else
        htmt__signal_from(e, line->slice, line->stage, &entry->slot);
}

/* Does what the line says, for the entity p at whose place it happens, and frees it. */
static void take_effect(struct htmt_emulator *e, struct htmt__entity *p,
                        struct htmt__log_line *line)
{
    if (line->kind == HTMT__START) {
        struct htmt__entity *started = htmt__log_starts(line);
        htmt__message_fetch(started->message); /* if it is one: it was made long ago */
        htmt__ready(e, started);
        return;
    }
    struct htmt__entry *entry = htmt__entry_of(line);
    switch ((enum htmt__entry_kind)line->kind) {
    case HTMT__START:
        break;
    case HTMT__SIGNAL:
        htmt__signal_from(e, p->slice, line->stage, &entry->slot);
        break;
    case HTMT__OPEN:
        htmt__gate_open(e, entry->parcel, line->stage);
        break;
    case HTMT__SENT:
        sent(e, entry);
        break;
    case HTMT__TAKEN:
        htmt__mailbox_taken(e, entry->mailbox, entry->amount);
        break;
    case HTMT__JOIN:
        collective_turn(e, entry->collective, p->slice, entry->collective->operations->join);
        break;
    case HTMT__FOLDED:
        collective_turn(e, entry->collective, p->slice, entry->collective->operations->folded);
        break;
    case HTMT__SECTION:
        e->explain->section(e, p->slice, (uint32_t)entry->amount, e->now);
        break;
    case HTMT__PAUSED:
        p->step->stats->tally->busy -= (htmt_time)entry->amount;
        p->step->stats->tally->paused += (htmt_time)entry->amount;
        htmt__bank_at(e, p->slice, p->step->stats->resource)->in_use -= entry->amount;
        break;
    case HTMT__COMMAND:
        htmt__controller_command(e, entry->command);
        break;
    case HTMT__COMMAND_OVER:
        htmt__controller_over(e, entry->command);
        break;
    case HTMT__PROGRAM_ENDED:
        htmt__controller_ended(e, p->slice);
        break;
    }
    htmt__entry_free(e, entry);
}

/* A line takes effect now, or gets a moment. If the processor still routes packets, what happens at
 * the start of the service waits for it, too. A section begins without a moment, since a moment
 * takes a number of the slice, and who watches must not change a run. */
static void place(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__log_line *line,
                  htmt_time at)
{
    const bool section = line->kind == HTMT__SECTION, routes = htmt__goes_aside(e, HTMT__BY_ROUTER);
    if (at == e->now && (section || !routes || !htmt__router_late(e, p))) {
        take_effect(e, p, line);
        return;
    }
    if (section) {
        e->explain->section(e, p->slice, (uint32_t)htmt__entry_of(line)->amount, at);
        htmt__entry_free(e, htmt__entry_of(line));
        return;
    }
    struct htmt__entity *moment = htmt__entity_create(e, p->slice, HTMT__MOMENT);
    if (!moment) {
        if (line->kind != HTMT__START)
            htmt__entry_free(e, htmt__entry_of(line));
        return;
    }
    moment->log = line;
    if (routes)
        htmt__router_mark(e, moment, p, at);
    if (htmt__explained(e))
        e->explain->within(e, moment, p->step->stats);
    htmt__schedule_line(e, moment, htmt__moment_line(e), htmt__not_before(e->now, at));
}

static void unroll(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began, htmt_time work)
{
    struct htmt__log_line *line = p->log, *next, **end = &p->log;
    if (htmt__explained(e))
        e->explain->unrolls(e, p);
    p->log = NULL;
    for (; line; line = next) {
        next = line->next;
        line->next = NULL;
        htmt_time at = line->after ? p->before + work + line->at : line->at;
        if ((at >= p->service && line->after) || line->kind == HTMT__TAKEN) {
            *end = line;
            end = &line->next;
        } else {
            place(e, p, line, htmt__later(began, at));
        }
    }
}

void htmt__length_set(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work)
{
    struct htmt__stage_stats *stats = p->step->stats;
    const htmt_time paused = htmt__paused(p);
    p->service = p->before + work + p->after;
    stats->busy += p->before + p->after - paused;
    stats->paused += paused;
    if (p->service - paused > stats->longest)
        stats->longest = p->service - paused;
    if (p->log && (p->worked || p->after)) /* else all of it is for the end */
        unroll(e, p, began, work);
    htmt__schedule_step(e, p, 0, htmt__not_before(e->now, htmt__later(began, p->service)));
}

/* No other service is counted as alike: the next one of equal counts may take another time. */
void htmt__length_played(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt_ops *ops, htmt_time began, htmt_time work)
{
    const struct htmt__step *step = p->step;
    struct htmt__alike *last = step->alike;
    htmt__stage_stats_add(step->stats, last);
    last->ops = *ops;
    last->time = work;
    last->count = 1;
    htmt__stage_stats_add(step->stats, last);
    if (work > step->stats->longest)
        step->stats->longest = work;
    htmt__length_set(e, p, began, work);
}

void htmt__log_begin(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__log_line *line = p->log, *next, **end = &p->log;
    p->log = NULL;
    for (; line; line = next) {
        next = line->next;
        line->next = NULL;
        if (line->after || line->kind == HTMT__TAKEN) {
            *end = line;
            end = &line->next;
        } else {
            place(e, p, line, htmt__later(e->now, line->at));
        }
    }
}

void htmt__log_place(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__log_line *line,
                     htmt_time at)
{
    place(e, p, line, at);
}

void htmt__log_unroll(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work)
{
    struct htmt__log_line *line = p->log, *next, **end = &p->log;
    p->log = NULL;
    for (; line; line = next) {
        next = line->next;
        line->next = NULL;
        if (line->kind == HTMT__TAKEN || line->kind == HTMT__PAUSED) {
            *end = line;
            end = &line->next;
        } else {
            place(e, p, line,
                  htmt__later(began, line->after ? p->before + work + line->at : line->at));
        }
    }
}

void htmt__log_pass(struct htmt_emulator *e, struct htmt__entity *p)
{
    while (p->log && p->log->at <= p->before && p->log->at < p->after) {
        struct htmt__log_line *line = p->log;
        p->log = line->next;
        take_effect(e, p, line);
    }
}

void htmt__log_finish(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__log_line *line = p->log, *next;
    p->log = NULL;
    for (; line; line = next) {
        next = line->next;
        take_effect(e, p, line);
    }
}

void htmt__log_moment(struct htmt_emulator *e, struct htmt__entity *moment)
{
    struct htmt__log_line *line = moment->log;
    if (htmt__goes_aside(e, HTMT__BY_ROUTER) && !htmt__router_comes(e, moment))
        return;
    moment->log = NULL;
    take_effect(e, moment, line);
    htmt__entity_free(e, moment, HTMT__MOMENT);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/log_replay.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/capture.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/fiber.h"
#include "parcels/walk/signal.h"

/* In a run: of a message that has not arrived at this very instant. */
static void capture(struct htmt_emulator *e, const struct htmt__sent *s)
{
    struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(s->slice, s->index));
    if (p->serial == s->serial)
        htmt__message_capture(e, p);
}

/* The last word of a message has left: its bytes are captured, and its source may be used again. */
static void sent(struct htmt_emulator *e, const struct htmt__entry *entry)
{
    if (entry->capture)
        htmt__capture_make(e, entry->capture);
    else if (e->data)
        capture(e, &entry->message);
    if (entry->collective)
        entry->collective->ways->sent(e, entry->collective, (uint32_t)entry->amount);
    else
        htmt__signal_from(e, (uint32_t)entry->amount, entry->stage, &entry->slot);
}

/* Does what the line says, for the entity p at whose place it happens, and frees it. */
static void take_effect(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__entry *entry)
{
    switch (entry->kind) {
    case HTMT__SIGNAL:
        htmt__signal_from(e, p->slice, entry->stage, &entry->slot);
        break;
    case HTMT__OPEN:
        htmt__gate_open(e, entry->parcel, entry->stage);
        break;
    case HTMT__START:
        htmt__ready(e, entry->start);
        break;
    case HTMT__SENT:
        sent(e, entry);
        break;
    case HTMT__TAKEN:
        htmt__mailbox_taken(e, entry->mailbox, entry->amount);
        break;
    case HTMT__JOIN:
        entry->collective->ways->join(e, entry->collective, p->slice);
        break;
    case HTMT__FOLDED:
        entry->collective->ways->folded(e, entry->collective, p->slice);
        break;
    case HTMT__SECTION:
        e->explain->section(e, p->slice, (uint32_t)entry->amount, e->now);
        break;
    case HTMT__COMMAND:
        htmt__host_command(e, entry->command);
        break;
    case HTMT__COMMAND_OVER:
        htmt__host_over(e, entry->command);
        break;
    case HTMT__PROGRAM_ENDED:
        htmt__host_ended(e, p->slice);
        break;
    }
    htmt__entry_free(e, entry);
}

/* A line between start and end of a service gets a moment of its own; a section begins then without
 * one, since a moment takes a number of the slice. */
static void postpone(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__entry *entry,
                     htmt_time at)
{
    if (entry->kind == HTMT__SECTION) {
        e->explain->section(e, p->slice, (uint32_t)entry->amount, at);
        htmt__entry_free(e, entry);
        return;
    }
    struct htmt__entity *moment = htmt__entity_create(e, p->slice, HTMT__MOMENT);
    if (!moment) {
        htmt__entry_free(e, entry);
        return;
    }
    moment->log = entry;
    if (htmt__goes_aside(e, HTMT__BY_ROUTER))
        htmt__router_mark(e, moment, p, at);
    if (htmt__explained(e))
        e->explain->within(e, moment, p->step->stats);
    htmt__schedule_line(e, moment, htmt__moment_line(e), htmt__not_before(e->now, at));
}

/* What happens at the start waits for the processor, too. */
static bool is_now(const struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at,
                   enum htmt__entry_kind kind)
{
    return at == e->now && (kind == HTMT__SECTION || !htmt__goes_aside(e, HTMT__BY_ROUTER) ||
                            !htmt__router_late(e, p));
}

static void take_or_postpone(struct htmt_emulator *e, struct htmt__entity *p,
                             struct htmt__entry *entry, htmt_time at)
{
    if (is_now(e, p, at, entry->kind))
        take_effect(e, p, entry);
    else
        postpone(e, p, entry, at);
}

void htmt__log_unroll(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work)
{
    struct htmt__entry *entry = p->log, *next, **end = &p->log;
    p->log = NULL;
    for (; entry; entry = next) {
        next = entry->next;
        entry->next = NULL;
        htmt_time at = entry->after ? p->before + work + entry->at : entry->at;
        if ((at >= p->service && entry->after) || entry->kind == HTMT__TAKEN) {
            *end = entry;
            end = &entry->next;
        } else {
            take_or_postpone(e, p, entry, htmt__later(began, at));
        }
    }
}

void htmt__log_begin(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__entry *entry = p->log, *next, **end = &p->log;
    p->log = NULL;
    for (; entry; entry = next) {
        next = entry->next;
        entry->next = NULL;
        if (entry->after || entry->kind == HTMT__TAKEN) {
            *end = entry;
            end = &entry->next;
        } else {
            take_or_postpone(e, p, entry, htmt__later(e->now, entry->at));
        }
    }
}

void htmt__log_pass(struct htmt_emulator *e, struct htmt__entity *p)
{
    while (p->log && p->log->at <= p->before && p->log->at < p->after) {
        struct htmt__entry *entry = p->log;
        p->log = entry->next;
        take_effect(e, p, entry);
    }
}

void htmt__log_finish(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__entry *entry = p->log, *next;
    p->log = NULL;
    for (; entry; entry = next) {
        next = entry->next;
        take_effect(e, p, entry);
    }
}

void htmt__moment(struct htmt_emulator *e, struct htmt__entity *moment)
{
    struct htmt__entry *entry = moment->log;
    if (htmt__goes_aside(e, HTMT__BY_ROUTER) && !htmt__router_comes(e, moment))
        return;
    moment->log = NULL;
    take_effect(e, moment, entry);
    htmt__entity_free(e, moment, HTMT__MOMENT);
}

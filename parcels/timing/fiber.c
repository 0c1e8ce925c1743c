/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/fiber.h"
#include "parcels/timing/event.h"
#include "parcels/timing/probe.h"

/* ---- slots ----------------------------------------------------------------------------------- */

static void enable(struct htmt_emulator *e, struct htmt__entity *owner, uint32_t fiber)
{
    struct htmt__entity *f = htmt__entity_create(e, owner->slice, HTMT__FIBER);
    if (!f)
        return;
    f->owner = owner;
    f->type = owner->type;
    f->step = &owner->type->fiber_step[fiber - 1];
    if (htmt__linted(e))
        e->lint->fiber(e, f);
    owner->body->live++;
    if (owner->body->begun) {
        htmt__ready(e, f);
        return;
    }
    struct htmt__entity **last = &owner->body->early;
    while (*last)
        last = &(*last)->queue;
    *last = f;
}

void htmt__count_down(struct htmt_emulator *e, struct htmt_slot slot)
{
    struct htmt__entity *owner = htmt__find(e, slot.owner);
    if (!owner || !slot.fiber || slot.fiber > owner->type->fiber_count) {
        htmt__fail(e, HTMT_EINVAL, "a signal to fiber %u of a parcel that is gone or has none",
                   slot.fiber);
        return;
    }
    struct htmt__fiber_slot *s = &owner->body->slot[slot.fiber - 1];
    if (!s->count) {
        htmt__fail(e, HTMT_EINVAL, "a signal to fiber %u of %s, whose slot is not set", slot.fiber,
                   owner->type->code.name);
        return;
    }
    if (--s->count)
        return;
    s->count = s->full = s->reset;
    enable(e, owner, slot.fiber);
}

void htmt__slots_end(const struct htmt_emulator *e, const struct htmt__entity *owner)
{
    struct htmt__half *h = &owner->type->half;
    for (uint32_t i = 0; i < owner->type->fiber_count; i++) {
        const struct htmt__fiber_slot *s = &owner->body->slot[i];
        if (s->count == s->full)
            continue;
        if (!h->times++) {
            h->slice = owner->slice;
            h->fiber = i + 1;
            h->got = s->full - s->count;
            h->wanted = s->full;
            h->at = e->now;
        }
    }
}

/* ---- activations ----------------------------------------------------------------------------- */

void htmt__fibers_begin(struct htmt_emulator *e, struct htmt__body *b)
{
    struct htmt__entity *f = b->early, *next;
    b->begun = true;
    b->early = NULL;
    for (; f; f = next) {
        next = f->queue;
        htmt__ready(e, f);
    }
}

void htmt__fiber_end(struct htmt_emulator *e, struct htmt__entity *fiber)
{
    struct htmt__entity *owner = fiber->owner;
    htmt__entity_free(e, fiber);
    if (--owner->body->live == 0 && owner->state == HTMT__FOR_CALL &&
        owner->step->stage == HTMT_RETIRE &&
        (owner->discarded || (owner->open & HTMT_GATE(HTMT_RETIRE))))
        htmt__ready(e, owner);
}

void htmt__gate_open(struct htmt_emulator *e, struct htmt_ref parcel, uint32_t stage)
{
    struct htmt__entity *p = htmt__find(e, parcel);
    if (!p) {
        htmt__fail(e, HTMT_EINVAL, "htmt_%s() of a parcel that is gone", htmt_stage_name(stage));
        return;
    }
    if (stage == HTMT__DISCARD) {
        p->discarded = true;
        if (p->state == HTMT__FOR_CALL)
            htmt__ready(e, p);
        return;
    }
    p->open |= (uint16_t)HTMT_GATE(stage);
    if (p->state == HTMT__FOR_CALL && p->step->stage == stage)
        htmt__ready(e, p);
}

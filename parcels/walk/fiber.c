/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/fiber.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"

/* ---- slots ----------------------------------------------------------------------------------- */

__attribute__((noinline)) static void enable(struct htmt_emulator *e, struct htmt__entity *owner,
                                             uint32_t fiber)
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

__attribute__((cold, noinline)) static void refuse_signal(struct htmt_emulator *e,
                                                          const struct htmt_slot *slot,
                                                          const struct htmt__entity *owner)
{
    const uint32_t slice = htmt_ref_slice(slot->owner),
                   fibers = owner ? owner->type->fiber_count : 0;
    const unsigned long long number = slot->owner.serial & ((UINT64_C(1) << HTMT__SERIAL_BITS) - 1);
    if (!owner)
        htmt__fail(e, HTMT_EINVAL,
                   "a signal to fiber %u of parcel %llu of slice %u, a parcel that is gone: it "
                   "retired before",
                   slot->fiber, number, slice);
    else if (!slot->fiber || slot->fiber > fibers)
        htmt__fail(e, HTMT_EINVAL,
                   "a signal to fiber %u of a parcel of type %s in slice %u, which has %u, counted "
                   "from 1",
                   slot->fiber, owner->type->code.name, slice, fibers);
    else
        htmt__fail(
            e, HTMT_EINVAL,
            "a signal to fiber %u of %s in slice %u, whose slot is not set: give it a count, "
            "or call htmt_slot_set()",
            slot->fiber, owner->type->code.name, slice);
}

void htmt__count_down(struct htmt_emulator *e, const struct htmt_slot *slot)
{
    struct htmt__entity *owner = htmt__find(e, slot->owner);
    uint32_t fiber = slot->fiber;
    if (!owner || fiber - 1 >= owner->type->fiber_count || !owner->body->slot[fiber - 1].count) {
        refuse_signal(e, slot, owner);
        return;
    }
    struct htmt__fiber_slot *s = &owner->body->slot[fiber - 1];
    if (--s->count)
        return;
    s->count = s->full = s->reset;
    enable(e, owner, fiber);
}

/* Where slices are played one by one, another slice may have been told of before. */
static bool before(const struct htmt_emulator *e, const struct htmt__half *h)
{
    if (!e->alone || e->options.symmetry == HTMT_INDEPENDENT)
        return false;
    return e->now != h->at ? e->now < h->at : htmt__order(e) < h->order;
}

void htmt__slots_end(const struct htmt_emulator *e, const struct htmt__entity *owner)
{
    struct htmt__half *h = &owner->type->half;
    for (uint32_t i = 0; i < owner->type->fiber_count; i++) {
        const struct htmt__fiber_slot *s = &owner->body->slot[i];
        if (s->count == s->full)
            continue;
        if (!h->times++ || before(e, h)) {
            h->slice = owner->slice;
            h->fiber = i + 1;
            h->got = s->full - s->count;
            h->wanted = s->full;
            h->at = e->now;
            h->order = htmt__order(e);
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
    htmt__entity_free(e, fiber, HTMT__FIBER);
    if (--owner->body->live == 0 && owner->state == HTMT__FOR_CALL &&
        owner->step->stage == HTMT_RETIRE &&
        (owner->discarded || (owner->open & HTMT_GATE(HTMT_RETIRE))))
        htmt__ready(e, owner);
}

const char *htmt__gate_call(uint32_t stage)
{
    static const char *const name[HTMT__DISCARD + 1] = {[HTMT_DISPATCH] = "htmt_dispatch()",
                                                        [HTMT_EXECUTE] = "htmt_execute()",
                                                        [HTMT_RETIRE] = "htmt_retire()",
                                                        [HTMT_SCATTER] = "htmt_scatter()",
                                                        [HTMT__DISCARD] = "htmt_discard()"};
    return name[stage];
}

static bool gate_ahead(const struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    while (step->op != HTMT__END && step->op != HTMT__GATE)
        step++;
    return step->op == HTMT__GATE;
}

/* 0: the call has something to open. When folded, each slice's call reaches slice 0's parcel. */
static int check_gate(struct htmt_emulator *e, const struct htmt__entity *p, struct htmt_ref parcel,
                      uint32_t stage)
{
    bool discard = stage == HTMT__DISCARD;
    bool twice = discard ? p->discarded : (p->open & HTMT_GATE(stage)) != 0;
    const char *why = twice ? "is called twice" : "comes after its last gate";
    if (htmt_ref_slice(parcel) >= e->played || (!twice && (!discard || gate_ahead(p))))
        return 0;
    return htmt__fail(e, HTMT_EINVAL, "%s of a parcel of type %s in slice %u %s: one call a parcel",
                      htmt__gate_call(stage), p->type->code.name, p->slice, why);
}

void htmt__gate_open(struct htmt_emulator *e, struct htmt_ref parcel, uint32_t stage)
{
    struct htmt__entity *p = htmt__find(e, parcel);
    if (!p) {
        htmt__fail(e, HTMT_EINVAL, "%s of a parcel that is gone: a second call, or one too late",
                   htmt__gate_call(stage));
        return;
    }
    if (check_gate(e, p, parcel, stage))
        return;
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sync slots, fibers and gates.
 *
 * An activation is a parcel at its layer of execution. Fiber 0 is its stage execute; the type may
 * have further fibers. Each of these has a sync slot with a count. A signal counts the slot down;
 * at zero the fiber is enabled and the slot starts anew from its `reset` value, or stays unset if
 * that is 0. So a fiber that needs two messages has the count 2 and runs once for every two
 * signals, in whichever order they come. Fibers run to completion and block on nothing; this is the
 * model of EARTH and Threaded-C.
 *
 * An enabled fiber is an entity of its own. It asks for a server of the bank as a parcel does,
 * first enabled, first served, while its activation waits at the gate RETIRE and holds its words.
 * Fibers that are enabled before fiber 0 has ended wait in a list of the activation (body->early):
 * fiber 0 may still set slots and arguments that they read. The gate RETIRE opens when
 * htmt_retire() was called and no enabled fiber is left. An example with two fibers:
 *
 *     execute          sends two words, asks to be signalled at slot 1 (count 2)
 *     gate RETIRE      the activation waits; execute's server is free for others
 *     signal, signal   slot 1: 2, 1, 0: fiber 1 is enabled and served
 *     fiber 1          calls htmt_retire(); when it ends, the activation goes on
 *
 * A gate is a step that a parcel passes when the call of the stage behind it has been made; a bit
 * of p->open remembers a call that comes before the parcel does. Each call may be made once.
 *
 * If a parcel ends with a slot that was counted down in part, its type remembers the first such
 * slot for a note at the end of the run: a program mostly expected another signal.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/walk/signal.h"

/* ---- slots ----------------------------------------------------------------------------------- */

int htmt__slot_refuse(struct htmt_emulator *e, struct htmt_slot slot)
{
    return htmt__fail(
        e, HTMT_EINVAL,
        "a signal to a slot of slice %u, layer %u, which this emulator does not have: "
        "take slots from htmt_slot() and htmt_assemble()",
        htmt_ref_slice(slot.owner), slot.owner.layer);
}

__attribute__((cold, noinline)) static void refuse_signal(struct htmt_emulator *e,
                                                          const struct htmt_slot *slot,
                                                          const struct htmt__entity *owner)
{
    const uint32_t slice = htmt_ref_slice(slot->owner),
                   fibers = owner ? owner->type->fiber_count : 0;
    char fiber[HTMT__STAGE_TEXT];
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
        htmt__fail(e, HTMT_EINVAL,
                   "a signal to %s of %s in slice %u, whose slot is not set: give it a count, "
                   "or call htmt_slot_set()",
                   htmt__stage_text(&owner->type->code, HTMT_FIBER, slot->fiber, fiber),
                   owner->type->code.name, slice);
}

/* The slot of the fiber has been counted down. */
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
    if (htmt__explained(e))
        e->explain->enabled(e, f, owner, fiber);
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

/* told: who watches hears of it. Apart from the common way, which keeps nothing on the stack. */
static inline void count(struct htmt_emulator *e, const struct htmt_slot *slot, bool told)
{
    struct htmt__entity *owner = htmt__find(e, slot->owner);
    uint32_t fiber = slot->fiber;
    if (!owner || fiber - 1 >= owner->type->fiber_count || !owner->body->slot[fiber - 1].count) {
        refuse_signal(e, slot, owner);
        return;
    }
    struct htmt__fiber_slot *s = &owner->body->slot[fiber - 1];
    if (told)
        e->explain->signalled(e, owner, fiber);
    if (--s->count)
        return;
    s->count = s->full = s->reset;
    enable(e, owner, fiber);
}

__attribute__((cold, noinline)) static void count_told(struct htmt_emulator *e,
                                                       const struct htmt_slot *slot)
{
    count(e, slot, true);
}

void htmt__count_down(struct htmt_emulator *e, const struct htmt_slot *slot)
{
    if (htmt__explained(e))
        count_told(e, slot);
    else
        count(e, slot, false);
}

/* The first one counts. Where slices are played one by one in the order of time, another slice may
 * have told of one that comes behind this one. */
void htmt__slots_end(const struct htmt_emulator *e, const struct htmt__entity *owner)
{
    struct htmt__half *h = &owner->type->half;
    for (uint32_t i = 0; i < owner->type->fiber_count; i++) {
        const struct htmt__fiber_slot *s = &owner->body->slot[i];
        if (s->count == s->full)
            continue;
        bool first = !h->times++;
        if (!first && e->alone && e->options.symmetry != HTMT_INDEPENDENT)
            first = e->now != h->at ? e->now < h->at : htmt__order(e) < h->order;
        if (!first)
            continue;
        h->slice = owner->slice;
        h->fiber = i + 1;
        h->got = s->full - s->count;
        h->wanted = s->full;
        h->at = e->now;
        h->order = htmt__order(e);
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

/* ---- gates ----------------------------------------------------------------------------------- */

const char *htmt__gate_call(uint32_t stage)
{
    static const char *const name[HTMT__DISCARD + 1] = {[HTMT_DISPATCH] = "htmt_dispatch()",
                                                        [HTMT_EXECUTE] = "htmt_execute()",
                                                        [HTMT_RETIRE] = "htmt_retire()",
                                                        [HTMT_SCATTER] = "htmt_scatter()",
                                                        [HTMT__DISCARD] = "htmt_discard()"};
    return name[stage];
}

/* When folded, each slice's call reaches slice 0's parcel: those of other slices are not refused as
 * a second call. */
void htmt__gate_open(struct htmt_emulator *e, struct htmt_ref parcel, uint32_t stage)
{
    struct htmt__entity *p = htmt__find(e, parcel);
    const bool discard = stage == HTMT__DISCARD;
    if (!p) {
        htmt__fail(e, HTMT_EINVAL, "%s of a parcel that is gone: a second call, or one too late",
                   htmt__gate_call(stage));
        return;
    }
    if (htmt_ref_slice(parcel) < e->played) {
        const bool twice = discard ? p->discarded : (p->open & HTMT_GATE(stage)) != 0;
        const struct htmt__step *ahead = p->step;
        while (discard && ahead->op != HTMT__END && ahead->op != HTMT__GATE)
            ahead++;
        if (twice || (discard && ahead->op == HTMT__END)) {
            htmt__fail(e, HTMT_EINVAL,
                       "%s of a parcel of type %s in slice %u %s: one call a parcel",
                       htmt__gate_call(stage), p->type->code.name, p->slice,
                       twice ? "is called twice" : "comes after its last gate");
            return;
        }
    }
    if (htmt__explained(e))
        e->explain->opened(e, p);
    if (discard)
        p->discarded = true;
    else
        p->open |= (uint16_t)HTMT_GATE(stage);
    if (p->state == HTMT__FOR_CALL && (discard || p->step->stage == stage))
        htmt__ready(e, p);
}

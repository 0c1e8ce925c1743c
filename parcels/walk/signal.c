/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signals to slots elsewhere: messages of one word.
 *
 * The chains of networks between any two layers, in the same slice or across slices, are found once
 * (parcels/message/route.c). e->hop[across][from][to] says which layer comes next and whether the
 * hop leaves the slice. A signal takes one hop, and where it arrives it looks up the next one from
 * there: it knows its slot and nothing of the chain. With the what-if move of exchanges a signal to
 * an innermost memory goes round by the outer ones (e->detour).
 */
#include "parcels/walk/signal.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/what_if.h"

static int refuse_route(struct htmt_emulator *e, uint32_t from, uint32_t to)
{
    return htmt__fail(e, HTMT_EROUTE, "no chain of networks carries a signal from %s to %s",
                      e->machine->layer[from].name, e->machine->layer[to].name);
}

/* The next leg, round by the outer memories. */
__attribute__((noinline)) static int next_round(struct htmt_emulator *e, struct htmt__message *m,
                                                uint32_t slice, uint32_t layer)
{
    struct htmt_ref owner = m->slot.owner;
    uint32_t target = htmt_ref_slice(owner);
    const struct htmt__hop *hop = owner.layer == htmt__innermost(e)
                                      ? &e->detour[slice != target][layer]
                                      : &e->hop[slice != target][layer][owner.layer];
    if (!hop->way)
        return refuse_route(e, layer, owner.layer);
    htmt__leg_set(&m->leg, layer, hop->next, slice, hop->across ? target : slice, 1);
    return htmt__message_route(e, m, true, 1, 1);
}

/* The next leg of a signal from its present place to its owner's. */
static inline int next_leg(struct htmt_emulator *e, struct htmt__message *m, uint32_t slice,
                           uint32_t layer)
{
    struct htmt_ref owner = m->slot.owner;
    uint32_t target = htmt_ref_slice(owner);
    const struct htmt__hop *hop = &e->hop[slice != target][layer][owner.layer];
    if (__builtin_expect(e->options.what_if & HTMT_DEPARTS_EXCHANGE, 0))
        return next_round(e, m, slice, layer);
    if (__builtin_expect(!hop->way, 0))
        return refuse_route(e, layer, owner.layer);
    htmt__leg_set(&m->leg, layer, hop->next, slice, hop->across ? target : slice, 1);
    return htmt__message_cross_word(e, m, hop->way);
}

void htmt__signal_send(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                       const struct htmt_slot *slot)
{
    if (htmt__slot_check(e, *slot))
        return;
    struct htmt__entity *p = htmt__message_entity(e, slice, HTMT__MESSAGE_SIGNAL);
    if (!p)
        return;
    p->message->slot = *slot;
    if (!next_leg(e, p->message, slice, layer))
        htmt__channel_out(e, p, &p->message->leg);
}

void htmt__signal_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    if (m->leg.target == htmt_ref_slice(m->slot.owner) && m->leg.to == m->slot.owner.layer) {
        htmt__count_down(e, &m->slot);
        htmt__message_end(e, p);
    } else if (!next_leg(e, m, m->leg.target, m->leg.to)) {
        htmt__channel_out(e, p, &m->leg);
    }
}

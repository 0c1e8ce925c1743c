/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/signal.h"
#include "parcels/timing/residency.h"
#include "parcels/timing/what_if.h"

/* The next leg of a signal from its present place to its owner's. */
static int next_leg(struct htmt_emulator *e, struct htmt__message *m, uint32_t slice,
                    uint32_t layer)
{
    struct htmt_ref owner = m->slot.owner;
    bool across = slice != htmt_ref_slice(owner);
    bool round = (e->options.what_if & HTMT_DEPARTS_EXCHANGE) && owner.layer == htmt__innermost(e);
    struct htmt__hop hop = round ? e->detour[across][layer] : e->hop[across][layer][owner.layer];
    if (!hop.there)
        return htmt__fail(e, HTMT_EROUTE, "no chain of networks carries a signal from %s to %s",
                          e->machine->layer[layer].name, e->machine->layer[owner.layer].name);
    htmt__leg_set(&m->leg, layer, hop.next, slice, hop.across ? htmt_ref_slice(owner) : slice, 1);
    return htmt__message_route(e, m, true, 1, 1);
}

int htmt__slot_refuse(struct htmt_emulator *e, struct htmt_slot slot)
{
    return htmt__fail(
        e, HTMT_EINVAL,
        "a signal to a slot of slice %u, layer %u, which this emulator does not have: "
        "take slots from htmt_slot() and htmt_assemble()",
        htmt_ref_slice(slot.owner), slot.owner.layer);
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
        htmt__message_start(e, p);
}

void htmt__signal_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    if (m->leg.target == htmt_ref_slice(m->slot.owner) && m->leg.to == m->slot.owner.layer) {
        htmt__count_down(e, &m->slot);
        htmt__message_end(e, p);
    } else if (!next_leg(e, m, m->leg.target, m->leg.to)) {
        htmt__message_start(e, p);
    }
}

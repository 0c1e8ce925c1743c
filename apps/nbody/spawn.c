/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all parcels of the tree share.
 */
#include "apps/nbody/parts.h"

typedef struct htmt__nbody_order order;

void htmt__nbody_spawn(struct htmt_context *c, const struct htmt_type *type,
                       const struct htmt_region *regions, uint32_t count, const order *o,
                       enum htmt__nbody_fiber fiber)
{
    struct htmt_parcel_desc d = {
        .type = type, .slice = htmt_slice(c), .regions = regions, .region_count = count, .args = o};
    if (fiber)
        d.on_done = htmt_slot_of(o->lead, fiber);
    htmt_assemble(c, &d, NULL);
}

void htmt__nbody_await(struct htmt_context *c, enum htmt__nbody_fiber fiber, uint64_t parcels)
{
    htmt_slot_set(c, fiber, (uint32_t)htmt_most(parcels, 1), 0);
    if (!parcels)
        htmt_signal(c, htmt_slot(c, fiber));
}

order htmt__nbody_order_of(struct htmt_context *c)
{
    const struct htmt__nbody_lead *l = htmt_args(c);
    return (order){.p = l->p, .lead = htmt_self(c), .me = htmt_slice(c)};
}

void htmt__nbody_stand_in(struct htmt_context *c, const struct htmt__nbody_program *p,
                          uint64_t operations)
{
    if (p->blind)
        htmt_charge(c, HTMT_IOP, operations);
}

void htmt__nbody_tally(struct htmt_kernel *k, const struct htmt__nbody_effort *effort)
{
    htmt_count(k, HTMT_LOAD, effort->load);
    htmt_count(k, HTMT_STORE, effort->store);
    htmt_count(k, HTMT_IOP, effort->iop);
    htmt_count(k, HTMT_FLOP, effort->flop);
}

void htmt__nbody_to_all(struct htmt_context *c, const order *o, const struct htmt_frame *frame,
                        uint64_t offset, uint64_t bytes, enum htmt__nbody_fiber fiber)
{
    for (uint32_t i = 1; i < o->p->plan.slices; i++) {
        const uint32_t to = (o->me + i) % o->p->plan.slices;
        struct htmt_put put = htmt_put_init();
        put.src = htmt_at(frame, o->me, offset);
        put.dst = htmt_at(frame, to, offset);
        put.bytes = bytes;
        put.on_arrived = htmt_slot_in(htmt_slot_of(o->lead, fiber), to);
        htmt_put(c, &put);
    }
}

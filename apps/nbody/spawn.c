/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program share.
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

/* ---- set-up --------------------------------------------------------------------------------- */

int htmt__nbody_frames(const struct htmt__nbody_program *p, uint32_t layer,
                       const struct htmt__nbody_frame_row *rows, size_t count)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < count; i++)
        if (p->plan.slices > 1 || !rows[i].shared)
            rc = htmt_frame_create(p->e, layer, rows[i].bytes, rows[i].name, rows[i].frame);
    return rc;
}

int htmt__nbody_types(const struct htmt__nbody_program *p, uint32_t layer,
                      const struct htmt__nbody_type_row *rows, size_t count)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < count; i++) {
        struct htmt_type_desc d = htmt_type_desc_init();
        d.name = rows[i].name;
        d.home = d.exec = htmt_emulator_machine(p->e)->layer[layer].name;
        d.execute = rows[i].execute;
        d.footprint = HTMT_RESIDENT;
        d.args_bytes = sizeof(order);
        d.result_bytes = rows[i].result;
        rc = htmt_type_create(p->e, &d, rows[i].type);
    }
    return rc;
}

void htmt__nbody_fibers(struct htmt_stage *fibers, const struct htmt__nbody_fiber_row *rows,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        fibers[rows[i].fiber - 1] = (struct htmt_stage){
            .control = rows[i].control, .count = rows[i].count, .reset = rows[i].count};
}
